//! Traces the system calls of one run.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_sys::clock;
use fauxplat_sys::trace::calls::{self, Stop};
use fauxplat_sys::trace::{Call, NoEvent};

use super::held::Busy;
use super::kinds::Target;
use super::overlap::{Overlap, SHORT_NS, Shared, is_short};
use super::{held, kinds};
use crate::evidence::{CallSum, Traced, Wait, Waited};

/// A system call that a thread has entered and not yet left.
struct Begun {
    call: Call,
    wait: Wait,
    place: Option<String>,
    since_ns: u64,
    /// Whether the call goes on with an earlier one that a stop of the thread interrupted, and so counts as no call.
    is_continued: bool,
}

/// Number of calls of a name from which on their mean CPU time is no accident.
const FREQUENT: u64 = 4;
/// Most CPU time that counts as starting and ending a process; CPU time beyond that is the process's own work.
const STARTING_NS: u64 = 2_000_000;
/// Size of a huge page in bytes, and how often at most the memory in huge pages is read before a call that releases
/// memory.
const HUGE_BYTES: u64 = 2 << 20;
const HUGE_LOOKS: u32 = 16;

/// A thread of the traced run.
struct Task {
    /// Number of its process; `None` where the thread was gone before that could be read.
    process: Option<i32>,
    born_ns: u64,
    begun: Option<Begun>,
    /// The call that the thread left last, and the reason of its wait.
    left: Option<(Call, Wait)>,
    /// Time since which the thread has been running; zero until it first is.
    resumed_ns: u64,
    busy: Busy,
    /// CPU time between the last two stops.
    cpu_ns: u64,
}

impl Task {
    fn new(tid: i32, process: Option<i32>, born_ns: u64) -> Self {
        Task { process, born_ns, begun: None, left: None, resumed_ns: 0, busy: Busy::of(tid), cpu_ns: 0 }
    }
}

/// Sums over the system calls of one name: number and nanoseconds, of all and by reason of the wait. The number allows
/// subtracting the time that tracing each call takes.
#[derive(Default)]
struct Sum {
    count: u64,
    ns: u64,
    cpu_ns: u64,
    waits: BTreeMap<Wait, (u64, u64)>,
}

/// State of a run that is being traced.
pub(super) struct Follower {
    leader: i32,
    tasks: BTreeMap<i32, Task>,
    overlap: Overlap,
    /// Target of each file descriptor, by process and descriptor.
    places: BTreeMap<(i32, u64), Target>,
    sums: BTreeMap<i64, Sum>,
    /// Duration of the shortest call, in nanoseconds: an upper bound for the time that tracing a call takes.
    shortest_ns: u64,
    started_ns: Option<u64>,
    ended_ns: u64,
    seen: u32,
    /// Processes of the run, including the first.
    processes: BTreeSet<i32>,
    /// Threads whose first stop came before their parents reported them. They may already have ended, and must not be
    /// added again.
    early: BTreeSet<i32>,
    huge_looks: u32,
    moved: BTreeMap<i32, (u64, u64)>,
    /// CPU time in nanoseconds of the process whose condition is kept, and of each process.
    most_ns: u64,
    cpu_ns: BTreeMap<i32, u64>,
    deadline_ns: u64,
    traced: Traced,
}

impl Follower {
    /// Starts tracing a process that waits before its first instruction; the calling thread becomes its tracer.
    ///
    /// # Errors
    /// The process may not be traced.
    pub(super) fn attach(pid: i32, longest_ns: u64) -> fauxplat_sys::Result<Self> {
        calls::follow(pid)?;
        Ok(Follower::of(pid, longest_ns))
    }

    /// State at the beginning of a run whose first process is `pid`.
    fn of(pid: i32, longest_ns: u64) -> Self {
        let now_ns = clock::monotonic_ns();
        Follower {
            leader: pid,
            tasks: BTreeMap::from([(pid, Task::new(pid, Some(pid), now_ns))]),
            overlap: Overlap::default(),
            places: BTreeMap::new(),
            sums: BTreeMap::new(),
            shortest_ns: u64::MAX,
            started_ns: None,
            ended_ns: now_ns,
            seen: 1,
            processes: BTreeSet::from([pid]),
            early: BTreeSet::new(),
            huge_looks: 0,
            moved: BTreeMap::new(),
            most_ns: 0,
            cpu_ns: BTreeMap::new(),
            deadline_ns: now_ns.saturating_add(longest_ns),
            traced: Traced::default(),
        }
    }

