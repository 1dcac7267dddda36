//! `fauxplat compare`: compares commands with each other or with earlier results, and decides which is faster.

use std::io::IsTerminal;

use fauxplat_analyze::Judged;
use fauxplat_experiment::measure::aa::twice;
use fauxplat_experiment::measure::profile::{Profiling, can_profile};
use fauxplat_experiment::measure::replay::record_and_replay;
use fauxplat_experiment::measure::{baseline, compare, layouts};
use fauxplat_experiment::surroundings::ProgramBuilds;
use fauxplat_experiment::{Beginning, Driver, Failure, Kind, Machine};
use fauxplat_model::document::Findings;
use fauxplat_model::{
    Build, CompareFindings, Comparison, Definition, DroppedReason, FailIf, GateQuestion, GateState, Metric,
    Sessions, Shell, Verdict,
};
use fauxplat_plan::expand;
use fauxplat_revisions::Compared;
use fauxplat_store::{Patience, Store};
use fauxplat_sys::{clock, signal};
use fauxplat_units::Nanos;

use super::aa::DRAWN;
use super::baseline::{compare_stored, earlier, is_id};
use super::commits;
use super::gate::{Alarm, agreed, alarms, undecided};
use super::profile::in_turns;
use crate::begin::{beginning, check_reports, conclude, finish};
use crate::output;
use fauxplat_options::define;
use fauxplat_options::{CommandArgs, CompareArgs};

/// Compares commands with the first of them, or one command with stored results.
pub(crate) fn compare(args: &CompareArgs, invocation: &[String]) -> Result<(), Failure> {
    let done = compared(args, invocation);
    match args.undecided_code {
        // An experiment that failed for another reason than a gate has decided nothing. With the usual exit code of
        // that reason, `git bisect run` would take the failure for an answer about the commit.
        Some(code) => done.map_err(|failure| match failure.kind() {
            Kind::Gate => failure,
            _ if failure.has_answer() => failure,
            _ => failure.coded(code),
        }),
        None => done,
    }
}

fn compared(args: &CompareArgs, invocation: &[String]) -> Result<(), Failure> {
    if let (Some(old), Some(new)) = (&args.baseline, &args.with) {
        let (comparisons, shown) = compare_stored(args, [old, new], invocation)?;
        let answer = answered(args, alarms(&args.fail_if, &comparisons), &comparisons);
        return Failure::answer_first(shown, answer);
    }
    if args.plan {
        return plan(args, invocation);
    }
    let commits = commits::open(args)?;
    let (mut driver, findings) = measured(args, commits.as_ref(), None, invocation)?;
    let alarms = alarms(gates(&driver), &against_first(&driver, &findings));
    if args.confirm && !alarms.is_empty() && driver.is_interrupted() {
        let told =
            format!("--confirm: interrupted before a second measurement, so {} is not confirmed", alarms[0]);
        output::complain(&told);
        driver.warn(told);
    }
    match alarms.is_empty() || !args.confirm || driver.is_interrupted() {
        true => report(driver, findings, alarms, args),
        false => confirm((driver, findings), &alarms, args, commits.as_ref(), invocation),
    }
}

/// The driver of a finished measurement, and its findings or the error that prevented them.
type Measured = (Driver, Result<CompareFindings, Failure>);

/// The first of two measurements, which the second has to confirm: its seed, and its number in the store.
struct Confirmed {
    seed: u64,
    id: Option<i64>,
}

