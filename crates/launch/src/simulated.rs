//! A launcher that starts no process: it simulates a machine from a description, with its own clock.
//!
//! Simulations, and the tests of all crates that use a launcher, use this launcher: a run costs microseconds whatever
//! its simulated time, and equal descriptions give equal samples.

mod draw;
mod machine;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fauxplat_model::{MetricSet, Outcome, Process, Sources};
use fauxplat_sys::process::Exit;
use fauxplat_sys::spawn::Stage;

use crate::launcher::Launcher;
use crate::ring::{Pad, Reply, Request, RunCpu, RunEnd, SLOTS};
use crate::table::{Entry, Table};
use crate::{Gatekeeper, Held, LaunchError};
use draw::{Drawn, Moment};
pub use machine::{Behaviour, Failure, Machine, Mode, Neighbour, Times, When};

/// Simulated counterpart of a [`Spawner`](crate::Spawner).
#[derive(Debug)]
pub struct SimulatedLauncher {
    machine: Arc<Machine>,
    table: Table,
    metrics: Arc<MetricSet>,
    /// Behaviour of each entry of the table; `None` where the machine has no such program.
    behaviours: Vec<Option<Behaviour>>,
    /// Clock, in nanoseconds. The clock and the request to stop are shared with the partner of this launcher.
    now_ns: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    lane: u64,
    runs: u64,
    runs_of: Vec<u64>,
    carried: f64,
    cpu: u16,
    /// Earliest time at which the next run can start.
    free_ns: u64,
    /// Time by the simulated clock at which the launcher died, as the description of the machine may demand; `None`
    /// before.
    died_ns: Option<u64>,
    /// Number of requests that will never be answered.
    lost: usize,
    answers: VecDeque<Answer>,
    tree: Vec<Process>,
    /// The run whose process is held.
    held: Option<Request>,
}

/// A reply that is delivered when the simulated clock reaches `ready_ns`.
#[derive(Debug)]
struct Answer {
    started_ns: u64,
    ready_ns: u64,
    reply: Reply,
    tree: Option<Vec<Process>>,
}

/// Requests an experiment on the simulated machine to stop, as the user would.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<AtomicBool>);

impl Stopper {
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// `ENOENT` of `errno(3)`, for programs that the machine does not have.
const ENOENT: i32 = 2;
/// `EINVAL`, for CPUs that the machine does not have.
const EINVAL: i32 = 22;
/// Name and wall time in nanoseconds of the empty program, where the description of the machine has no program of that
/// name.
const FLOOR: (&str, f64) = ("floor", 50_000.0);

impl SimulatedLauncher {
    pub fn new(machine: Machine, table: Table) -> Self {
        let (now_ns, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        SimulatedLauncher::in_lane(0, Arc::new(machine), table, now_ns, stop)
    }

    fn in_lane(
        lane: u64,
        machine: Arc<Machine>,
        table: Table,
        now_ns: Arc<AtomicU64>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let behaviours: Vec<_> = table.entries.iter().map(|entry| behaviour(&machine, entry)).collect();
        SimulatedLauncher {
            runs_of: vec![0; behaviours.len()],
            behaviours,
            machine,
            metrics: table.metrics(),
            table,
            now_ns,
            stop,
            lane,
            runs: 0,
            carried: 0.0,
            cpu: 0,
            free_ns: 0,
            died_ns: None,
            lost: 0,
            answers: VecDeque::new(),
            tree: Vec::new(),
            held: None,
        }
    }

    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stop))
    }

    /// Advances the simulated clock to a moment, or to the time of the described request to stop if that comes first.
    /// The clock never goes back.
    fn pass_until(&self, moment_ns: u64) {
        let stop_ns = self.machine.stopped_at_ns.filter(|&stop_ns| stop_ns > self.now_ns());
        self.now_ns.fetch_max(stop_ns.map_or(moment_ns, |stop_ns| stop_ns.min(moment_ns)), Ordering::Relaxed);
    }

    /// Simulates a run that starts as soon as the run before it has ended.
    fn play(&mut self, request: Request) -> Answer {
        let waits_ns = self.now_ns().max(self.free_ns) + self.machine.between_runs_ns;
        let started_ns = waits_ns.max(request.start_at_ns);
        let (index, machine) = (request.entry as usize, Arc::clone(&self.machine));
        let refused = |stage: Stage, errno| Answer {
            started_ns,
            ready_ns: started_ns,
            reply: Reply::without_run(RunEnd::NotStarted(stage as i32, errno)),
            tree: None,
        };
        let Some(behaviour) = self.behaviours[index].clone() else { return refused(Stage::Exec, ENOENT) };
        let (run, of_program) = (self.runs, self.runs_of[index]);
        let moment = Moment { lane: self.lane, run, of_program, started_ns, carried: self.carried };
        let drawn = draw::run(&machine, &behaviour, &self.table.entries[index], moment);
        (self.runs, self.runs_of[index], self.carried) = (run + 1, of_program + 1, behaviour.carry_over);
        if let RunEnd::NotStarted(stage, errno) = drawn.end {
            return refused(Stage::from_number(stage).unwrap_or(Stage::Exec), errno);
        }
        let cpu = self.place(request.place, index, drawn.cpu);
        if cpu >= machine.cpus {
            return refused(Stage::Affinity, EINVAL);
        }
        self.cpu = cpu;
        let tree = request.traced.then(|| vec![process(&self.table.entries[index], run, &drawn)]);
        let mut reply = match request.traced {
            true => Reply::without_run(drawn.end),
            false => {
                let known = Reply { started_ns, held: request.held, ..on_cpu(cpu, request.pad) };
                reply_of(&machine, &self.metrics, (&behaviour, &drawn), known)
            }
        };
        reply.paused = machine.paused_at_run == Some(run);
        Answer { started_ns, ready_ns: started_ns + drawn.wall_ns, reply, tree }
    }

    fn place(&self, place: RunCpu, index: usize, drawn: u16) -> u16 {
        let own = self.table.entries[index].cpus.as_ref();
        match place {
            RunCpu::Cpu(cpu) => u16::try_from(cpu).unwrap_or(u16::MAX),
            RunCpu::Same => self.cpu,
            // Equal values of `drawn` select the same CPU of the entry.
            RunCpu::Entry | RunCpu::Idle => own.filter(|cpus| !cpus.is_empty()).map_or(drawn, |cpus| {
                let chosen = cpus.iter().nth(usize::from(drawn) % cpus.len());
                chosen.map_or(drawn, |cpu| u16::try_from(cpu.0).unwrap_or(u16::MAX))
            }),
        }
    }
}

