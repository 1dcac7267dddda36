//! Shifts of our own workers, by the same plan that orders the runs of commands.

use fauxplat_model::{Phase, ShiftSample};
use fauxplat_plan::Plan;
use fauxplat_sys::signal;
use fauxplat_workers::{Crew, Shift, WorkerError};

use crate::Stopped;

/// What each worker does in each cell of the design; absent entries sleep.
pub type Cells = [Vec<Option<Shift>>];

/// Visits every cell once in each round, in the order of the plan (its *commands* are the cells), and hands each sample
/// over as it lands.
///
/// # Errors
/// A worker is gone.
pub fn execute_shifts(
    crew: &mut Crew,
    cells: &Cells,
    plan: &Plan,
    rounds: u32,
    mut on_sample: impl FnMut(ShiftSample),
) -> Result<Stopped, WorkerError> {
    for round in 0..rounds {
        for trial in plan.block(round, Phase::Measured) {
            if signal::stop_requested() {
                return Ok(Stopped::Interrupted);
            }
            let accounts = crew.work(&cells[usize::from(trial.command)])?;
            for (hand, account) in accounts.into_iter().enumerate() {
                if let Some(account) = account {
                    on_sample(ShiftSample { round, cell: trial.command, hand: hand as u16, ..account });
                }
            }
        }
    }
    Ok(Stopped::Done)
}