/// Measures and compares the commands as the options say. A measurement that confirms an earlier one draws all its
/// random numbers anew.
fn measured(
    args: &CompareArgs,
    commits: Option<&Compared>,
    confirmed: Option<&Confirmed>,
    invocation: &[String],
) -> Result<Measured, Failure> {
    let machine = Machine::here();
    let mut definition = definition(args, &machine)?;
    commits.map_or(Ok(()), |compared| compared.spread(&mut definition))?;
    // The seed of a confirming measurement is derived from the first one's, so that a given seed repeats both.
    definition.seed = confirmed.map(|first| first.seed ^ 1).or(definition.seed);
    let seed = *definition.seed.get_or_insert_with(clock::fresh_seed);
    let searched = match &args.link_seeds {
        Some(seeds) => layouts::choose(&mut definition, &machine, seeds)?,
        None => None,
    };
    let commands = expand(&definition).map_err(Failure::usage)?.len();
    check_count(commands, args.baseline.is_some())?;
    match args.baseline {
        None => definition.rule.check_level(commands).map_err(Failure::usage)?,
        Some(_) => baseline::check_rule(&definition.rule)?,
    }
    args.explained.check(&args.output)?;
    check_explained(&definition, commands, args)?;
    let profiling = args.profile.map(|longest| profiling(longest, &definition, &machine)).transpose()?;
    // Programs are built last: a build may take minutes, and wrong options are refused at once.
    check_reports("compare", &definition, &args.output)?;
    let programs = ProgramBuilds::open(&definition, seed)?;
    let beginning = beginning("compare", definition, machine, (&args.output, &args.end), invocation)?;
    let beginning = Beginning { programs, ..beginning };
    let mut driver = match commits {
        None => Driver::of_commands(beginning)?,
        Some(commits) => commits.driver(beginning)?,
    };
    driver.confirms = confirmed.and_then(|first| first.id);
    searched.into_iter().for_each(|sentence| driver.warn(sentence));
    let judged = match &args.baseline {
        None => compare::compare(&mut driver),
        Some(baseline) => against_baseline(&mut driver, baseline, args.other_machine),
    };
    let mut findings = judged.map(|judged| compare::complete(&mut driver, judged));
    if let (Some(profiling), Ok(findings)) = (&profiling, &mut findings) {
        compare::locate(&mut driver, findings, profiling);
    }
    Ok((driver, findings))
}

/// The profiling that `--profile` asks for, or an error where a profile cannot explain the difference of the commands.
fn profiling(longest: Nanos, definition: &Definition, machine: &Machine) -> Result<Profiling, Failure> {
    let commands = expand(definition).map_err(Failure::usage)?.len();
    let is_time =
        |metric: &Metric| [Metric::WALL, Metric::USER, Metric::SYSTEM, Metric::CPU].contains(metric);
    let decides_by_time = is_time(&definition.rule.metric) && definition.rule.also.is_empty();
    let refused = match decides_by_time {
        _ if commands != 2 => format!("the profiles of two commands are compared, and here are {commands}"),
        _ if definition.condition.simulate.is_some() => "simulated runs are not sampled".to_owned(),
        // Duet and sessions may come from a saved definition, of which the options' parser knows nothing.
        _ if definition.rule.duet || definition.rule.sessions.is_some() => {
            "neither a duet nor several sessions can be profiled".to_owned()
        }
        _ if definition.commands.iter().any(|command| command.build.is_some()) => {
            "programs that fauxplat builds are not profiled here: build them yourself".to_owned()
        }
        false => "a profile is about CPU time: --metric must be one of wall, cpu, user, sys".to_owned(),
        true => {
            let profiling = in_turns(longest);
            return can_profile(&profiling, machine).map(|()| profiling);
        }
    };
    Err(Failure::usage(format!("--profile: {refused}; leave it out, or take `fauxplat profile`")))
}

/// The gates of an experiment, from the options or its definition.
fn gates(driver: &Driver) -> &[FailIf] {
    &driver.header.definition.rule.fail_if
}

/// The comparisons with the first command; empty if the measurement failed. The findings may hold a comparison of the
/// winner with the runner-up after them.
fn against_first(driver: &Driver, findings: &Result<CompareFindings, Failure>) -> Vec<Comparison> {
    let count = driver.commands.len().saturating_sub(1).max(1);
    findings.as_ref().map_or(Vec::new(), |findings| findings.with_first(count).to_vec())
}

