//! `fauxplat compare`: is it really faster?

use fauxplat_analyze::Judged;
use fauxplat_experiment::measure::aa::twice;
use fauxplat_experiment::measure::replay::record_and_replay;
use fauxplat_experiment::measure::{baseline, compare, layouts};
use fauxplat_experiment::surroundings::ProgramBuilds;
use fauxplat_experiment::{Beginning, Driver, Failure, Machine};
use fauxplat_model::document::Findings;
use fauxplat_model::{Build, Comparison, Definition, Shell, Verdict};
use fauxplat_plan::expand;
use fauxplat_sys::clock;

use super::aa::DRAWN;
use super::baseline::{compare_stored, earlier};
use crate::args::{CommandArgs, CompareArgs, Gate};
use crate::begin::{beginning, finish};
use crate::define;

/// Compares commands with the first of them, or one command with stored results.
pub(crate) fn compare(args: &CompareArgs, invocation: &[String]) -> Result<(), Failure> {
    if let (Some(old), Some(new)) = (&args.baseline, &args.with) {
        return gate(&args.fail_if, &compare_stored(args, [old, new], invocation)?);
    }
    let machine = Machine::here();
    let mut definition = definition(args, &machine)?;
    if args.plan {
        return plan(definition, machine, args, invocation);
    }
    let seed = *definition.seed.get_or_insert_with(clock::fresh_seed);
    let searched = match &args.link_seeds {
        Some(seeds) => layouts::choose(&mut definition, &machine, seeds)?,
        None => None,
    };
    check_count(expand(&definition).map_err(Failure::usage)?.len(), args.baseline.is_some())?;
    let programs = ProgramBuilds::open(&definition, seed)?;
    let beginning = beginning("compare", definition, machine, &args.output, invocation)?;
    let mut driver = Driver::of_commands(Beginning { programs, ..beginning })?;
    searched.into_iter().for_each(|sentence| driver.warn(sentence));
    let judged = match &args.baseline {
        None => compare::compare(&mut driver),
        Some(baseline) => against_baseline(&mut driver, baseline, args.other_machine),
    };
    let findings = judged.map(|judged| compare::complete(&mut driver, judged));
    // Behind the comparisons with the first command may stand that of the winner with the runner-up.
    let with_first = driver.commands.len().saturating_sub(1).max(1);
    let gate = findings.as_ref().map_or(Ok(()), |findings| {
        let comparisons = &findings.comparisons;
        gate(&args.fail_if, &comparisons[..with_first.min(comparisons.len())])
    });
    finish(driver, findings.map(Findings::Compare), &args.output)?;
    gate
}

/// Says what could be found, from a short session of the first command against itself.
fn plan(
    mut definition: Definition,
    machine: Machine,
    args: &CompareArgs,
    invocation: &[String],
) -> Result<(), Failure> {
    match (definition.commands.len(), definition.parameters.len()) {
        (1.., 0) => definition.commands.truncate(1),
        (0, _) => return Err(Failure::usage("--plan needs the command that is to be compared")),
        _ => {
            return Err(Failure::usage(
                "--plan takes no parameter lists: it tries one command against itself",
            ));
        }
    }
    twice(&mut definition)?;
    let mut driver = Driver::of_commands(beginning("aa", definition, machine, &args.output, invocation)?)?;
    let found = record_and_replay(&mut driver, DRAWN);
    finish(driver, found.map(Findings::Replay), &args.output)
}

/// What the command line asks for.
fn definition(args: &CompareArgs, machine: &Machine) -> Result<Definition, Failure> {
    let mut definition = define::definition(&commands(args), &args.condition, machine)?;
    define::apply_rule(&mut definition.rule, &args.rule);
    definition.rule.duet |= args.duet;
    define::apply_build(&mut definition, &args.build);
    apply_builds(&mut definition, args)?;
    if args.no_shell {
        definition.condition.shell = Shell::None;
    }
    Ok(definition)
}

/// The commands that are compared, before they get their builds: the one line that was given stands for both A and B.
fn commands(args: &CompareArgs) -> CommandArgs {
    let mut given = define::or_program(&args.commands, args.build_a.is_some() || args.build.is_given());
    if args.build_a.is_some() && given.commands.len() == 1 {
        given.commands.push(given.commands[0].clone());
    }
    given
}

/// Gives A and B their builds.
fn apply_builds(definition: &mut Definition, args: &CompareArgs) -> Result<(), Failure> {
    let (Some(a), Some(b)) = (&args.build_a, &args.build_b) else { return Ok(()) };
    let [first, second] = definition.commands.as_mut_slice() else {
        let count = definition.commands.len();
        return Err(Failure::usage(format!(
            "--build-a and --build-b build the programs of one command, or of two, not of {count}; use --build with -L"
        )));
    };
    for (command, line, name) in [(first, a, "A"), (second, b, "B")] {
        command.build = Some(Build { line: line.clone(), objects: Vec::new() });
        command.name.get_or_insert_with(|| name.to_owned());
    }
    Ok(())
}

/// Commands enough to be compared. This is seen before anything is run.
fn check_count(commands: usize, has_baseline: bool) -> Result<(), Failure> {
    match (commands, has_baseline) {
        (0..=1, false) => Err(Failure::usage("compare needs two commands, or one and --baseline")),
        (2.., true) => Err(Failure::usage("--baseline compares exactly one command with stored results")),
        _ => Ok(()),
    }
}

/// A baseline is an experiment of the store by its id, or a file.
fn against_baseline(driver: &mut Driver, baseline: &str, other_machine: bool) -> Result<Judged, Failure> {
    let metric = driver.header.definition.rule.metric;
    let earlier = earlier(driver.store(), baseline, &driver.commands[0].name, metric)?;
    baseline::against(driver, &earlier, other_machine)
}

/// The gate that the user asked for.
fn gate(gates: &[Gate], comparisons: &[Comparison]) -> Result<(), Failure> {
    for comparison in comparisons {
        let different = comparison.is_different_beyond_margin();
        let fails = |gate: &&Gate| match gate {
            Gate::Slower => different && !comparison.b_is_better(),
            Gate::Faster => different && comparison.b_is_better(),
            Gate::Different => different,
            Gate::Inconclusive => comparison.verdict == Verdict::Inconclusive,
        };
        if let Some(gate) = gates.iter().find(fails) {
            let word = format!("{gate:?}").to_lowercase();
            return Err(Failure::gate(format!(
                "--fail-if {word}: {} against {}",
                comparison.b, comparison.a
            )));
        }
    }
    Ok(())
}
