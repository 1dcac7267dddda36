//! fauxplat's side of the spawner.

#![expect(clippy::disallowed_methods, reason = "this is the crate that starts processes")]

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use fauxplat_model::{MetricSet, Process, Source, Sources};
use fauxplat_sys::shared::{Doorbell, SharedWords, adopt, memory_file};
use fauxplat_sys::spawn::Stage;
use fauxplat_sys::{process, signal};

use crate::ring::{Reply, Request, Rings, RunEnd, SLOTS, Way, ring_words};
use crate::server::{HAS_MIGRATIONS, HAS_TASKSTATS};
use crate::table::Table;
use crate::{LaunchError, Program};

/// What the two processes share, by descriptor.
#[derive(Debug)]
pub(crate) struct Inherited {
    pub(crate) ring: File,
    pub(crate) table: File,
    pub(crate) tree: File,
    pub(crate) to_server: Doorbell,
    pub(crate) to_client: Doorbell,
}

impl Inherited {
    /// How many descriptors there are.
    pub(crate) const COUNT: usize = 5;

    fn new(metrics: usize) -> Result<Self, LaunchError> {
        Ok(Inherited {
            ring: memory_file(ring_words(metrics))?,
            table: memory_file(0)?,
            tree: memory_file(0)?,
            to_server: Doorbell::new()?,
            to_client: Doorbell::new()?,
        })
    }

    fn fds(&self) -> [RawFd; Inherited::COUNT] {
        let files = [&self.ring, &self.table, &self.tree].map(AsRawFd::as_raw_fd);
        [files[0], files[1], files[2], self.to_server.fd(), self.to_client.fd()]
    }

    /// Takes over the descriptors in the spawner.
    pub(crate) fn adopt(fds: [RawFd; Inherited::COUNT]) -> Result<Self, LaunchError> {
        let [ring, table, tree, to_server, to_client] = adopt(fds)?;
        Ok(Inherited {
            ring: ring.into(),
            table: table.into(),
            tree: tree.into(),
            to_server: to_server.into(),
            to_client: to_client.into(),
        })
    }
}

/// A spawner, seen from fauxplat. Dropping it ends the spawner and whatever it runs.
#[derive(Debug)]
pub struct Spawner {
    child: Child,
    shared: Inherited,
    memory: SharedWords,
    table: Table,
    metrics: Arc<MetricSet>,
    submitted: u64,
    received: u64,
}

impl Spawner {
    /// At most this many requests may be under way.
    pub const DEPTH: usize = SLOTS;

    /// Starts a spawner that holds these programs ready.
    ///
    /// # Errors
    /// A file that the table names cannot be opened, or the process cannot be started.
    pub fn start(program: &Program, table: Table) -> Result<Self, LaunchError> {
        check_files(&table)?;
        let metrics = table.metrics();
        let shared = Inherited::new(metrics.len())?;
        let text = serde_json::to_vec(&table).map_err(|error| LaunchError::SpawnerDied(error.to_string()))?;
        let written = (&shared.table).write_all(&text);
        written.map_err(|source| LaunchError::File { path: "table of programs".into(), source })?;
        let memory = SharedWords::map(&shared.ring, ring_words(metrics.len()))?;
        for fd in shared.fds() {
            process::keep_over_exec(fd, true)?;
        }
        let mut command = Command::new(&program.path);
        command.args(&program.words).args(shared.fds().map(|fd| fd.to_string())).stdin(Stdio::null());
        // The spawner may be told to stop before it has got as far as listening.
        let child = signal::while_terminate_waits(|| command.spawn())
            .map_err(|source| LaunchError::File { path: program.path.clone(), source });
        for fd in shared.fds() {
            process::keep_over_exec(fd, false)?;
        }
        Ok(Spawner { child: child?, shared, memory, table, metrics, submitted: 0, received: 0 })
    }

    /// The programs that it holds ready.
    pub fn table(&self) -> &Table {
        &self.table
    }