/// Finishes the experiment, writes the report, explains a difference if asked to, and fails if a gate does.
fn report(
    driver: Driver,
    findings: Result<CompareFindings, Failure>,
    alarms: Vec<Alarm>,
    args: &CompareArgs,
) -> Result<(), Failure> {
    let comparisons = against_first(&driver, &findings);
    let difference = difference(&driver, &comparisons, args);
    let answer = answered(args, alarms, &comparisons);
    let done = finish(driver, findings.map(Findings::Compare), &args.output, answer);
    let explained = difference.map_or(Ok(()), |id| explain(id, args));
    done.and(explained)
}

/// The number in the store of a comparison whose difference `fauxplat why` can explain; `None` where there is no such
/// difference.
fn difference(driver: &Driver, comparisons: &[Comparison], args: &CompareArgs) -> Option<i64> {
    let [only] = comparisons else { return None };
    let is_of_two = driver.commands.len() == 2 && args.commits.commits.is_empty();
    let is_slower =
        only.verdict == Verdict::Different && driver.header.definition.rule.metric == Metric::WALL;
    driver.header.id.filter(|_| is_of_two && is_slower)
}

/// Looks for the cause of the difference in a stored comparison if `--why` asks for it. Otherwise, on a terminal,
/// prints the command line that would do so.
fn explain(id: i64, args: &CompareArgs) -> Result<(), Failure> {
    match args.explained.line(&args.output, &[format!("--stored={id}")]) {
        Some(line) if !signal::stop_requested() => crate::further(&line),
        None if std::io::stderr().is_terminal() && !args.output.is_quiet() => {
            output::complain(&format!("`fauxplat why --stored {id}` looks for what makes the difference"));
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Refuses `--why` for comparisons that `fauxplat why` could not measure again.
fn check_explained(definition: &Definition, commands: usize, args: &CompareArgs) -> Result<(), Failure> {
    let is_by_time = definition.rule.metric == Metric::WALL && definition.rule.also.is_empty();
    let unfit = match args.explained.why {
        Some(_) if commands != 2 => "only the difference of two commands is explained",
        Some(_) if !is_by_time || definition.condition.simulate.is_some() => {
            "only a difference in wall time of real runs is explained"
        }
        _ => return Ok(()),
    };
    Err(Failure::usage(format!("--why: {unfit}; leave it out, or ask `fauxplat why` about two commands")))
}

/// The result of a comparison that was reported: the first failing gate, or an undecided question where
/// `--undecided-code` gives it an exit code.
fn answered(args: &CompareArgs, alarms: Vec<Alarm>, comparisons: &[Comparison]) -> Result<(), Failure> {
    // A gate that failed by a difference comes before one that failed because nothing was decided: they may have
    // different exit codes.
    let (open, shown): (Vec<Alarm>, Vec<Alarm>) = alarms.into_iter().partition(Alarm::is_open);
    let failed = shown.len() + open.len();
    if let Some(alarm) = shown.into_iter().chain(open).next() {
        // With this code `git bisect run` would go on after an interruption.
        let code = args.undecided_code.filter(|_| alarm.is_open() && !signal::stop_requested());
        let more = if failed > 1 { format!(", and {} more", failed - 1) } else { String::new() };
        let failure = Failure::gate(format!("{alarm}{more}"));
        return Err(match code {
            Some(code) => failure.coded(code),
            None => failure,
        });
    }
    // An interrupted comparison has the exit code of an interrupt, decided or not.
    let undecided = undecided(&args.fail_if, comparisons).filter(|_| !signal::stop_requested());
    match (args.undecided_code, undecided) {
        (Some(code), Some(words)) => Err(Failure::gate(format!("--undecided-code: {words}")).coded(code)),
        _ if signal::stop_requested() => Ok(()),
        _ => some_pair(comparisons),
    }
}

/// Fails where events of the machine, such as throttling, made fauxplat drop every pair of every comparison, so that
/// nothing was compared.
fn some_pair(comparisons: &[Comparison]) -> Result<(), Failure> {
    let is_of_machine = |reason| {
        use DroppedReason::{HeavySteal, MigrationStorm, Preempted, Throttled};
        matches!(reason, HeavySteal | MigrationStorm | Preempted | Throttled)
    };
    let is_lost = |it: &Comparison| {
        it.pairs == 0 && it.dropped_pairs > 0 && it.dropped.iter().all(|it| is_of_machine(it.reason))
    };
    match comparisons.iter().all(is_lost) && !comparisons.is_empty() {
        true => Err(Failure::machine(
            "the machine disturbed every pair, so nothing was compared: see `fauxplat doctor`, or allow more time with --max-time",
        )),
        false => Ok(()),
    }
}

/// Measures a second time, since a gate failed in the first measurement, and fails if both agree. The first measurement
/// is stored, and the report is about the second.
fn confirm(
    (first, findings): Measured,
    alarms: &[Alarm],
    args: &CompareArgs,
    commits: Option<&Compared>,
    invocation: &[String],
) -> Result<(), Failure> {
    let (seed, said) = (first.header.seed, alarms[0].to_string());
    let confirmed = Confirmed { seed, id: first.header.id };
    let first = match findings {
        Ok(findings) => first.finish(Findings::Compare(findings), None),
        Err(failure) => first.give_up(failure),
    };
    // An error other than a failed gate, in storing or in a helper command, is reported with the first measurement and
    // is no reason to measure again.
    if first.stored.is_err() || first.failed.is_some() {
        return conclude(first, &args.output, Ok(()))
            .map_err(|failure| failure.advising(&format!("so this is not confirmed: {said}")));
    }
    first.waiting.iter().for_each(|line| output::complain(line));
    output::complain(&format!("{said}; measured again to confirm it"));
    let (mut second, mut findings) = measured(args, commits, Some(&confirmed), invocation)?;
    let agreed = match &mut findings {
        // An incomplete second measurement does not refute the first.
        _ if second.is_interrupted() => alarms.to_vec(),
        Ok(findings) => self::confirmed(&second, findings, alarms),
        Err(_) => Vec::new(),
    };
    let agrees = match (second.is_interrupted(), findings.is_err(), agreed.is_empty()) {
        (true, ..) => "was interrupted, so that the first one stands",
        (_, true, _) => "came to no answer",
        (_, _, true) => "does not agree",
        (_, _, false) => "agrees",
    };
    second.warn(format!("--confirm: a first measurement with seed {seed} said {said}; this one {agrees}"));
    report(second, findings, agreed, args)
}

/// The failed gates of a second measurement that failed in the first too, for the same commands and in the same
/// direction. A gate that failed in the second alone becomes undecided in its findings.
fn confirmed(second: &Driver, findings: &mut CompareFindings, first: &[Alarm]) -> Vec<Alarm> {
    let gates = gates(second);
    let count = second.commands.len().saturating_sub(1).max(1);
    let agreed = agreed(first, alarms(gates, findings.with_first(count)));
    for comparison in findings.with_first_mut(count) {
        let is_agreed = agreed.iter().any(|alarm| alarm.is_of(comparison));
        let told = comparison.gate.as_mut().filter(|gate| !is_agreed && gate.state == GateState::Beyond);
        if let Some(gate) = told {
            gate.state = GateState::Undecided;
        }
    }
    alarms(gates, findings.with_first(count))
}

/// Plans a comparison: measures the first command against itself in a short session, which shows how small a difference
/// could be found.
fn plan(args: &CompareArgs, invocation: &[String]) -> Result<(), Failure> {
    let machine = Machine::here();
    let mut definition = definition(args, &machine)?;
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
    definition.rule.check_level(2).map_err(Failure::usage)?;
    let mut driver =
        Driver::of_commands(beginning("aa", definition, machine, (&args.output, &args.end), invocation)?)?;
    let found = record_and_replay(&mut driver, DRAWN);
    finish(driver, found.map(Findings::Replay), &args.output, Ok(()))
}

fn definition(args: &CompareArgs, machine: &Machine) -> Result<Definition, Failure> {
    let mut definition = define::definition(&commands(args), &args.condition, machine)?;
    if let Some(count) = args.sessions {
        let gap_s = args.session_gap.map_or(0.0, Nanos::as_secs_f64);
        definition.rule.sessions = Some(Sessions { count, gap_s });
    }
    define::apply_rule(&mut definition.rule, &args.rule)?;
    // `--undecided-code` needs a question to decide: whether there is a difference to either side, unless a gate asks
    // about one side.
    let asked = args.undecided_code.map(|_| GateQuestion::Different);
    definition.rule.fail_if = match args.fail_if.is_empty() {
        true => definition.rule.gates(),
        false => args.fail_if.clone(),
    };
    if args.confirm && definition.rule.fail_if.is_empty() {
        return Err(Failure::usage("--confirm measures again before a gate fails: name one by --fail-if"));
    }
    let asked = FailIf::question(&definition.rule.fail_if).or(definition.rule.gate).or(asked);
    definition.rule.gate = asked;
    // Wall time is also the default metric, so only the options show that the user named it.
    if definition.condition.simulate.is_some() && args.rule.metric.contains(&Metric::WALL) {
        return Err(Failure::usage(
            "--metric wall: simulated runs are counted and not timed; leave --metric or --simulated out",
        ));
    }
    definition.rule.duet |= args.duet;
    if args.commits.commits.is_empty() {
        define::apply_build(&mut definition, &args.build);
    }
    apply_builds(&mut definition, args)?;
    define::needs_build(&definition)?;
    if args.no_shell {
        definition.condition.shell = Shell::None;
    }
    Ok(definition)
}

/// The compared commands, before their build lines are applied: with `--build-a`, a single command line stands for both
/// commands A and B.
fn commands(args: &CompareArgs) -> CommandArgs {
    let is_built = args.commits.commits.is_empty() && (args.build_a.is_some() || args.build.is_given());
    let mut given = define::or_program(&args.commands, is_built);
    if args.build_a.is_some() && given.commands.len() == 1 {
        given.commands.push(given.commands[0].clone());
    }
    given
}

fn apply_builds(definition: &mut Definition, args: &CompareArgs) -> Result<(), Failure> {
    let (Some(a), Some(b)) = (&args.build_a, &args.build_b) else { return Ok(()) };
    // A single command stands for both builds, whether it was given on the command line or in a definition.
    if let [only] = definition.commands.as_slice() {
        definition.commands.push(only.clone());
    }
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

/// Requires enough commands for a comparison, before anything is run.
fn check_count(commands: usize, has_baseline: bool) -> Result<(), Failure> {
    match (commands, has_baseline) {
        (0..=1, false) => Err(Failure::usage(
            "compare needs two commands, or one and --baseline RESULTS; a single command is measured by fauxplat run",
        )),
        (2.., true) => Err(Failure::usage("--baseline compares exactly one command with stored results")),
        _ => Ok(()),
    }
}

/// Time to wait for each answer of a shared store's database server.
const BASELINE_SECONDS: u64 = 30;

/// Compares the driver's command with a baseline: an experiment of the store, by its id, or a file of results.
fn against_baseline(driver: &mut Driver, baseline: &str, other_machine: bool) -> Result<Judged, Failure> {
    let rule = &driver.header.definition.rule;
    let url = driver.store().and_then(|store| store.target()).filter(|_| is_id(baseline));
    // With a shared store, the baseline's id is a number of that store. Its connection is closed before the first run.
    let shared =
        url.map(|url| Store::open_shared(url, Patience::of_seconds(BASELINE_SECONDS))).transpose()?;
    let store = shared.as_ref().or(driver.store());
    let earlier = earlier(store, baseline, &driver.commands[0].name, rule)?;
    drop(shared);
    baseline::against(driver, &earlier, other_machine)
}
