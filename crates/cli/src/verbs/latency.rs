//! `fauxplat latency`: how late timers, messages and signals are, and what takes the CPU away meanwhile.

use std::path::Path;

use fauxplat_latency::{Channel, LatencyError, Place, Recording, calm, message, noise, signals, timer};
use fauxplat_model::document::Findings;
use fauxplat_model::{Condition, EnvPad, LatencyFindings, LatencyTest, Percentiles, Placement, Policy};
use fauxplat_run::{Stopped, execute_cells};
use fauxplat_units::{Cpu, CpuSet, Nanos};

use crate::args::{LatencyArgs, LatencyKind};
use crate::failure::Failure;
use crate::verbs::merge;
use crate::workshop::{Workshop, cells_plan, cpus_of};

/// Slices into which each test is cut, so that all of them see the same weather.
const ROUNDS: u32 = 6;

/// What one cell of the design does.
#[derive(Clone, Copy)]
enum Task {
    Timer { interval_ns: u64, activations: u64 },
    Noise { duration_ns: u64, threshold_ns: u64 },
    Message { channel: Channel, messages: u64 },
    Signal { count: u64 },
}

/// A task and where it runs.
#[derive(Clone, Copy)]
struct Cell {
    task: Task,
    place: Place,
    peer: Option<Cpu>,
}

/// Measures and reports.
pub(crate) fn latency(args: &LatencyArgs, invocation: &[String]) -> Result<(), Failure> {
    if !args.merge.is_empty() {
        return merge::merge(&args.merge, &args.output, invocation);
    }
    let (cpus, pairs) = (cpus(args)?, pairs(args)?);
    let (policies, refused) = policies(args, &cpus)?;
    let cells = cells(args, &cpus, &pairs, &policies);
    if cells.is_empty() {
        return Err(Failure::usage(
            "there is nothing to test: a message by `line` needs two CPUs (--pairs A:B)",
        ));
    }
    let named: CpuSet = cells.iter().flat_map(|cell| [Some(cell.place.cpu), cell.peer]).flatten().collect();
    let condition = Condition {
        cpu: Placement::Set(named),
        policy: policies[0],
        env_pad: EnvPad::None,
        load: args.beside.load.clone(),
        ..Condition::default()
    };
    let mut workshop = Workshop::begin("latency", condition, args.seed, &args.output, invocation)?;
    workshop.header.not_measured.extend(refused);
    let (calm, restless) = calm();
    workshop.header.warnings.extend(restless);
    let recordings = measure(&mut workshop, &cells)?;
    drop(calm);
    let tests = cells.iter().zip(&recordings).flat_map(|(cell, ways)| findings(cell, ways)).collect();
    let elapsed_s = workshop.elapsed_s();
    workshop.finish(&Findings::Latency(LatencyFindings { tests, elapsed_s }))
}

fn cpus(args: &LatencyArgs) -> Result<CpuSet, Failure> {
    let cpus = match &args.cpu {
        Some(placement) => cpus_of(placement)?,
        None => fauxplat_topology::allowed(Path::new("/")).iter().take(1).collect(),
    };
    if cpus.is_empty() { Err(Failure::machine("no CPU is allowed to this process")) } else { Ok(cpus) }
}

fn pairs(args: &LatencyArgs) -> Result<Vec<(Cpu, Cpu)>, Failure> {
    if !args.pairs.is_empty() {
        cpus_of(&Placement::Set(args.pairs.iter().flat_map(|&(a, b)| [a, b]).collect()))?;
        return Ok(args.pairs.clone());
    }
    let allowed: Vec<Cpu> = fauxplat_topology::allowed(Path::new("/")).iter().collect();
    let first = allowed.first().map(|&cpu| (cpu, cpu));
    let next = allowed.get(1).map(|&cpu| (allowed[0], cpu));
    Ok(next.into_iter().chain(first).collect())
}

/// The policies, and what was left out because it is not permitted. A policy that was asked for is not left out.
fn policies(args: &LatencyArgs, cpus: &CpuSet) -> Result<(Vec<Policy>, Vec<String>), Failure> {
    if !args.policy.is_empty() {
        return Ok((args.policy.clone(), Vec::new()));
    }
    let real_time = Policy::Fifo(90);
    let cpu = cpus.first().ok_or_else(|| Failure::machine("no CPU is allowed to this process"))?;
    match timer(&Place { cpu, policy: real_time, slack_ns: None }, 100_000, 1) {
        Ok(_) => Ok((vec![Policy::Other, real_time], Vec::new())),
        Err(error) if error.is_permission() => {
            let why = "real-time policies (SCHED_FIFO needs CAP_SYS_NICE or an RLIMIT_RTPRIO: run as root)";
            Ok((vec![Policy::Other], vec![why.to_owned()]))
        }
        Err(error) => Err(error.into()),
    }
}

