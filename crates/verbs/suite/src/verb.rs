//! The subcommand `suite`.

use std::io::IsTerminal;
use std::path::Path;

use clap::{ArgMatches, Args, Command, FromArgMatches, Id};
use fauxplat_experiment::{Beginning, Driver, Failure, Machine};
use fauxplat_model::FailIf;
use fauxplat_model::document::{Findings, OwnFindings};
use fauxplat_options::{ConditionArgs, EndArgs, Group, words_given};
use fauxplat_report::{OwnReport, say};
use fauxplat_revisions::Compared;
use fauxplat_sys::signal;
use fauxplat_verb::{Host, Verb};
use serde::Serialize;

use crate::args::{Sides, SuiteArgs};
use crate::definition::{asked, definition, definition_of_plain};
use crate::file::{self, Between};
use crate::findings::{SCHEMA, State, SuiteFindings};
use crate::measure::{Desk, measure, measure_plain, stored};
use crate::report::{SuiteReport, margin, summary};

/// The subcommand `suite`.
#[derive(Debug)]
pub struct Suite;

/// Name of the subcommand.
const NAME: &str = "suite";

impl Verb for Suite {
    fn group(&self) -> Group {
        Group::Faster
    }

    fn command(&self) -> Command {
        // `--from` reads results from files, so options about runs conflict with it.
        let of_runs = ConditionArgs::augment_args(Command::new(NAME));
        let of_runs = of_runs.get_arguments().map(|arg| arg.get_id().clone());
        let of_runs: Vec<Id> = of_runs.chain(["seed", "max_time"].map(Id::from)).collect();
        SuiteArgs::augment_args(Command::new(NAME)).mut_arg("from", |arg| arg.conflicts_with_all(of_runs))
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
        args.explained.check(&args.output)?;
        let (sides, compared) = (args.sides()?, compared(&args, host)?);
        let (driver, found) = match sides {
            Sides::Programs(programs) => {
                let desk = Desk::new().map_err(Failure::machine)?;
                let machine = Machine::here();
                let definition = definition(&args, programs, &machine, desk.stdout())?;
                let beginning =
                    host.beginning(NAME, (definition, machine), (&args.output, &args.end), invocation)?;
                let mut driver = driver(beginning, compared.as_ref())?;
                let found = measure(&mut driver, &desk, &asked);
                (driver, found)
            }
            Sides::File(path, programs) => {
                let between = Between { programs, has_folders: compared.is_some() };
                let benchmarks = file::read(path, between, asked.filter.as_ref())?;
                let machine = Machine::here();
                let definition = definition_of_plain(&args, &benchmarks, &machine)?;
                let beginning =
                    host.beginning(NAME, (definition, machine), (&args.output, &args.end), invocation)?;
                let mut driver = driver(beginning, compared.as_ref())?;
                let found = measure_plain(&mut driver, &benchmarks, names(path, programs), &asked);
                (driver, found)
            }
        };
        let mut found = match found {
            Ok(found) => found,
            Err(failure) => return host.conclude(driver.give_up(failure), &args.output, Ok(())),
        };
        for (program, tree) in found.programs.iter_mut().zip(compared.iter().flat_map(Compared::trees)) {
            *program = format!("{program} at {}", tree.revision.name);
        }
        let (findings, id) = (document(&found)?, driver.header.id);
        let answer = gate(&found).and_then(|()| all_ran(&found));
        let done = host.conclude(driver.finish(findings, None), &args.output, answer);
        let explained = explain(&args, &found, (id, words_given::<ConditionArgs>(given)), host);
        done.and(explained)
    }

    fn reports(&self) -> Vec<&'static dyn OwnReport> {
        vec![&SuiteReport]
    }
}

