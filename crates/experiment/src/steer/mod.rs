//! Who leads an experiment: says what to run next, and sees each sample as it lands. What is recorded, stored and told
//! is the driver's.

mod compare;
mod explain;
mod failed;
mod rounds;
mod sweep;
mod warm_up;

use fauxplat_model::{Command, Sample};

use crate::{Failure, Next};

pub use compare::CompareSteering;
pub use explain::ExplainSteering;
pub(crate) use failed::{HOPELESS_FROM, how_it_ended};
pub use rounds::{Bounds, Rounds};
pub use sweep::SweepSteering;
pub use warm_up::WarmUp;

/// A sample that landed, with what is known beside it.
#[derive(Clone, Copy, Debug)]
pub struct Landed<'a> {
    /// The sample.
    pub sample: &'a Sample,
    /// The command that was run.
    pub command: &'a Command,
    /// All samples of the experiment so far, this one last.
    pub all: &'a [Sample],
}

/// How far the work has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// A share of the whole, 0 to 1.
    pub share: f64,
    /// What is being done.
    pub words: String,
    /// Blocks that are finished.
    pub blocks: u32,
}

/// Whoever leads an experiment.
pub trait Steering {
    /// What to run next, at this moment of the clock by which runs are timed. Asked again whenever there is room.
    fn next(&mut self, now_ns: u64) -> Next;

    /// Sees a sample. Samples come in the order of their trials.
    ///
    /// # Errors
    /// Ends the experiment at once.
    fn sample(&mut self, landed: Landed<'_>) -> Result<(), Failure>;

    /// How far the work has come; nothing where that says nothing.
    fn standing(&self) -> Option<Standing> {
        None
    }
}
