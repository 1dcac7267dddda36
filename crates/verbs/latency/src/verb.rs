//! The subcommand `latency`.

use std::path::Path;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use fauxplat_experiment::{Driver, Failure, Machine, header};
use fauxplat_model::document::{Findings, Record};
use fauxplat_options::{EndArgs, Group};
use fauxplat_report::OwnReport;
use fauxplat_verb::{Host, Verb};

use crate::args::LatencyArgs;
use crate::cells::Cells;
use crate::findings::LatencyFindings;
use crate::measure::measure;
use crate::merge::merge;
use crate::report::LatencyReport;

/// The subcommand `latency`.
#[derive(Debug)]
pub struct Latency;

/// Name of the subcommand.
const NAME: &str = "latency";

impl Verb for Latency {
    fn group(&self) -> Group {
        Group::Machine
    }

    fn command(&self) -> Command {
        LatencyArgs::augment_args(Command::new(NAME))
    }

    fn measures(&self) -> bool {
        true
    }

    fn foreign(&self) -> &'static str {
        include_str!("cyclictest.txt")
    }

    fn end(&self, given: &ArgMatches) -> Option<EndArgs> {
        EndArgs::from_arg_matches(given).ok()
    }

    fn run(&self, given: &ArgMatches, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
        let args = LatencyArgs::from_arg_matches(given).map_err(Failure::usage)?;
        match args.merge.is_empty() {
            true => test(&args, host, invocation),
            false => show_merged(&args, host, invocation),
        }
    }

    fn reports(&self) -> Vec<&'static dyn OwnReport> {
        vec![&LatencyReport]
    }
}

fn test(args: &LatencyArgs, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
    args.check()?;
    let machine = Machine::here();
    let tests = Cells::of(args, &machine)?;
    let mut definition = args.surroundings.of_workers(tests.cpus(), args.seed);
    definition.condition.policy = Some(tests.policy);
    definition.counters.clone_from(&args.counters);
    let options = (&*args.output, &args.end);
    let mut driver = Driver::of_workers(host.beginning(NAME, (definition, machine), options, invocation)?)?;
    let found = measure(&mut driver, &tests).and_then(|found| own(&found));
    let finished = match found {
        Ok(findings) => driver.finish(findings, None),
        Err(failure) => driver.give_up(failure),
    };
    host.conclude(finished, &args.output, Ok(()))
}

fn show_merged(args: &LatencyArgs, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
    let mut header = header::inspection(fauxplat_topology::discover(Path::new("/")), invocation);
    let findings = own(&merge(&args.merge, &mut header)?)?;
    let record = Record { header: &header, commands: &[], samples: &[], findings: &findings };
    host.report(&record, &|_| Vec::new(), &args.output)
}

fn own(found: &LatencyFindings) -> Result<Findings, Failure> {
    found.document().map(Findings::Own).map_err(Failure::machine)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An option of cyclictest that `latency` had itself would never get its advice.
    #[test]
    fn nothing_that_the_verb_takes_is_foreign_to_it() {
        let command = Latency.command();
        let own: Vec<String> = command
            .get_arguments()
            .flat_map(|arg| {
                let long = arg.get_long().map(|long| format!("--{long}"));
                long.into_iter().chain(arg.get_short().map(|short| format!("-{short}")))
            })
            .collect();
        for line in Latency.foreign().lines() {
            let [verb, words, advice] = line.splitn(3, " | ").collect::<Vec<_>>()[..] else {
                panic!("`{line}` has no three parts")
            };
            assert!(verb == NAME && !advice.is_empty(), "{line}");
            let taken = words.split(' ').find(|word| own.iter().any(|option| option == word));
            assert_eq!(taken, None, "{line}");
        }
    }
}