/// Looks for the cause of the largest change if `--why` asks for it. `id` is the number of the suite in the store,
/// which has the condition of the runs. Work trees of revisions are removed at the end, so for these `condition` holds
/// the options that repeat the condition.
fn explain(
    args: &SuiteArgs,
    found: &SuiteFindings,
    (id, condition): (Option<i64>, Vec<String>),
    host: &dyn Host,
) -> Result<(), Failure> {
    let Some(worst) = found.largest_change().filter(|_| !signal::stop_requested()) else { return Ok(()) };
    if args.explained.why.is_none() {
        let is_read = std::io::stderr().is_terminal() && !args.output.is_quiet();
        let id = id.filter(|_| is_read && worst.alone.is_some() && args.commits.commits.is_empty());
        let name = shell_words::quote(&worst.name);
        let line = id.map(|id| format!("fauxplat why --stored {id} --benchmark {name}"));
        line.into_iter()
            .for_each(|line| host.complain(&format!("`{line}` looks for what makes the difference")));
        return Ok(());
    }
    let Some([alone, _]) = &worst.alone else {
        return Err(Failure::machine(format!(
            "--why: {} decides the number of rounds itself, so that runs of {} take equal time whatever a round takes; \
             ask `fauxplat why` about two command lines that do a fixed amount of work",
            found.harness, worst.name
        )));
    };
    let words = match (&args.commits.commits[..], id) {
        ([], Some(id)) => vec![format!("--stored={id}"), format!("--benchmark={}", worst.name)],
        ([], None) => {
            return Err(Failure::machine("--why: the suite was not stored, so that it cannot be read again"));
        }
        (revisions, _) => {
            let mut words = vec![format!("--commits={}", revisions.join(","))];
            words.extend(args.commits.merge_base.then(|| "--merge-base".to_owned()));
            words.extend(args.build.build.iter().map(|build| format!("--build={build}")));
            words.extend(condition);
            words.extend(["--".to_owned(), alone.clone()]);
            words
        }
    };
    args.explained.line(&args.output, &words).map_or(Ok(()), |line| host.perform(&line))
}

/// The document of a suite's findings, together with a summary for lists of experiments.
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

/// The built work trees of the two revisions that `--commits` names; `None` without that option.
fn compared(args: &SuiteArgs, host: &dyn Host) -> Result<Option<Compared>, Failure> {
    let words = &args.commits.commits;
    if words.len() > 2 {
        return Err(Failure::usage(
            "a suite has two sides, so --commits takes two revisions here: BASE,HEAD",
        ));
    }
    let tell = |line: &str| {
        if !args.output.is_quiet() {
            host.complain(line);
        }
    };
    Compared::open(words, args.commits.merge_base, args.build.build.as_deref(), &tell)
}

/// The driver of the experiment, whose commands run in the work trees of revisions if there are some.
fn driver(beginning: Beginning<'_>, compared: Option<&Compared>) -> Result<Driver, Failure> {
    let Some(compared) = compared else { return Driver::of_commands(beginning) };
    let mut beginning = beginning;
    compared.place(&mut beginning.definition)?;
    compared.driver(beginning)
}

/// Names of the two sides in reports.
fn names(path: &Path, programs: Option<[&str; 2]>) -> [String; 2] {
    let of_file = ["A", "B"].map(|side| format!("{side} of {}", path.display()));
    programs.map_or(of_file, |programs| programs.map(str::to_owned))
}

/// Fails if the suite fails by `--fail-if`.
fn gate(found: &SuiteFindings) -> Result<(), Failure> {
    let failed: Vec<(FailIf, State)> =
        found.benchmarks.iter().filter_map(|it| Some((found.failed_gate(it)?, it.state))).collect();
    let is_open = |gate: &FailIf| matches!(gate, FailIf::Undecided | FailIf::Inconclusive | FailIf::Missing);
    let beyond = failed.iter().filter(|(gate, _)| !is_open(gate)).count();
    let missing = failed.iter().filter(|(gate, state)| is_open(gate) && *state == State::NotMeasured).count();
    let open = failed.len() - beyond - missing;
    let count = |number| say::counted(number, "benchmark", "benchmarks");
    let said = |number, what: String| (number > 0).then(|| format!("{} {what}", count(number)));
    let parts = [
        said(beyond, format!("beyond the margin of {}", margin(found))),
        said(open, "not decided".to_owned()),
        said(missing, "not measured".to_owned()),
        said(if found.misses_gone() { found.gone.len() } else { 0 }, "only in A".to_owned()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.is_empty() {
        true => Ok(()),
        false => Err(Failure::gate(format!("--fail-if {}: {}", found.gates(), parts.join(", ")))),
    }
}

/// Fails if a process failed and failures are not left out, or if no benchmark has a reading.
fn all_ran(found: &SuiteFindings) -> Result<(), Failure> {
    let Some(first) = found.failed().next() else {
        return found.failure().map_or_else(|| any_measured(found), |why| Err(Failure::command(why)));
    };
    let (count, why) = (found.failed().count(), first.trouble.as_deref().unwrap_or("its process failed"));
    let more = if count > 1 { format!(", and {} more", count - 1) } else { String::new() };
    Err(Failure::command(format!("benchmark `{}` failed{more}: {why}", first.name)))
}

/// Fails if there are benchmarks and none of them has a reading.
fn any_measured(found: &SuiteFindings) -> Result<(), Failure> {
    let Some(first) = found.benchmarks.first() else { return Ok(()) };
    if found.benchmarks.iter().any(|it| it.state != State::NotMeasured) {
        return Ok(());
    }
    let why = first.trouble.as_deref().unwrap_or("there was no pair of readings before the end");
    Err(Failure::command(format!("no benchmark was measured; `{}`: {why}", first.name)))
}
