//! Profiles of a running process.

use std::thread;

use fauxplat_model::ProfileFindings;
use fauxplat_profile::{Profiler, mappings};
use fauxplat_sys::perf::{Counter, Whom};
use fauxplat_sys::{clock, signal};

use super::sampled::{self, Run};
use super::{Profiling, found};
use crate::series::Process;
use crate::{Failure, Machine};

/// Samples a process until it ends, until the time limit has passed, or until the user stops fauxplat.
///
/// # Errors
/// Fails if the process does not exist, or cannot be sampled.
pub fn profile_process(machine: &Machine, pid: u32, asked: &Profiling) -> Result<ProfileFindings, Failure> {
    let chosen = sampled::choose(asked, machine)?;
    let process = Process::find(pid)?;
    let threads: Vec<Whom> = process.threads.iter().map(|&thread| Whom::Process(thread)).collect();
    let mut sampler = chosen.sampler(&threads)?;
    // The clocks cover the same tasks as the sampler: the threads of the process, and all tasks that these create from
    // now on.
    let clocks: Vec<Counter> = threads.iter().filter_map(|&thread| sampled::task_clock(thread)).collect();
    let mut profiler = Profiler::default();
    sampler.enable().map_err(|error| Failure::machine(error.to_string()))?;
    for clock in &clocks {
        clock.enable().map_err(|error| Failure::machine(error.to_string()))?;
    }
    let begun_ns = clock::monotonic_ns();
    // Memory mappings that exist already are listed here; the sampler reports new ones as records.
    let running = vec![(pid as i32, process.name.clone(), mappings(pid))];
    let end_ns = asked.longest.map_or(u64::MAX, |longest| begun_ns.saturating_add(longest.0));
    let followed =
        profiler.follow(&mut sampler, (chosen.event.stack, chosen.waiting.clone()), running, |pause| {
            thread::sleep(pause);
            !process.is_alive() || signal::stop_requested() || clock::monotonic_ns() >= end_ns
        });
    let cpu_s = clocks.iter().map(sampled::seconds).sum();
    let elapsed_s = (clock::monotonic_ns() - begun_ns) as f64 / 1e9;
    let run = Run { command: 0, block: 0, followed, cpu_s, elapsed_s, outcome: None };
    let name = format!("{} (process {pid})", process.name);
    Ok(found(asked, &chosen.quality, profiler, vec![run], vec![name]))
}
