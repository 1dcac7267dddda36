//! The spawner: the small process that is the parent of all measured programs.

mod account;
mod births;
mod control;
mod counting;
mod pauses;
mod programs;
mod reap;
mod tree;
mod watch;

use std::fs::File;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;

use fauxplat_model::{Metric, MetricSet, Reading};
use fauxplat_sys::process::{self, Usage};
use fauxplat_sys::shared::{Doorbell, SharedWords};
use fauxplat_sys::spawn::{Gate, Stage, StartFailed, StartSpace, Started, start, start_held};
use fauxplat_sys::summons::{Summoned, Summons};
use fauxplat_sys::{clock, inherited, pause, sched, signal};
use fauxplat_units::{Cpu, CpuSet};

use crate::descriptors::Descriptors;
use crate::procfs;
use crate::ring::{Reply, Request, Rings, RunCpu, RunEnd, Way, ring_words};
use crate::{Keeps, LaunchError};
use account::Accounts;
use births::Births;
use control::Control;
use counting::Counting;
use pauses::Pauses;
use programs::{Loaded, load};
use reap::Reaper;
use watch::watch;

/// Runs as the spawner until fauxplat asks it to end or ends itself. `words` are arguments of the command line: the
/// numbers of the descriptors that fauxplat left open for the spawner.
///
/// # Errors
/// Fails where the words are not descriptors, or the shared memory or the table cannot be used.
pub fn serve_inherited(words: &[String]) -> Result<(), LaunchError> {
    let fds: Option<Vec<RawFd>> = words.iter().map(|word| word.parse().ok()).collect();
    let fds = fds.and_then(|fds| fds.try_into().ok());
    serve(fds.ok_or_else(|| LaunchError::SpawnerDied("this process was not started by fauxplat".into()))?)
}

fn serve(fds: [RawFd; Descriptors::COUNT]) -> Result<(), LaunchError> {
    let parent = std::os::unix::process::parent_id();
    signal::stop_on_terminate_of_parent()?;
    pause::hear_of_parent()?;
    signal::on_parent_death(signal::SIGTERM)?;
    process::own_process_group();
    process::become_subreaper()?;
    // Every open descriptor costs each child some fifty nanoseconds, so files are closed once they are mapped or read.
    let Descriptors { ring, table, tree, summons, to_client } = Descriptors::adopt(fds)?;
    // Inherited descriptors that could not be closed must not reach measured programs.
    inherited::close_all_on_exec();
    let table = programs::read(table)?;
    let metrics = table.metrics();
    let room = table.room();
    let memory = SharedWords::map(&ring, ring_words(room))?;
    drop(ring);
    let rings = Rings::new(memory.words(), room);
    // A stop that was requested during the preparation is delivered only now.
    rings.signals().pass_on();
    let counting = Counting::new(table.counters.clone(), &metrics);
    let control = table.control.clone().map(|entry| Control::open(&entry, &metrics)).transpose()?;
    let keeps_at_the_end =
        table.entries.first().map(|entry| Keeps { own: entry.keeps.own, earlier: entry.keeps.own });
    let keeps_at_the_end = keeps_at_the_end.unwrap_or_default();
    let apart = table.apart;
    // `_outlets` has to live as long as the programs, which write to its files.
    let (programs, _outlets) = load(table, &rings.signals().restoration())?;
    let accounts = Accounts::open();
    procfs::reset_own_peak_memory();
    rings.set_abilities(procfs::own_peak_memory(), accounts.abilities());
    let home = sched::affinity(0)?;
    let server = Server {
        rings,
        tree,
        summons,
        to_client,
        programs,
        metrics,
        spare: Vec::new(),
        accounts,
        counting,
        control,
        reaper: Reaper::default(),
        apart,
        keeps_at_the_end,
        pauses: Pauses::default(),
        space: StartSpace::default(),
        placed: home.clone(),
        home,
        without_huge_pages: false,
        runs: 0,
        aborted: 0,
        parent,
    };
    server.serve()
}

