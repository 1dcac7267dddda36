//! The subcommand `init`.

use std::io::IsTerminal;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use fauxplat_experiment::Failure;
use fauxplat_options::{EndArgs, Group};
use fauxplat_report::OwnReport;
use fauxplat_verb::{Host, Verb};

use crate::args::InitArgs;
use crate::ask::ask;
use crate::error::InitError;
use crate::files::{files, write};
use crate::project::build;
use crate::wishes::Wishes;

/// The subcommand `init`.
#[derive(Debug)]
pub struct Init;

impl Verb for Init {
    fn group(&self) -> Group {
        Group::Results
    }

    fn command(&self) -> Command {
        InitArgs::augment_args(Command::new("init"))
    }

    fn measures(&self) -> bool {
        false
    }

    fn end(&self, _: &ArgMatches) -> Option<EndArgs> {
        None
    }

    fn run(&self, given: &ArgMatches, host: &dyn Host, _: &[String]) -> Result<(), Failure> {
        let args = InitArgs::from_arg_matches(given).map_err(Failure::usage)?;
        let wishes = wishes(&args, host).map_err(Failure::usage)?;
        let files = files(&wishes);
        write(&args.folder, &files, args.force).map_err(|error| match error {
            InitError::Unwritable { .. } => Failure::machine(error),
            other => Failure::usage(other),
        })?;
        files
            .iter()
            .for_each(|it| host.complain(&format!("{} is written", args.folder.join(&it.path).display())));
        let next = format!("fauxplat suite --commits HEAD~1,HEAD {}", shell_words::quote(wishes.suite()));
        host.complain(&format!("try: {next}"));
        Ok(())
    }

    fn reports(&self) -> Vec<&'static dyn OwnReport> {
        Vec::new()
    }
}

fn wishes(args: &InitArgs, host: &dyn Host) -> Result<Wishes, InitError> {
    let suggested = build(&args.folder);
    if let Some(wishes) = Wishes::of_options(args, suggested)? {
        return Ok(wishes);
    }
    let stdin = std::io::stdin();
    match stdin.is_terminal() {
        true => ask(args, suggested, &mut stdin.lock(), &|line| host.complain(line)),
        false => Err(InitError::NothingToMeasure),
    }
}
