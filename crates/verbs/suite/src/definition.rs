//! From the options of `suite` to the definition of the experiment and the questions that it answers.

use std::path::Path;

use fauxplat_experiment::{Failure, Machine};
use fauxplat_model::{self as model, Definition, FailIf, Order, Output, Placement};
use fauxplat_options::{CommandArgs, define};

use crate::analysis::Rule;
use crate::args::SuiteArgs;
use crate::file::Benchmark;
use crate::findings::Control;
use crate::measure::Asked;

/// Maximum number of benchmarks in a suite of plain commands; each needs two commands, and their number per experiment
/// is limited.
const BENCHMARKS_MAX: usize = 5_000;

/// Greatest number of pairs that a definition may ask for. A suite is limited by its time alone.
const PAIRS_MAX: u32 = 100_000;

/// Questions and limits of the suite that the options ask for.
pub fn asked(args: &SuiteArgs) -> Asked {
    let control = if args.fdr { Control::Discovery } else { Control::Family };
    let rule = Rule {
        level: args.level,
        margin: args.margin,
        control,
        gate: FailIf::question(&args.fail_if),
        needs_verdict: args.fail_if.contains(&FailIf::Inconclusive),
    };
    Asked {
        rule,
        fail_if: args.fail_if.clone(),
        max_time_s: args.max_time.as_secs_f64(),
        harness: args.harness.clone(),
        filter: args.filter.clone(),
        order: args.order,
    }
}

/// Definition of an experiment with two benchmark programs, whose standard output goes to a file. Unless the user asks
/// for it, the programs are not pinned to CPUs, since a harness may have several threads.
///
/// # Errors
/// Fails for options that contradict each other.
pub fn definition(
    args: &SuiteArgs,
    programs: [&str; 2],
    machine: &Machine,
    stdout: &Path,
) -> Result<Definition, Failure> {
    let commands = programs.map(str::to_owned).to_vec();
    let commands = CommandArgs { commands, seed: args.seed, ..CommandArgs::default() };
    let mut definition = define::definition(&commands, &args.condition, machine)?;
    refuse_simulated(&definition)?;
    definition.rule = rule(args, Order::Ab);
    let condition = &mut definition.condition;
    if condition.shell.is_used() {
        return Err(Failure::usage(
            "a suite adds words to its command lines, which a shell would read anew; leave --shell out",
        ));
    }
    if condition.output != Output::Null {
        return Err(Failure::usage(
            "the standard output of a suite's programs is read: leave --stdout and --show-output out",
        ));
    }
    condition.output = Output::File(stdout.to_owned());
    if condition.cpu == Placement::Auto {
        condition.cpu = Placement::Free;
    }
    Ok(definition)
}

/// Definition of a suite of plain commands, under the condition of comparisons: the commands alternate between A and B
/// of each benchmark.
///
/// # Errors
/// Fails for options that contradict each other.
pub fn definition_of_plain(
    args: &SuiteArgs,
    benchmarks: &[Benchmark],
    machine: &Machine,
) -> Result<Definition, Failure> {
    if args.harness.is_some() {
        return Err(Failure::usage(
            "--harness: the benchmarks of a file are plain commands, which fauxplat times itself; leave the option out",
        ));
    }
    if benchmarks.len() > BENCHMARKS_MAX {
        return Err(Failure::usage(format!(
            "{} benchmarks are more than the {BENCHMARKS_MAX} that a suite of plain commands may have: choose with --filter",
            benchmarks.len()
        )));
    }
    let commands = CommandArgs { seed: args.seed, ..CommandArgs::default() };
    let mut definition = define::definition(&commands, &args.condition, machine)?;
    refuse_simulated(&definition)?;
    definition.rule = rule(args, Order::Aabb);
    definition.commands = benchmarks.iter().flat_map(|it| it.sides.clone()).collect();
    Ok(definition)
}

/// The rule that documents show, with what the options ask for; `usual` is the order without `--order`. Suites are
/// judged by [`Rule`], which knows all benchmarks.
fn rule(args: &SuiteArgs, usual: Order) -> model::Rule {
    model::Rule {
        level: args.level,
        margin: args.margin,
        max_pairs: PAIRS_MAX,
        max_time_s: Some(args.max_time.as_secs_f64()),
        anytime: true,
        order: args.order.unwrap_or(usual),
        gate: FailIf::question(&args.fail_if),
        fail_if: args.fail_if.clone(),
        ..model::Rule::default()
    }
}

/// Refuses a simulated machine: a harness times its benchmarks itself, and plain commands are judged by runs on the
/// real machine.
fn refuse_simulated(definition: &Definition) -> Result<(), Failure> {
    match definition.condition.simulate {
        None => Ok(()),
        Some(_) => Err(Failure::usage(
            "a suite measures real runs: leave --simulated out, or count two commands by `fauxplat compare --simulated`",
        )),
    }
}
