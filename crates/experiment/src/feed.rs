//! What the executor is fed with: the trials that somebody wants next, and where their samples go.

use fauxplat_launch::LaunchError;
use fauxplat_model::{Evidence, Sample, Trial};

/// What the experiment wants next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// These trials, in this order.
    Trials(Vec<Trial>),
    /// Nothing before the trials under way are in: what follows depends on them.
    Wait,
    /// Nothing more.
    Done,
}

/// Whoever feeds the executor: says what to run next, and takes each sample as it lands.
pub trait Feed {
    /// Why it may refuse to go on, for instance a store that is full.
    type Error;

    /// What must stand around a trial and cannot be put into its process: a load beside it, a frequency. Trials of
    /// different scenes are never under way together.
    type Scene: PartialEq;

    /// What to run next, at this moment of the launcher's clock. Asked again whenever there is room.
    fn next(&mut self, now_ns: u64) -> Next;

    /// What must stand around a trial.
    fn scene(&self, trial: &Trial) -> Self::Scene;

    /// Makes the scene of this trial. Nothing is under way meanwhile.
    ///
    /// # Errors
    /// Ends the experiment at once.
    fn enter_scene(&mut self, trial: &Trial) -> Result<(), Self::Error>;

    /// Takes a sample. Samples come in the order of their trials.
    ///
    /// # Errors
    /// Ends the experiment at once.
    fn sample(&mut self, sample: Sample) -> Result<(), Self::Error>;

    /// Takes what was seen along the run of the last sample.
    ///
    /// # Errors
    /// Ends the experiment at once.
    fn evidence(&mut self, evidence: Evidence) -> Result<(), Self::Error>;

    /// All samples that had landed were handed over: the moment to commit them.
    ///
    /// # Errors
    /// Ends the experiment at once.
    fn landed(&mut self) -> Result<(), Self::Error>;
}

/// Why an experiment ended before it was done.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    /// A command could not be launched.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A command that prepares or concludes failed.
    #[error(
        "the {role} command of `{command}` failed with status {status}; see its output with --show-output"
    )]
    Helper {
        /// `prepare` or `conclude`.
        role: &'static str,
        /// The command that it belongs to.
        command: String,
        /// Its exit status as a shell shows it.
        status: i32,
    },
    /// Whoever feeds refused to go on.
    #[error("{0}")]
    Feed(E),
}

/// How an experiment ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// There was nothing more to ask for.
    Done,
    /// The user interrupted it.
    Interrupted,
}
