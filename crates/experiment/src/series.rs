//! Counters looked at again and again while a process works: of a run that is held for it, or of a process that runs already.

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

/// The shortest interval: reading the counters of a process takes some microseconds of its CPU.
pub const SHORTEST: Nanos = Nanos(1_000_000);
/// More intervals than this are one.
const INTERVALS_MAX: usize = 1_000_000;
/// A thread does not wait longer than this at once.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);
/// How long the end of a process that is none of ours may go unnoticed.
const NOTICED_WITHIN: Duration = Duration::from_millis(20);

/// What helps where the kernel does not give away what somebody else's process does.
const OTHERS: &str =
    "; it is of another user, or has more rights: it takes root, CAP_PERFMON or CAP_SYS_PTRACE";

/// What helps where a process has more threads than this one may have files open.
const FILES: &str = "; each of its threads takes at least one open file: raise the hard limit (`ulimit -Hn`), \
                     which root may, or ask for fewer counters";

/// What helps against an error of a counter on a process that runs already; nothing where nothing does.
pub(crate) fn cure_for_threads(error: &SysError) -> &'static str {
    match error {
        error if error.is_permission() => OTHERS,
        error if error.is_out_of_files() => FILES,
        _ => "",
    }
}

/// Counters of one process, and what they had counted at the last look.
struct Watch {
    counters: Vec<(usize, Counter, Count)>,
    series: Vec<CounterSeries>,
}

impl Watch {
    /// Opens those that a set holds, for each of the threads.
    fn open(entries: &[CounterEntry], threads: &[Whom], every: Nanos) -> Result<Self, Failure> {
        let mut counters = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            for &whom in threads {
                match Counter::open(&entry.event(), whom, None) {
                    Ok(counter) => counters.push((at, counter, Count::default())),
                    // A thread that ended meanwhile does nothing that could be counted.
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

    /// Looks until `wait` says that it is over. It is given the moment until which it may wait, by the monotonic clock.
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
            // Intervals that were slept through are one: none of them was looked at.
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
    /// One more run of a command for each set of counters, held until they stand, watched and not timed.
    ///
    /// # Errors
    /// The command cannot be launched, or something cannot be counted.
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
        // Its end is the sign for who watches.
        drop(over);
        let watched = watcher.and_then(|watcher| watcher.join().ok());
        Ok(outcome?.and(watched))
    }
}

/// Waits until a moment, or until the other side is gone.
fn ends(is_over: &Receiver<()>, until_ns: u64) -> bool {
    let pause = Duration::from_nanos(until_ns.saturating_sub(clock::monotonic_ns()));
    is_over.recv_timeout(pause.min(LONGEST_WAIT)) != Err(RecvTimeoutError::Timeout)
}

/// A process that runs already.
#[derive(Clone, Debug)]
pub struct Process {
    pid: u32,
    /// What the kernel calls it.
    pub name: String,
    /// Its threads.
    pub threads: Vec<i32>,
    begun_ticks: u64,
}

impl Process {
    /// Finds it by its number, and lets this process open a file for each of its threads.
    ///
    /// # Errors
    /// There is none.
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

/// Name and beginning of a process that has not ended: another that got its number later began at another time.
fn stat_of(pid: u32) -> Option<(String, u64)> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    let stat = TaskStat::parse(&text).filter(|stat| !stat.is_dead())?;
    Some((stat.name.to_owned(), stat.start_ticks()?))
}

/// What is counted of a process for a time, or until it ends or somebody asks to stop. Whether it has ended stands with it.
///
/// # Errors
/// Something cannot be counted, of this process or beside the rest.
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
