//! The tests that options ask for: one cell for each test, its CPUs, scheduling policy and timer slack.

use fauxplat_experiment::measure::{cpus_of, cpus_or_first};
use fauxplat_experiment::{Failure, Machine};
use fauxplat_gpio::{ChipName, Chips, LineName};
use fauxplat_model::{Placement, Policy};
use fauxplat_threads::{REAL_TIME_NEEDS, ThreadPlacement, real_time_or_ordinary};
use fauxplat_units::{Cpu, CpuSet, Nanos};

use crate::LatencyError;
use crate::args::{LatencyArgs, Test};
use crate::instruments::{Channel, Drive, Lines, timer};

/// Number of slices into which each test is cut. The slices of all tests alternate, so that all tests see the same
/// conditions of the machine.
pub(crate) const ROUNDS: u32 = 6;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Task {
    Timer { interval_ns: u64, activations: u64 },
    Noise { duration_ns: u64, threshold_ns: u64 },
    Message { channel: Channel, messages: u64 },
    Signal { count: u64 },
    Line { interval_ns: u64, count: u64 },
    Edge { interval_ns: u64, count: u64 },
}

/// A test on given CPUs, under one scheduling policy and with one timer slack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub task: Task,
    pub place: ThreadPlacement,
    pub peer: Option<Cpu>,
}

#[derive(Debug)]
pub(crate) struct Cells {
    cells: Vec<Cell>,
    pub lines: Lines,
    /// The policy of the first test.
    pub policy: Policy,
    /// Whether the policies were requested explicitly, in which case none may be left out.
    is_asked: bool,
    /// Sentences about policies that are not permitted and left out.
    pub refused: Vec<String>,
}

impl Cells {
    /// Creates a cell for each combination of a test, its CPUs, a scheduling policy and a timer slack.
    ///
    /// # Errors
    /// Fails for CPUs that cannot be used, a policy that is not permitted, or if no test is possible.
    pub(crate) fn of(asked: &LatencyArgs, machine: &Machine) -> Result<Self, Failure> {
        let cpus = cpus_or_first(asked.cpu.as_ref(), machine, 1)?;
        let pairs = pairs(asked, machine)?;
        let (policies, refused) = policies(asked, &cpus)?;
        let cells = cells(asked, &cpus, &pairs, &policies);
        if cells.is_empty() {
            return Err(LatencyError::NothingToTest.into());
        }
        let is_asked = !asked.policy.is_empty();
        Ok(Cells { cells, lines: lines(asked), policy: policies[0], is_asked, refused })
    }

    /// All CPUs on which the threads of the tests run.
    pub(crate) fn cpus(&self) -> CpuSet {
        self.cells.iter().flat_map(|cell| [Some(cell.place.cpu), cell.peer]).flatten().collect()
    }

    /// Cells whose scheduling policy is permitted to this process now, and a sentence about the other cells, if there
    /// are any: the control group with the requested limit may have no real-time share.
    ///
    /// # Errors
    /// Fails where a thread cannot be placed for another reason than a missing permission.
    pub(crate) fn permitted(&self) -> Result<(Vec<Cell>, Option<String>), LatencyError> {
        let is_ordinary = |cell: &Cell| cell.place.policy == Policy::Other;
        let Some(real_time) = self.cells.iter().find(|cell| !self.is_asked && !is_ordinary(cell)) else {
            return Ok((self.cells.clone(), None));
        };
        let one = |policy| timer(&ThreadPlacement { policy, ..real_time.place }, 100_000, 1);
        Ok(match real_time_or_ordinary(90, LatencyError::is_permission, one)?.1 {
            Policy::Other => {
                let ordinary = self.cells.iter().copied().filter(is_ordinary).collect();
                (ordinary, Some(format!("real-time policies ({NO_SHARE})")))
            }
            _ => (self.cells.clone(), None),
        })
    }
}

/// Reason why a real-time policy that was permitted before this process entered the control group with the requested
/// limit is not permitted in that group.
const NO_SHARE: &str = "the control group of the limit has no real-time share, see its cpu.rt_runtime_us";

/// GPIO lines that the tests use.
fn lines(asked: &LatencyArgs) -> Lines {
    let simulated = |line: u32| LineName { chip: ChipName::Simulated, line: line.to_string() };
    let event = asked.line.clone().unwrap_or_else(|| simulated(0));
    let usual = if event.chip == ChipName::Simulated { Drive::Simulated } else { Drive::Outside };
    Lines {
        chips: Chips::below("/".as_ref()),
        event,
        answer: asked.answer.clone().unwrap_or_else(|| simulated(1)),
        drive: asked.drive.clone().unwrap_or(usual),
    }
}

