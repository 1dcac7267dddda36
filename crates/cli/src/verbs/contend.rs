//! `fauxplat contend`: what two threads cost each other on each pair of CPUs.

use std::path::Path;

use fauxplat_analyze::{ContendCell, ContendPair, contend_findings};
use fauxplat_kernels::{Caches, Kernel};
use fauxplat_model::document::Findings;
use fauxplat_model::{Condition, EnvPad, Placement, Policy, ShiftSample, Topology};
use fauxplat_run::{Stopped, execute_shifts};
use fauxplat_units::{Bytes, Cpu, CpuSet, Nanos};
use fauxplat_workers::{Crew, Shift, Station, WorkerError};

use crate::args::ContendArgs;
use crate::failure::Failure;
use crate::neighbours::{Served, claimed};
use crate::verbs::capacity;
use crate::workshop::{Workshop, cells_plan, cpus_of};

/// The kernels that tell neighbourhoods apart.
const KERNELS: [Kernel; 8] = [
    Kernel::IntegerPorts,
    Kernel::IntegerLatency,
    Kernel::Float,
    Kernel::Branch,
    Kernel::L1,
    Kernel::L2,
    Kernel::Llc,
    Kernel::Dram,
];
/// CPUs of which all pairs are measured when nobody chose any.
const CPUS_MAX: usize = 8;
/// Units between two looks at the clock: some ten microseconds of arithmetic.
const LAP_UNITS: u64 = 100;
/// A large cache takes some tens of milliseconds to fill.
const LARGE_TIMES: u64 = 6;
/// Two threads that take turns on one CPU need several turns.
const TURNS_TIMES: u64 = 4;

/// The design: who works where, and in which cells.
struct Design {
    stations: Vec<(Cpu, Policy)>,
    pairs: Vec<ContendPair>,
    cells: Vec<ContendCell>,
    shifts: Vec<Vec<Option<Shift>>>,
}

/// Measures and reports.
pub(crate) fn contend(args: &ContendArgs, invocation: &[String]) -> Result<(), Failure> {
    let (topology, _) = fauxplat_topology::read(Path::new("/"));
    let cpus = cpus(args, &topology)?;
    if args.capacity {
        return capacity::capacity(args, &topology, &cpus, invocation);
    }
    let pairs = pairs(args, &cpus);
    let policy = policy(&cpus)?;
    let served = Served::measure(&topology, &cpus, policy)?;
    let design = design(args, &pairs, &topology, policy, &served);
    memory_suffices(&design, &served)?;
    let mut crew = crew(&design, &served)?;
    let placement = Placement::Set(cpus.clone());
    let load = args.beside.load.clone();
    let condition = Condition { cpu: placement, policy, env_pad: EnvPad::None, load, ..Condition::default() };
    let mut workshop = Workshop::begin("contend", condition, args.seed, &args.output, invocation)?;
    warn(&mut workshop, policy);
    workshop.header.not_measured.extend(served.refusal(&cpus));
    let samples = measure(&mut workshop, &mut crew, &design, args.rounds)?;
    let mut findings = contend_findings(&design.pairs, &design.cells, &samples, workshop.header.seed);
    findings.elapsed_s = workshop.elapsed_s();
    workshop.finish(&Findings::Contend(findings))
}

fn warn(workshop: &mut Workshop<'_>, policy: Policy) {
    if policy == Policy::Other {
        let reason =
            "pairs at real-time priority (SCHED_FIFO needs CAP_SYS_NICE or an RLIMIT_RTPRIO: run as root)";
        workshop.header.not_measured.push(reason.to_owned());
    }
    if workshop.header.machine.hypervisor.is_some() {
        let note = "virtual CPUs may move between cores of the host: the labels hold for the minutes of the measurement";
        workshop.header.warnings.push(note.to_owned());
    }
}

fn cpus(args: &ContendArgs, topology: &Topology) -> Result<CpuSet, Failure> {
    if !args.pairs.is_empty() {
        let named: CpuSet = args.pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        return cpus_of(&Placement::Set(named));
    }
    let cpus = match &args.cpu {
        Some(placement) => cpus_of(placement)?,
        None if args.capacity => topology.allowed.clone(),
        None => topology.allowed.iter().take(CPUS_MAX).collect(),
    };
    if cpus.is_empty() { Err(Failure::machine("no CPU is allowed to this process")) } else { Ok(cpus) }
}

fn pairs(args: &ContendArgs, cpus: &CpuSet) -> Vec<(Cpu, Cpu)> {
    if !args.pairs.is_empty() {
        return args.pairs.clone();
    }
    let list: Vec<Cpu> = cpus.iter().collect();
    let from = |(index, &a): (usize, &Cpu)| list[index..].iter().map(move |&b| (a, b)).collect::<Vec<_>>();
    list.iter().enumerate().flat_map(from).collect()
}

