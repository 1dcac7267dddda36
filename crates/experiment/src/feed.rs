//! Interface between the executor and the source of its trials, which also receives the samples.

use fauxplat_launch::LaunchError;
use fauxplat_model::{Evidence, Sample, Trial};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Run these trials, in this order.
    Trials(Vec<Trial>),
    /// Wait for the replies of the trials under way, on which the next trials depend.
    Wait,
    Done,
}

/// Source of trials, which also receives the samples.
pub trait Feed {
    /// Reason why the feed refuses to continue, for instance a store that is full.
    type Error;

    /// Surroundings of a trial outside of its process: a load beside it, a frequency. Trials of different scenes are
    /// never under way together.
    type Scene: PartialEq;

    /// The next trials, given the present time of the launcher's clock. Called whenever the executor can request more.
    fn next(&mut self, now_ns: u64) -> Next;

    /// Whether trials that the feed returned and that have not begun are dropped, because the time of the experiment is
    /// over. Called before each trial; after true, no more trials are requested.
    fn is_overdue(&mut self, now_ns: u64) -> bool {
        let _ = now_ns;
        false
    }

    fn scene(&self, trial: &Trial) -> Self::Scene;

    /// Sets up the surroundings of this trial. No run is under way meanwhile.
    ///
    /// # Errors
    /// An error ends the experiment at once.
    fn enter_scene(&mut self, trial: &Trial) -> Result<(), Self::Error>;

    /// Receives a sample. Samples come in the order of their trials.
    ///
    /// # Errors
    /// An error ends the experiment at once.
    fn sample(&mut self, sample: Sample) -> Result<(), Self::Error>;

    /// Receives evidence about the run of the last sample.
    ///
    /// # Errors
    /// An error ends the experiment at once.
    fn evidence(&mut self, evidence: Evidence) -> Result<(), Self::Error>;

    /// Called when all samples that have arrived were passed to the feed, so that the feed can commit them.
    ///
    /// # Errors
    /// An error ends the experiment at once.
    fn landed(&mut self) -> Result<(), Self::Error>;
}

#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error(
        "the {role} command of `{command}` failed with status {status}; see its output with --show-output"
    )]
    Helper {
        role: &'static str,
        command: String,
        /// Exit status of the helper, as a shell shows it.
        status: i32,
    },
    #[error("{0}")]
    Feed(E),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The feed returned [`Next::Done`].
    Done,
    Interrupted,
}
