//! The experiment of `contend`: measures how much two threads slow each other down on each pair of CPUs.

use std::collections::HashSet;
use std::hash::Hash;

use fauxplat_analyze::{ContendCell, ContendPair, claimed, contend_findings, worker_counts};
use fauxplat_kernels::{Caches, Kernel};
use fauxplat_model::{ContendFindings, Placement, Policy, ShiftSample, Topology, WorkerCounts};
use fauxplat_threads::{REAL_TIME_NEEDS, real_time_or_ordinary};
use fauxplat_units::{Bytes, Cpu, CpuSet, Nanos};
use fauxplat_workers::{Counted, Shift, Station, WorkerError, WorkerPool};

use super::workers::{cells_plan, counted, cpus_of, cpus_or_first};
use crate::shifts::Span;
use crate::{Driver, Failure, Machine, Served, Stopped};

#[derive(Clone, Debug)]
pub struct Contention {
    /// Pairs of CPUs to measure; if empty, all pairs among `cpu`.
    pub pairs: Vec<(Cpu, Cpu)>,
    /// CPUs whose pairs are measured; if `None`, the first eight that this process may use.
    pub cpu: Option<Placement>,
    /// Loops of work (kernels) that the threads run; if empty, `KERNELS`.
    pub kernels: Vec<Kernel>,
    /// Number of rounds, in each of which every pair runs every kernel.
    pub rounds: u32,
    /// Maximum number of rounds for pairs that are not decided after `rounds`; if `None`, ten times `rounds`.
    pub max_rounds: Option<u32>,
    /// Time that a pair works, for arithmetic and small caches; a multiple of it for large caches and shared CPUs.
    pub duration: Nanos,
}

impl Contention {
    /// The CPUs to measure.
    ///
    /// # Errors
    /// Fails for CPUs that do not exist or are not allowed.
    pub fn cpus(&self, machine: &Machine) -> Result<CpuSet, Failure> {
        match self.pairs.is_empty() {
            true => cpus_or_first(self.cpu.as_ref(), machine, CPUS_MAX),
            false => {
                let named: CpuSet = self.pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
                cpus_of(&Placement::Set(named), machine)
            }
        }
    }
}

/// Default kernels, which suffice to tell how two CPUs are related: same core, shared cache, separate.
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
/// Maximum number of CPUs of which all pairs are measured by default.
const CPUS_MAX: usize = 8;
/// Units of work between two readings of the clock: some tens of microseconds of arithmetic.
const LAP_UNITS: u64 = 100;
/// Factor by which `duration` is longer for large caches, which take tens of milliseconds to fill.
const LARGE_TIMES: u64 = 6;
/// Factor by which `duration` is longer for two threads on one CPU, which alternate and need several turns.
const TURNS_TIMES: u64 = 4;

/// Default maximum number of rounds for undecided pairs, as a multiple of the requested rounds.
const ROUNDS_TIMES: u32 = 10;

/// A worker thread of the design: its CPU, policy and buffers.
#[derive(Clone, Copy, PartialEq)]
struct Post {
    cpu: Cpu,
    policy: Policy,
    /// Whether the worker runs at the same time as a second worker on its CPU; it then belongs to that pair alone.
    takes_turns: bool,
    /// Whether the worker's buffer for the kernel of the last-level cache is twice as large as for the other workers.
    walks_twice: bool,
}

impl Post {
    fn caches(&self, served: &Served) -> Caches {
        let caches = served.caches(self.cpu);
        let llc = if self.walks_twice { Bytes(2 * caches.llc.0) } else { caches.llc };
        Caches { llc, ..caches }
    }
}

/// The workers with their CPUs, the pairs of them to compare, and the cells: which workers run which kernel at the same
/// time.
struct Design {
    posts: Vec<Post>,
    pairs: Vec<ContendPair>,
    cells: Vec<ContendCell>,
    shifts: Vec<Vec<Option<Shift>>>,
}

