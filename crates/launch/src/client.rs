//! Starts the spawner, submits requests for runs to it and receives its replies.

#![expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]

use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fauxplat_model::{HeldCondition, MetricSet, Process, Source, Sources};
use fauxplat_sys::files::open_at_once;
use fauxplat_sys::inherited::Signals;
use fauxplat_sys::shared::SharedWords;
use fauxplat_sys::spawn::Gate;
use fauxplat_sys::summons::{self, Summoner};
use fauxplat_sys::{clock, pause, process, signal};

use crate::as_held::as_held;
use crate::descriptors::Descriptors;
use crate::launcher::Launcher;
use crate::orphans::Orphans;
use crate::ring::{HAS_MIGRATIONS, HAS_TASKSTATS, Reply, Request, Rings, SLOTS, Way, ring_words};
use crate::table::Table;
use crate::{Gatekeeper, Heard, Held, LaunchError, Program, SPAWNER_REFUSED};

/// Interval in milliseconds at which the request to end is repeated until the spawner has ended.
const TOLD_EVERY_MS: i32 = 200;
/// Number of further requests to stop by the user after which a spawner that has not answered to an abort is killed.
const STOPS_MORE: u32 = 3;

/// A running spawner process, as fauxplat uses it. Dropping the value ends the spawner and the programs that it runs.
#[derive(Debug)]
pub struct Spawner {
    child: Child,
    orphans: Orphans,
    program: Program,
    shared: Descriptors,
    summoner: Summoner,
    memory: SharedWords,
    table: Table,
    metrics: Arc<MetricSet>,
    /// Number of readings for which a reply has room.
    room: usize,
    submitted: u64,
    received: u64,
    /// Number of requests to stop at the time of the first unanswered abort; `None` if no abort is unanswered.
    aborted_at: Option<u32>,
    /// Whether the spawner was killed because it did not answer to an abort.
    is_given_up: bool,
    /// How the spawner ended, if it ended without being asked to.
    died: Option<String>,
    /// Whether a run was under way when the spawner was killed.
    killed_at_work: bool,
    /// Whether the spawner ended because the kernel refused a call or file that it needs.
    is_refused: bool,
    /// Number of times that another process had stopped the spawner.
    stopped: u64,
}

impl Spawner {
    /// Starts a spawner for the programs of this table.
    ///
    /// # Errors
    /// Fails where a file of the table cannot be opened, the process cannot be started, or `/proc` shows process ids of
    /// another pid namespace.
    pub fn start(program: &Program, mut table: Table) -> Result<Self, LaunchError> {
        if !process::proc_shows_our_numbers() {
            return Err(LaunchError::OtherNumbers);
        }
        check_files(&table)?;
        if table.entries.iter().any(|entry| entry.timeout_ns.is_some()) {
            // Without a group of its own, the spawner can be stopped by the command that it watches, and then enforces
            // the time limit late.
            table.apart = process::empty_process_group().ok();
        }
        let (summoner, summons) = summons::pair()?;
        let metrics = table.metrics();
        let shared = Descriptors::new(summons, table.room())?;
        let text = serde_json::to_vec(&table).map_err(|error| LaunchError::SpawnerDied(error.to_string()))?;
        let written = (&shared.table).write_all(&text);
        written.map_err(|source| LaunchError::File { path: "table of programs".into(), source })?;
        let memory = SharedWords::map(&shared.ring, ring_words(table.room()))?;
        Rings::new(memory.words(), table.room()).set_signals(Signals::at_start());
        for fd in shared.fds() {
            process::keep_over_exec(fd, true)?;
        }
        let orphans = Orphans::of_the_next()?;
        let mut command = Command::new(&program.path);
        command.args(&program.words).args(shared.fds().map(|fd| fd.to_string())).stdin(Stdio::null());
        // Signals of the terminal reach the spawner until it leaves this process group, and would end a spawner that
        // has no handler for them yet. They are therefore blocked until the spawner is ready.
        let child =
            signal::while_requests_wait(|| command.spawn().inspect(|child| pause::add(child.id() as i32)));
        let child = child.map_err(|source| LaunchError::Helper { source });
        for fd in shared.fds() {
            process::keep_over_exec(fd, false)?;
        }
        Ok(Spawner {
            child: child?,
            orphans,
            program: program.clone(),
            shared,
            summoner,
            memory,
            room: table.room(),
            table,
            metrics,
            submitted: 0,
            received: 0,
            aborted_at: None,
            is_given_up: false,
            died: None,
            killed_at_work: false,
            is_refused: false,
            stopped: 0,
        })
    }

