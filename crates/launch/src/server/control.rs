//! Handles the requests to enable or disable counting that a program makes through a pipe. The counters count all the
//! time and are read when a request arrives, so that the counts of the whole run are not affected.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

use fauxplat_model::{MetricSet, Reading};
use fauxplat_sys::clock;
use fauxplat_sys::perf::Count;
use fauxplat_sys::pipes::open_pipe;
use fauxplat_sys::process::{self, Seen};
use fauxplat_sys::spawn::Started;

use super::counting::Counting;
use crate::LaunchError;
use crate::table::ControlEntry;

/// Acknowledgement of a command, with the terminating zero byte that perf writes too.
const ACKNOWLEDGED: &[u8] = b"ack\n\0";
/// Bytes per read; a pipe holds 64 KiB, which is read in at most `READS_MAX` parts.
const READ_BYTES: usize = 4096;
const READS_MAX: usize = 16;
/// Maximum length of a command in bytes.
const COMMAND_MAX: usize = 256;
/// Interval, in milliseconds, at which the spawner checks whether a child has been stopped.
const LOOK_MS: i32 = 100;
/// Interval, in milliseconds, between checks whether the child has ended, where the kernel cannot report that by a
/// descriptor (before Linux 5.3).
const LOOK_OFTEN_MS: i32 = 1;

/// The pipes between a program and the spawner, and the enabled times of the run under way.
#[derive(Debug)]
pub(crate) struct Control {
    commands: File,
    acknowledgements: Option<File>,
    /// Positions, among the readings of a run, of the metrics of the enabled time, of the number of enabled times, and
    /// of the counts.
    wall: usize,
    times: usize,
    counters: Vec<usize>,
    state: State,
    /// Beginning of a command whose end has not been written yet.
    unfinished: Vec<u8>,
    wall_ns: u64,
    ended: u64,
    /// Counts of all enabled times so far, by position of the counter in the table; `None` for a counter that did not
    /// run for all of the time.
    counts: Vec<Option<u64>>,
}

type Look = Vec<(usize, Option<Count>)>;

#[derive(Debug)]
enum State {
    /// No command has come in this run yet. If the first command disables counting, counting was enabled from the
    /// start, as with perf.
    Untold(Look),
    Enabled(u64, Look),
    Disabled,
}

impl Control {
    /// Opens the pipes.
    ///
    /// # Errors
    /// Fails where a path cannot be opened, or is no pipe.
    pub(crate) fn open(entry: &ControlEntry, metrics: &Arc<MetricSet>) -> Result<Self, LaunchError> {
        let open = |path: &std::path::PathBuf| {
            open_pipe(path).map_err(|source| LaunchError::File { path: path.clone(), source })
        };
        let place = |metric| metrics.place(metric).unwrap_or(usize::MAX);
        Ok(Control {
            commands: open(&entry.place.commands)?,
            acknowledgements: entry.place.acknowledgements.as_ref().map(open).transpose()?,
            wall: place(entry.wall),
            times: place(entry.times),
            counters: entry.counters.iter().copied().map(place).collect(),
            state: State::Disabled,
            unfinished: Vec::new(),
            wall_ns: 0,
            ended: 0,
            counts: Vec::new(),
        })
    }

    /// Resets the state before a run, and discards earlier commands.
    pub(crate) fn begin(&mut self, counting: &Counting) {
        let mut waste = [0; READ_BYTES];
        for mut pipe in std::iter::once(&self.commands).chain(&self.acknowledgements) {
            while pipe.read(&mut waste).is_ok_and(|bytes| bytes > 0) {}
        }
        (self.wall_ns, self.ended) = (0, 0);
        self.unfinished.clear();
        let look = counting.look();
        self.counts = vec![None; self.counters.len()];
        look.iter().for_each(|(at, count)| self.counts[*at] = count.map(|_| 0));
        self.state = State::Untold(look);
    }

    /// Waits for the end of the run, a command or a signal, and carries the command out. Returns after each command, so
    /// that a program that writes without end is still subject to its time limit and to a stop.
    pub(crate) fn wait(&mut self, started: Started, ending: Option<&OwnedFd>, counting: &Counting) -> Seen {
        let commands = self.commands.as_raw_fd();
        let (end, limit_ms) =
            ending.map_or((commands, LOOK_OFTEN_MS), |ending| (ending.as_raw_fd(), LOOK_MS));
        let [is_over, is_told] = process::wait_either([end, commands], limit_ms).unwrap_or_default();
        // After the end of the program, the last commands are carried out with the time of the end, by `end`.
        if is_told && (ending.is_none() || !is_over) {
            self.follow(started, None, counting);
        }
        match process::has_ended(started.pid) {
            true => Seen::Ended,
            false => process::stopped_by(started.pid).map_or(Seen::Interrupted, Seen::Stopped),
        }
    }

