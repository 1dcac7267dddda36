//! The experiment of `aa`: makes many complete comparisons of identical copies, and counts false verdicts.

use std::path::PathBuf;

use fauxplat_analyze::{Finished, Judge, aa_stratum, power_result, runs_for_rivals};
use fauxplat_kernels::Caches;
use fauxplat_load::{Generator, Order, Rhythm};
use fauxplat_model::{
    AaFindings, Aslr, Command, Definition, LoadKind, Metric, Phase, Placement, Rule, Runs, Scope,
};
use fauxplat_plan::{Layout, Plan};
use fauxplat_sys::signal;
use fauxplat_sys::workplace::Workplace;
use fauxplat_units::CpuSet;

use super::session::plan;
use crate::median::median_of;
use crate::part::ExperimentPart;
use crate::steer::{Bounds, CompareSteering, Rounds, WarmUp};
use crate::surroundings::{duet, loads};
use crate::{Driver, Failure, Stopped};

#[derive(Clone, Debug, Default)]
pub struct Calibration {
    /// Kinds of disturbance under which comparisons are made; if empty, all that the machine supports.
    pub strata: Vec<Stratum>,
    /// Number of comparisons of identical copies under each kind of disturbance.
    pub comparisons: u32,
    /// Extra work of one copy as a share of its time, and the number of comparisons with it; `None` for none.
    pub power: Option<(f64, u32)>,
    /// Whether each comparison continues until the decision rules of other tools (the rivals) have as many runs as they
    /// require.
    pub rivals: bool,
}

/// A kind of disturbance under which a calibration is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stratum {
    /// No deliberate disturbance.
    Plain,
    /// A process that uses a CPU at random times.
    Drift,
    /// Different sizes of the copies' environments.
    Layout,
    /// A process that uses the other hardware thread of the core.
    BusySibling,
}

/// Adds a second copy of the one command to a definition, so that the record lists both copies.
///
/// # Errors
/// Fails if the definition has several commands, parameters, or several sessions.
pub fn twice(definition: &mut Definition) -> Result<(), Failure> {
    if definition.rule.sessions.is_some() {
        return Err(Failure::usage("copies are compared in one session: leave `sessions` out of the rule"));
    }
    match (definition.commands.len(), definition.parameters.len()) {
        (1, 0) => definition.commands.push(definition.commands[0].clone()),
        (1, _) => {
            return Err(Failure::usage("aa takes no parameter lists: it compares one command with itself"));
        }
        (count, _) => {
            return Err(Failure::usage(format!(
                "aa takes one command, not {count}: it compares it with itself"
            )));
        }
    }
    Ok(())
}

/// Makes many complete comparisons of identical copies of the command under each kind of disturbance. A failure is
/// returned together with the findings so far.
pub fn calibrate(
    driver: &mut Driver,
    calibration: &Calibration,
) -> Result<(AaFindings, Option<Failure>), Failure> {
    if calibration.power.is_some() {
        work_decides(&driver.header.definition.rule)?;
    }
    if driver.header.definition.rule.duet {
        duet::begin(driver)?;
    }
    let copies = Copies::of(driver.commands.clone())?;
    let mut findings = AaFindings::default();
    let mut failed = None;
    let strata = strata(calibration, driver);
    let each = calibration.comparisons + calibration.power.map_or(0, |(_, count)| count);
    let of = each * strata.len() as u32;
    for (stratum, number) in strata.into_iter().zip(0..) {
        let place = StratumPosition { before: number * each, of };
        failed = stratum_of(calibration, (stratum, place), &copies, driver, &mut findings).err();
        if failed.is_some() || driver.is_interrupted() {
            break;
        }
    }
    findings.elapsed_s = driver.elapsed_s();
    Ok((findings, failed))
}

/// Refuses deciding metrics on which the extra work, an arithmetic loop, has no known effect.
fn work_decides(rule: &Rule) -> Result<(), Failure> {
    let is_moved = |metric: Metric| {
        [Metric::WALL, Metric::CPU, Metric::USER].contains(&metric) || metric.more_is_better()
    };
    match rule.decided().into_iter().find(|(metric, _)| !is_moved(*metric)) {
        None => Ok(()),
        Some((metric, _)) => Err(Failure::usage(format!(
            "--power makes one copy calculate more, and its effect on {} is unknown: take --metric wall, cpu or \
             user, or leave --power out",
            metric.name()
        ))),
    }
}