    /// Traces all processes of the run until they end, or until the deadline.
    pub(super) fn follow(mut self) -> Traced {
        loop {
            match calls::next_stop() {
                Ok((tid, stop)) => self.apply(tid, stop),
                Err(NoEvent::Interrupted) => {}
                Err(NoEvent::NoneLeft) => return self.told(),
            }
            let now_ns = clock::monotonic_ns();
            if now_ns > self.deadline_ns && !self.traced.is_partial {
                self.traced.is_partial = true;
                // A run that is no longer followed does not report its end.
                self.ended_ns = now_ns;
                self.tasks.keys().for_each(|&tid| calls::interrupt(tid));
            }
        }
    }

    fn apply(&mut self, tid: i32, stop: Stop) {
        let now_ns = clock::monotonic_ns();
        if let Stop::Return(result) = stop {
            self.settle(tid, result, now_ns);
        }
        self.stopped(tid, now_ns);
        if let Stop::Ended(_) = stop {
            return self.ended(tid, now_ns);
        }
        if !self.tasks.contains_key(&tid) {
            self.early.insert(tid);
            self.born(tid, held::process_of(tid), now_ns);
        }
        let signal = match stop {
            Stop::Signal(signal) => signal,
            _ => 0,
        };
        match stop {
            Stop::Created(new) => self.created(tid, new, now_ns),
            Stop::Executed => self.executed(tid, now_ns),
            Stop::Ending => self.ending(tid),
            Stop::Entry(call) => self.entered(tid, call),
            Stop::Return(result) => self.returned(tid, result, now_ns),
            Stop::Halted { is_group: true } if !self.traced.is_partial => return calls::stay_stopped(tid),
            _ => {}
        }
        match self.traced.is_partial {
            true => calls::leave(tid, signal),
            false => calls::go_on(tid, signal),
        }
        let Some(task) = self.tasks.get_mut(&tid) else { return };
        task.resumed_ns = clock::monotonic_ns();
        // The time of a system call begins when its thread is resumed.
        if let Some(begun) = task.begun.as_mut().filter(|begun| begun.since_ns == 0) {
            begun.since_ns = task.resumed_ns;
        }
    }

    /// Settles the reason of a wait, which the result of its call may tell.
    fn settle(&mut self, tid: i32, result: i64, now_ns: u64) {
        let Some(task) = self.tasks.get_mut(&tid) else { return };
        let process = task.process.unwrap_or(tid);
        let Some(begun) = &mut task.begun else { return };
        if now_ns.saturating_sub(begun.since_ns) < SHORT_NS {
            return;
        }
        begun.wait = kinds::wait_until(&begun.call, begun.wait, result);
        if let (true, Ok(fd)) = (kinds::opens(begun.call.number), u64::try_from(result)) {
            begun.wait = Target::of(process, fd).wait().unwrap_or(begun.wait);
        }
    }

    /// Records what a thread did since it was resumed.
    fn stopped(&mut self, tid: i32, now_ns: u64) {
        let others = self.tasks.len().saturating_sub(1) as u64;
        let Some(task) = self.tasks.get_mut(&tid).filter(|task| task.resumed_ns > 0) else { return };
        let times_ns = [task.resumed_ns, now_ns];
        let wait = task.begun.as_ref().map(|begun| begun.wait);
        let used = task.busy.more();
        task.cpu_ns = used.map_or(0, |used| used.cpu_ns);
        let busy_ns = match (used, wait) {
            // After each stop, a thread may have to wait for a CPU that it would have kept without a tracer. So it counts
            // as ready to run only for as long as all the others can have used the same CPU in turn with it.
            (Some(used), None | Some(Wait::File | Wait::Other)) => {
                used.cpu_ns + used.delay_ns.min(others * used.cpu_ns)
            }
            (Some(used), Some(_)) => used.cpu_ns,
            // Without the kernel's figures, each call counts as a wait.
            (None, Some(_)) => 0,
            (None, None) => u64::MAX,
        };
        self.overlap.ran(tid, times_ns, busy_ns, wait);
    }

    fn born(&mut self, tid: i32, process: Option<i32>, now_ns: u64) {
        self.tasks.insert(tid, Task::new(tid, process, now_ns));
        self.seen += 1;
        self.processes.extend(process.filter(|&process| process == tid));
    }

    /// Handles the report of a parent about a new thread or process, which may already have stopped or even ended.
    fn created(&mut self, parent: i32, new: i32, now_ns: u64) {
        let process = self.process_of_new(parent, new).or_else(|| held::process_of(new));
        if !self.early.remove(&new) {
            if !self.tasks.contains_key(&new) {
                self.born(new, process, now_ns);
            }
            return;
        }
        self.processes.extend(process.filter(|&process| process == new));
        if let Some(task) = self.tasks.get_mut(&new) {
            task.process = task.process.or(process);
        }
    }

