//! From options to the definition of the experiment and the question of the suite.

use std::path::Path;

use fauxplat_experiment::{Failure, Machine};
use fauxplat_model::{Definition, Output, Placement};
use fauxplat_options::{CommandArgs, define};

use crate::analysis::{Rule, Side};
use crate::args::SuiteArgs;
use crate::file::Benchmark;
use crate::findings::{Control, FailIf};
use crate::measure::Asked;

/// Most benchmarks in a suite of plain commands. Each uses two of the commands that an experiment may have.
const BENCHMARKS_MAX: usize = 5_000;

/// The question of the suite, from the options.
pub fn asked(args: &SuiteArgs) -> Asked {
    let control = if args.fdr { Control::Discovery } else { Control::Family };
    let rule = Rule { level: args.level, margin: args.margin, control, gate: side(&args.fail_if) };
    Asked {
        rule,
        fail_if: args.fail_if.clone(),
        max_time_s: args.max_time.as_secs_f64(),
        harness: args.harness.clone(),
        filter: args.filter.clone(),
        order: args.order,
    }
}

/// The side of the gate that covers all `--fail-if` words.
fn side(gates: &[FailIf]) -> Option<Side> {
    let has = |gate| gates.contains(&gate);
    match (has(FailIf::Slower), has(FailIf::Faster), has(FailIf::Changed)) {
        (_, _, true) | (true, true, _) => Some(Side::Changed),
        (true, ..) => Some(Side::Slower),
        (_, true, _) => Some(Side::Faster),
        _ => has(FailIf::Undecided).then_some(Side::Changed),
    }
}

/// The definition of an experiment with two benchmark programs, whose standard output goes to a file. Without an option
/// of the user they are not pinned, since a harness may have threads of its own.
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

/// The definition of a suite of plain commands: A and B of each benchmark, in turn, under the condition of comparisons.
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
    definition.commands = benchmarks.iter().flat_map(|it| it.sides.clone()).collect();
    Ok(definition)
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