fn strata(calibration: &Calibration, driver: &Driver) -> Vec<Stratum> {
    if !calibration.strata.is_empty() {
        return calibration.strata.clone();
    }
    let all = [Stratum::Plain, Stratum::Drift, Stratum::Layout, Stratum::BusySibling];
    all.into_iter()
        .filter(|&stratum| stratum != Stratum::BusySibling || sibling_pair(driver).is_some())
        .collect()
}

/// A CPU that the runs may use, and its sibling hardware thread. `None` if no such CPU has a usable sibling, and for a
/// duet, whose runs have fixed CPUs.
fn sibling_pair(driver: &Driver) -> Option<(CpuSet, CpuSet)> {
    if driver.header.definition.rule.duet {
        return None;
    }
    let (cpus, root) = (&driver.machine().facts().cpu, driver.machine().root());
    let used = match &driver.header.condition.cpu {
        Placement::Set(named) | Placement::OneOf(named) | Placement::IdleOf(named) => {
            named.intersection(&cpus.allowed)
        }
        Placement::Free | Placement::Auto | Placement::Related(..) => cpus.allowed.clone(),
    };
    used.iter().find_map(|cpu| {
        let own: CpuSet = [cpu].into_iter().collect();
        // The load on the sibling may run on any online CPU that this process may use, and not only on CPUs of the
        // runs.
        let usable = cpus.online.intersection(&cpus.allowed);
        let others = fauxplat_topology::siblings(root, cpu).intersection(&usable).without(&own);
        others.first().map(|sibling| (own, [sibling].into_iter().collect()))
    })
}

fn name(stratum: Stratum) -> &'static str {
    match stratum {
        Stratum::Plain => "plain",
        Stratum::Drift => "drift",
        Stratum::Layout => "layout",
        Stratum::BusySibling => "busy-sibling",
    }
}

/// Byte-identical copies of a program in folders whose names have equal length; deleted on drop.
struct Copies {
    _folder: Workplace,
    programs: [PathBuf; 2],
    /// Commands before a stratum changes their programs and conditions.
    commands: Vec<Command>,
}

impl Copies {
    fn of(commands: Vec<Command>) -> Result<Self, Failure> {
        let command = &commands[0];
        let fail = |error: std::io::Error| {
            Failure::machine(format!("cannot copy {}: {error}", command.program.display()))
        };
        let folder = Workplace::make("aa", &std::env::temp_dir()).map_err(fail)?;
        let file = command.program.file_name().unwrap_or(command.program.as_os_str());
        let copy = |name: &str| -> std::io::Result<PathBuf> {
            let place = folder.path().join(name);
            std::fs::create_dir(&place)?;
            let path = place.join(file);
            std::fs::copy(&command.program, &path)?;
            Ok(path)
        };
        let programs = [copy("a").map_err(fail)?, copy("b").map_err(fail)?];
        Ok(Copies { _folder: folder, programs, commands })
    }
}

/// Length in bytes of the value of an environment variable of each copy in the layout stratum, chosen to be far apart
/// within a page.
const LAYOUT_BYTES: [usize; 2] = [37, 2011];

fn copied(stratum: Stratum, copies: &Copies) -> Vec<Command> {
    let mut commands = copies.commands.clone();
    for (index, command) in commands.iter_mut().enumerate() {
        command.name = format!("copy {}", ["A", "B"][index]);
        command.program.clone_from(&copies.programs[index]);
        if stratum == Stratum::Layout {
            command.condition.aslr = Aslr::Off;
            command.condition.env_set.push(format!("FAUXPLAT_LAYOUT={}", "y".repeat(LAYOUT_BYTES[index])));
        }
    }
    commands
}

/// Starts the disturbance of a stratum, which ends when the result is dropped.
fn disturbance(stratum: Stratum, driver: &mut Driver) -> Result<Vec<Generator>, Failure> {
    let seed = driver.header.seed;
    let rhythm = Rhythm::Random { shortest_ms: 20, longest_ms: 400, seed };
    let burner = |cpus: Option<CpuSet>, rhythm| -> Result<Generator, Failure> {
        let (kind, caches, folder) = (LoadKind::Integer, Caches::default(), std::env::temp_dir());
        let generator = Generator::start(&loads::program(), Order { kind, rhythm, cpus, caches, folder })?;
        generator.work();
        Ok(generator)
    };
    match stratum {
        Stratum::Plain | Stratum::Layout => Ok(Vec::new()),
        Stratum::Drift => Ok(vec![burner(None, rhythm)?]),
        Stratum::BusySibling => {
            let pair = sibling_pair(driver);
            let (own, sibling) = pair.ok_or_else(|| {
                Failure::machine(
                    "busy-sibling: no CPU that the runs may use has a sibling that is online and allowed, or \
                     --duet is given",
                )
            })?;
            driver.header.condition.cpu = Placement::OneOf(own);
            Ok(vec![burner(Some(sibling), Rhythm::Share(100))?])
        }
    }
}

