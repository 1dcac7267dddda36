//! Kernels: loops of which each uses one part of a CPU as much as possible, such as integer ports, a cache, memory.
//!
//! The verb `index` measures the speed of kernels, `contend` runs kernels beside each other, and `load` disturbs other
//! programs with kernels. The thread that will run a loop also prepares it, so that its memory is on the thread's NUMA
//! node. A run takes a number of units, and the caller measures the time.

mod branch;
mod chase;
mod traffic;

use std::fmt;
use std::str::FromStr;

use fauxplat_model::Topology;
use fauxplat_sys::arithmetic;
use fauxplat_units::{Bytes, Cpu};

use crate::branch::Branches;
use crate::chase::Chase;
pub use crate::chase::walk_order;
pub use crate::traffic::Traffic;

/// A kernel, named after the part of a CPU that it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kernel {
    /// The mixed arithmetic by which the verb `index` measures a CPU.
    Fauxplat,
    /// All integer ports in every cycle.
    IntegerPorts,
    /// A chain of dependent integer multiplications.
    IntegerLatency,
    /// Floating-point units, with doubles.
    Float,
    /// Unpredictable branches.
    Branch,
    /// Most of the first-level data cache.
    L1,
    /// Most of the second-level cache.
    L2,
    /// Most of the last-level cache.
    Llc,
    /// Memory beyond all caches, in random order: limited by the latency of memory.
    Dram,
    /// Memory beyond all caches, line after line, each modified: limited by the bandwidth of memory.
    Stream,
}

impl Kernel {
    pub const ALL: [Kernel; 10] = [
        Kernel::Fauxplat,
        Kernel::IntegerPorts,
        Kernel::IntegerLatency,
        Kernel::Float,
        Kernel::Branch,
        Kernel::L1,
        Kernel::L2,
        Kernel::Llc,
        Kernel::Dram,
        Kernel::Stream,
    ];

    /// Name on the command line and in documents.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Fauxplat => "fauxplat",
            Kernel::IntegerPorts => "integer-ports",
            Kernel::IntegerLatency => "integer-latency",
            Kernel::Float => "float",
            Kernel::Branch => "branch",
            Kernel::L1 => "l1",
            Kernel::L2 => "l2",
            Kernel::Llc => "llc",
            Kernel::Dram => "dram",
            Kernel::Stream => "stream",
        }
    }

    /// Size of the memory that the kernel walks on a CPU with these caches; zero for a kernel that uses no memory.
    pub fn footprint(self, caches: &Caches) -> Bytes {
        // Three quarters leave room for the stack and for the operating system.
        let most = |Bytes(size): Bytes| Bytes(size / 4 * 3);
        match self {
            Kernel::L1 => most(caches.l1d),
            Kernel::L2 => most(caches.l2),
            Kernel::Llc => most(caches.llc),
            Kernel::Dram | Kernel::Stream => Bytes((caches.llc.0 * 2).clamp(DRAM_BYTES_MIN, DRAM_BYTES_MAX)),
            _ => Bytes(0),
        }
    }
}

/// Bounds of the memory size of [`Kernel::Dram`] and [`Kernel::Stream`]: larger than first-level and second-level
/// caches, and small enough that a small machine does not swap.
const DRAM_BYTES_MIN: u64 = 64 << 20;
const DRAM_BYTES_MAX: u64 = 256 << 20;

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kernel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Kernel::ALL.into_iter().find(|kernel| kernel.name() == text).ok_or_else(|| {
            let names: Vec<&str> = Kernel::ALL.iter().map(|kernel| kernel.name()).collect();
            format!("there is no kernel `{text}`; there are {}", names.join(", "))
        })
    }
}

/// Sizes of the caches that a CPU uses, and of a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    pub l1d: Bytes,
    /// Second-level cache; on a CPU without one, the first-level cache.
    pub l2: Bytes,
    /// Last-level cache, as a whole.
    pub llc: Bytes,
    pub line: Bytes,
}

impl Caches {
    /// The caches of a CPU; unknown sizes get default values.
    pub fn of(topology: &Topology, cpu: Cpu) -> Self {
        let usual = Caches::default();
        let size = |level: u32| topology.cache_of(level, cpu).and_then(|cache| cache.size);
        let l1d = size(1).unwrap_or(usual.l1d);
        let l2 = size(2).unwrap_or(l1d);
        let last = topology.caches.iter().map(|cache| cache.level).max().unwrap_or(0);
        let llc = (3..=last).rev().find_map(size).unwrap_or(l2).max(l2);
        let line = topology.cache_of(1, cpu).and_then(|cache| cache.line).filter(|line| *line > Bytes(0));
        Caches { l1d, l2, llc, line: line.unwrap_or(usual.line) }
    }
}

