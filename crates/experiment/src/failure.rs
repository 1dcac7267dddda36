//! Failures of an experiment: a message of one line, and a kind from which the exit code follows.

use fauxplat_launch::LaunchError;
use fauxplat_load::LoadError;
use fauxplat_store::StoreError;
use fauxplat_sys::signal;
use fauxplat_tuning::TuneError;
use fauxplat_variants::VariantError;
use fauxplat_workers::WorkerError;

use crate::RunError;

/// Kind of a failure, by what has to be corrected. The binary derives its exit codes from the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A requested gate (`--fail-if`) failed.
    Gate,
    /// The command line or an input file is invalid.
    Usage,
    /// The machine or its permissions do not allow the measurement.
    Machine,
    /// The measured command failed, or a command that builds it.
    Command,
    /// The user interrupted a step before the measurement, such as a build or a setup.
    Interrupted,
    /// A bug in fauxplat.
    Bug,
}

#[derive(Debug)]
pub struct Failure {
    kind: Kind,
    line: String,
    /// Lines of another program's output that explain the failure.
    output: Vec<String>,
    is_silent: bool,
    /// Messages of earlier failures that do not decide the exit code.
    earlier: Vec<String>,
    /// Whether the experiment came to its answer, and only a report or storing failed.
    has_answer: bool,
    /// Exit code of fauxplat for this failure; `None` for the usual exit code of the failure's kind.
    code: Option<u8>,
}

/// Maximum number of lines of another program's output that are shown, counted from its end; the first error is rarely
/// further from the end.
const OUTPUT_LINES: usize = 40;
/// Maximum number of characters that are shown of each of these lines.
const LINE_CHARACTERS: usize = 400;

impl Failure {
    /// A failure of this kind, with the messages of an error and its causes.
    pub fn new(kind: Kind, error: impl std::error::Error + 'static) -> Self {
        let is_silent = chain(&error).any(is_broken_pipe);
        Failure {
            kind,
            line: told(&error),
            output: Vec::new(),
            is_silent,
            earlier: Vec::new(),
            has_answer: false,
            code: None,
        }
    }

    fn plain(kind: Kind, line: impl std::fmt::Display) -> Self {
        Failure {
            kind,
            line: line.to_string(),
            output: Vec::new(),
            is_silent: false,
            earlier: Vec::new(),
            has_answer: false,
            code: None,
        }
    }

    pub fn usage(line: impl std::fmt::Display) -> Self {
        Failure::plain(Kind::Usage, line)
    }

    /// A file that the user named is invalid. If the user stopped fauxplat while it read the file, the failure counts
    /// as an interruption.
    pub fn input(line: impl std::fmt::Display) -> Self {
        Failure::plain(if signal::stop_requested() { Kind::Interrupted } else { Kind::Usage }, line)
    }

    pub fn machine(line: impl std::fmt::Display) -> Self {
        Failure::plain(Kind::Machine, line)
    }

    /// An experiment was measured and reported as a whole, but the store refused a part of it. `kept` says what the
    /// store has.
    pub(crate) fn not_stored(error: &StoreError, kept: &str) -> Self {
        let line = format!("the report has all that was measured, and the store has {kept}: {error}");
        Failure::plain(kind_of(error), line)
    }

    pub fn command(line: impl std::fmt::Display) -> Self {
        Failure::plain(Kind::Command, line)
    }

    pub fn interrupted(line: impl std::fmt::Display) -> Self {
        Failure::plain(Kind::Interrupted, line)
    }

    pub fn gate(line: impl std::fmt::Display) -> Self {
        Failure::plain(Kind::Gate, line)
    }

    /// The failure with the last lines of another program's output, which explain it.
    pub fn quoting(self, text: &str) -> Self {
        let last = text.lines().rev().take(OUTPUT_LINES);
        let mut output: Vec<String> = last.map(|line| line.chars().take(LINE_CHARACTERS).collect()).collect();
        output.reverse();
        Failure { output, ..self }
    }

    /// The result of an experiment that has an answer, such as that of a gate, and reports that may not all be written.
    /// The answer decides the exit code: without it, a script could not tell a regression from a full disk. The message
    /// about the report is told before that of the answer.
    ///
    /// # Errors
    /// Fails with the answer, or else with the failure of a report.
    pub fn answer_first(written: Result<(), Failure>, answer: Result<(), Failure>) -> Result<(), Failure> {
        match (written, answer) {
            (Err(unwritten), Err(answer)) => Err(answer.after(unwritten)),
            (Err(unwritten), Ok(())) => Err(Failure { has_answer: true, ..unwritten }),
            (Ok(()), answer) => answer,
        }
    }