fn pairs(asked: &LatencyArgs, machine: &Machine) -> Result<Vec<(Cpu, Cpu)>, Failure> {
    if !asked.pairs.is_empty() {
        cpus_of(&Placement::Set(asked.pairs.iter().flat_map(|&(a, b)| [a, b]).collect()), machine)?;
        return Ok(asked.pairs.clone());
    }
    let allowed: Vec<Cpu> = machine.allowed().iter().collect();
    let first = allowed.first().map(|&cpu| (cpu, cpu));
    let next = allowed.get(1).map(|&cpu| (allowed[0], cpu));
    Ok(next.into_iter().chain(first).collect())
}

/// Scheduling policies to test, and sentences about policies that are not permitted and left out. An explicitly
/// requested policy is never left out.
fn policies(asked: &LatencyArgs, cpus: &CpuSet) -> Result<(Vec<Policy>, Vec<String>), LatencyError> {
    if !asked.policy.is_empty() {
        return Ok((asked.policy.clone(), Vec::new()));
    }
    let cpu = cpus.first().ok_or(LatencyError::NoCpu)?;
    let one = |policy| timer(&ThreadPlacement { cpu, policy, slack_ns: None }, 100_000, 1);
    Ok(match real_time_or_ordinary(90, LatencyError::is_permission, one)?.1 {
        Policy::Other => (vec![Policy::Other], vec![format!("real-time policies ({REAL_TIME_NEEDS})")]),
        real_time => (vec![Policy::Other, real_time], Vec::new()),
    })
}

fn cells(asked: &LatencyArgs, cpus: &CpuSet, pairs: &[(Cpu, Cpu)], policies: &[Policy]) -> Vec<Cell> {
    let slacks: Vec<Option<u64>> = match asked.slack.as_slice() {
        [] => vec![None],
        some => some.iter().map(|&Nanos(ns)| Some(ns.max(1))).collect(),
    };
    let mut cells = Vec::new();
    for &test in &asked.tests {
        for &policy in policies {
            // Only tests with a timer under the ordinary policy depend on the timer slack; other tests are not repeated
            // for each slack.
            let has_slack = policy == Policy::Other && matches!(test, Test::Timer | Test::Edge);
            let slacks = if has_slack { &slacks[..] } else { &[None] };
            for &slack_ns in slacks {
                let place = |cpu| ThreadPlacement { cpu, policy, slack_ns };
                match test {
                    Test::Timer | Test::Noise | Test::Edge => cells.extend(cpus.iter().map(|cpu| Cell {
                        task: alone(test, asked),
                        place: place(cpu),
                        peer: None,
                    })),
                    Test::Message | Test::Signal | Test::Line => {
                        cells.extend(pairs.iter().flat_map(|&(a, b)| {
                            let tasks = between(test, asked, a == b);
                            tasks.into_iter().map(move |task| Cell { task, place: place(a), peer: Some(b) })
                        }))
                    }
                }
            }
        }
    }
    cells
}

fn alone(test: Test, asked: &LatencyArgs) -> Task {
    let rounds = u64::from(ROUNDS);
    match test {
        Test::Noise => {
            Task::Noise { duration_ns: asked.duration().0 / rounds, threshold_ns: asked.threshold().0 }
        }
        Test::Edge => Task::Edge { interval_ns: asked.interval().0, count: asked.count().div_ceil(rounds) },
        _ => Task::Timer { interval_ns: asked.interval().0, activations: asked.count().div_ceil(rounds) },
    }
}

fn between(test: Test, asked: &LatencyArgs, same: bool) -> Vec<Task> {
    let count = asked.count().div_ceil(u64::from(ROUNDS));
    match test {
        Test::Signal => return vec![Task::Signal { count }],
        Test::Line => return vec![Task::Line { interval_ns: asked.interval().0, count }],
        _ => {}
    }
    let channels = if asked.channels.is_empty() { Channel::ALL.to_vec() } else { asked.channels.clone() };
    let possible = channels.into_iter().filter(|channel| !(same && channel.spins()));
    possible.map(|channel| Task::Message { channel, messages: count }).collect()
}