fn behaviour(machine: &Machine, entry: &Entry) -> Option<Behaviour> {
    let (line, first) = (entry.argv.join(" "), entry.argv.first().map_or("", String::as_str));
    let named = |name: &str| machine.programs.iter().find(|program| program.name == name).cloned();
    let floor = || (line == FLOOR.0).then(|| Behaviour::new(FLOOR.0, Times::constant(FLOOR.1)));
    named(&line).or_else(|| named(first)).or_else(floor)
}

fn on_cpu(cpu: u16, pad: Pad) -> Reply {
    let pad_bytes = match pad {
        Pad::Entry => 0,
        Pad::Bytes(bytes) | Pad::StackOffset(bytes) => bytes,
    };
    let nothing = Reply::without_run(RunEnd::Aborted);
    Reply { cpu_first: cpu, cpu_last: cpu, pad_bytes, ..nothing }
}

fn reply_of(
    machine: &Machine,
    metrics: &MetricSet,
    (behaviour, drawn): (&Behaviour, &Drawn),
    reply: Reply,
) -> Reply {
    let readings = draw::readings(machine, metrics, behaviour, drawn);
    Reply { end: drawn.end, left_behind: behaviour.left_behind, readings, ..reply }
}

fn process(entry: &Entry, run: u64, drawn: &Drawn) -> Process {
    let outcome = match drawn.end {
        RunEnd::Ended(Exit::Status(status)) => Some(Outcome::Exited(status)),
        RunEnd::Ended(Exit::Signal(signal)) => Some(Outcome::Signaled(signal)),
        RunEnd::TimedOut | RunEnd::Aborted | RunEnd::NotStarted(..) | RunEnd::TooManyReadings(_) => None,
    };
    Process {
        pid: pid_of(run) as u32,
        parent: 1,
        command: entry.argv.join(" "),
        cpu_ns: drawn.cpu_ns,
        wall_ns: drawn.wall_ns,
        peak_memory_bytes: 0,
        threads: 1,
        outcome,
    }
}

/// A process id beyond the range of the kernel's, so that no signal can be sent to it.
fn pid_of(run: u64) -> i32 {
    (1 << 30) + (run % (1 << 29)) as i32
}

