//! From options to the definition of the comparison.

use std::path::PathBuf;

use fauxplat_experiment::{Failure, Machine};
use fauxplat_model::{Definition, Estimand, Metric, Output, Rule};
use fauxplat_options::define;
use fauxplat_revisions::Compared;
use fauxplat_store::StoredExperiment;
use serde::Deserialize;

use crate::args::WhyArgs;

/// Share of `--max-time` that an undecided comparison may take, since no experiment follows without a verdict; the rest
/// is for the experiments that look for the cause.
pub(crate) const FOR_THE_VERDICT: f64 = 0.85;

/// Definition that repeats an earlier comparison, asking only for the difference of wall times.
fn again(earlier: &StoredExperiment, benchmark: Option<&str>) -> Result<Definition, Failure> {
    let of_benchmark = match (earlier.kind == "suite", benchmark) {
        (true, Some(name)) => Some(of_benchmark(earlier, name)?),
        (true, None) => {
            return Err(Failure::usage(
                "--stored: the experiment is a suite: name one of its benchmarks by --benchmark",
            ));
        }
        (false, Some(_)) => {
            return Err(Failure::usage("--benchmark: the experiment is no suite, so leave the option out"));
        }
        (false, None) => None,
    };
    let definition =
        in_its_folder(of_benchmark.unwrap_or_else(|| earlier.header.definition.clone()), earlier)?;
    if earlier.commands.iter().any(|it| it.commit().is_some()) {
        return Err(Failure::usage(
            "--stored: the work trees of the compared revisions do not stay: ask `fauxplat why --commits BASE,HEAD`",
        ));
    }
    if !definition.parameters.is_empty() {
        return Err(Failure::usage(
            "--stored: the comparison had parameter lists: give `why` the two command lines themselves",
        ));
    }
    // An explanation begins with a comparison, and so can be asked for again.
    let is_of_two = ["compare", "why"].contains(&earlier.kind.as_str()) && earlier.commands.len() == 2;
    let is_known = benchmark.is_some() || is_of_two || is_session(earlier);
    if !is_known || definition.commands.len() > 2 {
        return Err(Failure::usage(format!(
            "--stored: the experiment is neither a comparison of two commands nor `run` of one command, but `{}` of {}",
            earlier.kind,
            match earlier.commands.len() {
                1 => "1 command".to_owned(),
                number => format!("{number} commands"),
            }
        )));
    }
    if definition.rule.metric != Metric::WALL {
        return Err(Failure::usage("--stored: the comparison was decided by another metric than wall time"));
    }
    // The level and the margin of a suite are about all of its benchmarks.
    let usual = Rule::default();
    let rule = if benchmark.is_some() { &usual } else { &definition.rule };
    let (level, margin) = (rule.level, rule.margin);
    Ok(Definition { rule: Rule { level, margin, ..Rule::default() }, seed: None, ..definition })
}

/// The definition of an earlier experiment with the working directory of its commands, where that is not the present one.
fn in_its_folder(mut definition: Definition, earlier: &StoredExperiment) -> Result<Definition, Failure> {
    let Some(folder) = earlier.header.origin.folder.as_ref().map(PathBuf::from) else {
        return Ok(definition);
    };
    if std::env::current_dir().is_ok_and(|here| here == folder) {
        return Ok(definition);
    }
    if !folder.is_dir() {
        return Err(Failure::usage(format!(
            "--stored: the working directory of the experiment, {}, is not there any more",
            folder.display()
        )));
    }
    for command in &mut definition.commands {
        command.cwd = command.cwd.take().map(|own| folder.join(own));
    }
    let own = definition.condition.cwd.take();
    definition.condition.cwd = Some(own.map_or_else(|| folder.clone(), |own| folder.join(own)));
    Ok(definition)
}

/// Whether an earlier experiment is a session of one command, which can be measured again.
pub(crate) fn is_session(earlier: &StoredExperiment) -> bool {
    ["run", "why"].contains(&earlier.kind.as_str()) && earlier.commands.len() == 1
}

