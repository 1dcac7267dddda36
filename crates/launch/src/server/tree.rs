//! Traces one run and lists the processes of its tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};

use fauxplat_model::{Outcome, Process};
use fauxplat_procfs::task::{self, TaskStat};
use fauxplat_procfs::{stat, status};
use fauxplat_sys::process::Exit;
use fauxplat_sys::spawn::{StartSpace, start};
use fauxplat_sys::trace::{self, Event, NoEvent};
use fauxplat_sys::{clock, signal};

use crate::procfs;
use crate::ring::{Request, RunEnd};
use crate::server::programs::Loaded;

/// Runs the program once under the tracer and writes the list of its processes, as JSON, to the file `out`.
pub(crate) fn observe(loaded: &mut Loaded, request: &Request, space: &mut StartSpace, out: &File) -> RunEnd {
    loaded.image.set_number(request.number);
    let pad = loaded.pad_bytes(request.pad);
    loaded.setup.traced = true;
    let started = start(&mut loaded.image, &loaded.setup, pad, space);
    loaded.setup.traced = false;
    let started = match started {
        Ok(started) => started,
        Err(failed) => return super::end_of(failed),
    };
    if let Some(limit_ns) = loaded.timeout_ns {
        signal::interrupt_after(limit_ns);
    }
    let mut tree = Tree::new(started.pid, started.started_ns);
    let end = tree.follow(loaded.timeout_ns);
    if loaded.timeout_ns.is_some() && !signal::stop_requested() {
        signal::quiet();
    }
    // The client reads the list from this file, and takes a file that it cannot read for an empty list.
    let _ = write_json(out, &tree.into_list());
    end
}

fn write_json(mut out: &File, processes: &[Process]) -> std::io::Result<()> {
    out.set_len(0)?;
    out.seek(SeekFrom::Start(0))?;
    out.write_all(&serde_json::to_vec(processes)?)
}

struct Live {
    process: Process,
    born_ns: u64,
    /// Whether the process is listed: only a limited number of processes is, the first ones of the run.
    is_listed: bool,
}

/// The tasks of a traced run: all live processes by process id, and the listed processes that have ended.
struct Tree {
    leader: i32,
    started_ns: u64,
    live: BTreeMap<i32, Live>,
    listed: usize,
    done: Vec<(u64, Process)>,
    /// Process id of each thread.
    threads: BTreeMap<i32, i32>,
    /// Tasks that stopped for the first time before their creator reported them. Such a task may end before the report
    /// comes.
    unreported: BTreeSet<i32>,
    ended: Option<RunEnd>,
}

impl Tree {
    fn new(leader: i32, started_ns: u64) -> Self {
        let mut tree = Tree {
            leader,
            started_ns,
            live: BTreeMap::new(),
            listed: 0,
            done: Vec::new(),
            threads: BTreeMap::new(),
            unreported: BTreeSet::new(),
            ended: None,
        };
        tree.born(leader, std::process::id() as i32, started_ns);
        tree
    }

    /// Follows the tree until the leader has ended and every process that it left behind was ended too.
    fn follow(&mut self, timeout_ns: Option<u64>) -> RunEnd {
        let mut following = false;
        loop {
            let (tid, event) = match trace::next_event() {
                Ok(seen) => seen,
                Err(NoEvent::NoneLeft) => return self.ended.unwrap_or(RunEnd::Aborted),
                // After an interruption the tree may be killed. Killed tasks still stop once more before they end, and
                // would wait for ever if the loop did not resume them.
                Err(NoEvent::Interrupted) => {
                    self.give_up(timeout_ns);
                    continue;
                }
            };
            match event {
                // Until the tracer follows the leader's descendants, an exec stops the leader with a signal (SIGTRAP),
                // which is not passed on. Signals after that were sent to the program, and are.
                Event::Signal(_) if !following => {
                    following = trace::follow_descendants(tid).is_ok();
                    self.executed(tid);
                    trace::resume(tid, 0);
                }
                _ => self.apply(tid, event),
            }
            // If events are always pending, the tracer never sleeps and no signal interrupts its wait, so the limits
            // are also checked after each event.
            self.give_up(timeout_ns);
            if self.live.is_empty() && !kill_strays() {
                return self.ended.unwrap_or(RunEnd::Aborted);
            }
        }
    }

    fn give_up(&mut self, timeout_ns: Option<u64>) {
        let late = timeout_ns.is_some_and(|limit| clock::monotonic_ns() - self.started_ns >= limit);
        if signal::stop_requested() || late {
            self.end(if late { RunEnd::TimedOut } else { RunEnd::Aborted });
        }
    }