    /// Number of the process of a new thread, from the call that created it: the thread's own number for a new process,
    /// and else that of the parent's process.
    fn process_of_new(&self, parent: i32, new: i32) -> Option<i32> {
        let task = self.tasks.get(&parent)?;
        let call = task.begun.as_ref()?.call;
        let flags = match call.number {
            libc::SYS_clone => call.arguments[0],
            libc::SYS_clone3 => held::word_at(parent, call.arguments[0])?,
            _ => 0,
        };
        if flags & libc::CLONE_THREAD as u64 != 0 { task.process } else { Some(new) }
    }

    /// Handles the start of a new program. Times before the first one belong to fauxplat, and are dropped.
    fn executed(&mut self, tid: i32, now_ns: u64) {
        if self.started_ns.is_none() {
            self.started_ns = Some(now_ns);
            self.tasks.values_mut().for_each(|task| task.born_ns = now_ns);
            self.overlap.clear();
        } else if tid == self.leader {
            // The first process was another program until now, such as `env` or `nice`.
            self.traced.programs_before += 1;
            self.traced.before_ns = now_ns.saturating_sub(self.started_ns.unwrap_or(now_ns)) as f64;
        }
        self.places.retain(|(process, _), _| *process != tid);
    }

    fn entered(&mut self, tid: i32, call: Call) {
        let Some(task) = self.tasks.get(&tid) else { return };
        let process = task.process.unwrap_or(tid);
        // A wait that a stop of the thread interrupted goes on in `restart_syscall`.
        if call.number == libc::SYS_restart_syscall
            && let Some((call, wait)) = task.left
        {
            return self.begin(tid, Begun { call, wait, place: None, since_ns: 0, is_continued: true });
        }
        self.look_at_memory(process, &call);
        if call.number == libc::SYS_close || call.number == libc::SYS_dup3 {
            let which = usize::from(call.number == libc::SYS_dup3);
            self.places.remove(&(process, call.arguments[which]));
        }
        let places = &mut self.places;
        let mut place = None;
        let of_file = |fd: u64| {
            let found = places.entry((process, fd)).or_insert_with(|| Target::of(process, fd)).clone();
            place = Some(found.name.clone());
            found
        };
        let wait = kinds::wait_of(&call, of_file, |number| self.tasks.contains_key(&number));
        self.begin(tid, Begun { call, wait, place, since_ns: 0, is_continued: false });
    }

    fn begin(&mut self, tid: i32, begun: Begun) {
        if let Some(task) = self.tasks.get_mut(&tid) {
            task.begun = Some(begun);
        }
    }

    /// Reads a process's memory in huge pages before a call that releases a large piece of memory.
    fn look_at_memory(&mut self, process: i32, call: &Call) {
        let gives_back = [libc::SYS_munmap, libc::SYS_madvise].contains(&call.number);
        if gives_back && call.arguments[1] >= HUGE_BYTES && self.huge_looks < HUGE_LOOKS {
            self.huge_looks += 1;
            self.traced.huge_bytes = self.traced.huge_bytes.max(held::huge_bytes(process));
        }
    }

    fn returned(&mut self, tid: i32, result: i64, now_ns: u64) {
        let Some(task) = self.tasks.get_mut(&tid) else { return };
        let Some(begun) = task.begun.take() else { return };
        task.left = Some((begun.call, begun.wait));
        let took_ns = now_ns.saturating_sub(begun.since_ns);
        let cpu_ns = task.cpu_ns;
        self.shortest_ns = self.shortest_ns.min(took_ns);
        self.note(&begun, took_ns, cpu_ns);
        if kinds::writes(begun.call.number)
            && let (Some(place), Ok(bytes)) = (begun.place, u64::try_from(result))
        {
            let written = self.traced.written.entry(place).or_default();
            written.calls += 1;
            written.bytes += bytes;
        }
    }

    fn note(&mut self, begun: &Begun, took_ns: u64, cpu_ns: u64) {
        let sum = self.sums.entry(begun.call.number).or_default();
        sum.count += u64::from(!begun.is_continued);
        sum.ns += took_ns;
        sum.cpu_ns += cpu_ns;
        let is_short = is_short(begun.wait, took_ns);
        let wait = sum.waits.entry(begun.wait).or_default();
        wait.0 += u64::from(!is_short && !begun.is_continued);
        wait.1 += if is_short { 0 } else { took_ns };
    }

    /// Reads what the kernel knows of a thread's process before the thread is gone.
    fn ending(&mut self, tid: i32) {
        let process = self.tasks.get(&tid).and_then(|task| task.process).unwrap_or(tid);
        if tid == process {
            self.traced.huge_bytes = self.traced.huge_bytes.max(held::huge_bytes(tid));
        }
        let own_ns = held::cpu_ns(tid);
        let cpu_ns = self.cpu_ns.entry(process).or_default();
        *cpu_ns += own_ns;
        if *cpu_ns >= self.most_ns {
            let held = held::held(tid);
            // A condition that could be read is not replaced by one that could not.
            if held.program.is_some() {
                self.most_ns = *cpu_ns;
                self.traced.held = held;
            }
        }
        self.traced.libraries.append(&mut held::libraries(tid));
        self.moved.insert(process, held::moved_bytes(tid));
    }

