//! `fauxplat aa`: does the verdict itself hold on this machine?

use std::path::{Path, PathBuf};

use fauxplat_analyze::{Finished, Judge, aa_stratum, power_result};
use fauxplat_kernels::Caches;
use fauxplat_load::{Generator, Order, Rhythm};
use fauxplat_model::document::Findings;
use fauxplat_model::{AaFindings, Aslr, Command, Definition, LoadKind, Metric, Phase, Placement};
use fauxplat_run::{Executor, Program, Stopped};
use fauxplat_units::CpuSet;
use tempfile::TempDir;

use super::compare::plan;
use crate::args::{AaArgs, Stratum};
use crate::contest::Contest;
use crate::define;
use crate::disturb;
use crate::duet;
use crate::failure::Failure;
use crate::session::{Session, median_of};
use crate::steering::{Recorder, WarmUp};

/// Makes many complete comparisons of identical copies, and counts the false verdicts.
pub(crate) fn aa(args: &AaArgs, invocation: &[String]) -> Result<(), Failure> {
    let mut definition = define::definition(&args.commands, &args.condition)?;
    define::apply_rule(&mut definition.rule, &args.rule);
    check(&definition)?;
    // Both copies are commands of the definition, so that the record lists both.
    definition.commands = vec![definition.commands[0].clone(), definition.commands[0].clone()];
    definition.rule.duet |= args.duet;
    let mut session = Session::begin("aa", definition, &args.output, invocation)?;
    if session.header.definition.rule.duet {
        duet::begin(&mut session)?;
    }
    let copies = Copies::of(&session.commands[0])?;
    let mut findings = AaFindings::default();
    let mut failed = None;
    for stratum in strata(args, &session) {
        if let Err(failure) = calibrate(args, stratum, &copies, &mut session, &mut findings) {
            failed = Some(failure);
            break;
        }
        if session.interrupted {
            break;
        }
    }
    findings.elapsed_s = session.elapsed_s();
    session.finish(&Findings::Aa(findings), failed.as_ref())?;
    failed.map_or(Ok(()), Err)
}

fn check(definition: &Definition) -> Result<(), Failure> {
    match (definition.commands.len(), definition.parameters.len()) {
        (1, 0) => Ok(()),
        (1, _) => Err(Failure::usage("aa takes no parameter lists: it compares one command with itself")),
        (count, _) => {
            Err(Failure::usage(format!("aa takes one command, not {count}: it compares it with itself")))
        }
    }
}

/// The strata that were asked for, or all that this machine has.
fn strata(args: &AaArgs, session: &Session<'_>) -> Vec<Stratum> {
    if !args.strata.is_empty() {
        return args.strata.clone();
    }
    let all = [Stratum::Plain, Stratum::Drift, Stratum::Layout, Stratum::BusySibling];
    all.into_iter()
        .filter(|&stratum| stratum != Stratum::BusySibling || sibling_pair(session).is_some())
        .collect()
}