    fn end(&mut self, end: RunEnd) {
        if self.ended.is_none() {
            self.ended = Some(end);
            self.kill_all();
        }
    }

    fn apply(&mut self, tid: i32, event: Event) {
        let now_ns = clock::monotonic_ns();
        // A task created after the tree was killed is killed too.
        if self.ended.is_some() && !matches!(event, Event::Ended(_)) {
            signal::send(tid, signal::SIGKILL);
        }
        if !self.threads.contains_key(&tid) && !matches!(event, Event::Ended(_)) {
            self.created(tid, parent_of(tid), now_ns);
            self.unreported.insert(tid);
        }
        match event {
            Event::Created(new) => {
                if !self.unreported.remove(&new) && !self.threads.contains_key(&new) {
                    self.created(new, tid, now_ns);
                }
                trace::resume(tid, 0);
            }
            Event::Executed => {
                self.executed(tid);
                trace::resume(tid, 0);
            }
            Event::Ending => {
                self.ending(tid);
                trace::resume(tid, 0);
            }
            // A SIGSTOP is the first stop of a new task. A SIGSTOP from elsewhere has no effect, since a traced task
            // cannot stay stopped.
            Event::Signal(trace::SIGSTOP) => trace::resume(tid, 0),
            // SIGTTIN and SIGTTOU stop a task that uses the terminal from the background. No shell would continue the
            // task, so it is killed.
            Event::Signal(signal @ (signal::SIGTTIN | signal::SIGTTOU)) if trace::is_group_stop(tid) => {
                match self.threads.get(&tid) == Some(&self.leader) {
                    true => self.end(RunEnd::Ended(Exit::Signal(signal as u8))),
                    false => signal::send(tid, signal::SIGKILL),
                }
                trace::resume(tid, 0);
            }
            Event::Signal(signal) => trace::resume(tid, signal),
            Event::Ended(exit) => self.ended(tid, exit, now_ns),
        }
    }

    /// Adds a new task to the tree. Its creator and the task itself both report it, in either order. A task that is
    /// already gone cannot be looked up and is skipped.
    fn created(&mut self, new: i32, by: i32, now_ns: u64) {
        let Some(status) = status_of(new) else { return };
        let group = status::process(&status).unwrap_or(new);
        if group == new {
            let parent = self.threads.get(&by).copied().unwrap_or(by);
            self.born(new, parent, now_ns);
        } else {
            self.threads.insert(new, group);
            if let Some(live) = self.live.get_mut(&group) {
                live.process.threads += 1;
            }
        }
    }

    fn born(&mut self, pid: i32, parent: i32, now_ns: u64) {
        self.threads.insert(pid, pid);
        let process = Process {
            pid: pid as u32,
            parent: parent as u32,
            command: command_of(pid),
            cpu_ns: 0,
            wall_ns: 0,
            peak_memory_bytes: 0,
            threads: 1,
            outcome: None,
        };
        let is_listed = self.listed < Process::LISTED_MAX;
        self.listed += usize::from(is_listed);
        self.live.insert(pid, Live { process, born_ns: now_ns, is_listed });
    }

    fn executed(&mut self, pid: i32) {
        if let Some(live) = self.live.get_mut(&pid) {
            live.process.command = command_of(pid);
        }
    }

    /// Reads the CPU time of a thread just before its end, and the peak memory of its process.
    fn ending(&mut self, tid: i32) {
        let Some(live) = self.threads.get(&tid).and_then(|pid| self.live.get_mut(pid)) else { return };
        let schedstat = fs::read_to_string(format!("/proc/{tid}/schedstat")).unwrap_or_default();
        live.process.cpu_ns += task::cpu_ns(&schedstat).unwrap_or_else(|| cpu_ns_by_ticks(tid));
        let peak_bytes = status_of(tid).and_then(|text| status::peak_memory_bytes(&text)).unwrap_or(0);
        live.process.peak_memory_bytes = live.process.peak_memory_bytes.max(peak_bytes);
    }

