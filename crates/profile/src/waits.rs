//! Off-CPU time of threads, by the stack in which they wait.
//!
//! The kernel reports every wait, from the switch that takes the CPU away to the switch that returns it. Waits are
//! converted to samples, so that they are reported like other profiles: each stack has a clock that runs while a thread
//! waits there, and gets a sample whenever the clock has run for a fixed time. The error of each stack's time is below
//! one sample.

use std::collections::HashMap;
use std::ops::Range;

use crate::kernel::Kernel;
use crate::objects::KERNEL;
use crate::stacks::{CodeAddress, RawStack};

/// Made-up code address that stands for being preempted: runnable, and without a CPU. No function of the kernel shows
/// that state.
pub(crate) const PREEMPTED: CodeAddress = CodeAddress { object: KERNEL, address: 0 };
/// Name of the function in which preempted threads are shown to wait.
pub(crate) const PREEMPTED_NAME: &str = "[preempted]";

/// Rule by which waits are converted to samples.
#[derive(Clone, Debug)]
pub struct Waiting {
    sample_ns: u64,
    has_kernel: bool,
    /// Addresses of the scheduler's functions, in which every wait ends; they are omitted from stacks, since they carry
    /// no information.
    scheduler: Range<u64>,
}

impl Waiting {
    /// Creates a rule by which each `sample_ns` of waiting count as one sample, with or without the kernel's functions
    /// in stacks.
    pub fn new(sample_ns: u64, has_kernel: bool) -> Self {
        let scheduler = if has_kernel { Kernel::read().scheduler() } else { 0..0 };
        Waiting { sample_ns: sample_ns.max(1), has_kernel, scheduler }
    }

    /// Returns the time of waiting that a sample represents.
    pub(crate) fn sample_ns(&self) -> u64 {
        self.sample_ns
    }

    /// Returns callers in the kernel without the scheduler's functions, beginning with the function that waits.
    pub(crate) fn kernel_chain<'c>(&self, chain: &'c [u64]) -> &'c [u64] {
        let first = chain.iter().position(|address| !self.scheduler.contains(address));
        match first.filter(|_| self.has_kernel) {
            Some(first) => &chain[first..],
            None => &[],
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wait {
    pub(crate) pid: i32,
    pub(crate) since_ns: u64,
    /// Stack of the wait; `None` if the kernel had no room for its sample.
    pub(crate) stack: Option<RawStack>,
    /// Whether the thread was preempted while it was still runnable.
    pub(crate) is_preempted: bool,
}

/// Waiting threads of a run by id, and for each stack the waiting time that is not yet counted as a sample.
#[derive(Debug)]
pub(crate) struct Waits {
    pub(crate) waiting: Waiting,
    open: HashMap<i32, Wait>,
    /// Nanoseconds of waiting since the last sample of each stack, by the number of the stack.
    clocks: HashMap<u32, u64>,
}

impl Waits {
    pub(crate) fn new(waiting: Waiting) -> Self {
        Waits { waiting, open: HashMap::new(), clocks: HashMap::new() }
    }

    /// Notes that a thread is about to lose its CPU.
    pub(crate) fn begins(&mut self, tid: i32, wait: Wait) {
        self.open.insert(tid, wait);
    }

    /// Notes that a thread lost its CPU. Usually the sample of its stack came before; if that was lost, the stack of
    /// the wait is unknown.
    pub(crate) fn switched_out(&mut self, tid: i32, pid: i32, since_ns: u64, is_preempted: bool) {
        let unknown = Wait { pid, since_ns, stack: None, is_preempted };
        self.open.entry(tid).or_insert(unknown).is_preempted = is_preempted;
    }

    /// Ends the wait of a thread that has a CPU again, or at the end of sampling; returns the wait and its length.
    pub(crate) fn ends(&mut self, tid: i32, now_ns: u64) -> Option<(Wait, u64)> {
        let wait = self.open.remove(&tid)?;
        let waited_ns = now_ns.saturating_sub(wait.since_ns);
        Some((wait, waited_ns))
    }

    pub(crate) fn open(&self) -> Vec<i32> {
        self.open.keys().copied().collect()
    }

    pub(crate) fn forget(&mut self, tid: i32) {
        self.open.remove(&tid);
    }

    /// Returns the number of samples by which a further wait in a stack is counted. The clock of a stack begins at a
    /// phase between zero and one sample, and phases of different stacks are evenly spread: of many stacks with little
    /// waiting each, a correct share gets a sample.
    pub(crate) fn samples(&mut self, stack: u32, waited_ns: u64) -> u64 {
        let sample_ns = self.waiting.sample_ns;
        let clock_ns = self.clocks.entry(stack).or_insert_with(|| {
            // The first phases are the fractions of the multiples of the golden ratio (Weyl's sequence).
            let fraction = u64::from(stack).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            ((u128::from(fraction) * u128::from(sample_ns)) >> 64) as u64
        });
        let now_ns = clock_ns.saturating_add(waited_ns);
        *clock_ns = now_ns % sample_ns;
        now_ns / sample_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(sample_ns: u64) -> Waits {
        Waits::new(Waiting { sample_ns, has_kernel: true, scheduler: 10..20 })
    }

    #[test]
    fn a_sample_stands_for_so_much_waiting_however_it_is_cut() {
        let mut waits = waits(1000);
        // Two stacks that wait in turns, each for half of a sample's time, get half of the samples each.
        let mut samples = [0, 0];
        for _ in 0..1000 {
            samples[0] += waits.samples(0, 500);
            samples[1] += waits.samples(1, 500);
        }
        assert!(samples.iter().all(|it| (499..=501).contains(it)), "{samples:?} of 500 µs each");
    }

    #[test]
    fn many_stacks_of_little_waiting_have_their_share() {
        let mut waits = waits(1000);
        let samples: u64 = (0..1000).map(|stack| waits.samples(stack, 300)).sum();
        assert!((295..=305).contains(&samples), "{samples} of 300");
    }

    #[test]
    fn a_wait_whose_sample_was_lost_is_one_all_the_same() {
        let mut waits = waits(1);
        assert_eq!(waits.ends(7, 5), None);
        waits.switched_out(7, 1, 10, true);
        assert_eq!(waits.open(), [7]);
        let (wait, waited_ns) = waits.ends(7, 15).unwrap();
        assert_eq!((waited_ns, wait.stack, wait.is_preempted), (5, None, true));
        // A clock that went back is no wait of centuries.
        waits.switched_out(7, 1, 100, false);
        assert_eq!(waits.ends(7, 50).unwrap().1, 0);
        waits.switched_out(7, 1, 100, false);
        waits.forget(7);
        assert!(waits.open().is_empty());
    }

    #[test]
    fn the_scheduler_is_left_out_above_what_waits() {
        let waiting = Waiting { sample_ns: 1, has_kernel: true, scheduler: 10..20 };
        assert_eq!(waiting.kernel_chain(&[11, 19, 30, 12, 40]), [30, 12, 40]);
        assert!(waiting.kernel_chain(&[11, 19]).is_empty());
        let user = Waiting { has_kernel: false, ..waiting };
        assert!(user.kernel_chain(&[11, 30]).is_empty());
    }
}
