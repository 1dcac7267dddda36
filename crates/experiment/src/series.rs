//! Reads counters at regular intervals while a process works: in a run that is held until the counters are attached, or
//! in a process that is already running.

use std::fs;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use fauxplat_launch::CounterEntry;
use fauxplat_model::{CounterSeries, Metric};
use fauxplat_procfs::task::TaskStat;
use fauxplat_sys::perf::{Count, Counter, Whom};
use fauxplat_sys::{SysError, clock, files, signal};
use fauxplat_units::Nanos;

use crate::counters::Counters;
use crate::{Driver, Failure};

/// The shortest interval between two readings: each reading of a process's counters takes some microseconds of its CPU.
pub const SHORTEST: Nanos = Nanos(1_000_000);
/// Maximum number of intervals in a series; further ones are merged into the last.
const INTERVALS_MAX: usize = 1_000_000;
/// Maximum duration of a single wait of the thread that reads the counters.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);
/// Time between two checks of whether a process that is not a child has ended.
const NOTICED_WITHIN: Duration = Duration::from_millis(20);

/// Advice for the error that the kernel does not permit counting another user's process.
const OTHERS: &str = "; the process is of another user, or has more rights: counting it takes root, CAP_PERFMON or CAP_SYS_PTRACE";

/// Advice for the error that a process has more threads than this process may have open files.
const FILES: &str = "; each of its threads takes at least one open file: raise the hard limit (`ulimit -Hn`), \
                     which root may, or ask for fewer counters";

/// Advice about an error of opening a counter for a running process; empty if there is none.
pub(crate) fn cure_for_threads(error: &SysError) -> &'static str {
    match error {
        error if error.is_permission() => OTHERS,
        error if error.is_out_of_files() => FILES,
        _ => "",
    }
}

struct Watch {
    counters: Vec<(usize, Counter, Count)>,
    series: Vec<CounterSeries>,
}

impl Watch {
    fn open(entries: &[CounterEntry], threads: &[Whom], every: Nanos) -> Result<Self, Failure> {
        let mut counters = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            for &whom in threads {
                match Counter::open(&entry.event(), whom, None) {
                    Ok(counter) => counters.push((at, counter, Count::default())),
                    // A thread that has ended meanwhile has nothing to count.
                    Err(error) if error.is_gone() && threads.len() > 1 => {}
                    Err(error) => {
                        let (name, cure) = (entry.metric.name(), cure_for_threads(&error));
                        return Err(Failure::machine(format!(
                            "{name} cannot be counted of this process: {error}{cure}"
                        )));
                    }
                }
            }
        }
        let series = entries.iter().map(|entry| CounterSeries {
            metric: entry.metric,
            every_ns: every.0,
            until_ns: Vec::new(),
            counts: Vec::new(),
        });
        Ok(Watch { counters, series: series.collect() })
    }

    fn enable(&self) -> Result<(), Failure> {
        let all = self.counters.iter().try_for_each(|(_, counter, _)| counter.enable());
        all.map_err(|error| Failure::machine(error.to_string()))
    }

    /// Reads the counters at each interval until `wait` returns true, and returns the counts of the intervals. `wait`
    /// gets the time by the monotonic clock until which it may wait.
    fn follow(mut self, every: Nanos, mut wait: impl FnMut(u64) -> bool) -> Vec<CounterSeries> {
        let begun_ns = clock::monotonic_ns();
        let mut next_ns = begun_ns + every.0;
        loop {
            let is_full = self.series.first().is_some_and(|it| it.until_ns.len() + 1 >= INTERVALS_MAX);
            let is_over = wait(if is_full { u64::MAX } else { next_ns });
            let now_ns = clock::monotonic_ns();
            self.look(now_ns - begun_ns);
            if is_over {
                return self.series;
            }
            // If several intervals have passed, the count of all of them is one interval of the series.
            next_ns = begun_ns + ((now_ns - begun_ns) / every.0 + 1) * every.0;
        }
    }

    fn look(&mut self, elapsed_ns: u64) {
        let mut added: Vec<Option<u64>> = vec![None; self.series.len()];
        for (at, counter, before) in &mut self.counters {
            let Ok(now) = counter.read() else { continue };
            if let Some(more) = now.since(*before).filter(|more| more.running_ns > 0 || more.enabled_ns == 0)
            {
                added[*at] = Some(added[*at].unwrap_or(0).saturating_add(more.scaled()));
            }
            *before = now;
        }
        for (series, count) in self.series.iter_mut().zip(added) {
            series.until_ns.push(elapsed_ns);
            series.counts.push(count);
        }
    }
}

