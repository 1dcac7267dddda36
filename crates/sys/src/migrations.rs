//! Moves of tasks between CPUs, observed machine-wide through ring buffers of the kernel.
//!
//! A counter that every child inherits would cost each fork, exec and exit a tenth of an empty program's run time. One
//! software event per CPU with a sample at each migration (`PERF_COUNT_SW_CPU_MIGRATIONS`, see `perf_event_open(2)`)
//! costs nothing until a task really moves, and says which task moved where.

use std::sync::atomic::Ordering;

use crate::Result;
use crate::memory::page_bytes;
use crate::perf::{self, Attributes};
use crate::shared::SharedWords;

/// A migration of a task to another CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub pid: i32,
    pub tid: i32,
    /// CPU to which the task moved.
    pub cpu: u32,
}

#[derive(Debug)]
pub struct Observer {
    rings: Vec<Ring>,
}

#[derive(Debug)]
struct Ring {
    memory: SharedWords,
    /// Size of a page: the first page of the mapping is the kernel's header, and records follow it.
    page_bytes: u64,
}

/// Size in bytes of the data area of a ring: room for five thousand records of 24 bytes, enough for a storm of
/// migrations in one run. For page sizes of 4, 16 and 64 KiB the area is a number of pages that is a power of two, as
/// the kernel requires.
const DATA_BYTES: u64 = 128 << 10;
/// Positions of `data_head` and `data_tail` in `struct perf_event_mmap_page`, in words of 64 bits.
const HEAD_WORD: usize = 1024 / 8;
const TAIL_WORD: usize = 1032 / 8;
/// Thread argument of `perf_event_open(2)`: any thread that runs on the CPU.
const ANY_THREAD: i32 = -1;
const PERF_TYPE_SOFTWARE: u32 = 1;
const PERF_COUNT_SW_CPU_MIGRATIONS: u64 = 4;
const PERF_SAMPLE_TID: u64 = 1 << 1;
const PERF_SAMPLE_CPU: u64 = 1 << 7;
const PERF_RECORD_LOST: u32 = 2;
const PERF_RECORD_SAMPLE: u32 = 9;

impl Observer {
    /// Starts to observe. Needs `CAP_PERFMON` or `kernel.perf_event_paranoid` below 1.
    pub fn open(cpus: &fauxplat_units::CpuSet) -> Result<Self> {
        Ok(Observer { rings: cpus.iter().map(|cpu| Ring::open(cpu.0)).collect::<Result<_>>()? })
    }

    pub fn skip(&self) {
        for ring in &self.rings {
            let words = ring.memory.words();
            words[TAIL_WORD].store(words[HEAD_WORD].load(Ordering::Acquire), Ordering::Release);
        }
    }

    /// Calls `each` with all migrations since the last call; returns false if the kernel reports that some were lost.
    pub fn drain(&self, mut each: impl FnMut(Move)) -> bool {
        // Every ring is drained, even after a ring that lost records.
        let lossy = self.rings.iter().filter(|ring| !ring.drain(&mut each)).count();
        lossy == 0
    }
}

impl Ring {
    fn open(cpu: u32) -> Result<Self> {
        let attributes = Attributes {
            kind: PERF_TYPE_SOFTWARE,
            config: PERF_COUNT_SW_CPU_MIGRATIONS,
            sample_period: 1,
            sample_type: PERF_SAMPLE_TID | PERF_SAMPLE_CPU,
            // The descriptor is never polled, so it need not wake a reader.
            wakeup_events: u32::MAX,
            ..Attributes::default()
        };
        let event =
            perf::open(attributes, ANY_THREAD, cpu as i32, perf::NO_LEADER, "perf_event_open(migrations)")?;
        // The mapping keeps the event alive. Its descriptor is closed, since every open descriptor costs each child of
        // this process some fifty nanoseconds at fork and exec.
        let page_bytes = page_bytes() as u64;
        let memory = SharedWords::map(&event, ((page_bytes + DATA_BYTES) / 8) as usize)?;
        Ok(Ring { memory, page_bytes })
    }

    fn drain(&self, each: &mut impl FnMut(Move)) -> bool {
        let words = self.memory.words();
        let word = |position: u64| {
            words[((self.page_bytes + position % DATA_BYTES) / 8) as usize].load(Ordering::Relaxed)
        };
        // Acquire pairs with the kernel's barrier between writing a record and moving the head.
        let head = words[HEAD_WORD].load(Ordering::Acquire);
        let mut tail = words[TAIL_WORD].load(Ordering::Relaxed);
        let mut whole = true;
        while tail < head {
            let header = word(tail);
            let (kind, bytes) = (header as u32, (header >> 48).max(8));
            match kind {
                PERF_RECORD_SAMPLE => {
                    let (task, cpu) = (word(tail + 8), word(tail + 16) as u32);
                    each(Move { pid: task as u32 as i32, tid: (task >> 32) as i32, cpu });
                }
                PERF_RECORD_LOST => whole = false,
                _ => {}
            }
            tail += bytes;
        }
        // Release: the kernel may overwrite the records only after they were read.
        words[TAIL_WORD].store(tail, Ordering::Release);
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forced_move_is_seen() {
        let cpus = crate::sched::affinity(0).unwrap();
        let Ok(observer) = Observer::open(&cpus) else {
            assert!(!crate::process::is_root());
            return;
        };
        let ends: Vec<_> = [cpus.iter().next(), cpus.iter().last()].into_iter().flatten().collect();
        observer.skip();
        for _ in 0..10 {
            for &cpu in &ends {
                crate::sched::set_affinity(0, &[cpu].into_iter().collect()).unwrap();
            }
        }
        let mut seen = 0;
        assert!(observer.drain(|step| seen += usize::from(step.pid == std::process::id() as i32)));
        crate::sched::set_affinity(0, &cpus).unwrap();
        assert!(cpus.len() == 1 || seen >= 19, "{seen} of 20 moves");
    }
}