    /// At the end of a run, closes an enabled time that is still open.
    pub(crate) fn end(&mut self, started: Started, ended_ns: u64, counting: &Counting) {
        self.follow(started, Some(ended_ns), counting);
        if let State::Enabled(since_ns, look) = std::mem::replace(&mut self.state, State::Disabled) {
            self.add(ended_ns.saturating_sub(since_ns), &look, counting);
        }
    }

    /// Reads commands from the pipe and carries them out, as of `moment_ns` or, without it, of the present time. The
    /// number of bytes read is bounded, since a program may write without end.
    fn follow(&mut self, started: Started, moment_ns: Option<u64>, counting: &Counting) {
        let mut bytes = std::mem::take(&mut self.unfinished);
        let mut more = [0; READ_BYTES];
        for _ in 0..READS_MAX {
            match (&self.commands).read(&mut more) {
                Ok(read) if read > 0 => bytes.extend_from_slice(&more[..read]),
                _ => break,
            }
        }
        // Perf accepts a last command without its newline too. An incomplete word is kept, since the rest of it may
        // follow.
        let last = bytes.rsplit(|&byte| byte == b'\n' || byte == 0).next().unwrap_or_default().to_vec();
        if last.len() <= COMMAND_MAX && ![&b"enable"[..], b"disable", b"ping"].contains(&last.as_slice()) {
            bytes.truncate(bytes.len() - last.len());
            self.unfinished = last;
        }
        for command in bytes.split(|&byte| byte == b'\n' || byte == 0) {
            let is_followed = match command {
                b"enable" => {
                    if !matches!(self.state, State::Enabled(..)) {
                        let look = counting.look();
                        self.state = State::Enabled(moment_ns.unwrap_or_else(clock::monotonic_ns), look);
                    }
                    true
                }
                b"disable" => {
                    let now_ns = moment_ns.unwrap_or_else(clock::monotonic_ns);
                    match std::mem::replace(&mut self.state, State::Disabled) {
                        State::Untold(look) => {
                            self.add(now_ns.saturating_sub(started.started_ns), &look, counting)
                        }
                        State::Enabled(since_ns, look) => {
                            self.add(now_ns.saturating_sub(since_ns), &look, counting)
                        }
                        State::Disabled => {}
                    }
                    true
                }
                b"ping" | b"stop" => true,
                // Perf acknowledges these commands, so they are acknowledged here too; they have no effect, since
                // single events cannot be switched.
                other => [&b"evlist"[..], b"enable ", b"disable "].iter().any(|it| other.starts_with(it)),
            };
            if let Some(mut pipe) = self.acknowledgements.as_ref().filter(|_| is_followed) {
                // If the program does not read its acknowledgements, the pipe fills up and the write fails without
                // consequences.
                let _ = pipe.write(ACKNOWLEDGED);
            }
        }
    }

    /// Adds an enabled time that has ended, and its counts since `before`, to the totals of the run.
    fn add(&mut self, wall_ns: u64, before: &Look, counting: &Counting) {
        self.wall_ns += wall_ns;
        self.ended += 1;
        for ((at, earlier), (_, later)) in before.iter().zip(counting.look()) {
            let count = earlier.zip(later).and_then(|(earlier, later)| counting.between(*at, earlier, later));
            self.counts[*at] = self.counts[*at].zip(count).and_then(|(sum, more)| sum.checked_add(more));
        }
    }

    /// Writes the totals of the enabled times into the readings of the run, which stay absent if counting was never
    /// enabled.
    pub(crate) fn put(&self, readings: &mut [Reading]) {
        if self.ended == 0 {
            return;
        }
        let counts = self.counters.iter().copied().zip(self.counts.iter().copied());
        let own = [(self.wall, Some(self.wall_ns)), (self.times, Some(self.ended))];
        for (place, value) in own.into_iter().chain(counts) {
            if let Some(reading) = readings.get_mut(place) {
                *reading = value.into();
            }
        }
    }
}