    fn rings(&self) -> Rings<'_> {
        Rings::new(self.memory.words(), self.room)
    }

    /// Reaps a spawner that has died, and kills its programs, those that have left its process group included: no other
    /// process would end them.
    fn bury(&mut self) {
        // Signals and the list of processes to pause use the process id, which cannot be reused until the spawner is
        // reaped.
        pause::remove(self.child.id() as i32);
        signal::send_group(self.child.id() as i32, signal::SIGKILL);
        let ended = self.child.wait();
        self.killed_at_work = self.under_way() > 0 && ended.as_ref().is_ok_and(|it| it.signal().is_some());
        self.is_refused = ended.as_ref().is_ok_and(|it| it.code() == Some(SPAWNER_REFUSED.into()));
        let status = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
        self.orphans.end();
        self.died = Some(status);
    }

    fn gone(&self) -> Result<(), LaunchError> {
        match &self.died {
            None => Ok(()),
            Some(_) if self.is_given_up => Err(LaunchError::Stopped),
            Some(status) if self.killed_at_work => Err(LaunchError::SpawnerKilled(status.clone())),
            Some(_) if self.is_refused => Err(LaunchError::SpawnerRefused),
            Some(status) => Err(LaunchError::SpawnerDied(status.clone())),
        }
    }

    /// Signals the spawner if it has not been reaped: afterwards its process id may belong to another process.
    fn signal(&self, signal: i32) {
        if self.died.is_none() {
            signal::send(self.child.id() as i32, signal);
        }
    }

    fn arrived(&self) -> Option<i32> {
        let pid = self.rings().gate().0.load(Ordering::SeqCst);
        i32::try_from(pid).ok().filter(|&pid| pid > 0)
    }

    fn order(&self, order: u64) {
        self.rings().gate().1.store(order, Ordering::SeqCst);
        self.summoner.call();
    }

    fn wait_for_arrival(&mut self, entry: u32) -> Result<i32, LaunchError> {
        let mut heard = Heard::nothing();
        loop {
            // After a request to stop, the child was ordered to leave the gate, so its arrival no longer counts: it may
            // have arrived before it read that order.
            if let Some(pid) = self.arrived().filter(|_| heard == Heard::nothing()) {
                return Ok(pid);
            }
            if let Some(reply) = self.try_reply() {
                return Err(self.start_error(entry, reply.end).unwrap_or(LaunchError::Stopped));
            }
            if heard.anew(self.stops()) {
                self.order(Gate::SHUT);
                self.abort();
            }
            self.wait(1000)?;
        }
    }
}

impl Gatekeeper for Spawner {
    fn open(&mut self) {
        self.order(Gate::OPEN);
    }

    fn shut(&mut self) {
        self.order(Gate::SHUT);
        while self.try_reply().is_none() && self.wait(1000).is_ok() {}
    }
}

impl Launcher for Spawner {
    fn table(&self) -> &Table {
        &self.table
    }

    fn metrics(&self) -> &Arc<MetricSet> {
        &self.metrics
    }

    fn depth(&self) -> usize {
        SLOTS
    }

    fn under_way(&self) -> usize {
        (self.submitted - self.received) as usize
    }

    fn submit(&mut self, request: Request) {
        assert!(self.under_way() < SLOTS, "more requests than slots");
        if self.rings().publish(Way::Requests, self.submitted, &request.encode()) {
            self.summoner.call();
        }
        self.submitted += 1;
    }

    fn try_reply(&mut self) -> Option<Reply> {
        if self.rings().produced(Way::Replies) <= self.received {
            return None;
        }
        let reply = self.rings().reply(self.received);
        self.received += 1;
        self.aborted_at = None;
        Some(reply)
    }

    fn wait(&mut self, timeout_ms: i32) -> Result<(), LaunchError> {
        self.gone()?;
        let (rings, next) = (Rings::new(self.memory.words(), self.room), self.received);
        if rings.announce_sleep(Way::Replies, true, next) {
            self.shared.to_client.wait(timeout_ms)?;
        }
        rings.announce_sleep(Way::Replies, false, next);
        if rings.produced(Way::Replies) > next {
            return Ok(());
        }
        if process::has_ended(self.child.id() as i32) {
            self.bury();
        } else if self.died.is_none() && process::stopped_by(self.child.id() as i32).is_some() {
            // fauxplat never stops the spawner, so a command or another process did, and nothing else would continue
            // it.
            self.stopped += 1;
            self.signal(signal::SIGCONT);
        }
        // A spawner that does not respond is killed. It may be stopped, or wait for a file system that does not answer.
        let is_deaf = self.aborted_at.is_some_and(|stops| self.stops() >= stops + STOPS_MORE);
        if self.died.is_none() && is_deaf {
            self.is_given_up = true;
            signal::send_group(self.child.id() as i32, signal::SIGKILL);
            // The spawner itself may be in another group.
            self.signal(signal::SIGKILL);
        }
        self.gone()
    }