/// Measures how much the CPUs of each pair slow each other down.
///
/// # Errors
/// Fails if workers cannot be placed or lack memory, or with an error of the store.
pub fn contend(driver: &mut Driver, asked: &Contention) -> Result<ContendFindings, Failure> {
    let cpus = asked.cpus(driver.machine())?;
    let (pairs, kernels) = (pairs(asked, &cpus), kernels(asked));
    check_size(pairs.len(), kernels.len(), cpus.len())?;
    let policy = policy(&cpus)?;
    driver.header.condition.policy = Some(policy);
    let served = Served::measure(driver.machine().topology(), &cpus, policy)?;
    let design = design(asked, &pairs, kernels, driver.machine().topology(), policy, &served);
    memory_suffices(&design, &served, driver.machine())?;
    let counted = counted(driver)?;
    let mut pool = pool(&design, &served, &counted)?;
    warn(driver, policy);
    driver.header.not_measured.extend(served.refusal(&cpus));
    let mut findings = measure(driver, &mut pool, &design, asked)?;
    findings.elapsed_s = driver.elapsed_s();
    Ok(findings)
}

fn warn(driver: &mut Driver, policy: Policy) {
    if policy == Policy::Other {
        driver.header.not_measured.push(format!("pairs at real-time priority ({REAL_TIME_NEEDS})"));
    }
    if driver.header.machine.hypervisor.is_some() {
        let note = "virtual CPUs may move between cores of the host: the labels hold for the minutes of the measurement";
        driver.warn(note);
    }
}

fn pairs(asked: &Contention, cpus: &CpuSet) -> Vec<(Cpu, Cpu)> {
    if !asked.pairs.is_empty() {
        return each_once(&asked.pairs);
    }
    let list: Vec<Cpu> = cpus.iter().collect();
    let from = |(index, &a): (usize, &Cpu)| list[index..].iter().map(move |&b| (a, b)).collect::<Vec<_>>();
    list.iter().enumerate().flat_map(from).collect()
}

fn kernels(asked: &Contention) -> Vec<Kernel> {
    if asked.kernels.is_empty() { KERNELS.to_vec() } else { each_once(&asked.kernels) }
}

fn each_once<T: Copy + Eq + Hash>(asked: &[T]) -> Vec<T> {
    let mut seen = HashSet::new();
    asked.iter().copied().filter(|one| seen.insert(*one)).collect()
}

/// Refuses more cells than a plan can number: each pair with each kernel, and each worker alone, of which a CPU has up
/// to four.
fn check_size(pairs: usize, kernels: usize, cpus: usize) -> Result<(), Failure> {
    let cells = kernels.saturating_mul(pairs.saturating_add(cpus.saturating_mul(4)));
    match cells > usize::from(u16::MAX) {
        true => Err(Failure::usage(format!(
            "{pairs} pairs of CPUs and {kernels} kernels are about {cells} cells, more than the {} that are measured at once: \
             name fewer CPUs (--cpu, --pairs) or fewer kernels",
            u16::MAX
        ))),
        false => Ok(()),
    }
}