/// Place of a stratum in the progress of a calibration: the number of comparisons before the stratum (`before`), and of
/// comparisons in all strata (`of`).
#[derive(Clone, Copy)]
struct StratumPosition {
    before: u32,
    of: u32,
}

/// Makes all comparisons of one stratum: of identical copies first, then, if requested, with extra work in one copy.
fn stratum_of(
    calibration: &Calibration,
    (stratum, place): (Stratum, StratumPosition),
    copies: &Copies,
    driver: &mut Driver,
    findings: &mut AaFindings,
) -> Result<(), Failure> {
    let placement = driver.header.condition.cpu.clone();
    driver.commands = copied(stratum, copies);
    // The amount of work is calibrated before the disturbance begins, which would lengthen long runs more than short
    // ones.
    let extra_work = calibration.power.map(|(more, _)| extra_work(driver, more)).transpose()?;
    let _burners = match disturbance(stratum, driver) {
        // The first comparison will see the user's request to stop too, and end as interrupted before its first run.
        Err(_) if signal::stop_requested() => Vec::new(),
        burners => burners?,
    };
    let rivals = calibration.rivals;
    let (identical, ended) =
        comparisons(driver, (calibration.comparisons, place), &[], rivals, name(stratum));
    if ended.is_ok() || !identical.is_empty() {
        findings.strata.push(aa_stratum(name(stratum), &identical));
    }
    ended?;
    if let (Some((more, count)), Some(extra_work), false) =
        (calibration.power, extra_work, driver.interrupted)
    {
        let place = StratumPosition { before: place.before + calibration.comparisons, ..place };
        let what = format!("{}, power", name(stratum));
        let (different, ended) = comparisons(driver, (count, place), &[0, extra_work], false, &what);
        // More work increases every metric that may decide, and decreases a rate.
        let true_ratio = match driver.header.definition.rule.metric.more_is_better() {
            true => 1.0 / (1.0 + more),
            false => 1.0 + more,
        };
        if ended.is_ok() || !different.is_empty() {
            findings.power.push(power_result(name(stratum), true_ratio, &different));
        }
        ended?;
    }
    driver.header.condition.cpu = placement;
    Ok(())
}

/// Makes complete comparisons, each with a different seed. A failure is returned together with the comparisons
/// completed before.
fn comparisons(
    driver: &mut Driver,
    (count, place): (u32, StratumPosition),
    extra_work: &[u64],
    rivals: bool,
    what: &str,
) -> (Vec<Finished>, Result<(), Failure>) {
    let mut finished = Vec::new();
    let begun = driver.replace_commands(extra_work).and_then(|()| driver.warm_up(1));
    let done = begun
        .and_then(|()| driver.check_rates())
        .and_then(|()| compare_again(driver, (count, place), (rivals, what), &mut finished));
    driver.part = None;
    (finished, done)
}

fn compare_again(
    driver: &mut Driver,
    (count, place): (u32, StratumPosition),
    (rivals, what): (bool, &str),
    finished: &mut Vec<Finished>,
) -> Result<(), Failure> {
    let (rule, names) = (driver.header.definition.rule.clone(), driver.names());
    let ignore_failure = driver.header.condition.ignore_failure.any();
    for number in 0..count {
        let words = format!("{what}: comparison {} of {count}", number + 1);
        driver.part = Some(ExperimentPart { number: place.before + number, of: place.of, words });
        let seed = driver.header.seed.wrapping_add(1 + driver.samples().len() as u64);
        let judge = Judge::new(&rule, 2, seed).single_task(driver.single_task).ignore_failure(ignore_failure);
        let (plan, root) = (plan(driver, seed), driver.machine().root());
        let mut steering = CompareSteering::new(plan.clone(), judge, &rule, driver.samples(), root);
        let stopped = driver.steer(&mut steering)?;
        if stopped == Stopped::Interrupted {
            break;
        }
        let judged = steering.judged(driver.samples(), stopped, Scope::Binaries, &names);
        let lacking = |driver: &Driver| runs_for_rivals(steering.own(driver.samples()), ignore_failure);
        if rivals && run_for_rivals(driver, plan, lacking)? {
            break;
        }
        let own = steering.own(driver.samples());
        if let Some((first, others)) = judged.findings.with_first(1).split_first() {
            finished.push(Finished::new(first, own, ignore_failure).and(others));
        }
    }
    Ok(())
}

