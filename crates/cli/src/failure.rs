//! Why a verb did not end well, and the exit code that says so.

use fauxplat_latency::LatencyError;
use fauxplat_launch::LaunchError;
use fauxplat_load::LoadError;
use fauxplat_report::ReportError;
use fauxplat_run::RunError;
use fauxplat_store::StoreError;
use fauxplat_tuning::TuneError;
use fauxplat_variants::VariantError;
use fauxplat_workers::WorkerError;

/// A gate that the user asked for did not hold.
pub(crate) const GATE: u8 = 1;
/// Bad usage or bad input.
pub(crate) const USAGE: u8 = 2;
/// The machine or its permissions do not allow it.
pub(crate) const MACHINE: u8 = 3;
/// The measured command failed.
pub(crate) const COMMAND: u8 = 4;
/// A bug in fauxplat.
pub(crate) const BUG: u8 = 70;

/// Why a verb did not end well.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    cause: anyhow::Error,
}

impl Failure {
    pub(crate) fn new(code: u8, cause: impl Into<anyhow::Error>) -> Self {
        Failure { code, cause: cause.into() }
    }

    pub(crate) fn usage(message: impl std::fmt::Display) -> Self {
        Failure::new(USAGE, anyhow::anyhow!("{message}"))
    }

    pub(crate) fn machine(message: impl std::fmt::Display) -> Self {
        Failure::new(MACHINE, anyhow::anyhow!("{message}"))
    }

    pub(crate) fn command(message: impl std::fmt::Display) -> Self {
        Failure::new(COMMAND, anyhow::anyhow!("{message}"))
    }

    pub(crate) fn gate(message: impl std::fmt::Display) -> Self {
        Failure::new(GATE, anyhow::anyhow!("{message}"))
    }

    /// The same failure, and what it happened in.
    pub(crate) fn within(self, what: &str) -> Self {
        Failure { code: self.code, cause: self.cause.context(what.to_owned()) }
    }

    pub(crate) fn code(&self) -> u8 {
        self.code
    }

    /// A reader that closed its end of the pipe wants no more words.
    pub(crate) fn is_silent(&self) -> bool {
        self.cause.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>()).any(is_broken_pipe)
    }
}

fn is_broken_pipe(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::BrokenPipe
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Causes whose words are already in the line above them are not repeated.
        let mut text = self.cause.to_string();
        for cause in self.cause.chain().skip(1) {
            let more = cause.to_string();
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
        }
        f.write_str(&text)
    }
}

impl From<LaunchError> for Failure {
    fn from(error: LaunchError) -> Self {
        let code = match &error {
            LaunchError::Words { .. }
            | LaunchError::NotFound { .. }
            | LaunchError::NotExecutable { .. }
            | LaunchError::File { .. }
            | LaunchError::NullByte(_) => USAGE,
            _ if error.is_too_big() => USAGE,
            _ if error.is_permission() => MACHINE,
            LaunchError::Refused { stage: fauxplat_sys::spawn::Stage::Exec, .. } => COMMAND,
            LaunchError::Refused { .. } | LaunchError::Sys(_) | LaunchError::Stopped => MACHINE,
            LaunchError::SpawnerDied(_) => BUG,
        };
        Failure::new(code, error)
    }
}

impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Self {
        let code = if error.is_bad_input() { USAGE } else { MACHINE };
        Failure::new(code, error)
    }
}

impl From<VariantError> for Failure {
    fn from(error: VariantError) -> Self {
        let code = match error {
            VariantError::Launch(error) => return error.into(),
            VariantError::Failed { .. } | VariantError::OtherAnswer { .. } => COMMAND,
            VariantError::File { .. } | VariantError::NoSuchWay { .. } | VariantError::Interrupted => MACHINE,
            VariantError::NoHome
            | VariantError::Object { .. }
            | VariantError::NoProgram { .. }
            | VariantError::NoAnswer { .. } => USAGE,
        };
        Failure::new(code, error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let code = match &error {
            StoreError::NotAFile { .. }
            | StoreError::NotADatabase { .. }
            | StoreError::ForeignDatabase { .. }
            | StoreError::NoSuchExperiment { .. }
            | StoreError::BadId { .. }
            | StoreError::NoHome => USAGE,
            _ => MACHINE,
        };
        Failure::new(code, error)
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        let code = if matches!(error, ReportError::Io { .. }) { MACHINE } else { USAGE };
        Failure::new(code, error)
    }
}

impl From<fauxplat_table::Error> for Failure {
    fn from(error: fauxplat_table::Error) -> Self {
        use fauxplat_table::Error;
        use std::io::ErrorKind::{NotADirectory, NotFound};
        let code = match &error {
            Error::Io { source, .. } if matches!(source.kind(), NotFound | NotADirectory) => USAGE,
            Error::Io { .. } | Error::NoSpace { .. } => MACHINE,
            _ => USAGE,
        };
        Failure::new(code, error)
    }
}

impl From<WorkerError> for Failure {
    fn from(error: WorkerError) -> Self {
        let code = if matches!(error, WorkerError::Gone(_)) { BUG } else { MACHINE };
        Failure::new(code, error)
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        let code = if matches!(error, LoadError::Stranger) { BUG } else { MACHINE };
        Failure::new(code, error)
    }
}

impl From<LatencyError> for Failure {
    fn from(error: LatencyError) -> Self {
        let code = if matches!(error, LatencyError::Gone(_)) { BUG } else { MACHINE };
        Failure::new(code, error)
    }
}

impl From<RunError<Failure>> for Failure {
    fn from(error: RunError<Failure>) -> Self {
        match error {
            RunError::Launch(error) => error.into(),
            RunError::Steering(failure) => failure,
            RunError::Helper { .. } => Failure::new(COMMAND, anyhow::anyhow!("{error}")),
        }
    }
}