/// Creates the design: one worker per CPU, another one with a buffer twice as large, and two more for each pair on a
/// single CPU, which take turns.
fn design(
    asked: &Contention,
    pairs: &[(Cpu, Cpu)],
    mut kernels: Vec<Kernel>,
    topology: &Topology,
    policy: Policy,
    served: &Served,
) -> Design {
    if !pairs.iter().all(|&(a, b)| served.has_last_level(a) && served.has_last_level(b)) && kernels.len() > 1
    {
        kernels.retain(|kernel| *kernel != Kernel::Llc);
    }
    let mut design = Design { posts: Vec::new(), pairs: Vec::new(), cells: Vec::new(), shifts: Vec::new() };
    for &(a, b) in pairs {
        let usual = |cpu: Cpu| Post { cpu, policy, takes_turns: false, walks_twice: false };
        let turns = Post { policy: Policy::Other, takes_turns: true, ..usual(a) };
        let hands = if a == b { [turns, turns] } else { [usual(a), usual(b)] };
        let hands = hands.map(|post| design.hand(post));
        let large = a != b && kernels.contains(&Kernel::Llc);
        let twice = |cpu: Cpu| design.hand(Post { walks_twice: true, ..usual(cpu) });
        let doubled = large.then(|| [a, b].map(twice));
        design.pairs.push(ContendPair { cpus: [a, b], hands, claimed: claimed(topology, a, b), doubled });
    }
    for pair in design.pairs.clone() {
        // Two threads on one CPU take turns, so every kernel gives the same result there.
        let same = pair.cpus[0] == pair.cpus[1];
        let some = if same { &kernels[..1] } else { &kernels[..] };
        for &kernel in some {
            let mut crews = vec![vec![pair.hands[0]], vec![pair.hands[1]], pair.hands.to_vec()];
            if kernel == Kernel::Llc {
                crews.extend(pair.doubled.iter().flatten().map(|&hand| vec![hand]));
            }
            for hands in crews {
                design.add(kernel, hands, shift(kernel, asked.duration, same));
            }
        }
    }
    design
}

fn shift(kernel: Kernel, duration: Nanos, same: bool) -> Shift {
    let large = matches!(kernel, Kernel::Llc | Kernel::Dram | Kernel::Stream);
    let times = if large { LARGE_TIMES } else { 1 } * if same { TURNS_TIMES } else { 1 };
    let duration_ns = duration.0.max(1_000_000).saturating_mul(times);
    let warm_ns = if large { duration_ns } else { duration_ns / 5 };
    // Whether two CPUs share the last-level cache is tested together with the kernel that walks this cache.
    let hands_over = kernel == Kernel::Llc;
    Shift { kernel, warm_ns, duration_ns, lap_units: LAP_UNITS, keep_laps: false, hands_over }
}

impl Design {
    /// Index of the worker in `posts`, to which it is added if missing. Workers that take turns on one CPU are never
    /// reused.
    fn hand(&mut self, post: Post) -> u16 {
        let known = self.posts.iter().position(|known| *known == post).filter(|_| !post.takes_turns);
        let hand = known.unwrap_or(self.posts.len());
        if known.is_none() {
            self.posts.push(post);
        }
        hand as u16
    }

    /// Indices of the cells in which the workers of these pairs work, alone or together. `pairs` are indices, too.
    fn cells_of(&self, pairs: &[usize]) -> Vec<usize> {
        let of = |hands: &[u16], pair: &ContendPair| {
            let alone =
                |hand: u16| pair.hands.contains(&hand) || pair.doubled.is_some_and(|two| two.contains(&hand));
            hands == pair.hands || matches!(hands, [hand] if alone(*hand))
        };
        let needed = |&cell: &usize| pairs.iter().any(|&pair| of(&self.cells[cell].hands, &self.pairs[pair]));
        (0..self.cells.len()).filter(needed).collect()
    }

    /// Counted events of each worker in each cell.
    fn counts(&self, samples: &[ShiftSample]) -> Vec<WorkerCounts> {
        let of_worker = |cell: usize, hand: u16| {
            let ContendCell { kernel, hands } = &self.cells[cell];
            let cpu = |hand: u16| self.posts[usize::from(hand)].cpu;
            let beside = hands.iter().find(|other| **other != hand).map(|other| cpu(*other));
            let beside = beside.map_or("alone".to_owned(), |other| format!("beside CPU {other}"));
            let twice = if self.posts[usize::from(hand)].walks_twice { ", twice as large" } else { "" };
            let is_ours = |it: &&ShiftSample| (usize::from(it.cell), it.hand) == (cell, hand);
            let shifts: Vec<&ShiftSample> = samples.iter().filter(is_ours).collect();
            worker_counts(format!("{kernel}{twice} on CPU {}, {beside}", cpu(hand)), &shifts)
        };
        let cells = self.cells.iter().enumerate();
        cells.flat_map(|(cell, it)| it.hands.iter().filter_map(move |&hand| of_worker(cell, hand))).collect()
    }

