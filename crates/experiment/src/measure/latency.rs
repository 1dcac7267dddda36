//! The experiment of `latency`: measures the delays of timers, messages and signals, and the gaps in a thread's CPU
//! time with their causes.

use fauxplat_analyze::worker_counts;
use fauxplat_gpio::{ChipName, Chips, LineName};
use fauxplat_latency::{
    Channel, Drive, LatencyError, Lines, Recording, ThreadPlacement, calm, edge, line, message, noise,
    signals, timer,
};
use fauxplat_model::{
    Event, Evidence, Histogram, LatencyCause, LatencyFindings, LatencyTest, Percentiles, Placement, Policy,
    ShiftSample, Unit,
};
use fauxplat_sys::clock;
use fauxplat_threads::{REAL_TIME_NEEDS, real_time_or_ordinary};
use fauxplat_units::{Cpu, CpuSet, Nanos};

use super::threads::CountedThreads;
use super::workers::{cells_plan, counted, cpus_of, cpus_or_first};
use crate::shifts::Span;
use crate::{Driver, Failure, Machine};

#[derive(Clone, Debug)]
pub struct Latency {
    pub tests: Vec<Kind>,
    /// Scheduling policies under which the tests run; if empty, the ordinary one and a real-time one where it is
    /// permitted.
    pub policies: Vec<Policy>,
    /// CPUs for the tests of timers, noise and edges; if `None`, the first CPU that this process may use.
    pub cpu: Option<Placement>,
    /// Pairs of CPUs for the tests of messages, signals and lines; if empty, the first usable CPU with the next one and
    /// with itself.
    pub pairs: Vec<(Cpu, Cpu)>,
    /// Period of the timer, or of the edges on a line.
    pub interval: Nanos,
    /// Number of timer activations, messages, signals or edges in each test.
    pub count: u64,
    /// Timer slacks with which the tests of timers and edges run; the kernel's default if empty.
    pub slacks: Vec<Nanos>,
    /// Time for which the test of noise watches each CPU.
    pub duration: Nanos,
    /// Shortest gap in the CPU time of the watching thread that counts as noise.
    pub threshold: Nanos,
    /// Channels over which messages are sent, such as a futex or a pipe; all of them if empty.
    pub channels: Vec<Channel>,
    /// GPIO line whose edges are waited for; a line of the simulated chip if `None`.
    pub line: Option<LineName>,
    /// GPIO line that answers the edges of `line`, or that blinks; another line of the simulated chip if `None`.
    pub answer: Option<LineName>,
    /// Source of the edges on `line`; if `None`, the simulated chip for a line of that chip, and an external source for
    /// any other line.
    pub drive: Option<Drive>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Delay from the expiry of a timer until its thread runs.
    Timer,
    /// Gaps in the CPU time of a thread that never sleeps, and their causes.
    Noise,
    /// Time of a message from one CPU to another and back.
    Message,
    /// Delay from sending a signal to its handler.
    Signal,
    /// Delay from an edge of a line to its handler, and from there to the edge on the answering line.
    Line,
    /// Delay with which an output line that blinks changes its level, counted from the moment at which the change was
    /// due.
    Edge,
}

/// Number of slices into which each test is cut. The slices of all tests alternate, so that all tests see the same
/// conditions of the machine.
const ROUNDS: u32 = 6;

#[derive(Clone, Copy, Debug)]
enum Task {
    Timer { interval_ns: u64, activations: u64 },
    Noise { duration_ns: u64, threshold_ns: u64 },
    Message { channel: Channel, messages: u64 },
    Signal { count: u64 },
    Line { interval_ns: u64, count: u64 },
    Edge { interval_ns: u64, count: u64 },
}

/// A test on given CPUs, under one scheduling policy and with one timer slack.
#[derive(Clone, Copy, Debug)]
struct Cell {
    task: Task,
    place: ThreadPlacement,
    peer: Option<Cpu>,
}

