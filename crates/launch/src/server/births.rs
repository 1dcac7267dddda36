//! Threads of a command that get a CPU each as they are born.
//!
//! The command is traced: a thread that makes another one stops for a moment, and the new one stands before its first
//! instruction when its affinity is set. A traced task that does neither runs as any other; each signal stops it, too. With
//! `once` tracing ends as soon as every CPU of the list has its thread.

use std::collections::BTreeMap;

use fauxplat_sys::process::{self, Seen};
use fauxplat_sys::spawn::{Stage, StartFailed};
use fauxplat_sys::trace::{self, Event, NoEvent, SIGSTOP, Traced};
use fauxplat_sys::{SysError, sched, signal};

use crate::ring::RunEnd;
use crate::table::ThreadCpus;

/// A command whose threads are placed.
#[derive(Debug)]
pub(super) struct Births {
    leader: i32,
    places: ThreadCpus,
    /// Threads that got a place so far, since the program was executed.
    born: usize,
    /// The tasks that are traced.
    tasks: BTreeMap<i32, Task>,
    /// Whether all are let go as they stop.
    leaving: bool,
    /// Why a thread could not have its place.
    errno: Option<i32>,
}

/// How far a task is that is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// It has stopped for the first time before its maker said that it was made.
    Early,
    /// It was made, and has not stopped for the first time.
    Unborn { is_thread: bool },
    /// It runs.
    Followed,
    /// It runs, and was asked to stop so that it can be let go.
    Asked,
}

/// What is done to a command that stands before its first instruction: its heap is displaced, and its first thread placed. A
/// run that is not as it was asked for is no run: it is ended, for its parent to reap, and the refusal is told.
pub(super) fn begin(
    pid: i32,
    heap_offset_bytes: Option<u16>,
    threads: Option<ThreadCpus>,
) -> Result<Option<Births>, StartFailed> {
    prepare(pid, heap_offset_bytes, threads).inspect_err(|_| {
        signal::send(pid, signal::SIGKILL);
    })
}

fn prepare(
    pid: i32,
    heap_offset_bytes: Option<u16>,
    threads: Option<ThreadCpus>,
) -> Result<Option<Births>, StartFailed> {
    let at = |stage| move |error: SysError| StartFailed { stage, errno: errno_of(&error) };
    trace::wait_for_exec(pid).map_err(at(Stage::Trace))?;
    if let Some(bytes) = heap_offset_bytes {
        trace::shift_heap(pid, bytes).map_err(at(Stage::Trace))?;
    }
    let Some(places) = threads.filter(|threads| !threads.cpus.is_empty()) else {
        return trace::release(pid).map_err(at(Stage::Trace)).map(|()| None);
    };
    let mut births = Births::of(pid, places);
    births.place(pid).map_err(at(Stage::Thread))?;
    if births.is_complete() {
        births.let_go(pid);
    } else {
        trace::follow_threads(pid).map_err(at(Stage::Trace))?;
        trace::resume(pid, 0);
    }
    Ok(Some(births))
}

fn errno_of(error: &SysError) -> i32 {
    error.source.raw_os_error().unwrap_or(0)
}

impl Births {
    fn of(leader: i32, places: ThreadCpus) -> Self {
        let tasks = BTreeMap::from([(leader, Task::Followed)]);
        Births { leader, places, born: 0, tasks, leaving: false, errno: None }
    }

    /// The refusal, if a thread could not have its place.
    pub(super) fn refused(&self) -> Option<RunEnd> {
        self.errno.map(|errno| RunEnd::NotStarted(Stage::Thread as i32, errno))
    }

    /// Waits until the command has ended and leaves it to be reaped, or has stopped, as [`process::wait_unreaped`] does;
    /// threads that are born meanwhile are placed.
    pub(super) fn wait(&mut self) -> Seen {
        while !self.tasks.is_empty() {
            match trace::next_of_traced(self.leader) {
                Ok(Traced::LeaderEnded) => return Seen::Ended,
                Ok(Traced::Event(tid, event)) => {
                    if let Some(stopped) = self.apply(tid, event) {
                        return stopped;
                    }
                }
                Err(NoEvent::Interrupted) => return Seen::Interrupted,
                Err(NoEvent::NoneLeft) => self.tasks.clear(),
            }
        }
        process::wait_unreaped(self.leader)
    }