/// An allowed CPU and its sibling, where the machine has hardware threads.
fn sibling_pair(session: &Session<'_>) -> Option<(CpuSet, CpuSet)> {
    let cpus = &session.header.machine.cpu;
    cpus.allowed.iter().find_map(|cpu| {
        let own: CpuSet = [cpu].into_iter().collect();
        let others =
            fauxplat_topology::siblings(Path::new("/"), cpu).intersection(&cpus.online).without(&own);
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

/// Byte-identical copies of a program in folders of equally long names; gone when this is dropped.
struct Copies {
    _folder: TempDir,
    programs: [PathBuf; 2],
}

impl Copies {
    fn of(command: &Command) -> Result<Self, Failure> {
        let fail = |error: std::io::Error| {
            Failure::machine(format!("copies of {}: {error}", command.program.display()))
        };
        let folder = tempfile::Builder::new().prefix("fauxplat-aa-").tempdir().map_err(fail)?;
        let file = command.program.file_name().unwrap_or(command.program.as_os_str());
        let copy = |name: &str| -> std::io::Result<PathBuf> {
            let place = folder.path().join(name);
            std::fs::create_dir(&place)?;
            let path = place.join(file);
            std::fs::copy(&command.program, &path)?;
            Ok(path)
        };
        let programs = [copy("a").map_err(fail)?, copy("b").map_err(fail)?];
        Ok(Copies { _folder: folder, programs })
    }
}

/// Variables that differ between the copies in the layout stratum: their sizes are far apart within a page.
const LAYOUT_BYTES: [usize; 2] = [37, 2011];

/// The two copies as commands, under the condition of a stratum.
fn copied(stratum: Stratum, copies: &Copies, session: &Session<'_>) -> Vec<Command> {
    let mut commands = session.commands.clone();
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

/// What disturbs a stratum, while it lives.
fn disturbance(stratum: Stratum, session: &mut Session<'_>) -> Result<Vec<Generator>, Failure> {
    let seed = session.header.seed;
    let rhythm = Rhythm::Random { shortest_ms: 20, longest_ms: 400, seed };
    let burner = |cpus: Option<CpuSet>, rhythm| -> Result<Generator, Failure> {
        let (kind, caches, folder) = (LoadKind::Integer, Caches::default(), std::env::temp_dir());
        let generator = Generator::start(&disturb::program(), Order { kind, rhythm, cpus, caches, folder })?;
        generator.work();
        Ok(generator)
    };
    match stratum {
        Stratum::Plain | Stratum::Layout => Ok(Vec::new()),
        Stratum::Drift => Ok(vec![burner(None, rhythm)?]),
        Stratum::BusySibling => {
            let pair = sibling_pair(session);
            let (own, sibling) =
                pair.ok_or_else(|| Failure::machine("busy-sibling: no CPU here has a sibling"))?;
            session.header.condition.cpu = Placement::OneOf(own);
            Ok(vec![burner(Some(sibling), Rhythm::Share(100))?])
        }
    }
}

/// All comparisons of one stratum: identical copies first, then, if asked for, copies of which one does more work.
fn calibrate(
    args: &AaArgs,
    stratum: Stratum,
    copies: &Copies,
    session: &mut Session<'_>,
    findings: &mut AaFindings,
) -> Result<(), Failure> {
    let placement = session.header.condition.cpu.clone();
    session.commands = copied(stratum, copies, session);
    // The amount of work is found before anything disturbs: a burner would take more from the longer runs.
    let extra_work = args.power.map(|more| extra_work(session, more)).transpose()?;
    let _burners = disturbance(stratum, session)?;
    let identical = comparisons(session, args.comparisons, &[], name(stratum))?;
    findings.strata.push(aa_stratum(name(stratum), &identical));
    if let (Some(more), Some(extra_work), false) = (args.power, extra_work, session.interrupted) {
        let count = args.power_comparisons.unwrap_or(args.comparisons);
        let different = comparisons(session, count, &[0, extra_work], &format!("{}, power", name(stratum)))?;
        // More work takes more of everything, except of a rate.
        let true_ratio = match session.header.definition.rule.metric.more_is_better() {
            true => 1.0 / (1.0 + more),
            false => 1.0 + more,
        };
        findings.power.push(power_result(name(stratum), true_ratio, &different));
    }
    session.header.condition.cpu = placement;
    Ok(())
}

/// Complete comparisons, each with a seed of its own.
fn comparisons(
    session: &mut Session<'_>,
    count: u32,
    extra_work: &[u64],
    what: &str,
) -> Result<Vec<Finished>, Failure> {
    let program = Program::this_binary(crate::SPAWNER_VERB);
    let counters = session.executor.take_counters();
    session.executor = Executor::with_extra_work(&program, &session.commands, extra_work)?;
    session.executor.watch(counters);
    session.warm_up(1)?;
    session.check_rates()?;
    let (rule, names) = (session.header.definition.rule.clone(), session.names());
    let mut finished = Vec::new();
    for number in 0..count {
        let seed = session.header.seed.wrapping_add(1 + session.samples().len() as u64);
        let (plan, judge) =
            (plan(session, seed), Judge::new(&rule, 2, seed).single_task(session.single_task));
        let quiet = crate::progress::Progress::new(true);
        let mut contest = Contest::new(&mut session.recorder, &session.commands, &quiet, plan, judge, &rule);
        let stopped = session.executor.execute(&mut contest)?;
        if stopped == Stopped::Interrupted {
            session.interrupted = true;
            break;
        }
        let judged = contest.judged(stopped, &names);
        finished.push(Finished::new(&judged.findings.comparisons[0], contest.samples()));
        let share = f64::from(number + 1) / f64::from(count);
        session.progress.show(share, || format!("{what}: comparison {} of {count}", number + 1));
    }
    Ok(finished)
}

/// Pairs of runs from which the amount of extra work is computed: as many as fit into some seconds.
const CALIBRATION_RUNS: std::ops::RangeInclusive<u32> = 21..=301;
const CALIBRATION_NS: f64 = 4e9;
/// The probe of the last step, as a share of the command. Small, because a CPU that just woke up works more slowly
/// at first, and the extra work stands at the beginning of a run.
const PROBE_SHARE: f64 = 0.1;

/// Iterations of work that make a copy take `more` longer. Copy A runs as it is and copy B with a known amount of
/// work, in turns; the difference of their medians gives the time of one iteration.
fn extra_work(session: &mut Session<'_>, more: f64) -> Result<u64, Failure> {
    let mut probe = 100_000;
    // First a probe that is large enough to be seen at all, then one of the right size, and many runs.
    let (mut plain_ns, mut iteration_ns) = time_of_iteration(session, probe, *CALIBRATION_RUNS.start())?;
    while iteration_ns * probe as f64 <= 0.5 * plain_ns && probe < 1 << 40 {
        probe *= 4;
        (plain_ns, iteration_ns) = time_of_iteration(session, probe, *CALIBRATION_RUNS.start())?;
    }
    let runs = (CALIBRATION_NS / (2.0 * plain_ns.max(1.0))) as u32;
    let runs = runs.clamp(*CALIBRATION_RUNS.start(), *CALIBRATION_RUNS.end());
    let probe = (PROBE_SHARE * plain_ns / iteration_ns).max(1.0) as u64;
    let (plain_ns, iteration_ns) = time_of_iteration(session, probe, runs)?;
    Ok((more * plain_ns / iteration_ns).round().max(1.0) as u64)
}

/// Median wall time of copy A, and what one iteration adds to that of copy B; both in nanoseconds.
fn time_of_iteration(session: &Session<'_>, probe: u64, runs: u32) -> Result<(f64, f64), Failure> {
    let program = Program::this_binary(crate::SPAWNER_VERB);
    let mut executor = Executor::with_extra_work(&program, &session.commands, &[0, probe])?;
    let mut recorder = Recorder::default();
    let setup = plan(session, session.header.seed).block(0, Phase::Warmup)[0].setup.clone();
    let mut steering = WarmUp::new(&mut recorder, 2, runs, false, &session.commands).under(&setup);
    executor.execute(&mut steering)?;
    let median = |command| median_of(&recorder.samples, command, Metric::WALL).unwrap_or(0.0);
    let (plain_ns, loaded_ns) = (median(0), median(1));
    Ok((plain_ns, (loaded_ns - plain_ns).max(1.0) / probe as f64))
}
