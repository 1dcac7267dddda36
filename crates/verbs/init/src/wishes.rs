//! Wishes of a user for a project: what to measure, and which changes fail.

use crate::args::InitArgs;
use crate::error::InitError;
use crate::words::{Benchmark, DEFINITION, FailIf, Service};

/// Named commands to measure, or a benchmark program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Commands(Vec<Benchmark>),
    Program(String),
}

/// Wishes of a user, from which the files of the project follow.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wishes {
    pub subject: Subject,
    pub build: Option<String>,
    pub margin: Option<String>,
    pub max_time: Option<String>,
    pub fail_if: FailIf,
    pub ci: Vec<Service>,
}

impl Wishes {
    /// Wishes by the options; `None` if the options do not say what to measure.
    pub(crate) fn of_options(args: &InitArgs, suggested: Option<&str>) -> Result<Option<Self>, InitError> {
        let subject = match (&args.program, args.benchmark.as_slice()) {
            (Some(program), _) => Subject::Program(program.clone()),
            (None, []) => return Ok(None),
            (None, commands) => Subject::Commands(commands.to_vec()),
        };
        let wishes = Wishes {
            subject,
            build: args.build.clone().or_else(|| suggested.map(str::to_owned)),
            margin: args.margin.clone(),
            max_time: args.max_time.clone(),
            fail_if: args.fail_if,
            ci: args.ci.clone(),
        };
        wishes.check().map(Some)
    }

    /// Refuses wishes with two benchmarks of the same name.
    pub(crate) fn check(self) -> Result<Self, InitError> {
        let Subject::Commands(commands) = &self.subject else { return Ok(self) };
        let is_second = |(index, it): (usize, &Benchmark)| {
            commands[..index].iter().any(|other| other.name == it.name).then(|| it.name.clone())
        };
        match commands.iter().enumerate().find_map(is_second) {
            Some(name) => Err(InitError::TwoOfAName(name)),
            None => Ok(self),
        }
    }

    /// Argument of `fauxplat suite` that names what to measure.
    pub(crate) fn suite(&self) -> &str {
        match &self.subject {
            Subject::Commands(_) => DEFINITION,
            Subject::Program(program) => program,
        }
    }
}