    fn apply(&mut self, tid: i32, event: Event) -> Option<Seen> {
        match event {
            Event::Created(new) => self.created(tid, new),
            Event::Executed => self.executed(),
            Event::Ending => trace::resume(tid, 0),
            Event::Ended(_) => drop(self.tasks.remove(&tid)),
            Event::Signal(signal) => return self.signalled(tid, signal),
        }
        None
    }

    /// A new thread gets the next place. A process of its own is none of the command's threads.
    fn created(&mut self, by: i32, new: i32) {
        let is_thread = trace::is_thread_of(self.leader, new);
        if is_thread && !self.leaving {
            self.place_or_end(new);
        }
        let was = self.tasks.insert(new, Task::Unborn { is_thread });
        if self.is_complete() && !self.leaving {
            self.leave(by);
        }
        if was == Some(Task::Early) {
            self.first_stop(new, is_thread);
        }
        match self.leaving && self.tasks.get(&by) == Some(&Task::Followed) {
            true => self.let_go(by),
            false => trace::resume(by, 0),
        }
    }

    /// Every place has its thread: who runs is asked to stop, so that nobody is traced any more. Who has just made a thread
    /// stands still, and who was just made is about to.
    fn leave(&mut self, standing: i32) {
        self.leaving = true;
        let running =
            self.tasks.iter_mut().filter(|(tid, task)| **tid != standing && **task == Task::Followed);
        for (&tid, task) in running {
            *task = Task::Asked;
            // Who is gone by now says so itself.
            let _ = trace::signal_thread(self.leader, tid, SIGSTOP);
        }
    }

    fn signalled(&mut self, tid: i32, signal: i32) -> Option<Seen> {
        match (signal, self.tasks.get(&tid).copied()) {
            (SIGSTOP, None) => drop(self.tasks.insert(tid, Task::Early)),
            (SIGSTOP, Some(Task::Unborn { is_thread })) => self.first_stop(tid, is_thread),
            (SIGSTOP, Some(Task::Asked)) => self.let_go(tid),
            // The whole process has stopped. Whoever is traced cannot stay so, and goes on.
            _ if STOPPING.contains(&signal) && trace::is_group_stop(tid) => {
                trace::resume(tid, 0);
                return Some(Seen::Stopped(signal));
            }
            _ => trace::resume(tid, signal),
        }
        None
    }

    /// A new task stands before its first instruction.
    fn first_stop(&mut self, tid: i32, is_thread: bool) {
        if self.leaving || !is_thread {
            return self.let_go(tid);
        }
        self.tasks.insert(tid, Task::Followed);
        trace::resume(tid, 0);
    }

    /// Another program in the same process: its threads are counted anew, and those of the one before are gone.
    fn executed(&mut self) {
        let leader = self.leader;
        self.tasks.retain(|_, task| matches!(task, Task::Unborn { is_thread: false }));
        self.tasks.insert(leader, Task::Followed);
        if self.leaving {
            // This takes a stop back that one of them was asked for and has not come to.
            signal::send(leader, signal::SIGCONT);
            return self.let_go(leader);
        }
        self.born = 0;
        self.place_or_end(leader);
        trace::resume(leader, 0);
    }

    /// Sets the affinity of a thread to the next CPU of the list, which begins again at its end.
    fn place(&mut self, tid: i32) -> Result<(), SysError> {
        let cpus = &self.places.cpus;
        let cpu = cpus[self.born % cpus.len()];
        self.born += 1;
        sched::set_affinity(tid, &[cpu].into_iter().collect())
    }

    /// A thread that cannot have its place ends the run, unless it is gone.
    fn place_or_end(&mut self, tid: i32) {
        match self.place(tid).map_err(|error| errno_of(&error)) {
            Ok(()) | Err(GONE) => {}
            Err(errno) => {
                self.errno = Some(errno);
                signal::send(self.leader, signal::SIGKILL);
            }
        }
    }

    /// Whether every place has its thread, where no place has several.
    fn is_complete(&self) -> bool {
        self.places.once && self.born >= self.places.cpus.len()
    }

    /// Traces a task that stands still no longer. One that was killed meanwhile is still to be reaped, and says so itself.
    fn let_go(&mut self, tid: i32) {
        if trace::release(tid).is_ok() {
            self.tasks.remove(&tid);
        }
    }
}

/// Signals that stop a process, see `signal(7)`.
const STOPPING: [i32; 4] = [SIGSTOP, signal::SIGTSTP, signal::SIGTTIN, signal::SIGTTOU];

/// `ESRCH`, see `errno(3)`.
const GONE: i32 = 3;
