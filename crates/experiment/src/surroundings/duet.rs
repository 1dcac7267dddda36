//! Surroundings of a duet: chooses the CPUs of two commands that run at the same moment, and measures how much they
//! slow each other down.

use std::path::Path;

use fauxplat_model::{Metric, Phase, Placement, Sample};
use fauxplat_stats::describe::median;
use fauxplat_sys::sched::Aside;
use fauxplat_units::{Cpu, CpuSet};

use crate::{Driver, Failure};

/// Chooses two equal CPUs, reserves them for the duet, and adds warnings to the report. Returns the CPU time of each
/// command alone, in nanoseconds.
///
/// # Errors
/// Fails if there are not exactly two commands, or no two CPUs of different cores.
pub fn begin(driver: &mut Driver) -> Result<Vec<f64>, Failure> {
    if driver.commands.len() != 2 {
        return Err(Failure::usage(format!("--duet takes two commands, not {}", driver.commands.len())));
    }
    let facts = driver.machine().facts().cpu.clone();
    let asked = match &driver.header.definition.condition.cpu {
        Placement::Set(cpus) | Placement::OneOf(cpus) | Placement::IdleOf(cpus) => cpus.clone(),
        // A placement by a relation has already been replaced by a list of CPUs.
        Placement::Auto | Placement::Free | Placement::Related(..) => facts.allowed.clone(),
    };
    let cpus = choose(&asked, driver.machine().root())?;
    let rest = facts.allowed.without(&cpus.into_iter().collect());
    driver.duet = Some(cpus);
    let placement = Placement::Set(cpus.into_iter().collect());
    driver.commands.iter_mut().for_each(|command| command.condition.cpu = placement.clone());
    driver.header.condition.cpu = placement;
    if rest.is_empty() {
        let warning = "the duet takes every CPU, so fauxplat itself competes with it; a third CPU would leave one for it";
        driver.warn(warning);
    }
    if !driver.single_task {
        let warning =
            "in a duet each command is held on one CPU, and these were not seen to be of a single thread";
        driver.warn(warning);
    }
    // The mutual slowdown of short runs is hidden in their noise, so each command is measured alone a few times.
    driver.warm_up(ALONE_RUNS)?;
    let alone = (0..2).map(|command| cpu_time(driver.samples(), command, Phase::Warmup)).collect();
    if !rest.is_empty() {
        // The processes that start the commands bind themselves to the two CPUs, and this process should stay off
        // these. Its affinity is restored later, for a second measurement in the same process.
        driver.aside = Some(Aside::on(&rest).map_err(Failure::machine)?);
    }
    Ok(alone)
}

/// Number of runs of each command alone, before the duet.
const ALONE_RUNS: u32 = 5;

/// Returns the last pair of equally fast CPUs of different cores, since the first CPUs often serve interrupts.
fn choose(cpus: &CpuSet, root: &Path) -> Result<[Cpu; 2], Failure> {
    let list: Vec<Cpu> = cpus.iter().collect();
    if list.len() < 2 {
        return Err(Failure::machine(format!(
            "--duet needs two CPUs, and CPU {cpus} is all that may be used (taskset, cpuset or --cpu); leave --duet out"
        )));
    }
    let pairs =
        list.iter().enumerate().rev().flat_map(|(at, &b)| list[..at].iter().rev().map(move |&a| [a, b]));
    let apart: Vec<[Cpu; 2]> =
        pairs.filter(|[a, b]| !fauxplat_topology::siblings(root, *a).contains(*b)).collect();
    if apart.is_empty() {
        return Err(Failure::machine(format!(
            "--duet: CPUs {cpus} are hardware threads of one core, and whatever runs on one slows the other; allow a second \
             core, or leave --duet out"
        )));
    }
    let like = apart.iter().find(|[a, b]| speed(root, *a) == speed(root, *b));
    like.copied().ok_or_else(|| {
        Failure::machine(format!("--duet: among CPUs {cpus} no two are equally fast; allow more with --cpu"))
    })
}

/// Speed of a CPU as reported by the kernel: its capacity (where cores differ) and its highest frequency.
fn speed(root: &Path, cpu: Cpu) -> [Option<String>; 2] {
    let folder = root.join(format!("sys/devices/system/cpu/cpu{cpu}"));
    ["cpu_capacity", "cpufreq/cpuinfo_max_freq"].map(|file| std::fs::read_to_string(folder.join(file)).ok())
}

/// Median CPU time in nanoseconds of a command's runs of one phase. The first run fills caches and is left out.
fn cpu_time(samples: &[Sample], command: u16, phase: Phase) -> f64 {
    let ours = samples.iter().filter(|sample| sample.command == command && sample.phase == phase);
    let values: Vec<f64> =
        ours.filter_map(|sample| sample.get(Metric::CPU)).map(|ns| ns as f64).skip(1).collect();
    median(&values).unwrap_or(0.0)
}

/// Increase of a command's CPU time beside the other command, as a share of its CPU time alone, above which a warning
/// is given.
const CONTENTION_MAX: f64 = 0.05;

/// Returns a warning if the commands need more CPU time together than `alone` (nanoseconds by command), since they then
/// compete for caches or memory.
pub fn contention(alone: &[f64], driver: &Driver) -> Option<String> {
    let slowing = |(command, &alone): (usize, &f64)| {
        let together = cpu_time(driver.samples(), command as u16, Phase::Measured);
        if alone > 0.0 { together / alone - 1.0 } else { 0.0 }
    };
    let worst = alone.iter().enumerate().map(slowing).fold(0.0, f64::max);
    (worst > CONTENTION_MAX).then(|| {
        format!(
            "the commands take up to {:.0} % more CPU time together than alone: if they contend for caches or memory, the \
             duet compares how they contend; without --duet they take turns",
            worst * 100.0
        )
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A machine with CPUs 0 and 1 on one core, 2 and 3 on another; CPU 3 is slower than the rest.
    fn machine() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for cpu in 0..4u32 {
            let folder = root.path().join(format!("sys/devices/system/cpu/cpu{cpu}"));
            fs::create_dir_all(folder.join("topology")).unwrap();
            let core = cpu / 2 * 2;
            fs::write(folder.join("topology/thread_siblings_list"), format!("{core}-{}\n", core + 1))
                .unwrap();
            fs::write(folder.join("cpu_capacity"), if cpu == 3 { "512" } else { "1024" }).unwrap();
        }
        root
    }

    fn chosen(cpus: &str) -> Result<[u32; 2], String> {
        let root = machine();
        let chosen = choose(&cpus.parse().unwrap(), root.path());
        chosen.map(|pair| pair.map(|cpu| cpu.0)).map_err(|failure| failure.to_string())
    }

    #[test]
    fn like_cpus_of_different_cores_are_chosen() {
        assert_eq!(chosen("0-3"), Ok([1, 2]));
        assert_eq!(chosen("0,2"), Ok([0, 2]));
    }

    #[test]
    fn siblings_strangers_and_loners_are_refused() {
        assert!(chosen("0-1").unwrap_err().contains("hardware threads of one core"));
        assert!(chosen("0,3").unwrap_err().contains("equally fast"));
        assert!(chosen("2").unwrap_err().contains("needs two CPUs"));
    }
}