#[derive(Debug)]
pub struct Cells {
    cells: Vec<Cell>,
    lines: Lines,
    policy: Policy,
    /// Whether the policies were requested explicitly, in which case none may be left out.
    is_asked: bool,
    refused: Vec<String>,
}

impl Cells {
    /// Creates a cell for each combination of a test, its CPUs, a scheduling policy and a timer slack.
    ///
    /// # Errors
    /// Fails for CPUs that cannot be used, a policy that is not permitted, or if no test is possible.
    pub fn of(asked: &Latency, machine: &Machine) -> Result<Self, Failure> {
        let cpus = cpus_or_first(asked.cpu.as_ref(), machine, 1)?;
        let pairs = pairs(asked, machine)?;
        let (policies, refused) = policies(asked, &cpus)?;
        let cells = cells(asked, &cpus, &pairs, &policies);
        match cells.is_empty() {
            true => Err(Failure::usage(
                "there is nothing to test: messages over the channel `line` (a cache line that the receiver polls) need two different CPUs (--pairs A:B)",
            )),
            false => {
                let is_asked = !asked.policies.is_empty();
                Ok(Cells { cells, lines: lines(asked)?, policy: policies[0], is_asked, refused })
            }
        }
    }

    /// All CPUs on which the threads of the tests run.
    pub fn cpus(&self) -> CpuSet {
        self.cells.iter().flat_map(|cell| [Some(cell.place.cpu), cell.peer]).flatten().collect()
    }