/// Makes further runs in the order of a plan until the decision rules of other tools (the rivals) have as many as they
/// require; returns true if the user stopped the runs. The missing number is estimated from the runs so far; a machine
/// that has become faster meanwhile needs more runs, hence several rounds of estimates.
fn run_for_rivals(
    driver: &mut Driver,
    plan: Plan,
    lacking: impl Fn(&Driver) -> u32,
) -> Result<bool, Failure> {
    if matches!(plan.layout, Layout::Duet(_)) {
        return Ok(false);
    }
    for round in 1..=ROUNDS_FOR_RIVALS {
        let runs = lacking(driver);
        if runs == 0 {
            break;
        }
        let seed = plan.seed.wrapping_add(round << 32);
        let plan = Plan { layout: Layout::Single, seed, ..plan.clone() };
        let mut rounds = Rounds::new(plan, Bounds { runs: Runs::Count(runs), ..Bounds::default() });
        if driver.steer(&mut rounds)? == Stopped::Interrupted {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Maximum number of estimates of the runs that a rival still lacks. A rival that lacks runs after them gives no
/// verdict, since the speed of the machine is not stable enough.
const ROUNDS_FOR_RIVALS: u64 = 5;

/// Minimum and maximum number of pairs of runs from which the amount of extra work is computed; in between, as many as
/// fit into `CALIBRATION_NS`.
const CALIBRATION_RUNS: std::ops::RangeInclusive<u32> = 21..=301;
const CALIBRATION_NS: f64 = 4e9;
/// Extra work of the final runs that give the time of an iteration, as a share of the command's time. The share is
/// small because extra work comes at the beginning of a run, and a CPU that just woke up is slower at first.
const PROBE_SHARE: f64 = 0.1;

/// Iterations of work that increase the deciding metric by the share `more`, or the wall time if that metric is a rate.
/// Copy A runs as it is and copy B with a known amount of work, in turns. The difference of their medians gives the
/// time of one iteration.
fn extra_work(driver: &mut Driver, more: f64) -> Result<u64, Failure> {
    let mut probe = 100_000;
    // The first probe (an amount of extra work) is enlarged until its effect is visible; the second has the right size,
    // and many runs.
    let (mut plain_ns, mut iteration_ns) = time_of_iteration(driver, probe, *CALIBRATION_RUNS.start())?;
    while iteration_ns * probe as f64 <= 0.5 * plain_ns && probe < 1 << 40 {
        probe *= 4;
        (plain_ns, iteration_ns) = time_of_iteration(driver, probe, *CALIBRATION_RUNS.start())?;
    }
    let runs = (CALIBRATION_NS / (2.0 * plain_ns.max(1.0))) as u32;
    let runs = runs.clamp(*CALIBRATION_RUNS.start(), *CALIBRATION_RUNS.end());
    let probe = (PROBE_SHARE * plain_ns / iteration_ns).max(1.0) as u64;
    let (plain_ns, refined_ns) = time_of_iteration(driver, probe, runs)?;
    // A small probe can be lost in the noise of a busy machine, and iterations that seem to cost nothing would give an
    // unbounded number. The large probe, whose effect is certain, bounds the result.
    let iteration_ns = refined_ns.clamp(0.5 * iteration_ns, 2.0 * iteration_ns);
    Ok((more * plain_ns / iteration_ns).round().max(1.0) as u64)
}

/// Median time of copy A, and the time that one iteration adds to copy B, both in nanoseconds.
fn time_of_iteration(driver: &Driver, probe: u64, runs: u32) -> Result<(f64, f64), Failure> {
    let setup = plan(driver, driver.header.seed).block(0, Phase::Warmup)[0].setup.clone();
    let mut steering = WarmUp::new(2, runs).under(&setup);
    let samples = driver.aside(&driver.commands, &[0, probe], &mut steering)?;
    let decides = driver.header.definition.rule.metric;
    let time = if decides.more_is_better() { Metric::WALL } else { decides };
    let median = |command| median_of(&samples, command, time).unwrap_or(0.0);
    let (plain_ns, loaded_ns) = (median(0), median(1));
    Ok((plain_ns, (loaded_ns - plain_ns).max(1.0) / probe as f64))
}