/// One worker per CPU, and two more for each pair that is one CPU: those must be able to take turns.
fn design(
    args: &ContendArgs,
    pairs: &[(Cpu, Cpu)],
    topology: &Topology,
    policy: Policy,
    served: &Served,
) -> Design {
    let mut kernels = if args.kernels.is_empty() { KERNELS.to_vec() } else { args.kernels.clone() };
    if !pairs.iter().all(|&(a, b)| served.has_last_level(a) && served.has_last_level(b)) && kernels.len() > 1
    {
        kernels.retain(|kernel| *kernel != Kernel::Llc);
    }
    let mut design =
        Design { stations: Vec::new(), pairs: Vec::new(), cells: Vec::new(), shifts: Vec::new() };
    for &(a, b) in pairs {
        let hands = match a == b {
            true => [design.hire(a, Policy::Other), design.hire(a, Policy::Other)],
            false => [design.post(a, policy), design.post(b, policy)],
        };
        design.pairs.push(ContendPair {
            cpus: [a, b],
            hands,
            claimed: claimed(topology, a, b),
            overflows: served.overflows(a),
        });
    }
    for pair in design.pairs.clone() {
        // What two threads do on one CPU is the same for every kernel: they take turns.
        let same = pair.cpus[0] == pair.cpus[1];
        let some = if same { &kernels[..1] } else { &kernels[..] };
        for &kernel in some {
            for hands in [vec![pair.hands[0]], vec![pair.hands[1]], pair.hands.to_vec()] {
                design.add(kernel, hands, shift(kernel, args.duration, same));
            }
        }
    }
    design
}

fn shift(kernel: Kernel, duration: Nanos, same: bool) -> Shift {
    let large = matches!(kernel, Kernel::Llc | Kernel::Dram | Kernel::Stream);
    let times = if large { LARGE_TIMES } else { 1 } * if same { TURNS_TIMES } else { 1 };
    let duration_ns = duration.0.max(1_000_000) * times;
    let warm_ns = if large { duration_ns } else { duration_ns / 5 };
    Shift { kernel, warm_ns, duration_ns, lap_units: LAP_UNITS, keep_laps: false }
}

impl Design {
    /// The worker of a CPU, hired when it is first wanted.
    fn post(&mut self, cpu: Cpu, policy: Policy) -> u16 {
        let taken: Vec<[u16; 2]> =
            self.pairs.iter().filter(|pair| pair.cpus[0] == pair.cpus[1]).map(|pair| pair.hands).collect();
        let free = |hand: &u16| !taken.iter().any(|pair| pair.contains(hand));
        let mut hands = 0..self.stations.len() as u16;
        let found = hands.find(|hand| free(hand) && self.stations[usize::from(*hand)] == (cpu, policy));
        found.unwrap_or_else(|| self.hire(cpu, policy))
    }

    fn hire(&mut self, cpu: Cpu, policy: Policy) -> u16 {
        self.stations.push((cpu, policy));
        self.stations.len() as u16 - 1
    }

    /// A cell, unless there is the same one already.
    fn add(&mut self, kernel: Kernel, hands: Vec<u16>, shift: Shift) {
        let cell = ContendCell { kernel: kernel.to_string(), hands };
        if !self.cells.contains(&cell) {
            let works = |hand: u16| cell.hands.contains(&hand).then_some(shift);
            self.shifts.push((0..self.stations.len() as u16).map(works).collect());
            self.cells.push(cell);
        }
    }
}

/// Every worker keeps the memory of every kernel that it runs.
fn memory_suffices(design: &Design, served: &Served) -> Result<(), Failure> {
    let footprint = |hand: usize| {
        let caches = served.caches(design.stations[hand].0);
        let mut kernels: Vec<Kernel> =
            design.shifts.iter().filter_map(|cell| cell[hand]).map(|shift| shift.kernel).collect();
        kernels.sort_unstable();
        kernels.dedup();
        kernels.iter().map(|kernel| kernel.footprint(&caches).0).sum::<u64>()
    };
    let wanted = Bytes((0..design.stations.len()).map(footprint).sum());
    let memory = fauxplat_topology::discover(Path::new("/")).memory_bytes;
    if memory.0 > 0 && wanted.0 > memory.0 / 2 {
        return Err(Failure::machine(format!(
            "the workers would walk {wanted}, more than half of this machine's {memory}: choose fewer CPUs with --cpu or \
             smaller kernels"
        )));
    }
    Ok(())
}

/// Real-time priority where it is permitted: then nobody but the kernel and the host disturbs.
fn policy(cpus: &CpuSet) -> Result<Policy, Failure> {
    let cpu = cpus.first().ok_or_else(|| Failure::machine("no CPU is allowed to this process"))?;
    match Crew::new(&[Station { cpu, policy: Policy::Fifo(90), caches: Caches::default() }]) {
        Ok(_) => Ok(Policy::Fifo(90)),
        Err(error) if error.is_permission() => Ok(Policy::Other),
        Err(error) => Err(error.into()),
    }
}

fn crew(design: &Design, served: &Served) -> Result<Crew, WorkerError> {
    let station = |&(cpu, policy): &(Cpu, Policy)| Station { cpu, policy, caches: served.caches(cpu) };
    Crew::new(&design.stations.iter().map(station).collect::<Vec<_>>())
}

fn measure(
    workshop: &mut Workshop<'_>,
    crew: &mut Crew,
    design: &Design,
    rounds: u32,
) -> Result<Vec<ShiftSample>, Failure> {
    let plan = cells_plan(design.cells.len(), workshop.header.seed);
    let (mut samples, progress) = (Vec::new(), &workshop.progress);
    let stopped = execute_shifts(crew, &design.shifts, &plan, rounds, |sample| {
        let share = f64::from(sample.round) / f64::from(rounds);
        progress.show(share, || format!("round {} of {rounds}", sample.round + 1));
        samples.push(sample);
    })?;
    workshop.interrupted = stopped == Stopped::Interrupted;
    Ok(samples)
}
