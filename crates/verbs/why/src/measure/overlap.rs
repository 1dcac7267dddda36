//! Overlap of the threads of a traced run: how many worked at the same time, and for what the run waited while none did.
//!
//! The wall time of a run is the time in which at least one thread works, plus the time in which none does. Threads that
//! take turns never work at the same time, however long each of them waits for the others; threads that sleep until
//! they are needed do not work at all.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::Wait;

/// Duration below which a call did not wait, unless waiting is its purpose: tracing its entry and return alone takes
/// about as long.
pub(super) const SHORT_NS: u64 = 60_000;

/// Whether a call of this duration took only the time that tracing it takes.
pub(super) fn is_short(wait: Wait, took_ns: u64) -> bool {
    matches!(wait, Wait::File | Wait::Other) && took_ns < SHORT_NS
}

/// Number of recorded periods from which on no more are recorded, since each takes memory; what follows is assumed to be
/// like what came before.
const PERIODS_MAX: usize = 1 << 21;

/// State of a thread. A thread works while it uses a CPU, and while it is ready to for as long as others take turns with
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Works,
    Waits(Wait),
    /// Stopped by the tracer: in a run without a tracer, the thread would go on at once.
    Stopped,
}

struct Period {
    tid: i32,
    state: State,
    from_ns: u64,
    to_ns: u64,
}

/// States of all threads of a run, recorded from stop to stop.
#[derive(Default)]
pub(super) struct Overlap {
    periods: Vec<Period>,
    /// End of the last recorded period of each thread.
    until_ns: BTreeMap<i32, u64>,
}

/// Times of a run in nanoseconds.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Shared {
    /// Average number of working threads, over the time in which at least one works; at least 1.
    pub(super) lanes: f64,
    /// Time in which no thread works, by the reason of the wait.
    pub(super) idle_ns: BTreeMap<Wait, f64>,
}

impl Overlap {
    /// Forgets everything, as at the start of the program that is traced.
    pub(super) fn clear(&mut self) {
        self.periods.clear();
        self.until_ns.clear();
    }

    /// Records what a thread did between two stops, the last `busy_ns` of which it worked. Before that it waited; `wait`
    /// is the reason, `None` where that is unknown, as for a page that came from a disk.
    pub(super) fn ran(&mut self, tid: i32, [from_ns, to_ns]: [u64; 2], busy_ns: u64, wait: Option<Wait>) {
        if self.periods.len() >= PERIODS_MAX {
            return;
        }
        let works_from_ns = to_ns.saturating_sub(busy_ns).max(from_ns);
        if let Some(stopped_ns) = self.until_ns.insert(tid, to_ns) {
            self.record(tid, State::Stopped, stopped_ns, from_ns);
        }
        let waited_ns = works_from_ns - from_ns;
        match wait {
            Some(wait) if !is_short(wait, waited_ns) => {
                self.record(tid, State::Waits(wait), from_ns, works_from_ns);
            }
            // The tracer learns of a stop some time after it.
            _ if waited_ns < SHORT_NS => self.record(tid, State::Stopped, from_ns, works_from_ns),
            _ => {}
        }
        self.record(tid, State::Works, works_from_ns, to_ns);
    }

    fn record(&mut self, tid: i32, state: State, from_ns: u64, to_ns: u64) {
        if from_ns < to_ns {
            self.periods.push(Period { tid, state, from_ns, to_ns });
        }
    }

    /// Sums up a run of this duration.
    pub(super) fn shared(self, wall_ns: f64) -> Shared {
        let mut worked_ns: BTreeMap<i32, u64> = BTreeMap::new();
        for period in self.periods.iter().filter(|period| period.state == State::Works) {
            *worked_ns.entry(period.tid).or_default() += period.to_ns - period.from_ns;
        }
        let mut edges: Vec<(u64, bool, State, i32)> = Vec::with_capacity(2 * self.periods.len());
        for period in &self.periods {
            edges.push((period.from_ns, true, period.state, period.tid));
            edges.push((period.to_ns, false, period.state, period.tid));
        }
        edges.sort_unstable();
        let (mut works, mut stopped, mut waits) = (0_u32, 0_u32, BTreeSet::new());
        let (mut all_ns, mut any_ns, mut idle_ns) = (0.0, 0.0, BTreeMap::new());
        let [begins_ns, ends_ns] = [edges.first(), edges.last()].map(|edge| edge.map_or(0, |edge| edge.0));
        let mut since_ns = begins_ns;
        for (ns, begins, state, tid) in edges {
            let took_ns = (ns - since_ns) as f64;
            since_ns = ns;
            all_ns += took_ns * f64::from(works);
            any_ns += if works > 0 { took_ns } else { 0.0 };
            if works == 0
                && stopped == 0
                && took_ns > 0.0
                && let Some(&(_, _, _, wait)) = waits.first()
            {
                *idle_ns.entry(wait).or_insert(0.0) += took_ns;
            }
            let change = |count: u32| if begins { count + 1 } else { count.saturating_sub(1) };
            match state {
                State::Works => works = change(works),
                State::Stopped => stopped = change(stopped),
                State::Waits(wait) => {
                    let worked_ns = worked_ns.get(&tid).copied().unwrap_or(0);
                    let key = (depends(wait), Reverse(worked_ns), tid, wait);
                    if begins {
                        waits.insert(key)
                    } else {
                        waits.remove(&key)
                    };
                }
            }
        }
        // Only a run with very many calls has not been recorded to its end.
        let is_cut = self.periods.len() >= PERIODS_MAX;
        let whole = if is_cut { wall_ns / ((ends_ns - begins_ns) as f64).max(1.0) } else { 1.0 };
        idle_ns.values_mut().for_each(|ns| *ns *= whole.max(1.0));
        Shared { lanes: if any_ns > 0.0 { all_ns / any_ns } else { 1.0 }, idle_ns }
    }
}