fn cells(args: &LatencyArgs, cpus: &CpuSet, pairs: &[(Cpu, Cpu)], policies: &[Policy]) -> Vec<Cell> {
    let slacks: Vec<Option<u64>> = match args.slack.as_slice() {
        [] => vec![None],
        some => some.iter().map(|&Nanos(ns)| Some(ns.max(1))).collect(),
    };
    let mut cells = Vec::new();
    for &kind in &args.tests {
        for &policy in policies {
            // Real-time policies ignore the slack, so they are tested once.
            let slacks = if policy == Policy::Other { &slacks[..] } else { &[None] };
            for &slack_ns in slacks {
                let place = |cpu| Place { cpu, policy, slack_ns };
                match kind {
                    LatencyKind::Timer | LatencyKind::Noise => cells.extend(cpus.iter().map(|cpu| Cell {
                        task: alone(kind, args),
                        place: place(cpu),
                        peer: None,
                    })),
                    LatencyKind::Message | LatencyKind::Signal => {
                        cells.extend(pairs.iter().flat_map(|&(a, b)| {
                            let tasks = between(kind, args, a == b);
                            tasks.into_iter().map(move |task| Cell { task, place: place(a), peer: Some(b) })
                        }))
                    }
                }
            }
        }
    }
    cells
}

fn alone(kind: LatencyKind, args: &LatencyArgs) -> Task {
    let rounds = u64::from(ROUNDS);
    match kind {
        LatencyKind::Noise => {
            Task::Noise { duration_ns: args.duration.0 / rounds, threshold_ns: args.threshold.0 }
        }
        _ => Task::Timer { interval_ns: args.interval.0, activations: args.count.div_ceil(rounds) },
    }
}

fn between(kind: LatencyKind, args: &LatencyArgs, same: bool) -> Vec<Task> {
    let count = args.count.div_ceil(u64::from(ROUNDS));
    if kind == LatencyKind::Signal {
        return vec![Task::Signal { count }];
    }
    let channels = if args.channels.is_empty() { Channel::ALL.to_vec() } else { args.channels.clone() };
    let possible = channels.into_iter().filter(|channel| !(same && channel.spins()));
    possible.map(|channel| Task::Message { channel, messages: count }).collect()
}

/// One recording per cell, or three for messages: there, back, there and back.
fn measure(workshop: &mut Workshop<'_>, cells: &[Cell]) -> Result<Vec<Vec<Recording>>, Failure> {
    let plan = cells_plan(cells.len(), workshop.header.seed);
    let mut recordings: Vec<Vec<Recording>> = vec![Vec::new(); cells.len()];
    let (progress, all) = (&workshop.progress, f64::from(ROUNDS) * cells.len() as f64);
    let mut done = 0.0;
    let stopped = execute_cells(&plan, ROUNDS, |round, index| {
        let slice = slice(&cells[usize::from(index)])?;
        let whole = &mut recordings[usize::from(index)];
        whole.resize_with(slice.len(), Recording::default);
        whole.iter_mut().zip(&slice).for_each(|(whole, slice)| whole.merge(slice));
        done += 1.0;
        progress.show(done / all, || format!("round {} of {ROUNDS}", round + 1));
        Ok::<(), LatencyError>(())
    })?;
    workshop.interrupted = stopped == Stopped::Interrupted;
    Ok(recordings)
}

fn slice(cell: &Cell) -> Result<Vec<Recording>, LatencyError> {
    let peer = Place { cpu: cell.peer.unwrap_or(cell.place.cpu), ..cell.place };
    let both = [&cell.place, &peer];
    Ok(match cell.task {
        Task::Timer { interval_ns, activations } => vec![timer(&cell.place, interval_ns, activations)?],
        Task::Noise { duration_ns, threshold_ns } => vec![noise(&cell.place, duration_ns, threshold_ns)?],
        Task::Message { channel, messages } => message(both, channel, messages)?.into(),
        Task::Signal { count } => vec![signals(both, count)?],
    })
}

fn findings(cell: &Cell, recordings: &[Recording]) -> Vec<LatencyTest> {
    let names = match cell.task {
        Task::Timer { .. } => vec!["timer".to_owned()],
        Task::Noise { .. } => vec!["noise".to_owned()],
        Task::Signal { .. } => vec!["signal".to_owned()],
        Task::Message { channel, .. } => {
            ["there", "back", "round trip"].map(|way| format!("{channel} {way}")).into()
        }
    };
    names.into_iter().zip(recordings).map(|(name, recording)| test(cell, name, recording)).collect()
}

fn test(cell: &Cell, name: String, recording: &Recording) -> LatencyTest {
    let interval_ns = if let Task::Timer { interval_ns, .. } = cell.task { Some(interval_ns) } else { None };
    let is_noise = matches!(cell.task, Task::Noise { .. });
    let mut test = LatencyTest {
        name,
        policy: cell.place.policy,
        cpu: cell.place.cpu,
        peer: cell.peer,
        interval_ns,
        slack_ns: cell.place.slack_ns,
        count: 0,
        missed: 0,
        raw: Percentiles::default(),
        corrected: Percentiles::default(),
        causes: Vec::new(),
        lost_share: is_noise.then_some(0.0),
        wall_ns: 0,
    };
    merge::renew(&mut test, recording);
    test
}
