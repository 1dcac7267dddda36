//! Runs the tests: slices of all of them in turns, so that all see the same conditions of the machine.

use fauxplat_analyze::worker_counts;
use fauxplat_experiment::measure::{CountedThreads, cells_plan, counted};
use fauxplat_experiment::{Driver, Failure, Span};
use fauxplat_model::{Event, Evidence, Histogram, ShiftSample, Unit};
use fauxplat_sys::clock;
use fauxplat_threads::ThreadPlacement;

use crate::LatencyError;
use crate::cells::{Cell, Cells, ROUNDS, Task};
use crate::findings::{LatencyCause, LatencyFindings, LatencyTest, Percentiles};
use crate::instruments::{Lines, Recording, calm, edge, line, message, noise, signals, timer};

/// Runs all tests, each cut into slices that alternate with the slices of the other tests.
///
/// # Errors
/// Fails if threads cannot be placed, or with an error of the store.
pub(crate) fn measure(driver: &mut Driver, tests: &Cells) -> Result<LatencyFindings, Failure> {
    let (cells, left_out) = tests.permitted()?;
    driver.header.not_measured.extend(tests.refused.iter().cloned().chain(left_out));
    let (calm, restless) = calm();
    restless.into_iter().for_each(|warning| driver.warn(warning));
    let threads = CountedThreads::open(&counted(driver)?)?;
    let mut shifts = Vec::new();
    let recordings = recordings(driver, (&cells, &tests.lines), threads.as_ref(), &mut shifts)?;
    drop(calm);
    let found = cells.iter().zip(&recordings);
    let tests = found.flat_map(|(cell, ways)| findings(cell, &tests.lines, ways)).collect();
    let counts = cells.iter().enumerate().filter_map(|(index, cell)| {
        let own: Vec<&ShiftSample> = shifts.iter().filter(|it| usize::from(it.cell) == index).collect();
        worker_counts(work(cell), &own)
    });
    Ok(LatencyFindings::new(tests, counts.collect(), driver.elapsed_s()))
}

/// Runs the slices of all cells, and returns the recordings of each cell: one, or three for messages (there, back,
/// round trip) and for lines (edge to handler, handler to answer, edge to answer).
fn recordings(
    driver: &mut Driver,
    (cells, lines): (&[Cell], &Lines),
    threads: Option<&CountedThreads>,
    shifts: &mut Vec<ShiftSample>,
) -> Result<Vec<Vec<Recording>>, Failure> {
    let plan = cells_plan(cells.len(), driver.header.seed);
    driver.plan(&plan)?;
    let mut whole: Vec<Vec<Recording>> = vec![Vec::new(); cells.len()];
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
        let whole = &mut whole[usize::from(index)];
        whole.resize_with(slice.len(), Recording::default);
        whole.iter_mut().zip(&slice).for_each(|(whole, slice)| whole.merge(slice));
        let at_ns = clock::monotonic_ns() - started_ns;
        let named = names(cell).into_iter().zip(&slice);
        Ok(named.flat_map(|(name, slice)| evidence(slice, (round, index), &name, at_ns)).collect())
    })?;
    Ok(whole)
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
    let found = |(name, recording)| LatencyTest { lines: told(cell, lines), ..found(cell, name, recording) };
    names(cell).into_iter().zip(recordings).map(found).collect()
}

/// Names of the GPIO lines that a test uses, and the source of their edges; `None` for tests without lines.
fn told(cell: &Cell, Lines { event, answer, drive, .. }: &Lines) -> Option<String> {
    match cell.task {
        Task::Line { .. } => Some(format!("{event} to {answer}, driven by {drive}")),
        Task::Edge { .. } => Some(answer.to_string()),
        _ => None,
    }
}

fn found(cell: &Cell, name: String, recording: &Recording) -> LatencyTest {
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
    recording.fill(&mut test);
    test
}
