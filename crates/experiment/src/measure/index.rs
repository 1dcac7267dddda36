//! The experiment of `index`: measures the power of CPUs, in FauxPlats per second of CPU time.

use fauxplat_analyze::{cpu_index, worker_counts};
use fauxplat_kernels::{Caches, FAUXPLATS_PER_UNIT, Kernel};
use fauxplat_model::{IndexFindings, Placement, Policy, ShiftSample};
use fauxplat_sys::arithmetic::{FAUXPLAT_INSTRUCTIONS, IS_ASSEMBLY};
use fauxplat_threads::{REAL_TIME_NEEDS, real_time_or_ordinary};
use fauxplat_units::{Cpu, CpuSet, Nanos};
use fauxplat_workers::{Counted, Shift, Station, WorkerError, WorkerPool};

use super::workers::{cells_plan, counted, cpus_or_first};
use crate::shifts::Span;
use crate::{Driver, Failure, Machine};

#[derive(Clone, Debug)]
pub struct Power {
    /// CPUs to measure; if `None`, the first that this process may use.
    pub cpu: Option<Placement>,
    /// Whether every CPU is measured that this process may use.
    pub all_cpus: bool,
    /// Whether all CPUs are measured at the same time, as on a machine under full load.
    pub together: bool,
    /// Time for which each CPU works.
    pub duration: Nanos,
    /// Scheduling policy of the workers; if `None`, the highest real-time priority where it is permitted.
    pub policy: Option<Policy>,
}

impl Power {
    /// The CPUs to measure.
    ///
    /// # Errors
    /// Fails for CPUs that do not exist or are not allowed.
    pub fn cpus(&self, machine: &Machine) -> Result<CpuSet, Failure> {
        let first = if self.all_cpus || self.together { usize::MAX } else { 1 };
        cpus_or_first(self.cpu.as_ref(), machine, first)
    }
}

/// Number of turns in which each CPU works: enough to see slow changes of the machine.
const ROUNDS: u32 = 20;
/// Duration of the shortest and of the longest turn, in nanoseconds.
const TURN_NS: (u64, u64) = (5_000_000, 500_000_000);
/// Units of work between two readings of the clock (a lap): one FauxPlat, about a third of a millisecond. Reading the
/// clock once per lap costs next to nothing, and a lap is short enough to fit between two disturbances.
const LAP_UNITS: u64 = 1000;

/// Measures the power of the requested CPUs.
///
/// # Errors
/// Fails if workers cannot be placed, or with an error of the store.
pub fn index(driver: &mut Driver, asked: &Power) -> Result<IndexFindings, Failure> {
    let cpus: Vec<Cpu> = asked.cpus(driver.machine())?.iter().collect();
    let counted = counted(driver)?;
    let (pool, policy) = pool(&cpus, asked.policy, &counted)?;
    driver.header.condition.policy = Some(policy);
    if asked.policy.is_none() && policy == Policy::Other {
        let reason = format!("the index at real-time priority ({REAL_TIME_NEEDS})");
        driver.header.not_measured.push(reason);
    }
    let samples = measure(driver, pool, asked, cpus.len())?;
    let mut findings = findings(&cpus, &samples, asked.together);
    (findings.policy, findings.elapsed_s) = (policy, driver.elapsed_s());
    Ok(findings)
}

/// Worker threads at the given policy or, by default, at the highest real-time priority where it is permitted, so that
/// nothing takes their CPU.
fn pool(cpus: &[Cpu], policy: Option<Policy>, counted: &[Counted]) -> Result<(WorkerPool, Policy), Failure> {
    let with = |policy| {
        let station = |&cpu: &Cpu| Station { cpu, policy, caches: Caches::default() };
        WorkerPool::counting(&cpus.iter().map(station).collect::<Vec<_>>(), counted)
    };
    match policy {
        Some(policy) => Ok((with(policy)?, policy)),
        None => Ok(real_time_or_ordinary(99, WorkerError::is_permission, with)?),
    }
}

fn measure(
    driver: &mut Driver,
    mut pool: WorkerPool,
    asked: &Power,
    hands: usize,
) -> Result<Vec<ShiftSample>, Failure> {
    let Nanos(duration_ns) = asked.duration;
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
    let alone = |one: usize| (0..hands).map(|hand| (hand == one).then_some(shift)).collect();
    let cells: Vec<Vec<Option<Shift>>> = match asked.together {
        true => vec![vec![Some(shift); hands]],
        false => (0..hands).map(alone).collect(),
    };
    let plan = cells_plan(cells.len(), driver.header.seed);
    driver.plan(&plan)?;
    let mut samples = Vec::new();
    let span = Span { done: 0, rounds, words: "round" };
    driver.shifts(&mut pool, &cells, &plan, &span, |cell| cell, |sample| samples.push(sample))?;
    Ok(samples)
}

fn findings(cpus: &[Cpu], samples: &[ShiftSample], together: bool) -> IndexFindings {
    let fauxplats = LAP_UNITS as f64 * FAUXPLATS_PER_UNIT;
    let of = |(hand, &cpu): (usize, &Cpu)| {
        let shifts: Vec<&ShiftSample> =
            samples.iter().filter(|sample| usize::from(sample.hand) == hand).collect();
        cpu_index(cpu, &shifts, fauxplats, IS_ASSEMBLY, together)
    };
    let work = |(hand, cpu): (usize, &Cpu)| {
        let shifts = samples.iter().filter(move |sample| usize::from(sample.hand) == hand);
        worker_counts(format!("CPU {cpu}"), &shifts.collect::<Vec<_>>())
    };
    IndexFindings {
        counts: cpus.iter().enumerate().filter_map(work).collect(),
        cpus: cpus.iter().enumerate().filter_map(of).collect(),
        together,
        instructions_per_iteration: FAUXPLAT_INSTRUCTIONS,
        ..IndexFindings::default()
    }
}