struct Server<'a> {
    rings: Rings<'a>,
    tree: File,
    summons: Summons,
    to_client: Doorbell,
    programs: Vec<Loaded>,
    metrics: Arc<MetricSet>,
    /// Buffer for the readings of the next run, so that nothing is allocated between two runs.
    spare: Vec<Reading>,
    accounts: Accounts,
    counting: Counting,
    control: Option<Control>,
    reaper: Reaper,
    /// Process group that the spawner joins while it watches a time limit, so that a command that signals its own group
    /// does not reach the spawner.
    apart: Option<i32>,
    /// Kinds of processes that the spawner leaves running when it ends.
    keeps_at_the_end: Keeps,
    pauses: Pauses,
    space: StartSpace,
    /// CPU affinity of the spawner at its start.
    home: CpuSet,
    placed: CpuSet,
    /// Whether transparent huge pages are disabled now, which children inherit.
    without_huge_pages: bool,
    runs: u64,
    /// Number of the first request that was not stopped; earlier ones are answered as aborted.
    aborted: u64,
    parent: u32,
}

/// Wall time in nanoseconds of a program's previous run below which its next run is not looked up in `/proc`, which
/// would take as long as the run.
const WORTH_A_LOOK_NS: u64 = 1_000_000;

impl Server<'_> {
    fn serve(mut self) -> Result<(), LaunchError> {
        let (mut next, mut words) = (0, Vec::new());
        loop {
            if !self.wait_for_request(next)? {
                self.reaper.rest(self.keeps_at_the_end);
                return Ok(());
            }
            let request = self.rings.request(next);
            let turns = pause::turns_of_parent();
            self.pauses.sit_out();
            self.note_stop();
            let mut reply = match next < self.aborted {
                true => Reply::without_run(RunEnd::Aborted),
                false if request.traced => self.run_traced(request),
                false => self.run(request).unwrap_or_else(|failed| Reply::without_run(end_of(failed))),
            };
            reply.paused = pause::turns_of_parent() != turns;
            if reply.paused && !signal::stop_requested() {
                signal::quiet();
            }
            // A stop is noted before the reply is published, since requests that fauxplat submits after the reply are
            // not meant by the stop.
            self.note_stop();
            if self.rings.reply_with(next, &reply, &mut words) {
                self.to_client.ring();
            }
            self.spare = reply.readings;
            next += 1;
        }
    }

    /// Applies a stop to the run under way and to all requests that are in the ring now. The client submits them again,
    /// or ends.
    fn note_stop(&mut self) {
        if signal::stop_requested() {
            signal::quiet();
            signal::clear_stop();
            self.aborted = self.rings.produced(Way::Requests);
        }
    }

    /// Sleeps until request number `next` is there; false when fauxplat has ended or asked the spawner to end.
    fn wait_for_request(&mut self, next: u64) -> Result<bool, LaunchError> {
        while self.rings.produced(Way::Requests) <= next {
            self.note_stop();
            self.pauses.note();
            if self.rings.goodbye_said() || std::os::unix::process::parent_id() != self.parent {
                return Ok(false);
            }
            let sleep = self.rings.announce_sleep(Way::Requests, true, next);
            let gone = sleep && self.summons.wait()? == Summoned::Gone;
            self.rings.announce_sleep(Way::Requests, false, next);
            if gone {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn run(&mut self, request: Request) -> Result<Reply, StartFailed> {
        let loaded = &mut self.programs[request.entry as usize];
        place(&mut self.placed, &self.home, loaded, request.place)?;
        allow_huge_pages(&mut self.without_huge_pages, loaded)?;
        loaded.rewind_stdin();
        let pad = loaded.pad_bytes(request.pad);
        let timeout_ns = loaded.timeout_ns;
        // Without exit records (taskstats), figures of the first thread can still be read in `/proc` before it is
        // reaped.
        let look = !self.accounts.complete() && loaded.last_wall_ns >= WORTH_A_LOOK_NS;
        let steal_before_ns = self.accounts.steal_before();
        self.accounts.begin();
        self.counting.begin(request.counter_set);
        if let Some(control) = &mut self.control {
            control.begin(&self.counting);
        }
        let begun = self.begin(&request, pad);
        let (started, mut births) = begun.inspect_err(|_| self.accounts.abandon())?;
        let loaded = &mut self.programs[request.entry as usize];
        let control = self.control.as_mut().map(|control| (control, &self.counting));
        let watched = watch(started, timeout_ns, look, (control, births.as_mut()), &mut self.pauses);
        if timeout_ns.is_some() && !signal::stop_requested() {
            signal::quiet();
        }
        let wall_ns = watched.ended_ns.saturating_sub(started.started_ns);
        loaded.last_wall_ns = wall_ns;
        let left = self.reaper.rest(loaded.keeps);
        let mut usage = watched.usage;
        usage.absorb(&left.usage);
        let account = self.accounts.end(started, watched.seen, &left.late);
        self.tell_abilities(&account);
        let steal_ns = self
            .accounts
            .steal_after()
            .zip(steal_before_ns)
            .map(|(after, before)| after.saturating_sub(before));
        Ok(Reply {
            end: births.and_then(|births| births.refused()).unwrap_or(watched.end),
            held: request.held,
            paused: false,
            started_ns: started.started_ns,
            cpu_first: started.cpu.unwrap_or(u16::MAX),
            cpu_last: account.cpu_last.unwrap_or(u16::MAX),
            left_behind: left.killed,
            pad_bytes: pad.unwrap_or(0) as u16,
            readings: self.readings(values(wall_ns, &usage, &account, steal_ns)),
        })
    }

    /// Starts the process of a run; a held one waits at the gate before its program.
    fn begin(
        &mut self,
        request: &Request,
        pad: Option<usize>,
    ) -> Result<(Started, Option<Births>), StartFailed> {
        let loaded = &mut self.programs[request.entry as usize];
        let (timeout_ns, keeps) = (loaded.timeout_ns, loaded.keeps);
        // The time limit of a held run starts when the run is released.
        if let Some(limit_ns) = timeout_ns.filter(|_| !request.held) {
            signal::interrupt_after(limit_ns);
        }
        let heap_offset_bytes = request.heap_offset_bytes.or(loaded.heap_offset_bytes);
        loaded.setup.traced = heap_offset_bytes.is_some() || loaded.threads.is_some();
        loaded.image.set_number(request.number);
        // Before the program is executed, the command gets a process group of its own and the spawner joins another
        // one. A command that stops or kills its whole group then does not reach the spawner, which enforces the time
        // limit.
        let apart = self.apart.filter(|_| timeout_ns.is_some());
        loaded.setup.own_group = apart.is_some_and(|group| process::join_process_group(group).is_ok());
        wait_until(request.start_at_ns);
        let started = match request.held {
            false => start(&mut loaded.image, &loaded.setup, pad, &mut self.space),
            true => {
                let (arrived, order) = self.rings.gate();
                let gate = Gate { arrived, bell: &self.to_client, order, summons: &self.summons };
                start_held(&mut loaded.image, &loaded.setup, pad, &mut self.space, &gate)
            }
        };
        let traced = std::mem::take(&mut loaded.setup.traced);
        let started = started?;
        if let Some(limit_ns) = timeout_ns.filter(|_| request.held) {
            signal::interrupt_after(limit_ns);
        }
        let births = match traced {
            true => {
                births::begin(started.pid, heap_offset_bytes, loaded.threads.clone()).inspect_err(|_| {
                    self.reaper.rest(keeps);
                })?
            }
            false => None,
        };
        Ok((started, births))
    }

    fn readings(&mut self, values: impl Iterator<Item = (Metric, Option<u64>)>) -> Vec<Reading> {
        let mut readings = std::mem::take(&mut self.spare);
        readings.clear();
        readings.resize(self.metrics.len(), Reading::ABSENT);
        for (metric, value) in values {
            if let Some(place) = self.metrics.place(metric) {
                readings[place] = value.into();
            }
        }
        self.counting.end(&mut readings);
        if let Some(control) = &self.control {
            control.put(&mut readings);
        }
        readings
    }

    fn tell_abilities(&mut self, account: &account::Account) {
        if account.lossy {
            self.rings.set_lossy_runs(self.accounts.lossy_runs());
        }
        self.runs += 1;
        // The spawner grows a little in its first runs. Reading its peak at each power of two follows that growth at
        // little cost.
        if self.runs.is_power_of_two() {
            self.rings.set_abilities(procfs::own_peak_memory(), self.accounts.abilities());
        }
    }

    fn run_traced(&mut self, request: Request) -> Reply {
        let loaded = &mut self.programs[request.entry as usize];
        let keeps = loaded.keeps;
        loaded.rewind_stdin();
        let placed = place(&mut self.placed, &self.home, loaded, request.place)
            .and_then(|()| allow_huge_pages(&mut self.without_huge_pages, loaded));
        let end = match placed {
            Err(failed) => end_of(failed),
            Ok(()) => tree::observe(loaded, &request, &mut self.space, &self.tree),
        };
        self.reaper.rest(keeps);
        Reply::without_run(end)
    }
}

/// End to report for a run that did not begin. A held child fails at the gate only when it is ordered to leave, hence
/// as aborted.
fn end_of(failed: StartFailed) -> RunEnd {
    match failed.stage {
        Stage::Hold => RunEnd::Aborted,
        // A stop that arrives while a command is traced up to its first instruction interrupts the start.
        Stage::Trace if signal::stop_requested() => RunEnd::Aborted,
        stage => RunEnd::NotStarted(stage as i32, failed.errno),
    }
}

/// Spins until the start time that the two spawners of a duet have in common: after sleeping they would wake up some
/// fifty microseconds apart.
fn wait_until(moment_ns: u64) {
    while clock::monotonic_ns() < moment_ns && !signal::stop_requested() {
        std::hint::spin_loop();
    }
}

/// Moves the spawner to the CPU of the next child. Children inherit the affinity, so nothing is left to do between
/// their creation and exec, and a block of runs on one CPU changes the affinity once.
fn place(placed: &mut CpuSet, home: &CpuSet, loaded: &Loaded, place: RunCpu) -> Result<(), StartFailed> {
    let all = loaded.cpus.as_ref().unwrap_or(home);
    match place {
        RunCpu::Entry => move_to(placed, all),
        RunCpu::Cpu(cpu) => move_to(placed, &[Cpu(cpu)].into_iter().collect()),
        RunCpu::Same => Ok(()),
        RunCpu::Idle => {
            move_to(placed, all)?;
            // The kernel looks for an idle CPU when it wakes a task, so the spawner sleeps and stays on the CPU where
            // it wakes.
            std::thread::sleep(IDLE_NAP);
            sched::current_cpu().map_or(Ok(()), |cpu| move_to(placed, &[cpu].into_iter().collect()))
        }
    }
}

fn allow_huge_pages(without: &mut bool, loaded: &Loaded) -> Result<(), StartFailed> {
    if *without != loaded.without_huge_pages {
        process::disable_huge_pages(loaded.without_huge_pages).map_err(|error| StartFailed {
            stage: Stage::HugePages,
            errno: error.source.raw_os_error().unwrap_or(0),
        })?;
        *without = loaded.without_huge_pages;
    }
    Ok(())
}

const IDLE_NAP: Duration = Duration::from_micros(50);

fn move_to(placed: &mut CpuSet, wanted: &CpuSet) -> Result<(), StartFailed> {
    if wanted != placed {
        sched::set_affinity(0, wanted).map_err(|error| StartFailed {
            stage: Stage::Affinity,
            errno: error.source.raw_os_error().unwrap_or(0),
        })?;
        placed.clone_from(wanted);
    }
    Ok(())
}

/// Values of every metric that the spawner can read. Rates of published counters are read by the runner, because the
/// spawner opens no file besides those of the programs.
fn values(
    wall_ns: u64,
    usage: &Usage,
    account: &account::Account,
    steal_ns: Option<u64>,
) -> impl Iterator<Item = (Metric, Option<u64>)> + use<> {
    let ticks_ns = usage.user_ns + usage.system_ns;
    // `wait4` is exact to a microsecond but misses children that were not waited for. The exit records include all
    // tasks, but the kernel writes them before it charges the time since a task's last tick. Both can only be too
    // small, so the maximum is used.
    let cpu_ns = account.cpu_ns.map_or(ticks_ns, |recorded_ns| recorded_ns.max(ticks_ns));
    let user_ns = match ticks_ns {
        0 => cpu_ns,
        _ => (u128::from(cpu_ns) * u128::from(usage.user_ns) / u128::from(ticks_ns)) as u64,
    };
    // The kernel counts resident pages per CPU in batches, so the count of a program of a few pages may be zero, which
    // is treated as unknown.
    let peak_bytes = account.peak_memory_bytes.unwrap_or(usage.peak_memory_bytes);
    let read = [
        (Metric::WALL, Some(wall_ns)),
        (Metric::USER, Some(user_ns)),
        (Metric::SYSTEM, Some(cpu_ns - user_ns)),
        (Metric::CPU, Some(cpu_ns)),
        (Metric::RUN_DELAY, account.run_delay_ns),
        (Metric::PEAK_MEMORY, Some(peak_bytes).filter(|&bytes| bytes > 0)),
        (Metric::VOLUNTARY_SWITCHES, Some(usage.voluntary_switches)),
        (Metric::INVOLUNTARY_SWITCHES, Some(usage.involuntary_switches)),
        (Metric::MIGRATIONS, account.migrations),
        (Metric::MINOR_FAULTS, Some(usage.minor_faults)),
        (Metric::MAJOR_FAULTS, Some(usage.major_faults)),
        (Metric::BLOCK_INPUT, Some(usage.block_input_bytes)),
        (Metric::BLOCK_OUTPUT, Some(usage.block_output_bytes)),
        (Metric::STEAL, steal_ns),
    ];
    // If exit records were lost, `wait4` may miss an unknown part of the run, so its values are left out too.
    let lossy = account.lossy;
    read.into_iter()
        .map(move |(metric, value)| (metric, value.filter(|_| !lossy || !comes_from_records(metric))))
}

/// Whether the value of this metric comes from the kernel's exit records where those are available.
fn comes_from_records(metric: Metric) -> bool {
    [Metric::USER, Metric::SYSTEM, Metric::CPU, Metric::PEAK_MEMORY].contains(&metric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lossy_run_keeps_only_what_needs_no_records() {
        let usage = Usage { user_ns: 5, peak_memory_bytes: 4096, minor_faults: 3, ..Usage::default() };
        let read = |lossy| {
            let account = account::Account { lossy, ..Default::default() };
            let read: Vec<(Metric, Option<u64>)> = values(10, &usage, &account, None).collect();
            let of = |metric| read.iter().find(|(name, _)| *name == metric).and_then(|(_, value)| *value);
            [Metric::WALL, Metric::CPU, Metric::PEAK_MEMORY, Metric::MINOR_FAULTS].map(of)
        };
        assert_eq!(read(false), [Some(10), Some(5), Some(4096), Some(3)]);
        assert_eq!(read(true), [Some(10), None, None, Some(3)]);
    }
}
