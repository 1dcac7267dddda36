//! Counts events of threads that the calling thread creates and waits for.

use fauxplat_model::{ShiftCount, ShiftSample};
use fauxplat_sys::perf::{Count, Counter, CountingEvent, Whom};
use fauxplat_workers::Counted;

use crate::Failure;

/// CPU time of a thread: `PERF_TYPE_SOFTWARE` and `PERF_COUNT_SW_TASK_CLOCK` of perf_event_open(2).
const TASK_CLOCK: CountingEvent = CountingEvent {
    kind: 1,
    config: [1, 0, 0],
    excludes_user: false,
    excludes_kernel: false,
    excludes_hypervisor: true,
};

/// Counters of events of the threads that the calling thread creates while a closure runs.
#[derive(Debug)]
pub struct CountedThreads {
    counters: Vec<(Counted, Pair)>,
    cpu: Pair,
}

/// Two counters of one event: of the calling thread with all threads that it creates, and of the calling thread alone.
/// Their difference is the count of the created threads.
#[derive(Debug)]
struct Pair {
    all: Counter,
    own: Counter,
}

impl Pair {
    fn open(event: &CountingEvent) -> Result<Self, Failure> {
        let open = |whom| {
            let counter = Counter::open(event, whom, None)?;
            counter.enable().map(|()| counter)
        };
        let both = open(Whom::Process(0)).and_then(|all| Ok(Pair { all, own: open(Whom::Myself)? }));
        both.map_err(|error| Failure::machine(format!("-e: {error}")))
    }

    fn read(&self) -> Option<(Count, Count)> {
        Some((self.all.read().ok()?, self.own.read().ok()?))
    }

    /// Count of the created threads since `before`, a reading of both counters; `None` if a counter cannot be read or
    /// never counted.
    fn since(&self, before: Option<(Count, Count)>) -> Option<u64> {
        let (all, own) =
            before.zip(self.read()).map(|(before, now)| (now.0.since(before.0), now.1.since(before.1)))?;
        let all = all.filter(|all| all.running_ns > 0)?;
        Some(all.scaled().saturating_sub(own?.scaled()))
    }
}

impl CountedThreads {
    /// Opens counters for these events; `None` if there are none.
    ///
    /// # Errors
    /// Fails if the kernel refuses a counter.
    pub fn open(counted: &[Counted]) -> Result<Option<Self>, Failure> {
        if counted.is_empty() {
            return Ok(None);
        }
        // A user who may not count the kernel can still count CPU time with the kernel excluded.
        let user = CountingEvent { excludes_kernel: true, ..TASK_CLOCK };
        let cpu = Pair::open(&TASK_CLOCK).or_else(|_| Pair::open(&user))?;
        let open = |one: &Counted| Pair::open(&one.1).map(|pair| (*one, pair));
        Ok(Some(CountedThreads { counters: counted.iter().map(open).collect::<Result<_, _>>()?, cpu }))
    }

    /// Runs the closure, and counts the events of the threads that it creates. `units` returns how many units of work
    /// were done, for the sample.
    pub fn during<T>(&self, body: impl FnOnce() -> T, units: impl FnOnce(&T) -> u64) -> (T, ShiftSample) {
        let before: Vec<_> = self.counters.iter().map(|(_, pair)| pair.read()).collect();
        let cpu = self.cpu.read();
        let done = body();
        let cpu_ns = self.cpu.since(cpu).unwrap_or(0);
        let all = self.counters.iter().zip(before);
        let counts = all
            .map(|(((metric, _), pair), before)| ShiftCount { metric: *metric, count: pair.since(before) });
        let sample =
            ShiftSample { units: units(&done), cpu_ns, counts: counts.collect(), ..ShiftSample::default() };
        (done, sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Metric;

    #[test]
    fn threads_are_counted_and_who_makes_them_is_not() {
        let faults = CountingEvent { config: [2, 0, 0], excludes_kernel: true, ..TASK_CLOCK };
        let counted = [(Metric::from_id("software:page-faults:u").unwrap(), faults)];
        // Skipped where the kernel permits no counters.
        let Ok(Some(threads)) = CountedThreads::open(&counted) else { return };
        let touch = || {
            let pages = Box::leak(vec![0_u8; 8 << 20].into_boxed_slice());
            pages.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
            std::hint::black_box(pages.len())
        };
        let (touched, own) = threads.during(touch, |_| 1);
        let (_, others) = threads.during(|| std::thread::spawn(touch).join().unwrap(), |_| 1);
        let [own, others] = [own, others].map(|sample| sample.counts[0].count.unwrap());
        assert!(touched > 0 && others > own, "{others} of a thread, {own} of the calling one");
        assert_eq!(CountedThreads::open(&[]).unwrap().map(|_| ()), None);
    }
}
