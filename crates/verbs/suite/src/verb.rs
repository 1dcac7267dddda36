//! The verb `suite`, as the program lists it.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use fauxplat_experiment::{Driver, Failure, Machine};
use fauxplat_model::document::{Findings, OwnFindings};
use fauxplat_options::{EndArgs, Group};
use fauxplat_report::OwnReport;
use fauxplat_verb::{Host, Verb};
use serde::Serialize;

use crate::args::{FailIf, SuiteArgs};
use crate::definition::{asked, definition};
use crate::findings::{Gate, SCHEMA, SuiteFindings};
use crate::measure::{Desk, measure, stored};
use crate::report::{SuiteReport, summary};

/// The verb.
#[derive(Debug)]
pub struct Suite;

/// Name of the verb.
const NAME: &str = "suite";

impl Verb for Suite {
    fn group(&self) -> Group {
        Group::Faster
    }

    fn command(&self) -> Command {
        SuiteArgs::augment_args(Command::new(NAME))
    }

    fn measures(&self) -> bool {
        true
    }

    fn end(&self, given: &ArgMatches) -> Option<EndArgs> {
        EndArgs::from_arg_matches(given).ok()
    }

    fn run(&self, given: &ArgMatches, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
        let args = SuiteArgs::from_arg_matches(given).map_err(Failure::usage)?;
        let asked = asked(&args);
        if let [old, new] = args.from.as_slice() {
            let found = stored([old, new], &asked)?;
            return host.show(&document(&found)?, &args.output, invocation);
        }
        let machine = Machine::here();
        let desk = Desk::new().map_err(Failure::machine)?;
        let definition = definition(&args, &machine, desk.stdout())?;
        let what = (definition, machine);
        let mut driver =
            Driver::of_commands(host.beginning(NAME, what, (&args.output, &args.end), invocation)?)?;
        let found = match measure(&mut driver, &desk, &asked) {
            Ok(found) => found,
            Err(failure) => return host.conclude(driver.give_up(failure), &args.output),
        };
        let findings = document(&found)?;
        host.conclude(driver.finish(findings, None), &args.output)?;
        gate(&args.fail_if, &found)
    }

    fn reports(&self) -> Vec<&'static dyn OwnReport> {
        vec![&SuiteReport]
    }
}

/// The document of the findings, with the sentence for lists of experiments.
#[derive(Serialize)]
struct Document<'a> {
    summary: String,
    #[serde(flatten)]
    found: &'a SuiteFindings,
}

fn document(found: &SuiteFindings) -> Result<Findings, Failure> {
    let document = Document { summary: summary(found), found };
    Ok(Findings::Own(OwnFindings::new(SCHEMA, &document).map_err(Failure::machine)?))
}

/// Fails where a gate does.
fn gate(gates: &[FailIf], found: &SuiteFindings) -> Result<(), Failure> {
    let (beyond, open) = (found.gated(Gate::Beyond), found.gated(Gate::Undecided));
    let words: Vec<&str> = gates.iter().map(|gate| gate_word(*gate)).collect();
    let (words, margin) = (words.join(","), found.margin * 100.0);
    match (beyond, open) {
        (0, 0) => Ok(()),
        (0, _) if !gates.contains(&FailIf::Undecided) => Ok(()),
        (0, open) => Err(Failure::gate(format!("--fail-if {words}: {open} benchmarks are not decided"))),
        (beyond, _) => {
            Err(Failure::gate(format!("--fail-if {words}: {beyond} benchmarks, by more than {margin} %")))
        }
    }
}

fn gate_word(gate: FailIf) -> &'static str {
    match gate {
        FailIf::Slower => "slower",
        FailIf::Faster => "faster",
        FailIf::Changed => "changed",
        FailIf::Undecided => "undecided",
    }
}
