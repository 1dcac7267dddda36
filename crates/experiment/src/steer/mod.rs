//! Steerings lead an experiment: a steering chooses the next trials, and sees every sample. Recording, storing and
//! reporting are the driver's task.

mod compare;
mod explain;
mod failed;
mod rounds;
mod sweep;
mod warm_up;

use fauxplat_model::{Command, Sample};

use crate::{Failure, Next};

pub use compare::{CompareSteering, Until};
pub use explain::ExplainSteering;
pub use failed::{HOPELESS_FROM, how_it_ended};
pub use rounds::{Bounds, Rounds};
pub use sweep::SweepSteering;
pub use warm_up::WarmUp;

/// A sample with its context.
#[derive(Clone, Copy, Debug)]
pub struct Landed<'a> {
    pub sample: &'a Sample,
    pub command: &'a Command,
    /// All samples of the experiment so far, this one last.
    pub all: &'a [Sample],
}

/// Progress of an experiment, as its listeners are told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    pub share: f64,
    /// Description of the present activity.
    pub words: String,
    pub blocks: u32,
}

pub trait Steering {
    /// The next trials, given the present time of the clock by which runs are timed. Called whenever the executor can
    /// request more.
    fn next(&mut self, now_ns: u64) -> Next;

    /// Whether requested trials that have not begun are dropped, because the time limit is past and every command has
    /// been run. Otherwise a block of many slow commands would outlast the limit several times over.
    fn is_overdue(&mut self, now_ns: u64) -> bool {
        let _ = now_ns;
        false
    }

    /// Called with each sample, in the order of the trials.
    ///
    /// # Errors
    /// An error ends the experiment at once.
    fn sample(&mut self, landed: Landed<'_>) -> Result<(), Failure>;

    /// Progress of the steering; `None` if there is nothing to report.
    fn standing(&self) -> Option<Standing> {
        None
    }
}
