//! Runs the work (shifts) of fauxplat's worker threads, in the order of the same kind of plan as for the runs of
//! commands.

use fauxplat_model::{Evidence, Phase, ShiftSample};
use fauxplat_plan::Plan;
use fauxplat_sys::signal;
use fauxplat_workers::{Shift, WorkerPool};

use crate::{Driver, Failure, Standing, Stopped};

/// Rounds of one call of [`Driver::cells`]: `done` were made by earlier calls, and `rounds` are to be made now.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub done: u32,
    pub rounds: u32,
    /// Name of a round in reports of progress.
    pub words: &'static str,
}

impl Span {
    /// Progress after `visited` visits to cells, of which each round has `cells`.
    fn standing(&self, cells: u64, visited: u64) -> Standing {
        let (before, all) = (u64::from(self.done) * cells, u64::from(self.done + self.rounds) * cells);
        let share = (before + visited) as f64 / all.max(1) as f64;
        let round = self.done + (visited / cells.max(1)) as u32;
        let of = self.done + self.rounds;
        Standing { share, words: format!("{} {} of {of}", self.words, (round + 1).min(of)), blocks: round }
    }
}

impl Driver {
    /// Visits every cell once in each round, in the order of the plan, whose *commands* are the cells. The body gets
    /// the round and the index of the cell; the evidence that it returns is stored before the next visit. A failure
    /// after the first visit ends the visits, and is reported together with the results so far.
    ///
    /// # Errors
    /// Fails with an error of the body in the first visit.
    pub fn cells(
        &mut self,
        plan: &Plan,
        span: &Span,
        mut body: impl FnMut(u32, u16) -> Result<Vec<Evidence>, Failure>,
    ) -> Result<Stopped, Failure> {
        self.open_record()?;
        let mut visited = 0;
        for round in 0..span.rounds {
            for trial in plan.block(round, Phase::Measured) {
                if signal::stop_requested() {
                    self.interrupt();
                    return Ok(Stopped::Interrupted);
                }
                let brought = match body(span.done + round, trial.command) {
                    Err(failure) if visited == 0 && span.done == 0 => return Err(failure),
                    brought => brought,
                };
                let kept = brought.and_then(|all| all.into_iter().try_for_each(|one| self.record(one)));
                if let Err(failure) = kept {
                    self.cut_short(failure);
                    return Ok(Stopped::Interrupted);
                }
                visited += 1;
                self.tell(&span.standing(plan.commands.into(), visited));
            }
        }
        if signal::stop_requested() {
            self.interrupt();
        }
        Ok(if self.is_interrupted() { Stopped::Interrupted } else { Stopped::Done })
    }

    /// Runs the workers' shifts, cell by cell. `cells` has the work of each worker in each cell, where `None` means
    /// that the worker sleeps. Each sample is stored and passed to `keep` at once, under the number that `number` gives
    /// to its cell in the whole design.
    ///
    /// # Errors
    /// Fails if a worker has ended, or with an error of the store.
    pub(crate) fn shifts(
        &mut self,
        pool: &mut WorkerPool,
        cells: &[Vec<Option<Shift>>],
        plan: &Plan,
        span: &Span,
        number: impl Fn(u16) -> u16,
        mut keep: impl FnMut(ShiftSample),
    ) -> Result<Stopped, Failure> {
        self.cells(plan, span, |round, cell| {
            let accounts = pool.work(&cells[usize::from(cell)])?.into_iter().enumerate();
            // The work that the user's request to stop cut short does not count.
            if signal::stop_requested() {
                return Ok(Vec::new());
            }
            let sample = |(hand, account): (usize, Option<ShiftSample>)| {
                Some(ShiftSample { round, cell: number(cell), hand: hand as u16, ..account? })
            };
            let samples: Vec<ShiftSample> = accounts.filter_map(sample).collect();
            samples.iter().cloned().for_each(&mut keep);
            Ok(samples.into_iter().map(Evidence::Shift).collect())
        })
    }
}
