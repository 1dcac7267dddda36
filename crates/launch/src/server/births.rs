//! Places each thread of a command on a CPU as it is created.
//!
//! The command is traced: a thread that creates another one stops for a moment, and the affinity of the new thread is
//! set before its first instruction. Otherwise a traced task runs as usual, except that each signal stops it, too. If
//! the list of CPUs is used only once ([`ThreadCpus::once`]), tracing ends as soon as every CPU of the list has its
//! thread.

use std::collections::BTreeMap;

use fauxplat_sys::process::{self, Seen};
use fauxplat_sys::spawn::{Stage, StartFailed};
use fauxplat_sys::trace::{self, Event, NoEvent, SIGSTOP, Traced};
use fauxplat_sys::{SysError, sched, signal};

use crate::ring::RunEnd;
use crate::table::ThreadCpus;

/// A traced command whose threads are placed on CPUs as they are created.
#[derive(Debug)]
pub(super) struct Births {
    leader: i32,
    places: ThreadCpus,
    /// Number of threads placed since the last exec.
    born: usize,
    tasks: BTreeMap<i32, Task>,
    /// Whether tasks are being detached as they stop.
    leaving: bool,
    /// Error number of a thread that could not be placed; `None` if there was none.
    errno: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    /// The task had its first stop before its creator reported it.
    Early,
    /// The task was reported by its creator, and has not had its first stop.
    Unborn {
        is_thread: bool,
    },
    Followed,
    /// The task is running, and was asked to stop so that it can be detached.
    Asked,
}

/// Prepares a command that is stopped before its first instruction: displaces its heap and places its first thread,
/// where that is asked for. If that fails, the child is killed, left for its parent to reap, and the error is returned.
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

    pub(super) fn refused(&self) -> Option<RunEnd> {
        self.errno.map(|errno| RunEnd::NotStarted(Stage::Thread as i32, errno))
    }

    /// Waits until the command has ended, leaving it to be reaped, or has stopped, as [`process::wait_unreaped`] does.
    /// Places threads that are created meanwhile.
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

    /// Places a new thread on the next CPU. A new process is not placed.
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

    /// Starts to detach from all tasks, since every CPU has its thread: running tasks are asked to stop. The thread
    /// that has just created another one is stopped already, and the new thread is about to stop.
    fn leave(&mut self, standing: i32) {
        self.leaving = true;
        let running =
            self.tasks.iter_mut().filter(|(tid, task)| **tid != standing && **task == Task::Followed);
        for (&tid, task) in running {
            *task = Task::Asked;
            // Sending fails where the task is gone by now, in which case the tracer sees its end.
            let _ = trace::signal_thread(self.leader, tid, SIGSTOP);
        }
    }

    fn signalled(&mut self, tid: i32, signal: i32) -> Option<Seen> {
        match (signal, self.tasks.get(&tid).copied()) {
            (SIGSTOP, None) => drop(self.tasks.insert(tid, Task::Early)),
            (SIGSTOP, Some(Task::Unborn { is_thread })) => self.first_stop(tid, is_thread),
            (SIGSTOP, Some(Task::Asked)) => self.let_go(tid),
            // A signal stopped the whole process. A traced task cannot stay stopped, and is resumed.
            _ if STOPPING.contains(&signal) && trace::is_group_stop(tid) => {
                trace::resume(tid, 0);
                return Some(Seen::Stopped(signal));
            }
            _ => trace::resume(tid, signal),
        }
        None
    }

    /// Handles the first stop of a new task, before its first instruction.
    fn first_stop(&mut self, tid: i32, is_thread: bool) {
        if self.leaving || !is_thread {
            return self.let_go(tid);
        }
        self.tasks.insert(tid, Task::Followed);
        trace::resume(tid, 0);
    }

    /// Handles exec: the threads of the new program are counted anew, and those of the old program are gone.
    fn executed(&mut self) {
        let leader = self.leader;
        self.tasks.retain(|_, task| matches!(task, Task::Unborn { is_thread: false }));
        self.tasks.insert(leader, Task::Followed);
        if self.leaving {
            // SIGCONT cancels a stop that a task was asked for and has not reached.
            signal::send(leader, signal::SIGCONT);
            return self.let_go(leader);
        }
        self.born = 0;
        self.place_or_end(leader);
        trace::resume(leader, 0);
    }

    /// Sets the affinity of a thread to the next CPU of the list, which starts over at its end.
    fn place(&mut self, tid: i32) -> Result<(), SysError> {
        let cpus = &self.places.cpus;
        let cpu = cpus[self.born % cpus.len()];
        self.born += 1;
        sched::set_affinity(tid, &[cpu].into_iter().collect())
    }

    /// Places a thread; if that fails, ends the run, unless the thread is gone.
    fn place_or_end(&mut self, tid: i32) {
        match self.place(tid).map_err(|error| errno_of(&error)) {
            Ok(()) | Err(GONE) => {}
            Err(errno) => {
                self.errno = Some(errno);
                signal::send(self.leader, signal::SIGKILL);
            }
        }
    }

    fn is_complete(&self) -> bool {
        self.places.once && self.born >= self.places.cpus.len()
    }

    /// Detaches a stopped task. Detaching fails for a task that was killed meanwhile, and the tracer then sees its end.
    fn let_go(&mut self, tid: i32) {
        if trace::release(tid).is_ok() {
            self.tasks.remove(&tid);
        }
    }
}

const STOPPING: [i32; 4] = [SIGSTOP, signal::SIGTSTP, signal::SIGTTIN, signal::SIGTTOU];

/// `ESRCH`, see `errno(3)`.
const GONE: i32 = 3;