    /// The first of two results that failed, with the message of the other before its own.
    ///
    /// # Errors
    /// Fails if either does.
    pub fn both(first: Result<(), Failure>, second: Result<(), Failure>) -> Result<(), Failure> {
        match (first, second) {
            (Err(first), Err(second)) => Err(first.after(second)),
            (first, second) => first.and(second),
        }
    }

    /// Whether the experiment came to its answer, and only a report or storing failed.
    pub fn has_answer(&self) -> bool {
        self.has_answer
    }

    fn after(mut self, first: Failure) -> Self {
        self.earlier = first.earlier.into_iter().chain([first.line]).chain(self.earlier).collect();
        self
    }

    /// Messages to print before that of the failure.
    pub fn earlier(&self) -> &[String] {
        &self.earlier
    }

    pub fn within(self, what: &str) -> Self {
        Failure { line: format!("{what}: {}", self.line), ..self }
    }

    /// The failure with advice appended to its message.
    pub fn advising(self, advice: &str) -> Self {
        Failure { line: format!("{}; {advice}", self.line), ..self }
    }

    /// The failure with this exit code instead of the usual one of its kind. An interruption keeps the usual code,
    /// since it gives no answer to the user's question.
    pub fn coded(self, code: u8) -> Self {
        Failure { code: (self.kind != Kind::Interrupted).then_some(code), ..self }
    }

    /// Exit code of fauxplat for this failure; `None` for the usual exit code of the failure's kind.
    pub fn code(&self) -> Option<u8> {
        self.code
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn output(&self) -> &[String] {
        &self.output
    }

    /// Whether nothing is to be printed, because the reader of fauxplat's output closed its end of the pipe.
    pub fn is_silent(&self) -> bool {
        self.is_silent
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.line)
    }
}

impl std::error::Error for Failure {}

fn chain<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}

fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    let error = error.downcast_ref::<std::io::Error>();
    error.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// Message of `EFBIG`, see `errno(3)`, which occurs if a file would exceed `ulimit -f`.
const FILE_TOO_LARGE: &str = "File too large (os error 27)";

/// Messages of an error and its causes in one line, without causes whose message the line already contains.
fn told(error: &(dyn std::error::Error + 'static)) -> String {
    let mut line = error.to_string();
    for cause in chain(error).skip(1).map(ToString::to_string) {
        if !line.contains(&cause) {
            line = format!("{line}: {cause}");
        }
    }
    let is_limited = chain(error).any(|it| it.to_string().contains(FILE_TOO_LARGE));
    if is_limited { format!("{line}; the size of files is limited here (ulimit -f)") } else { line }
}

impl From<LaunchError> for Failure {
    fn from(error: LaunchError) -> Self {
        let kind = match &error {
            _ if error.is_limit() => Kind::Machine,
            LaunchError::Words { .. }
            | LaunchError::NotFound { .. }
            | LaunchError::NotExecutable { .. }
            | LaunchError::File { .. }
            | LaunchError::NullByte(_) => Kind::Usage,
            _ if error.is_too_big() => Kind::Usage,
            _ if error.is_permission() => Kind::Machine,
            LaunchError::Refused { stage: fauxplat_sys::spawn::Stage::Exec, .. }
            | LaunchError::NoInterpreter { .. } => Kind::Command,
            LaunchError::Interrupted { .. } => Kind::Interrupted,
            LaunchError::Refused { .. }
            | LaunchError::Sys(_)
            | LaunchError::OtherNumbers
            | LaunchError::Helper { .. }
            | LaunchError::SpawnerRefused
            | LaunchError::Stopped => Kind::Machine,
            LaunchError::SpawnerKilled(_) | LaunchError::Unanswered => Kind::Machine,
            LaunchError::SpawnerDied(_) | LaunchError::TooManyReadings { .. } => Kind::Bug,
        };
        Failure::new(kind, error)
    }
}

impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Self {
        Failure::new(if error.is_bad_input() { Kind::Usage } else { Kind::Machine }, error)
    }
}

