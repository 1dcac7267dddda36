//! Interface between the executor and the source of its trials, which also receives the samples.

use fauxplat_launch::LaunchError;
use fauxplat_model::{Evidence, Sample, Trial};

/// Answer to the question what to run next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Run these trials, in this order.
    Trials(Vec<Trial>),
    /// Wait until the trials under way are in: the next ones depend on them.
    Wait,
    /// Run nothing more.
    Done,
}

/// Source of trials: says what to run next, and receives each sample.
pub trait Feed {
    /// Why the feed may refuse to go on, for instance a store that is full.
    type Error;

    /// Surroundings of a trial that cannot be put into its process: a load beside it, a frequency. Trials of different
    /// scenes are never under way together.
    type Scene: PartialEq;

    /// The next trials, at this moment of the launcher's clock. Called whenever there is room.
    fn next(&mut self, now_ns: u64) -> Next;

    /// Whether the trials that were asked for and have not begun are given up, because the time of the experiment is over.
    /// Asked before each of them; nothing more is asked for afterwards.
    fn is_overdue(&mut self, now_ns: u64) -> bool {
        let _ = now_ns;
        false
    }

    /// Surroundings of a trial.
    fn scene(&self, trial: &Trial) -> Self::Scene;

    /// Establishes the surroundings of this trial. Nothing is under way meanwhile.
    ///
    /// # Errors
    /// Ends the experiment at once.
    fn enter_scene(&mut self, trial: &Trial) -> Result<(), Self::Error>;

    /// Takes a sample. Samples come in the order of their trials.
    ///
    /// # Errors
    /// Ends the experiment at once.
    fn sample(&mut self, sample: Sample) -> Result<(), Self::Error>;

    /// Takes evidence about the run of the last sample.
    ///
    /// # Errors
    /// Ends the experiment at once.
    fn evidence(&mut self, evidence: Evidence) -> Result<(), Self::Error>;

    /// Called when all samples so far have been passed on: the moment to commit them.
    ///
    /// # Errors
    /// Ends the experiment at once.
    fn landed(&mut self) -> Result<(), Self::Error>;
}

/// Why an experiment ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    /// A command could not be launched.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A `prepare` or `conclude` command failed.
    #[error(
        "the {role} command of `{command}` failed with status {status}; see its output with --show-output"
    )]
    Helper {
        /// `prepare` or `conclude`.
        role: &'static str,
        /// Name of the command that the helper belongs to.
        command: String,
        /// Exit status of the helper, as a shell shows it.
        status: i32,
    },
    /// The feed returned an error.
    #[error("{0}")]
    Feed(E),
}

/// How an execution ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The feed had no further trials.
    Done,
    /// The user interrupted.
    Interrupted,
}
