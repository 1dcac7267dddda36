//! The experiment of `contend --capacity`: measures how much throughput each further thread adds, and from that the
//! unused share of the machine while it works.

use fauxplat_analyze::{capacity_left, worth};
use fauxplat_kernels::{Caches, Kernel};
use fauxplat_model::{
    CapacityFindings, CapacityLook, GroupKind, Placement, Policy, ShiftSample, Topology, Worth,
};
use fauxplat_sys::{clock, signal, timer};
use fauxplat_threads::real_time_or_ordinary;
use fauxplat_topology::Watch;
use fauxplat_units::{Cpu, CpuSet, Nanos};
use fauxplat_workers::{Shift, Station, WorkerError, WorkerPool};

use super::workers::{cells_plan, cpus_or_first};
use crate::shifts::Span;
use crate::{Driver, Failure, Machine};

#[derive(Clone, Debug)]
pub struct Capacity {
    /// CPUs to measure; if `None`, all that this process may use.
    pub cpu: Option<Placement>,
    /// Number of rounds, in each of which every set of CPUs works once.
    pub rounds: u32,
    /// Time for which each set of CPUs works in a round.
    pub duration: Nanos,
    /// Time between two observations (looks) of how busy the CPUs are.
    pub interval: Nanos,
    /// Number of observations of how busy the CPUs are, after the measurement.
    pub looks: u32,
}

impl Capacity {
    /// The CPUs to measure.
    ///
    /// # Errors
    /// Fails for CPUs that do not exist or are not allowed.
    pub fn cpus(&self, machine: &Machine) -> Result<CpuSet, Failure> {
        cpus_or_first(self.cpu.as_ref(), machine, usize::MAX)
    }
}

/// Measures how much each further thread adds, then observes `looks` times how busy the machine is. Each observation is
/// passed to `on_look` at once.
///
/// # Errors
/// Fails if workers cannot be placed, or with an error of the store or of `on_look`.
pub fn capacity(
    driver: &mut Driver,
    asked: &Capacity,
    on_look: impl FnMut(&CapacityLook) -> Result<(), Failure>,
) -> Result<CapacityFindings, Failure> {
    let cpus = asked.cpus(driver.machine())?;
    let (pool, policy) = pool(driver.machine().topology(), &cpus)?;
    driver.header.condition.policy = Some(policy);
    let cores = cores(driver.machine().topology(), &cpus);
    let worths = measure(driver, pool, asked, &cpus, &cores)?;
    let full: Vec<(CpuSet, f64)> =
        cores.into_iter().zip(&worths).map(|(core, worth)| (core, worth.ratio)).collect();
    let looks = look(driver, asked, &full, on_look)?;
    Ok(CapacityFindings { worths, looks, elapsed_s: driver.elapsed_s() })
}

/// Groups the CPUs by core.
fn cores(topology: &Topology, cpus: &CpuSet) -> Vec<CpuSet> {
    let mut cores: Vec<CpuSet> = topology
        .level(GroupKind::Core)
        .map(|core| core.cpus.intersection(cpus))
        .filter(|core| !core.is_empty())
        .collect();
    let known: CpuSet = cores.iter().flat_map(CpuSet::iter).collect();
    // A CPU without topology information counts as a core with one thread.
    cores.extend(cpus.without(&known).iter().map(|cpu| [cpu].into_iter().collect()));
    cores
}

fn pool(topology: &Topology, cpus: &CpuSet) -> Result<(WorkerPool, Policy), Failure> {
    let with = |policy| {
        let station = |cpu: Cpu| Station { cpu, policy, caches: Caches::of(topology, cpu) };
        WorkerPool::new(&cpus.iter().map(station).collect::<Vec<_>>())
    };
    Ok(real_time_or_ordinary(90, WorkerError::is_permission, with)?)
}

/// Measures the throughput of sets of CPUs: each CPU alone, each core with all its threads, one thread per core, every
/// CPU.
fn measure(
    driver: &mut Driver,
    mut pool: WorkerPool,
    asked: &Capacity,
    cpus: &CpuSet,
    cores: &[CpuSet],
) -> Result<Vec<Worth>, Failure> {
    let list: Vec<Cpu> = cpus.iter().collect();
    let mut groups: Vec<CpuSet> = cores.to_vec();
    // Without SMT, one thread per core means all CPUs, and with a single core all CPUs are that core.
    for group in [cores.iter().filter_map(CpuSet::first).collect(), cpus.clone()] {
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    let alone: Vec<CpuSet> = list.iter().map(|&cpu| [cpu].into_iter().collect()).collect();
    let duration_ns = asked.duration.0.max(1_000_000);
    let shift = Shift {
        kernel: Kernel::Fauxplat,
        warm_ns: duration_ns / 5,
        duration_ns,
        lap_units: 100,
        keep_laps: false,
        hands_over: false,
    };
    let works = |group: &CpuSet| list.iter().map(|&cpu| group.contains(cpu).then_some(shift)).collect();
    let cells: Vec<Vec<Option<Shift>>> = alone.iter().chain(&groups).map(works).collect();
    let (plan, seed) = (cells_plan(cells.len(), driver.header.seed), driver.header.seed);
    driver.plan(&plan)?;
    let mut samples: Vec<ShiftSample> = Vec::new();
    let span = Span { done: 0, rounds: asked.rounds, words: "what a thread is worth, round" };
    driver.shifts(&mut pool, &cells, &plan, &span, |cell| cell, |sample| samples.push(sample))?;
    let of_cells = |from: usize, to: usize| -> Vec<&ShiftSample> {
        samples.iter().filter(|sample| (from..to).contains(&usize::from(sample.cell))).collect()
    };
    let lone = of_cells(0, alone.len());
    let one = |(index, group): (usize, &CpuSet)| {
        let cell = alone.len() + index;
        worth(group.clone(), &of_cells(cell, cell + 1), &lone, seed)
    };
    Ok(groups.iter().enumerate().filter_map(one).collect())
}

fn look(
    driver: &mut Driver,
    asked: &Capacity,
    cores: &[(CpuSet, f64)],
    mut on_look: impl FnMut(&CapacityLook) -> Result<(), Failure>,
) -> Result<Vec<CapacityLook>, Failure> {
    let mut looks = Vec::new();
    while !driver.is_over() && looks.len() < asked.looks as usize {
        let (begun_s, watch) = (driver.elapsed_s(), Watch::begin(driver.machine().root()));
        timer::sleep_unless_stopped(clock::monotonic_ns().saturating_add(asked.interval.0));
        if signal::stop_requested() {
            driver.interrupt();
            break;
        }
        let elapsed_s = driver.elapsed_s();
        let watched_ns = ((elapsed_s - begun_s) * 1e9) as u64;
        let activities = watch.end(driver.machine().topology(), watched_ns);
        // Time that the hypervisor took from a CPU counts as used. A CPU that has gone offline counts as fully used.
        let busy = |cpu: Cpu| {
            let found = activities.iter().find(|one| one.0 == cpu);
            found.map_or(1.0, |one| (one.1.busy_share + one.1.steal_share).clamp(0.0, 1.0))
        };
        let (busy_share, left_share) = capacity_left(cores, busy);
        let look = CapacityLook { elapsed_s, busy_share, left_share };
        looks.push(look);
        match on_look(&looks[looks.len() - 1]) {
            // The reader of fauxplat's output has closed the pipe.
            Err(failure) if failure.is_silent() => break,
            told => told?,
        }
    }
    Ok(looks)
}