impl From<VariantError> for Failure {
    fn from(error: VariantError) -> Self {
        let kind = match error {
            VariantError::Launch(error) => return error.into(),
            VariantError::Failed { .. } | VariantError::OtherAnswer { .. } => Kind::Command,
            VariantError::File { .. }
            | VariantError::Stranger { .. }
            | VariantError::NotCopied { .. }
            | VariantError::NoSuchWay { .. } => Kind::Machine,
            VariantError::Interrupted => Kind::Interrupted,
            VariantError::NoHome
            | VariantError::Object { .. }
            | VariantError::NoProgram { .. }
            | VariantError::NoAnswer { .. } => Kind::Usage,
        };
        let output = match &error {
            VariantError::Failed { output, .. } | VariantError::NoProgram { output, .. } => output.clone(),
            _ => String::new(),
        };
        Failure::new(kind, error).quoting(&output)
    }
}

fn kind_of(error: &StoreError) -> Kind {
    match error {
        StoreError::NotAFile { .. }
        | StoreError::NotADatabase { .. }
        | StoreError::ForeignDatabase { .. }
        | StoreError::Planted { .. }
        | StoreError::NoSuchExperiment { .. }
        | StoreError::BadId { .. }
        | StoreError::BadUrl { .. }
        | StoreError::Unfit { .. }
        | StoreError::NoHome => Kind::Usage,
        StoreError::BusyAtStop { .. } | StoreError::Endless { .. } => Kind::Interrupted,
        _ => Kind::Machine,
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Failure::new(kind_of(&error), error)
    }
}

impl From<fauxplat_table::Error> for Failure {
    fn from(error: fauxplat_table::Error) -> Self {
        use fauxplat_table::Error;
        use std::io::ErrorKind::{NotADirectory, NotFound};
        let kind = match &error {
            Error::Io { source, .. } if matches!(source.kind(), NotFound | NotADirectory) => Kind::Usage,
            Error::Io { .. } | Error::NoSpace { .. } => Kind::Machine,
            _ => Kind::Usage,
        };
        Failure::new(kind, error)
    }
}

impl From<WorkerError> for Failure {
    fn from(error: WorkerError) -> Self {
        Failure::new(if matches!(error, WorkerError::Gone(_)) { Kind::Bug } else { Kind::Machine }, error)
    }
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        let kind = match error {
            LoadError::Stranger => Kind::Bug,
            LoadError::Interrupted => Kind::Interrupted,
            _ => Kind::Machine,
        };
        Failure::new(kind, error)
    }
}

impl From<RunError<Failure>> for Failure {
    fn from(error: RunError<Failure>) -> Self {
        match error {
            RunError::Launch(error) => error.into(),
            RunError::Feed(failure) => failure,
            RunError::Helper { .. } => Failure::command(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the report")]
    struct Report(#[source] io::Error);

    #[test]
    fn the_answer_decides_and_every_failure_is_told() {
        let unwritten = || Failure::both(Err(Failure::machine("a")), Err(Failure::usage("b")));
        let gate = Failure::answer_first(unwritten(), Err(Failure::gate("c"))).unwrap_err();
        assert_eq!((gate.kind(), gate.to_string().as_str()), (Kind::Gate, "c"));
        assert_eq!(gate.earlier(), ["b", "a"]);
        let passed = Failure::answer_first(unwritten(), Ok(())).unwrap_err();
        assert_eq!((passed.kind(), passed.has_answer()), (Kind::Machine, true));
        assert!(Failure::answer_first(Ok(()), Ok(())).is_ok());
    }

    #[test]
    fn causes_are_told_once_and_a_closed_pipe_is_silent() {
        let broken = Failure::new(Kind::Machine, Report(io::ErrorKind::BrokenPipe.into()));
        assert!(broken.is_silent());
        assert_eq!(broken.to_string(), "the report: broken pipe");
        let again = Failure::new(Kind::Machine, Report(io::Error::other("the report")));
        assert!(!again.is_silent());
        assert_eq!(again.within("lab x").to_string(), "lab x: the report");
    }

    #[test]
    fn of_a_failed_build_the_last_lines_are_quoted() {
        let output: String = (0..100).map(|line| format!("line {line}\n")).collect();
        let error = VariantError::Failed { line: "cc".into(), status: 1, output };
        let failure = Failure::from(error);
        assert_eq!(failure.kind(), Kind::Command);
        assert_eq!(failure.output().len(), OUTPUT_LINES);
        assert_eq!(failure.output().last().unwrap(), "line 99");
    }
}
