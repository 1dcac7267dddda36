//! Work of our own, by the same plan that orders the runs of commands.

use fauxplat_model::{Phase, ShiftSample};
use fauxplat_plan::Plan;
use fauxplat_sys::signal;
use fauxplat_workers::{Shift, WorkerError, WorkerPool};

use crate::Stopped;

/// What each worker does in each cell of the design; absent entries sleep.
pub type Cells = [Vec<Option<Shift>>];

/// Visits every cell once in each round, in the order of the plan: its *commands* are the cells. The body gets round
/// and cell.
///
/// # Errors
/// Those of the body, at once.
pub fn execute_cells<E>(
    plan: &Plan,
    rounds: u32,
    mut body: impl FnMut(u32, u16) -> Result<(), E>,
) -> Result<Stopped, E> {
    for round in 0..rounds {
        for trial in plan.block(round, Phase::Measured) {
            if signal::stop_requested() {
                return Ok(Stopped::Interrupted);
            }
            body(round, trial.command)?;
        }
    }
    Ok(if signal::stop_requested() { Stopped::Interrupted } else { Stopped::Done })
}

/// Shifts of workers, cell by cell; each sample is handed over as it lands.
///
/// # Errors
/// A worker is gone.
pub fn execute_shifts(
    pool: &mut WorkerPool,
    cells: &Cells,
    plan: &Plan,
    rounds: u32,
    mut on_sample: impl FnMut(ShiftSample),
) -> Result<Stopped, WorkerError> {
    execute_cells(plan, rounds, |round, cell| {
        let accounts = pool.work(&cells[usize::from(cell)])?;
        for (worker, account) in accounts.into_iter().enumerate() {
            if let Some(account) = account {
                on_sample(ShiftSample { round, cell, hand: worker as u16, ..account });
            }
        }
        Ok(())
    })
}
