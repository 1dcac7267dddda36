//! Measures how much of its last-level cache a CPU can actually use.

use std::collections::BTreeMap;

use fauxplat_analyze::usable_cache;
use fauxplat_kernels::{Caches, Kernel};
use fauxplat_model::{Policy, Topology};
use fauxplat_sys::signal;
use fauxplat_units::{Bytes, Cpu, CpuSet};
use fauxplat_workers::{Shift, Station, WorkerError, WorkerPool};

/// Caches of each CPU, with the usable size of the last level: a guest is told the size of the whole cache, most of
/// which other guests use. The flag tells whether a usable size was found.
#[derive(Debug)]
pub struct Served(BTreeMap<Cpu, (Caches, bool)>);

/// Time in nanoseconds for which an amount of memory (a footprint) is walked in a trial, after an equally long warm-up.
const TRIAL_NS: u64 = 4_000_000;
const TRIALS: usize = 5;

impl Served {
    /// Tries amounts of memory on one CPU of each last-level cache, the largest first.
    ///
    /// # Errors
    /// Fails if a worker cannot be started.
    pub fn measure(topology: &Topology, cpus: &CpuSet, policy: Policy) -> Result<Self, WorkerError> {
        let mut known: Vec<(CpuSet, Caches, bool)> = Vec::new();
        let mut served = BTreeMap::new();
        for cpu in cpus.iter() {
            let told =
                known.iter().find(|(of, _, _)| of.contains(cpu)).map(|&(_, caches, has)| (caches, has));
            let found = match told {
                Some(told) => told,
                None => {
                    let caches = Caches::of(topology, cpu);
                    let usable = usable(cpu, policy, &caches)?;
                    // The worker's kernel walks three quarters of this size, which leaves room for other programs that
                    // may take more of it later.
                    let llc = usable.unwrap_or(caches.llc);
                    let found = (Caches { llc, ..caches }, usable.is_some());
                    known.push((sharing(topology, cpu), found.0, found.1));
                    found
                }
            };
            served.insert(cpu, found);
        }
        Ok(Served(served))
    }

    pub fn caches(&self, cpu: Cpu) -> Caches {
        self.0.get(&cpu).map_or_else(Caches::default, |(caches, _)| *caches)
    }

    /// Whether this CPU gets a useful part of a last-level cache.
    pub fn has_last_level(&self, cpu: Cpu) -> bool {
        self.0.get(&cpu).is_some_and(|(_, has)| *has)
    }

    /// A sentence about the CPUs without a usable last-level cache, if there are any.
    pub fn refusal(&self, cpus: &CpuSet) -> Option<String> {
        let without: CpuSet = cpus.iter().filter(|&cpu| !self.has_last_level(cpu)).collect();
        (!without.is_empty()).then(|| {
            format!("the last-level cache (CPU {without}: there is none, or others leave less of it than the second level)")
        })
    }
}

/// All CPUs that share the last-level cache of a CPU, that CPU included.
fn sharing(topology: &Topology, cpu: Cpu) -> CpuSet {
    let last =
        topology.caches.iter().filter(|cache| cache.cpus.contains(cpu)).max_by_key(|cache| cache.level);
    last.map_or_else(|| [cpu].into_iter().collect(), |cache| cache.cpus.clone())
}

fn usable(cpu: Cpu, policy: Policy, caches: &Caches) -> Result<Option<Bytes>, WorkerError> {
    let smallest = Bytes(caches.l2.0 * 2);
    let mut costs = vec![(smallest, step_ns(cpu, policy, caches, smallest)?)];
    let mut footprint = Bytes(caches.llc.0 / 4 * 3);
    while footprint > smallest {
        // After the user's request to stop nothing more is measured, so any size suffices.
        if signal::stop_requested() {
            return Ok(Some(smallest));
        }
        costs.push((footprint, step_ns(cpu, policy, caches, footprint)?));
        if let Some(usable) = usable_cache(&costs) {
            return Ok(Some(usable));
        }
        footprint = Bytes(footprint.0 / 4 * 3);
    }
    Ok(None)
}

/// CPU time in nanoseconds per unit of a walk through this much memory: the median of several trials, since other
/// activity comes and goes.
fn step_ns(cpu: Cpu, policy: Policy, caches: &Caches, footprint: Bytes) -> Result<f64, WorkerError> {
    let caches = Caches { llc: Bytes(footprint.0 / 3 * 4), ..*caches };
    let mut pool = WorkerPool::new(&[Station { cpu, policy, caches }])?;
    let shift = Shift {
        kernel: Kernel::Llc,
        warm_ns: TRIAL_NS,
        duration_ns: TRIAL_NS,
        lap_units: 100,
        keep_laps: false,
        hands_over: false,
    };
    let mut costs = Vec::with_capacity(TRIALS);
    for _ in 0..TRIALS {
        let accounts = pool.work(&[Some(shift)])?;
        costs.extend(accounts.iter().flatten().map(|sample| sample.cpu_ns_per_unit()));
    }
    costs.sort_unstable_by(f64::total_cmp);
    Ok(costs.get(TRIALS / 2).copied().unwrap_or(f64::INFINITY))
}