impl Launcher for SimulatedLauncher {
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
        self.answers.len() + self.lost
    }

    fn submit(&mut self, request: Request) {
        assert!(self.under_way() < SLOTS, "more requests than slots");
        if self.machine.dies_at_run == Some(self.runs) && self.died_ns.is_none() {
            self.died_ns = Some(self.now_ns().max(self.free_ns) + self.machine.between_runs_ns);
        }
        if self.died_ns.is_some() {
            self.lost += 1;
            return;
        }
        let answer = self.play(request);
        self.free_ns = answer.ready_ns;
        self.answers.push_back(answer);
    }

    fn try_reply(&mut self) -> Option<Reply> {
        let now_ns = self.now_ns();
        let answer = self.answers.pop_front_if(|answer| answer.ready_ns <= now_ns)?;
        self.tree = answer.tree.unwrap_or_default();
        Some(answer.reply)
    }

    fn wait(&mut self, timeout_ms: i32) -> Result<(), LaunchError> {
        let limit_ns = u64::try_from(timeout_ms).map_or(u64::MAX, |ms| self.now_ns() + ms * 1_000_000);
        match (self.answers.front(), self.died_ns) {
            (Some(answer), _) => self.pass_until(answer.ready_ns.min(limit_ns)),
            (None, Some(died_ns)) => {
                self.pass_until(died_ns);
                return Err(LaunchError::SpawnerDied("as its description says".into()));
            }
            // Without requests under way only the timeout ends the wait.
            (None, None) if limit_ns == u64::MAX => {}
            (None, None) => self.pass_until(limit_ns),
        }
        Ok(())
    }

    fn abort(&mut self) {
        let now_ns = self.now_ns();
        for answer in self.answers.iter_mut().filter(|answer| answer.ready_ns > now_ns) {
            let aborted = Reply::without_run(RunEnd::Aborted);
            // A request whose run had begun is answered as a run that was aborted at this moment.
            let begun = answer.started_ns < now_ns && !matches!(answer.reply.end, RunEnd::NotStarted(..));
            let reply = if begun { Reply { end: RunEnd::Aborted, ..answer.reply.clone() } } else { aborted };
            *answer = Answer { started_ns: answer.started_ns, ready_ns: now_ns, reply, tree: None };
        }
        self.free_ns = self.free_ns.min(now_ns);
    }

    fn tree(&mut self) -> Vec<Process> {
        self.tree.clone()
    }

    fn sources(&self) -> Sources {
        self.machine.sources.clone()
    }

    fn lossy_runs(&self) -> u64 {
        self.machine.lossy_runs
    }

    fn partner(&self) -> Result<Box<dyn Launcher>, LaunchError> {
        let shared = (Arc::clone(&self.machine), Arc::clone(&self.now_ns), Arc::clone(&self.stop));
        let (machine, now_ns, stop) = shared;
        let table = self.table.clone();
        Ok(Box::new(SimulatedLauncher::in_lane(self.lane + 1, machine, table, now_ns, stop)))
    }

    fn now_ns(&self) -> u64 {
        self.now_ns.load(Ordering::Relaxed)
    }

    fn sleep(&mut self, duration_ns: u64) {
        self.pass_until(self.now_ns() + duration_ns);
    }

    fn hold(&mut self, request: Request) -> Result<Held<'_>, LaunchError> {
        assert!(self.under_way() == 0, "a held run never overlaps with others");
        if self.machine.dies_at_run == Some(self.runs) || self.died_ns.is_some() {
            self.submit(request);
            self.wait(-1)?;
        }
        if self.stop_requested() {
            return Err(LaunchError::Stopped);
        }
        if matches!(request.place, RunCpu::Cpu(cpu) if cpu >= self.machine.cpus.into()) {
            let end = RunEnd::NotStarted(Stage::Affinity as i32, EINVAL);
            return Err(self.start_error(request.entry, end).unwrap_or(LaunchError::Stopped));
        }
        self.held = Some(Request { held: true, ..request });
        let pid = pid_of(self.runs);
        Ok(Held::new(pid, self))
    }

    fn stops(&self) -> u32 {
        let due = self.machine.stopped_at_ns.is_some_and(|stop_ns| self.now_ns() >= stop_ns);
        u32::from(due || self.stop.load(Ordering::Relaxed))
    }
}

impl Gatekeeper for SimulatedLauncher {
    fn open(&mut self) {
        if let Some(request) = self.held.take() {
            self.submit(request);
        }
    }

    fn shut(&mut self) {
        self.held = None;
    }
}