    fn ended(&mut self, tid: i32, now_ns: u64) {
        self.ended_ns = now_ns;
        let Some(task) = self.tasks.remove(&tid) else { return };
        let alive_ns = now_ns.saturating_sub(task.born_ns);
        if task.process == Some(tid) && tid != self.leader {
            self.traced.children_ns += alive_ns as f64;
        }
        // A call that never returned, such as a wait during which the thread's process ended.
        if let Some(begun) = task.begun.filter(|begun| begun.since_ns > 0) {
            self.note(&begun, now_ns.saturating_sub(begun.since_ns), 0);
        }
    }

    /// Returns the traced run. The duration of the shortest call, and the mean CPU time of the calls of the cheapest
    /// name, are subtracted from each call, as what tracing it took.
    fn told(mut self) -> Traced {
        let least_ns = if self.shortest_ns == u64::MAX { 0 } else { self.shortest_ns };
        let frequent = self.sums.values().filter(|sum| sum.count >= FREQUENT);
        let cheapest_ns = frequent.map(|sum| sum.cpu_ns / sum.count).min().unwrap_or(0);
        let without = |count: u64, ns: u64| ns.saturating_sub(count * least_ns) as f64;
        for (&number, sum) in &self.sums {
            let cpu_ns = sum.cpu_ns.saturating_sub(sum.count * cheapest_ns) as f64;
            let call = CallSum { count: sum.count as f64, ns: without(sum.count, sum.ns), cpu_ns };
            self.traced.calls.insert(kinds::name(number), call);
            for (&wait, &(count, ns)) in sum.waits.iter().filter(|(_, (_, ns))| *ns > 0) {
                let waited = Waited { count: count as f64, ns: without(count, ns) };
                *self.traced.waits.entry(wait).or_default() += waited.ns;
                self.traced.waited_in.entry(wait).or_default().insert(kinds::name(number), waited);
            }
        }
        let wall_ns = self.ended_ns.saturating_sub(self.started_ns.unwrap_or(self.ended_ns)) as f64;
        let others = self.cpu_ns.iter().filter(|(process, _)| **process != self.leader);
        let starts = others.filter(|(process, _)| self.processes.contains(process));
        self.traced.starting_ns = starts.map(|(_, &own_ns)| own_ns.min(STARTING_NS) as f64).sum();
        let moved = self.moved.values();
        (self.traced.read_bytes, self.traced.written_bytes) =
            moved.fold((0, 0), |sum, own| (sum.0 + own.0, sum.1 + own.1));
        let processes = self.processes.len() as u32;
        let Shared { lanes, idle_ns } = self.overlap.shared(wall_ns);
        Traced { wall_ns, lanes, idle_ns, tasks: self.seen, processes, ..self.traced }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_that_a_stop_interrupted_counts_once_and_in_whole() {
        let sleep = Call { number: libc::SYS_clock_nanosleep, arguments: [0; 6] };
        let restart = Call { number: libc::SYS_restart_syscall, arguments: [0; 6] };
        let mut follower = Follower::of(1, u64::MAX);
        for (call, took_ns) in [(sleep, 1_000_000), (restart, 4_000_000), (restart, 7_000_000)] {
            follower.entered(1, call);
            follower.returned(1, 0, took_ns);
        }
        let traced = follower.told();
        let names: Vec<&str> = traced.calls.keys().map(String::as_str).collect();
        assert_eq!(names, ["clock_nanosleep"]);
        // The shortest call's millisecond is taken off once.
        let sum = traced.calls["clock_nanosleep"];
        assert_eq!((sum.count, sum.ns), (1.0, 11e6));
        assert_eq!(traced.waits.get(&Wait::Sleep), Some(&11e6));
    }

    #[test]
    fn a_continued_call_that_is_not_known_keeps_its_name() {
        let mut follower = Follower::of(1, u64::MAX);
        follower.entered(1, Call { number: libc::SYS_restart_syscall, arguments: [0; 6] });
        follower.returned(1, 0, 1_000_000);
        assert!(follower.told().calls.contains_key("restart_syscall"));
    }

    #[test]
    fn programs_before_the_last_one_are_counted_with_their_time() {
        let mut follower = Follower::of(1, u64::MAX);
        for at_ns in [1_000, 5_000, 9_000] {
            follower.executed(1, at_ns);
        }
        follower.executed(2, 12_000);
        let traced = follower.told();
        assert_eq!(
            (traced.programs_before, traced.before_ns),
            (2, 8_000.0),
            "a child executes programs of its own"
        );
    }
}
