//! `fauxplat index`: the power of CPUs, in FauxPlats per second of CPU time.

use fauxplat_analyze::cpu_index;
use fauxplat_kernels::{Caches, FAUXPLATS_PER_UNIT, Kernel};
use fauxplat_model::document::Findings;
use fauxplat_model::{Condition, EnvPad, IndexFindings, Placement, Policy, ShiftSample};
use fauxplat_run::{Stopped, execute_shifts};
use fauxplat_sys::arithmetic::{FAUXPLAT_INSTRUCTIONS, IS_ASSEMBLY};
use fauxplat_units::{Cpu, Nanos};
use fauxplat_workers::{Shift, Station, WorkerError, WorkerPool};

use crate::args::IndexArgs;
use crate::failure::Failure;
use crate::relation;
use crate::workshop::{Workshop, cells_plan, cpus_of};

/// Turns of each CPU: enough to see the machine wander.
const ROUNDS: u32 = 20;
/// The shortest and the longest turn.
const TURN_NS: (u64, u64) = (5_000_000, 500_000_000);
/// Units of a lap: one FauxPlat, a third of a millisecond or so, beside which reading the clock costs next to nothing, and
/// short enough to pass between two disturbances.
const LAP_UNITS: u64 = 1000;

/// Measures and reports.
pub(crate) fn index(args: &IndexArgs, invocation: &[String]) -> Result<(), Failure> {
    let (cpus, chosen) = cpus(args)?;
    let placement = Placement::Set(cpus.iter().copied().collect());
    let (crew, policy) = crew(&cpus, args.policy)?;
    let condition =
        Condition { cpu: placement, policy, env_pad: EnvPad::None, load: args.beside.load.clone(), ..chosen };
    let mut workshop = Workshop::begin("index", condition, args.seed, &args.output, invocation)?;
    if args.policy.is_none() && policy == Policy::Other {
        let reason = "the index at real-time priority (SCHED_FIFO needs CAP_SYS_NICE or an RLIMIT_RTPRIO: run as root)";
        workshop.header.not_measured.push(reason.to_owned());
    }
    let samples = measure(&mut workshop, crew, args, cpus.len())?;
    let mut findings = findings(&cpus, &samples, args.together);
    (findings.policy, findings.elapsed_s) = (policy, workshop.elapsed_s());
    workshop.finish(&Findings::Index(findings))
}

/// The CPUs, and the condition that says how they were chosen.
fn cpus(args: &IndexArgs) -> Result<(Vec<Cpu>, Condition), Failure> {
    let allowed = fauxplat_topology::allowed(std::path::Path::new("/"));
    let mut chosen = Condition { cpu: args.cpu.clone().unwrap_or_default(), ..Condition::default() };
    relation::resolve(&mut chosen)?;
    let cpus: Vec<Cpu> = match &args.cpu {
        Some(_) => cpus_of(&chosen.cpu)?.iter().collect(),
        None if args.all_cpus || args.together => allowed.iter().collect(),
        None => allowed.iter().take(1).collect(),
    };
    match cpus.is_empty() {
        true => Err(Failure::machine("no CPU is allowed to this process")),
        false => Ok((cpus, chosen)),
    }
}

/// Workers at the highest real-time priority where that is permitted, so that nothing takes their CPU.
fn crew(cpus: &[Cpu], policy: Option<Policy>) -> Result<(WorkerPool, Policy), Failure> {
    let with = |policy| {
        let station = |&cpu: &Cpu| Station { cpu, policy, caches: Caches::default() };
        WorkerPool::new(&cpus.iter().map(station).collect::<Vec<_>>()).map(|crew| (crew, policy))
    };
    let refused = |error: &WorkerError| policy.is_none() && error.is_permission();
    let top = Policy::Fifo(99);
    match with(policy.unwrap_or(top)) {
        Err(error) if refused(&error) => Ok(with(Policy::Other)?),
        done => Ok(done?),
    }
}

fn measure(
    workshop: &mut Workshop<'_>,
    mut crew: WorkerPool,
    args: &IndexArgs,
    hands: usize,
) -> Result<Vec<ShiftSample>, Failure> {
    let Nanos(duration_ns) = args.duration;
    let turn_ns = (duration_ns / u64::from(ROUNDS)).clamp(TURN_NS.0, TURN_NS.1);
    let rounds = (duration_ns / turn_ns).clamp(2, 10_000) as u32;
    let shift = Shift {
        kernel: Kernel::Fauxplat,
        warm_ns: 0,
        duration_ns: turn_ns,
        lap_units: LAP_UNITS,
        keep_laps: true,
        hands_over: false,
    };
    let cells: Vec<Vec<Option<Shift>>> = match args.together {
        true => vec![vec![Some(shift); hands]],
        false => {
            (0..hands).map(|one| (0..hands).map(|hand| (hand == one).then_some(shift)).collect()).collect()
        }
    };
    let plan = cells_plan(cells.len(), workshop.header.seed);
    let mut samples = Vec::new();
    let progress = &workshop.progress;
    let stopped = execute_shifts(&mut crew, &cells, &plan, rounds, |sample| {
        let share = f64::from(sample.round) / f64::from(rounds);
        progress.show(share, || format!("round {} of {rounds}", sample.round + 1));
        samples.push(sample);
    })?;
    workshop.interrupted = stopped == Stopped::Interrupted;
    Ok(samples)
}

fn findings(cpus: &[Cpu], samples: &[ShiftSample], together: bool) -> IndexFindings {
    let fauxplats = LAP_UNITS as f64 * FAUXPLATS_PER_UNIT;
    let of = |(hand, &cpu): (usize, &Cpu)| {
        let shifts: Vec<&ShiftSample> =
            samples.iter().filter(|sample| usize::from(sample.hand) == hand).collect();
        cpu_index(cpu, &shifts, fauxplats, IS_ASSEMBLY, together)
    };
    IndexFindings {
        cpus: cpus.iter().enumerate().filter_map(of).collect(),
        together,
        instructions_per_iteration: FAUXPLAT_INSTRUCTIONS,
        ..IndexFindings::default()
    }
}