/// Rank of the reasons for which several threads wait at the same time: lower where fewer of such waits depend on other
/// threads of the run. Of threads whose reasons have the same rank, the one that works most is waited for.
fn depends(wait: Wait) -> u8 {
    match wait {
        Wait::Sleep | Wait::Sync | Wait::File => 0,
        Wait::Pipe => 1,
        // A thread that waits for signals does not hold up the others.
        Wait::Signal | Wait::Other => 2,
        Wait::Lock => 3,
        Wait::Tasks => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn idle(of: &[(Wait, f64)]) -> BTreeMap<Wait, f64> {
        of.iter().copied().collect()
    }

    #[test]
    fn processes_that_take_turns_share_no_work() {
        let mut overlap = Overlap::default();
        for turn in 0..10 {
            let at_ns = turn * 100;
            overlap.ran(1, [at_ns, at_ns + 40], 40, None);
            overlap.ran(1, [at_ns + 40, at_ns + 100], 0, Some(Wait::Pipe));
            overlap.ran(2, [at_ns, at_ns + 40], 0, Some(Wait::Pipe));
            overlap.ran(2, [at_ns + 40, at_ns + 100], 60, None);
        }
        assert_eq!(overlap.shared(1000.0), Shared { lanes: 1.0, idle_ns: idle(&[]) });
    }

    #[test]
    fn a_short_call_that_moves_data_does_not_wait() {
        let mut overlap = Overlap::default();
        overlap.ran(1, [0, 100], 0, Some(Wait::Pipe));
        overlap.ran(2, [0, 50], 10, Some(Wait::File));
        overlap.ran(2, [50, 100], 10, None);
        assert_eq!(overlap.shared(100.0), Shared { lanes: 1.0, idle_ns: idle(&[]) });
        let mut overlap = Overlap::default();
        overlap.ran(2, [0, 5 * SHORT_NS], SHORT_NS, Some(Wait::File));
        assert_eq!(overlap.shared(1.0).idle_ns, idle(&[(Wait::File, 4.0 * SHORT_NS as f64)]));
    }

    #[test]
    fn a_part_that_only_one_thread_does_counts_as_one() {
        let mut overlap = Overlap::default();
        overlap.ran(1, [0, 100], 100, None);
        (1..=4).for_each(|tid| overlap.ran(tid, [100, 200], 100, None));
        assert_eq!(overlap.shared(200.0).lanes, 2.5);
    }

    #[test]
    fn a_run_waits_for_what_does_not_depend_on_its_own_threads() {
        let mut overlap = Overlap::default();
        // A shell waits for its child, which waits for a thread, which sleeps and then writes to a disk.
        overlap.ran(1, [0, 100], 0, Some(Wait::Tasks));
        overlap.ran(2, [0, 100], 0, Some(Wait::Lock));
        overlap.ran(3, [0, 70], 10, Some(Wait::Sleep));
        overlap.ran(3, [70, 100], 0, Some(Wait::Sync));
        let shared = overlap.shared(100.0);
        assert_eq!(shared.idle_ns, idle(&[(Wait::Sleep, 60.0), (Wait::Sync, 30.0)]));
        assert_eq!(shared.lanes, 1.0);
    }

    #[test]
    fn of_two_threads_the_one_that_works_is_waited_for() {
        let mut overlap = Overlap::default();
        // A thread of the runtime sleeps all the time, while the one that works waits for a disk.
        overlap.ran(1, [0, 50], 50, None);
        overlap.ran(1, [50, 100], 0, Some(Wait::Sync));
        overlap.ran(2, [0, 100], 1, Some(Wait::Sleep));
        assert_eq!(overlap.shared(100.0).idle_ns, idle(&[(Wait::Sync, 49.0)]));
    }

    #[test]
    fn a_stop_of_the_tracer_is_no_wait() {
        let mut overlap = Overlap::default();
        overlap.ran(1, [0, 100], 0, Some(Wait::Pipe));
        overlap.ran(2, [0, 30], 30, None);
        overlap.ran(2, [70, 90], 20, None);
        assert_eq!(overlap.shared(100.0), Shared { lanes: 1.0, idle_ns: idle(&[(Wait::Pipe, 10.0)]) });
    }

    proptest! {
        /// Never do more threads work than there are, and never is a run idle for longer than it takes.
        #[test]
        fn times_have_bounds(
            runs in proptest::collection::vec((1i32..5, 0u64..1000, 1u64..200, 0u64..200, any::<bool>()), 0..80),
        ) {
            let mut until_ns = [0_u64; 5];
            let mut overlap = Overlap::default();
            for (tid, gap_ns, took_ns, busy_ns, waits) in runs {
                let from_ns = until_ns[tid as usize] + gap_ns;
                until_ns[tid as usize] = from_ns + took_ns;
                let wait = waits.then_some(Wait::Lock);
                overlap.ran(tid, [from_ns, from_ns + took_ns], busy_ns, wait);
            }
            let wall_ns = until_ns.into_iter().max().unwrap_or(0) as f64;
            let shared = overlap.shared(wall_ns);
            prop_assert!((1.0..=4.0).contains(&shared.lanes), "{shared:?}");
            prop_assert!(shared.idle_ns.values().sum::<f64>() <= wall_ns);
        }
    }
}