    fn abort(&mut self) {
        let stops = self.stops();
        self.aborted_at.get_or_insert(stops);
        self.signal(signal::SIGTERM);
    }

    fn tree(&mut self) -> Vec<Process> {
        let mut text = String::new();
        let mut file = &self.shared.tree;
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_string(&mut text));
        read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    fn sources(&self) -> Sources {
        let (peak_memory_floor_bytes, abilities) = self.rings().abilities();
        let tree = |bit, source, otherwise| if abilities & bit != 0 { source } else { otherwise };
        Sources {
            cpu_time: tree(HAS_TASKSTATS, Source::Taskstats, Source::Rusage),
            peak_memory: tree(HAS_TASKSTATS, Source::Taskstats, Source::Rusage),
            peak_memory_floor_bytes,
            run_delay: tree(HAS_TASKSTATS, Source::Taskstats, Source::FirstThread),
            migrations: tree(HAS_MIGRATIONS, Source::PerfEvent, Source::FirstThread),
            counter_floors: Vec::new(),
        }
    }

    fn lossy_runs(&self) -> u64 {
        self.rings().lossy_runs()
    }

    fn stopped_by_others(&self) -> u64 {
        self.stopped
    }

    fn partner(&self) -> Result<Box<dyn Launcher>, LaunchError> {
        Ok(Box::new(Spawner::start(&self.program, self.table.clone())?))
    }

    fn now_ns(&self) -> u64 {
        clock::monotonic_ns()
    }

    fn sleep(&mut self, duration_ns: u64) {
        std::thread::sleep(Duration::from_nanos(duration_ns));
    }

    fn stops(&self) -> u32 {
        signal::stops()
    }

    fn hold(&mut self, request: Request) -> Result<Held<'_>, LaunchError> {
        // A spawner that ended earlier has left its requests without an answer.
        self.gone()?;
        if self.under_way() > 0 {
            self.wait(0)?;
            return Err(LaunchError::Unanswered);
        }
        if self.stop_requested() {
            return Err(LaunchError::Stopped);
        }
        let (arrived, order) = self.rings().gate();
        arrived.store(0, Ordering::SeqCst);
        order.store(0, Ordering::SeqCst);
        self.submit(Request { held: true, ..request });
        let pid = self.wait_for_arrival(request.entry)?;
        Ok(Held::new(pid, self))
    }

    fn read_back(&mut self, request: Request) -> Result<Option<HeldCondition>, LaunchError> {
        let entry = self.table.entries.get(request.entry as usize).cloned().unwrap_or_default();
        let held = self.hold(request)?;
        Ok(Some(as_held(held.pid(), &entry)))
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        // The goodbye ends an idle spawner, the signal ends a run under way.
        self.rings().say_goodbye();
        self.signal(signal::SIGTERM);
        self.summoner.call();
        // A signal is lost if another one is pending for the program that the spawner runs, so it is repeated.
        while let Ok(end) = process::end_of(self.child.id() as i32)
            && self.died.is_none()
            && !process::wait_readable(end.as_raw_fd(), TOLD_EVERY_MS).unwrap_or(true)
        {
            self.signal(signal::SIGTERM);
            // A spawner that a command has stopped handles the signal when it continues.
            self.signal(signal::SIGCONT);
        }
        pause::remove(self.child.id() as i32);
        let _ = self.child.wait();
        if let Some(leader) = self.table.apart {
            process::wait(leader, false);
        }
    }
}

/// Tries to open the files that the spawner will open, since errors can be reported to the user here.
fn check_files(table: &Table) -> Result<(), LaunchError> {
    use crate::table::{Stdin, Stdout};
    for entry in &table.entries {
        if let Stdin::File(path) = &entry.stdin {
            open_at_once(path, false).map_err(|source| LaunchError::File { path: path.clone(), source })?;
        }
        if let Stdout::File(path) = &entry.stdout {
            open_at_once(path, true).map_err(|source| LaunchError::File { path: path.clone(), source })?;
        }
        if let Some(cwd) = &entry.cwd {
            std::fs::read_dir(cwd).map_err(|source| LaunchError::File { path: cwd.into(), source })?;
        }
    }
    Ok(())
}