impl Default for Caches {
    /// Sizes for a machine that reports none: about those of a present server CPU.
    fn default() -> Self {
        Caches { l1d: Bytes(32 << 10), l2: Bytes(1 << 20), llc: Bytes(32 << 20), line: Bytes(64) }
    }
}

/// A kernel that is prepared to run.
#[derive(Debug)]
pub struct Ready {
    kernel: Kernel,
    state: State,
}

#[derive(Debug)]
enum State {
    Arithmetic,
    Branches(Branches),
    Chase(Chase),
    Traffic(Traffic),
}

impl Ready {
    /// Prepares a loop, on the thread that will run it.
    ///
    /// # Errors
    /// Fails if the memory of the loop cannot be allocated.
    pub fn new(kernel: Kernel, caches: &Caches) -> Result<Self, fauxplat_sys::SysError> {
        let state = match kernel {
            Kernel::Fauxplat | Kernel::IntegerPorts | Kernel::IntegerLatency | Kernel::Float => {
                State::Arithmetic
            }
            Kernel::Branch => State::Branches(Branches::new()),
            Kernel::L1 | Kernel::L2 | Kernel::Llc | Kernel::Dram => {
                State::Chase(Chase::new(kernel.footprint(caches), caches.line)?)
            }
            Kernel::Stream => State::Traffic(Traffic::new(kernel.footprint(caches), caches.line)?),
        };
        Ok(Ready { kernel, state })
    }

    /// Runs `units` units and returns a number that depends on all of them, so that the compiler cannot remove any of
    /// them.
    ///
    /// A unit takes some hundred nanoseconds, or longer on slow memory.
    pub fn run(&mut self, units: u64) -> u64 {
        match &mut self.state {
            State::Branches(branches) => branches.run(units),
            State::Chase(chase) => chase.run(units),
            State::Traffic(traffic) => traffic.run(units),
            State::Arithmetic => match self.kernel {
                Kernel::IntegerPorts => arithmetic::integer_ports(units * 16),
                Kernel::IntegerLatency => arithmetic::integer_latency(units * 8),
                Kernel::Float => arithmetic::float_ports(units * 16).to_bits(),
                _ => {
                    arithmetic::fauxplat(units * (arithmetic::FAUXPLAT_ITERATIONS / UNITS_PER_FAUXPLAT))
                        .integer
                }
            },
        }
    }
}

/// Number of FauxPlats, each 100,000 iterations of the loop of `index`, in a unit of [`Kernel::Fauxplat`].
pub const FAUXPLATS_PER_UNIT: f64 = 1.0 / UNITS_PER_FAUXPLAT as f64;
const UNITS_PER_FAUXPLAT: u64 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_read_what_they_print() {
        for kernel in Kernel::ALL {
            assert_eq!(kernel.to_string().parse::<Kernel>().unwrap(), kernel);
        }
        assert!("l4".parse::<Kernel>().unwrap_err().contains("integer-ports"));
    }

    #[test]
    fn footprints_fit_their_cache_and_exceed_the_one_before() {
        let caches = Caches::default();
        let bytes = |kernel: Kernel| kernel.footprint(&caches).0;
        assert!(bytes(Kernel::L1) < caches.l1d.0 && caches.l1d.0 < bytes(Kernel::L2));
        assert!(bytes(Kernel::L2) < caches.l2.0 && caches.l2.0 < bytes(Kernel::Llc));
        assert!(bytes(Kernel::Llc) < caches.llc.0 && caches.llc.0 < bytes(Kernel::Dram));
    }

    #[test]
    fn the_answer_depends_on_every_unit_and_on_nothing_else() {
        let caches = Caches { llc: Bytes(2 << 20), ..Caches::default() };
        for kernel in Kernel::ALL.into_iter().filter(|kernel| !matches!(kernel, Kernel::Dram)) {
            let answer = |units| Ready::new(kernel, &caches).unwrap().run(units);
            assert_eq!(answer(20), answer(20), "{kernel}");
            // The chains of doubles converge to 2, so more units may give the same answer. The chains are written in
            // assembly, so the compiler cannot remove them anyway.
            assert!(kernel == Kernel::Float || answer(20) != answer(21), "{kernel}");
        }
    }
}