    /// The policy of the first test.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// Cells whose scheduling policy is permitted to this process now, and a sentence about the other cells, if there
    /// are any: the control group with the requested limit may have no real-time share.
    fn permitted(&self) -> Result<(Vec<Cell>, Option<String>), Failure> {
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

/// Runs all tests, each cut into slices that alternate with the slices of the other tests.
///
/// # Errors
/// Fails if threads cannot be placed, or with an error of the store.
pub fn latency(driver: &mut Driver, tests: &Cells) -> Result<LatencyFindings, Failure> {
    let (cells, left_out) = tests.permitted()?;
    driver.header.not_measured.extend(tests.refused.iter().cloned().chain(left_out));
    let (calm, restless) = calm();
    restless.into_iter().for_each(|warning| driver.warn(warning));
    let threads = CountedThreads::open(&counted(driver)?)?;
    let mut shifts = Vec::new();
    let recordings = measure(driver, (&cells, &tests.lines), threads.as_ref(), &mut shifts)?;
    drop(calm);
    let found = cells.iter().zip(&recordings);
    let tests = found.flat_map(|(cell, ways)| findings(cell, &tests.lines, ways)).collect();
    let counts = cells.iter().enumerate().filter_map(|(index, cell)| {
        let own: Vec<&ShiftSample> = shifts.iter().filter(|it| usize::from(it.cell) == index).collect();
        worker_counts(work(cell), &own)
    });
    Ok(LatencyFindings { tests, counts: counts.collect(), elapsed_s: driver.elapsed_s() })
}

/// GPIO lines that the requested tests use. Options that no requested test uses are refused.
fn lines(asked: &Latency) -> Result<Lines, Failure> {
    let tests = |kinds: &[Kind]| asked.tests.iter().any(|kind| kinds.contains(kind));
    let between = [Kind::Message, Kind::Signal, Kind::Line];
    let for_nobody = [
        (
            asked.line.is_some() || asked.drive.is_some(),
            tests(&[Kind::Line]),
            "--line and --drive are for the test `line`",
        ),
        (
            asked.answer.is_some(),
            tests(&[Kind::Line, Kind::Edge]),
            "--answer is for the tests `line` and `edge`",
        ),
        (
            !asked.pairs.is_empty(),
            tests(&between),
            "--pairs are for the tests `message`, `signal` and `line`",
        ),
        (!asked.channels.is_empty(), tests(&[Kind::Message]), "--channels are for the test `message`"),
        (
            asked.cpu.is_some(),
            tests(&[Kind::Timer, Kind::Noise, Kind::Edge]),
            "--cpu is for the tests `timer`, `noise` and `edge`; `message`, `signal` and `line` take --pairs",
        ),
    ];
    if let Some((.., why)) = for_nobody.iter().find(|(is_given, is_tested, _)| *is_given && !*is_tested) {
        return Err(Failure::usage(*why));
    }
    let simulated = |line: u32| LineName { chip: ChipName::Simulated, line: line.to_string() };
    let event = asked.line.clone().unwrap_or_else(|| simulated(0));
    let usual = if event.chip == ChipName::Simulated { Drive::Simulated } else { Drive::Outside };
    Ok(Lines {
        chips: Chips::below("/".as_ref()),
        event,
        answer: asked.answer.clone().unwrap_or_else(|| simulated(1)),
        drive: asked.drive.clone().unwrap_or(usual),
    })
}

fn pairs(asked: &Latency, machine: &Machine) -> Result<Vec<(Cpu, Cpu)>, Failure> {
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
fn policies(asked: &Latency, cpus: &CpuSet) -> Result<(Vec<Policy>, Vec<String>), Failure> {
    if !asked.policies.is_empty() {
        return Ok((asked.policies.clone(), Vec::new()));
    }
    let cpu = cpus.first().ok_or_else(|| Failure::machine("no CPU is allowed to this process"))?;
    let one = |policy| timer(&ThreadPlacement { cpu, policy, slack_ns: None }, 100_000, 1);
    Ok(match real_time_or_ordinary(90, LatencyError::is_permission, one)?.1 {
        Policy::Other => (vec![Policy::Other], vec![format!("real-time policies ({REAL_TIME_NEEDS})")]),
        real_time => (vec![Policy::Other, real_time], Vec::new()),
    })
}

fn cells(asked: &Latency, cpus: &CpuSet, pairs: &[(Cpu, Cpu)], policies: &[Policy]) -> Vec<Cell> {
    let slacks: Vec<Option<u64>> = match asked.slacks.as_slice() {
        [] => vec![None],
        some => some.iter().map(|&Nanos(ns)| Some(ns.max(1))).collect(),
    };
    let mut cells = Vec::new();
    for &kind in &asked.tests {
        for &policy in policies {
            // Only tests with a timer under the ordinary policy depend on the timer slack; other tests are not repeated
            // for each slack.
            let has_slack = policy == Policy::Other && matches!(kind, Kind::Timer | Kind::Edge);
            let slacks = if has_slack { &slacks[..] } else { &[None] };
            for &slack_ns in slacks {
                let place = |cpu| ThreadPlacement { cpu, policy, slack_ns };
                match kind {
                    Kind::Timer | Kind::Noise | Kind::Edge => cells.extend(cpus.iter().map(|cpu| Cell {
                        task: alone(kind, asked),
                        place: place(cpu),
                        peer: None,
                    })),
                    Kind::Message | Kind::Signal | Kind::Line => {
                        cells.extend(pairs.iter().flat_map(|&(a, b)| {
                            let tasks = between(kind, asked, a == b);
                            tasks.into_iter().map(move |task| Cell { task, place: place(a), peer: Some(b) })
                        }))
                    }
                }
            }
        }
    }
    cells
}

fn alone(kind: Kind, asked: &Latency) -> Task {
    let rounds = u64::from(ROUNDS);
    match kind {
        Kind::Noise => {
            Task::Noise { duration_ns: asked.duration.0 / rounds, threshold_ns: asked.threshold.0 }
        }
        Kind::Edge => Task::Edge { interval_ns: asked.interval.0, count: asked.count.div_ceil(rounds) },
        _ => Task::Timer { interval_ns: asked.interval.0, activations: asked.count.div_ceil(rounds) },
    }
}

fn between(kind: Kind, asked: &Latency, same: bool) -> Vec<Task> {
    let count = asked.count.div_ceil(u64::from(ROUNDS));
    match kind {
        Kind::Signal => return vec![Task::Signal { count }],
        Kind::Line => return vec![Task::Line { interval_ns: asked.interval.0, count }],
        _ => {}
    }
    let channels = if asked.channels.is_empty() { Channel::ALL.to_vec() } else { asked.channels.clone() };
    let possible = channels.into_iter().filter(|channel| !(same && channel.spins()));
    possible.map(|channel| Task::Message { channel, messages: count }).collect()
}

/// Runs the slices of all cells, and returns the recordings of each cell: one, or three for messages (there, back,
/// round trip) and for lines (edge to handler, handler to answer, edge to answer).
fn measure(
    driver: &mut Driver,
    (cells, lines): (&[Cell], &Lines),
    threads: Option<&CountedThreads>,
    shifts: &mut Vec<ShiftSample>,
) -> Result<Vec<Vec<Recording>>, Failure> {
    let plan = cells_plan(cells.len(), driver.header.seed);
    driver.plan(&plan)?;
    let mut recordings: Vec<Vec<Recording>> = vec![Vec::new(); cells.len()];
    let span = Span { done: 0, rounds: ROUNDS, words: "round" };
    let started_ns = clock::monotonic_ns();
    driver.cells(&plan, &span, |round, index| {
        let cell = &cells[usize::from(index)];
        let slice = match threads {
            None => slice(cell, lines)?,
            Some(threads) => {
                let served = |slice: &Result<Vec<Recording>, _>| {
                    slice.as_ref().ok().and_then(|all| all.first()).map_or(0, Recording::count)
                };
                let (slice, counted) = threads.during(|| slice(cell, lines), served);
                shifts.push(ShiftSample { round, cell: index, ..counted });
                slice?
            }
        };
        let whole = &mut recordings[usize::from(index)];
        whole.resize_with(slice.len(), Recording::default);
        whole.iter_mut().zip(&slice).for_each(|(whole, slice)| whole.merge(slice));
        let at_ns = clock::monotonic_ns() - started_ns;
        let named = names(cell).into_iter().zip(&slice);
        Ok(named.flat_map(|(name, slice)| evidence(slice, (round, index), &name, at_ns)).collect())
    })?;
    Ok(recordings)
}

fn slice(cell: &Cell, lines: &Lines) -> Result<Vec<Recording>, LatencyError> {
    let peer = ThreadPlacement { cpu: cell.peer.unwrap_or(cell.place.cpu), ..cell.place };
    let both = [&cell.place, &peer];
    Ok(match cell.task {
        Task::Timer { interval_ns, activations } => vec![timer(&cell.place, interval_ns, activations)?],
        Task::Noise { duration_ns, threshold_ns } => vec![noise(&cell.place, duration_ns, threshold_ns)?],
        Task::Message { channel, messages } => message(both, channel, messages)?.into(),
        Task::Signal { count } => vec![signals(both, count)?],
        Task::Line { interval_ns, count } => line(both, lines, interval_ns, count)?.into(),
        Task::Edge { interval_ns, count } => {
            vec![edge(&cell.place, &lines.chips, &lines.answer, interval_ns, count)?]
        }
    })
}

/// Evidence of one slice of a test: a histogram of its delays, a second one that includes missed activations if there
/// were any, and the causes of gaps.
fn evidence(slice: &Recording, (round, cell): (u32, u16), name: &str, at_ns: u64) -> Vec<Evidence> {
    let histogram = |(name, (bounds, counts)): (String, (Vec<u64>, Vec<u64>))| {
        let (unit, missed) = (Unit::Nanos, slice.missed);
        Evidence::Histogram(Histogram { round, cell, name, unit, missed, bounds, counts })
    };
    let names = [name.to_owned(), format!("{name}, with missed")];
    let kinds = if slice.missed > 0 { 2 } else { 1 };
    let histograms = names.into_iter().zip(slice.bins()).take(kinds).map(histogram);
    let cause = |cause: LatencyCause| {
        let figures = [("gaps".to_owned(), cause.count), ("total_ns".to_owned(), cause.total_ns)];
        Evidence::Event(Event {
            at_ns,
            trial: None,
            name: "cause".to_owned(),
            message: format!("{name}, round {round}, cell {cell}: {}", cause.cause),
            figures: figures.into(),
        })
    };
    histograms.chain(slice.causes().into_iter().map(cause)).collect()
}

fn work(cell: &Cell) -> String {
    let test = match cell.task {
        Task::Timer { .. } => "timer".to_owned(),
        Task::Noise { .. } => "noise".to_owned(),
        Task::Signal { .. } => "signal".to_owned(),
        Task::Line { .. } => "line".to_owned(),
        Task::Edge { .. } => "edge".to_owned(),
        Task::Message { channel, .. } => channel.to_string(),
    };
    let peer = cell.peer.map_or(String::new(), |peer| format!(" and {peer}"));
    format!("{test} on CPU {}{peer}, {}", cell.place.cpu, cell.place.policy)
}

fn names(cell: &Cell) -> Vec<String> {
    match cell.task {
        Task::Timer { .. } => vec!["timer".to_owned()],
        Task::Noise { .. } => vec!["noise".to_owned()],
        Task::Signal { .. } => vec!["signal".to_owned()],
        Task::Edge { .. } => vec!["edge".to_owned()],
        Task::Line { .. } => {
            ["line to handler", "handler to answer", "line to answer"].map(str::to_owned).into()
        }
        Task::Message { channel, .. } => {
            ["there", "back", "round trip"].map(|way| format!("{channel} {way}")).into()
        }
    }
}

fn findings(cell: &Cell, lines: &Lines, recordings: &[Recording]) -> Vec<LatencyTest> {
    let test = |(name, recording)| LatencyTest { lines: told(cell, lines), ..test(cell, name, recording) };
    names(cell).into_iter().zip(recordings).map(test).collect()
}

/// Names of the GPIO lines that a test uses, and the source of their edges; `None` for tests without lines.
fn told(cell: &Cell, Lines { event, answer, drive, .. }: &Lines) -> Option<String> {
    match cell.task {
        Task::Line { .. } => Some(format!("{event} to {answer}, driven by {drive}")),
        Task::Edge { .. } => Some(answer.to_string()),
        _ => None,
    }
}

fn test(cell: &Cell, name: String, recording: &Recording) -> LatencyTest {
    let interval_ns = match cell.task {
        Task::Timer { interval_ns, .. } | Task::Line { interval_ns, .. } | Task::Edge { interval_ns, .. } => {
            Some(interval_ns)
        }
        _ => None,
    };
    let is_noise = matches!(cell.task, Task::Noise { .. });
    let mut test = LatencyTest {
        name,
        policy: cell.place.policy,
        cpu: cell.place.cpu,
        peer: cell.peer,
        lines: None,
        interval_ns,
        slack_ns: cell.place.slack_ns,
        count: 0,
        missed: 0,
        raw: Percentiles::default(),
        corrected: Percentiles::default(),
        causes: Vec::new(),
        lost_share: is_noise.then_some(0.0),
        wall_ns: 0,
    };
    renew(&mut test, recording);
    test
}

/// Recomputes the figures of a test from its recording, which may be merged from those of several documents.
pub fn renew(test: &mut LatencyTest, recording: &Recording) {
    test.count = recording.count();
    test.missed = recording.missed;
    test.raw = recording.raw();
    test.corrected = recording.corrected();
    test.causes = recording.causes();
    test.lost_share = test.lost_share.map(|_| recording.lost_ns as f64 / recording.wall_ns.max(1) as f64);
    test.wall_ns = recording.wall_ns;
}
