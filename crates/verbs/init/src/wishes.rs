//! The measurements that a project wants, and how a change fails.

use crate::args::InitArgs;
use crate::error::InitError;
use crate::words::{Benchmark, DEFINITION, FailIf, Service};

/// The commands or the program that are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Commands(Vec<Benchmark>),
    Program(String),
}

/// All that the files say.
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
    /// The wishes that options state; `None` where they do not say what is measured.
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

    /// Refuses two benchmarks of one name.
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

    /// The word of `fauxplat suite` that names what is measured.
    pub(crate) fn suite(&self) -> &str {
        match &self.subject {
            Subject::Commands(_) => DEFINITION,
            Subject::Program(program) => program,
        }
    }
}