/// Fields of a suite's stored findings that are needed to run a benchmark alone.
#[derive(Deserialize)]
struct Suite {
    benchmarks: Vec<OfSuite>,
}

#[derive(Deserialize)]
struct OfSuite {
    name: String,
    alone: Option<[String; 2]>,
}

/// Definition of the comparison of one benchmark of an earlier suite: its two command lines, under the condition of the
/// suite.
fn of_benchmark(earlier: &StoredExperiment, name: &str) -> Result<Definition, Failure> {
    let fail = |what: &str| Failure::usage(format!("--benchmark {name}: {what}"));
    let found = earlier.findings_json.clone().map(serde_json::from_value::<Suite>);
    let Some(Ok(suite)) = found else { return Err(fail("the suite has no findings that can be read")) };
    let Some(at) = suite.benchmarks.iter().position(|it| it.name == name) else {
        let known: Vec<&str> = suite.benchmarks.iter().take(5).map(|it| it.name.as_str()).collect();
        return Err(fail(&format!("the suite has no such benchmark; it begins with {}", known.join(", "))));
    };
    let Some(alone) = &suite.benchmarks[at].alone else {
        return Err(fail(
            "its harness decides the number of rounds itself, so that runs take equal time whatever a round takes: \
             give `why` two command lines that do a fixed amount of work",
        ));
    };
    let mut definition = earlier.header.definition.clone();
    // A suite of plain commands stores two commands for each benchmark, a suite with a harness two for all benchmarks.
    if definition.commands.len() == 2 * suite.benchmarks.len() {
        definition.commands = definition.commands.drain(2 * at..2 * at + 2).collect();
    }
    for (command, line) in definition.commands.iter_mut().zip(alone) {
        command.command.clone_from(line);
    }
    // The output went to a file in which a harness wrote its results, and that file no longer exists.
    definition.condition.output = Output::Null;
    Ok(definition)
}

/// Definition of a comparison by wall time: of two commands, or of one command in the work trees of two revisions.
///
/// # Errors
/// Options that contradict each other, or that ask for something other than a comparison of two programs by wall time.
pub(crate) fn definition(
    args: &WhyArgs,
    machine: &Machine,
    (revisions, earlier): (Option<&Compared>, Option<&StoredExperiment>),
) -> Result<Definition, Failure> {
    let mut definition = match earlier {
        None => define::definition(&args.commands, &args.condition, machine)?,
        Some(earlier) => define::changed(
            again(earlier, args.benchmark.as_deref())?,
            &args.commands,
            &args.condition,
            machine,
        )?,
    };
    revisions.map_or(Ok(()), |revisions| revisions.spread(&mut definition))?;
    let rule = &mut definition.rule;
    rule.level = args.level.unwrap_or(rule.level);
    rule.margin = args.margin.unwrap_or(rule.margin);
    let longest_s = args.max_time.as_secs_f64() * FOR_THE_VERDICT;
    rule.max_time_s = Some(longest_s);
    rule.at_least_s = Some(longest_s);
    let (condition, rule) = (&definition.condition, &definition.rule);
    let unfit = |what: &str| Err(Failure::usage(format!("why {what}")));
    match () {
        () if earlier.is_some_and(is_session) && definition.commands.len() == 1 => Ok(definition),
        () if definition.commands.len() != 2 || !definition.parameters.is_empty() => {
            unfit("explains the difference of two commands: give two, without parameter lists")
        }
        () if condition.simulate.is_some() => {
            unfit("times real runs, and simulates where that tells more: leave --simulated out")
        }
        () if !definition.tables.is_empty()
            || !definition.printed.is_empty()
            || !definition.regions.is_empty()
            || definition.control.is_some() =>
        {
            unfit("explains wall time: leave --table, --metric-from, --region and --control out")
        }
        () if rule.duet || rule.sessions.is_some() || rule.estimand == Estimand::Mean || rule.anytime => {
            unfit("judges typical runs, side by side: leave other rules of the definition out")
        }
        () => Ok(definition),
    }
}