    fn ended(&mut self, tid: i32, exit: Exit, now_ns: u64) {
        self.threads.remove(&tid);
        let Some(Live { mut process, born_ns, is_listed }) = self.live.remove(&tid) else { return };
        process.wall_ns = now_ns.saturating_sub(born_ns);
        process.outcome = match self.ended {
            None => Some(outcome(exit)),
            // The time limit ended all processes.
            Some(RunEnd::TimedOut) => Some(Outcome::TimedOut),
            Some(RunEnd::Ended(exit)) if tid == self.leader => Some(outcome(exit)),
            // A process that ends after the leader was killed by fauxplat, so its outcome is unknown.
            Some(_) => None,
        };
        if is_listed {
            self.done.push((born_ns, process));
        }
        if tid == self.leader {
            self.end(RunEnd::Ended(exit));
        }
    }

    fn kill_all(&self) {
        for &pid in self.live.keys() {
            signal::send(pid, signal::SIGKILL);
        }
    }

    fn into_list(mut self) -> Vec<Process> {
        self.done.sort_by_key(|(born_ns, process)| (*born_ns, process.pid));
        self.done.into_iter().map(|(_, process)| process).collect()
    }
}

/// Kills children that were never reported, because their creator was killed just after creating them; returns whether
/// there were any. They are traced like their creator, so the tracer still sees them end. Processes that now belong to
/// another user cannot be killed.
fn kill_strays() -> bool {
    let killed = |&child: &i32| signal::send_if_permitted(child, signal::SIGKILL);
    procfs::children().iter().filter(|child| killed(child)).count() > 0
}

fn outcome(exit: Exit) -> Outcome {
    match exit {
        Exit::Status(status) => Outcome::Exited(status),
        Exit::Signal(signal) => Outcome::Signaled(signal),
    }
}

/// Command line of a process, truncated to `Process::COMMAND_MAX` bytes; the name in brackets where there is none.
fn command_of(pid: i32) -> String {
    let mut line = Vec::new();
    let opened = File::open(format!("/proc/{pid}/cmdline"));
    // A command line that cannot be read or is empty belongs to a process that has ended or to a kernel thread, and the
    // name of the process is returned instead.
    let _ = opened.and_then(|file| file.take(Process::COMMAND_MAX as u64).read_to_end(&mut line));
    if line.len() == Process::COMMAND_MAX {
        line.extend("…\0".bytes());
    }
    let words: Vec<String> =
        line.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    let text = shell_words::join(words.split_last().map_or(&[][..], |(_, words)| words));
    if !text.is_empty() {
        return text;
    }
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    format!("[{}]", name.trim())
}

fn parent_of(pid: i32) -> i32 {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    TaskStat::parse(&line).and_then(|task| task.parent()).unwrap_or(0)
}

fn status_of(tid: i32) -> Option<String> {
    fs::read_to_string(format!("/proc/{tid}/status")).ok()
}

/// CPU time of a thread in nanoseconds, by ticks of 10 ms, where the kernel keeps no `schedstat`.
fn cpu_ns_by_ticks(tid: i32) -> u64 {
    let line = fs::read_to_string(format!("/proc/{tid}/stat")).unwrap_or_default();
    let ticks = TaskStat::parse(&line).and_then(|task| task.cpu_ticks()).unwrap_or(0);
    ticks.saturating_mul(stat::TICK_NS)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the processes of the traced tree are not measured")]
mod tests {
    use std::process::Command;

    use super::*;

    /// A task that a loaded machine interrupts while it creates another one reports it late. The process id of a task
    /// that has ended is still in `/proc` until its parent waits for it.
    #[test]
    fn a_process_that_is_reported_after_its_end_is_listed_once() {
        let leader = std::process::id() as i32;
        let mut tree = Tree::new(leader, clock::monotonic_ns());
        let mut children: Vec<_> = (0..2).map(|_| Command::new("true").spawn().unwrap()).collect();
        for (child, is_reported_first) in children.iter().zip([false, true]) {
            let pid = child.id() as i32;
            let mut events = vec![(pid, Event::Signal(trace::SIGSTOP)), (pid, Event::Ended(Exit::Status(0)))];
            let place = if is_reported_first { 0 } else { events.len() };
            events.insert(place, (leader, Event::Created(pid)));
            for (tid, event) in events {
                tree.apply(tid, event);
            }
        }
        assert_eq!(tree.live.keys().copied().collect::<Vec<_>>(), [leader], "no process is waited for");
        tree.apply(leader, Event::Ended(Exit::Status(0)));
        let listed: Vec<u32> = tree.into_list().iter().map(|process| process.pid).collect();
        let expected: Vec<u32> =
            [leader as u32].into_iter().chain(children.iter().map(|child| child.id())).collect();
        assert_eq!(listed, expected);
        for child in &mut children {
            child.wait().unwrap();
        }
    }
}
