//! Measured program for the bench of loads: runs a kernel on one CPU for a given time, and prints the time of a unit.
//!
//! `victim CPU` reads one line `KERNEL MILLISECONDS` per shift from standard input, and answers with one line: CPU time
//! and wall time of a unit in nanoseconds. The memory of each kernel is allocated once, so that all shifts walk the
//! same memory.
#![expect(clippy::disallowed_macros, reason = "an example prints")]

use std::path::Path;

use fauxplat_kernels::{Caches, Kernel};
use fauxplat_model::Policy;
use fauxplat_units::Cpu;
use fauxplat_workers::{Shift, Station, WorkerPool};

fn main() {
    let cpu = std::env::args().nth(1).and_then(|word| word.parse().ok()).map(Cpu).expect("victim CPU");
    let caches = Caches::of(&fauxplat_topology::read(Path::new("/")).0, cpu);
    let mut pool =
        WorkerPool::new(&[Station { cpu, policy: Policy::Other, caches }]).expect("a worker on that CPU");
    for line in std::io::stdin().lines() {
        let line = line.expect("a line");
        let (kernel, duration_ms) = line.split_once(' ').expect("KERNEL MILLISECONDS");
        let (kernel, duration_ms): (Kernel, u64) =
            (kernel.parse().expect("a kernel"), duration_ms.parse().expect("a time"));
        let duration_ns = duration_ms * 1_000_000;
        let shift = Shift {
            kernel,
            warm_ns: duration_ns / 4,
            duration_ns,
            lap_units: 100,
            keep_laps: false,
            hands_over: false,
        };
        let done = pool.work(&[Some(shift)]).expect("a shift").remove(0).expect("its account");
        let each = |ns: u64| ns as f64 / done.units as f64;
        println!("{} {}", each(done.cpu_ns), each(done.wall_ns));
    }
}