    fn rings(&self) -> Rings<'_> {
        Rings::new(self.memory.words(), self.metrics.len())
    }

    /// What is read of each run, in the order of [`Reply::readings`].
    pub fn metrics(&self) -> &Arc<MetricSet> {
        &self.metrics
    }

    /// Requests that were submitted and not yet answered.
    pub fn under_way(&self) -> usize {
        (self.submitted - self.received) as usize
    }

    /// Asks for a run. The caller keeps [`Spawner::under_way`] below [`Spawner::DEPTH`].
    pub fn submit(&mut self, request: Request) {
        assert!(self.under_way() < SLOTS, "more requests than slots");
        if self.rings().publish(Way::Requests, self.submitted, &request.encode()) {
            self.shared.to_server.ring();
        }
        self.submitted += 1;
    }

    /// Takes the next reply if there is one.
    pub fn try_reply(&mut self) -> Option<Reply> {
        if self.rings().produced(Way::Replies) <= self.received {
            return None;
        }
        let reply = self.rings().reply(self.received);
        self.received += 1;
        Some(reply)
    }

    /// Sleeps until a reply is there, a signal arrives or the time is over.
    ///
    /// # Errors
    /// The spawner is gone.
    pub fn wait(&mut self, timeout_ms: i32) -> Result<(), LaunchError> {
        let (rings, next) = (Rings::new(self.memory.words(), self.metrics.len()), self.received);
        if rings.announce_sleep(Way::Replies, true, next) {
            self.shared.to_client.wait(timeout_ms)?;
        }
        rings.announce_sleep(Way::Replies, false, next);
        match self.child.try_wait() {
            Ok(Some(status)) if rings.produced(Way::Replies) <= next => {
                Err(LaunchError::SpawnerDied(status.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Stops the run under way and all that wait; each is answered as aborted.
    pub fn abort(&mut self) {
        signal::send(self.child.id() as i32, signal::SIGTERM);
    }

    /// The tree of the last traced run.
    pub fn tree(&mut self) -> Vec<Process> {
        let mut text = String::new();
        let mut file = &self.shared.tree;
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_string(&mut text));
        read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// Where the figures come from. Known once the first reply has arrived.
    pub fn sources(&self) -> Sources {
        let (peak_memory_floor_bytes, abilities) = self.rings().abilities();
        let tree = |bit, source, otherwise| if abilities & bit != 0 { source } else { otherwise };
        Sources {
            cpu_time: tree(HAS_TASKSTATS, Source::Taskstats, Source::Rusage),
            peak_memory: tree(HAS_TASKSTATS, Source::Taskstats, Source::Rusage),
            peak_memory_floor_bytes,
            run_delay: tree(HAS_TASKSTATS, Source::Taskstats, Source::FirstThread),
            migrations: tree(HAS_MIGRATIONS, Source::PerfEvent, Source::FirstThread),
        }
    }

    /// The error behind a run that was not started, with the name of its program.
    pub fn start_error(&self, entry: u32, end: RunEnd) -> Option<LaunchError> {
        let program =
            self.table.entries.get(entry as usize).map(|entry| entry.argv.join(" ")).unwrap_or_default();
        let (stage, errno) = match end {
            RunEnd::NotStarted(stage, errno) => (stage, errno),
            RunEnd::TooManyReadings(found) => {
                let announced = self.metrics.len();
                return Some(LaunchError::TooManyReadings { program, found, announced });
            }
            _ => return None,
        };
        let stage = Stage::from_number(stage).unwrap_or(Stage::Exec);
        Some(LaunchError::Refused { program, stage, source: std::io::Error::from_raw_os_error(errno) })
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        // The word ends the spawner when it is idle, the signal ends the run under way.
        self.rings().say_goodbye();
        signal::send(self.child.id() as i32, signal::SIGTERM);
        self.shared.to_server.ring();
        let _ = self.child.wait();
    }
}

/// The files that the spawner will open are tried here, where an error can be told to the user.
fn check_files(table: &Table) -> Result<(), LaunchError> {
    use crate::table::{Stdin, Stdout};
    for entry in &table.entries {
        if let Stdin::File(path) = &entry.stdin {
            File::open(path).map_err(|source| LaunchError::File { path: path.clone(), source })?;
        }
        if let Stdout::File(path) = &entry.stdout {
            let opened = File::options().append(true).create(true).open(path);
            opened.map_err(|source| LaunchError::File { path: path.clone(), source })?;
        }
        if let Some(cwd) = &entry.cwd {
            std::fs::read_dir(cwd).map_err(|source| LaunchError::File { path: cwd.into(), source })?;
        }
    }
    Ok(())
}