    fn add(&mut self, kernel: Kernel, hands: Vec<u16>, shift: Shift) {
        let cell = ContendCell { kernel: kernel.to_string(), hands };
        if !self.cells.contains(&cell) {
            let works = |hand: u16| cell.hands.contains(&hand).then_some(shift);
            self.shifts.push((0..self.posts.len() as u16).map(works).collect());
            self.cells.push(cell);
        }
    }
}

/// Checks that the buffers of all workers fit into half of the memory: every worker has buffers for each of its
/// kernels.
fn memory_suffices(design: &Design, served: &Served, machine: &Machine) -> Result<(), Failure> {
    let footprint = |hand: usize| {
        let caches = design.posts[hand].caches(served);
        let mut kernels: Vec<Kernel> =
            design.shifts.iter().filter_map(|cell| cell[hand]).map(|shift| shift.kernel).collect();
        kernels.sort_unstable();
        kernels.dedup();
        kernels.iter().map(|kernel| kernel.footprint(&caches).0).sum::<u64>()
    };
    let wanted = Bytes((0..design.posts.len()).map(footprint).sum());
    let memory = machine.facts().memory_bytes;
    if memory.0 > 0 && wanted.0 > memory.0 / 2 {
        return Err(Failure::machine(format!(
            "the workers would use {wanted} of memory, more than half of this machine's {memory}: choose fewer CPUs \
             with --cpu or smaller kernels"
        )));
    }
    Ok(())
}

/// The workers' scheduling policy: a real-time one where it is permitted, so that only the kernel and the host can
/// disturb them.
fn policy(cpus: &CpuSet) -> Result<Policy, Failure> {
    let cpu = cpus.first().ok_or_else(|| Failure::machine("no CPU is allowed to this process"))?;
    let one = |policy| WorkerPool::new(&[Station { cpu, policy, caches: Caches::default() }]);
    Ok(real_time_or_ordinary(90, WorkerError::is_permission, one)?.1)
}

fn pool(design: &Design, served: &Served, counted: &[Counted]) -> Result<WorkerPool, WorkerError> {
    let station = |post: &Post| Station { cpu: post.cpu, policy: post.policy, caches: post.caches(served) };
    WorkerPool::counting(&design.posts.iter().map(station).collect::<Vec<_>>(), counted)
}

/// Measures the requested rounds of all cells, and then further rounds of the cells of undecided pairs, since the
/// result of a single round depends on the other guests of the host.
fn measure(
    driver: &mut Driver,
    pool: &mut WorkerPool,
    design: &Design,
    asked: &Contention,
) -> Result<ContendFindings, Failure> {
    let seed = driver.header.seed;
    let most = asked.max_rounds.unwrap_or(asked.rounds.saturating_mul(ROUNDS_TIMES)).max(asked.rounds);
    let (mut samples, mut done) = (Vec::new(), 0);
    let mut open: Vec<usize> = (0..design.pairs.len()).collect();
    let mut found = None;
    loop {
        let cells = design.cells_of(&open);
        let shifts: Vec<Vec<Option<Shift>>> = cells.iter().map(|&cell| design.shifts[cell].clone()).collect();
        let plan = cells_plan(cells.len(), seed.wrapping_add(u64::from(done)));
        let span = Span { done, rounds: asked.rounds.min(most - done), words: "round" };
        match (driver.plan(&plan), found.take()) {
            (Err(failure), Some(found)) => {
                driver.cut_short(failure);
                return Ok(found);
            }
            (planned, _) => planned?,
        }
        let number = |cell: u16| cells[usize::from(cell)] as u16;
        let stopped = driver.shifts(pool, &shifts, &plan, &span, number, |sample| samples.push(sample))?;
        done += span.rounds;
        let judged = contend_findings(&design.pairs, &design.cells, &samples);
        if judged.open.is_empty() || done >= most || stopped == Stopped::Interrupted {
            return Ok(ContendFindings { counts: design.counts(&samples), ..judged.findings });
        }
        open = judged.open;
        found = Some(judged.findings);
    }
}