impl Driver {
    /// Runs a command once for each set of counters. Each run is held until the counters are open, then counted at each
    /// interval, and not timed.
    ///
    /// # Errors
    /// Fails if the command cannot be launched, or an event cannot be counted.
    pub(crate) fn counter_series(
        &mut self,
        command: u16,
        every: Nanos,
    ) -> Result<Vec<CounterSeries>, Failure> {
        let mut all: Vec<CounterSeries> = Vec::new();
        let sets = self.executor.as_ref().map(|executor| executor.counters().sets_of_entries());
        for set in sets.unwrap_or_default() {
            let known = |metric: Metric| all.iter().any(|it| it.metric == metric);
            let fresh: Vec<CounterEntry> = set.into_iter().filter(|entry| !known(entry.metric)).collect();
            let Some(watched) = self.watched_run(command, &fresh, every)? else {
                self.interrupt();
                break;
            };
            all.extend(watched);
        }
        Ok(all)
    }

    fn watched_run(
        &mut self,
        command: u16,
        entries: &[CounterEntry],
        every: Nanos,
    ) -> Result<Option<Vec<CounterSeries>>, Failure> {
        let (over, is_over) = channel::<()>();
        let mut watcher = None;
        let outcome = self.hold(command, |pid| {
            let watch = Watch::open(entries, &[Whom::Held(pid)], every)?;
            watcher = Some(thread::spawn(move || watch.follow(every, |pause| ends(&is_over, pause))));
            Ok(())
        });
        // Closing the channel tells the watcher that the run has ended.
        drop(over);
        let watched = watcher.and_then(|watcher| watcher.join().ok());
        Ok(outcome?.and(watched))
    }
}

/// Waits until `until_ns` of the monotonic clock, or until the sender of the channel is dropped; returns true in the
/// latter case.
fn ends(is_over: &Receiver<()>, until_ns: u64) -> bool {
    let pause = Duration::from_nanos(until_ns.saturating_sub(clock::monotonic_ns()));
    is_over.recv_timeout(pause.min(LONGEST_WAIT)) != Err(RecvTimeoutError::Timeout)
}

/// A running process that fauxplat did not start, and whose events are counted or sampled.
#[derive(Clone, Debug)]
pub struct Process {
    pid: u32,
    pub name: String,
    pub threads: Vec<i32>,
    begun_ticks: u64,
}

impl Process {
    /// Finds a process by its id, and raises the limit of open files so that one can be opened for each of its threads.
    ///
    /// # Errors
    /// Fails if there is no such process.
    pub fn find(pid: u32) -> Result<Self, Failure> {
        let gone = || Failure::usage(format!("--pid {pid}: there is no such process"));
        let (name, begun_ticks) = stat_of(pid).ok_or_else(gone)?;
        files::open_as_many_as_allowed();
        let listed = fs::read_dir(format!("/proc/{pid}/task")).map_err(|_| gone())?;
        let threads: Vec<i32> =
            listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        if threads.is_empty() { Err(gone()) } else { Ok(Process { pid, name, threads, begun_ticks }) }
    }

    pub(crate) fn is_alive(&self) -> bool {
        stat_of(self.pid).is_some_and(|(_, begun)| begun == self.begun_ticks)
    }
}

/// Name and start time in clock ticks of a process; `None` if it has ended. The start time distinguishes it from a
/// later process with the same id.
fn stat_of(pid: u32) -> Option<(String, u64)> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let stat = TaskStat::parse(&text).filter(|stat| !stat.is_dead())?;
    Some((stat.name.to_owned(), stat.start_ticks()?))
}

/// Counts events of a process for the time `longest`, or until it ends or the user stops fauxplat. Returns the series,
/// and whether the process has ended.
///
/// # Errors
/// Fails if an event cannot be counted, for this process or together with the others.
pub(crate) fn watched(
    process: &Process,
    counters: &Counters,
    every: Nanos,
    longest: Option<Nanos>,
) -> Result<(Vec<CounterSeries>, bool), Failure> {
    let entries = counters.only_set()?;
    let threads: Vec<Whom> = process.threads.iter().map(|&thread| Whom::Process(thread)).collect();
    let watch = Watch::open(&entries, &threads, every)?;
    watch.enable()?;
    let end_ns = longest.map_or(u64::MAX, |longest| clock::monotonic_ns().saturating_add(longest.0));
    let is_over = || !process.is_alive() || signal::stop_requested() || clock::monotonic_ns() >= end_ns;
    let series = watch.follow(every, |until_ns| {
        while !is_over() {
            let left_ns = until_ns.min(end_ns).saturating_sub(clock::monotonic_ns());
            if left_ns == 0 && until_ns < end_ns {
                return false;
            }
            thread::sleep(Duration::from_nanos(left_ns).min(NOTICED_WITHIN));
        }
        true
    });
    Ok((series, !process.is_alive()))
}
