//! Latency from an edge of a GPIO line to the handler that waits for it, and on to the edge by which the handler
//! answers on another line.

use std::fmt;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use fauxplat_gpio::{
    ChipName, Chips, GpioError, Input, InputWish, Leave, LineEvent, LineName, Output, OutputWish, Stamp,
};
use fauxplat_sys::files::read_bounded;
use fauxplat_sys::poll::Poller;
use fauxplat_sys::{clock, signal};
use fauxplat_threads::ThreadPlacement;

use super::recording::Recording;
use super::stage::{run_both, sleep_until};
use crate::LatencyError;

/// The lines that a test uses, and the source of the edges.
#[derive(Clone, Debug)]
pub struct Lines {
    pub chips: Chips,
    /// The line whose edges the handler waits for.
    pub event: LineName,
    /// The line that the handler toggles at each edge.
    pub answer: LineName,
    pub drive: Drive,
}

/// Source of the edges on the event line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Drive {
    /// The simulated chip; the event line has to belong to it.
    Simulated,
    /// An output line that is wired to the event line.
    Line(LineName),
    /// The file by which a simulated line of the kernel (gpio-sim) is pulled up or down.
    Pull(PathBuf),
    /// An external source, such as a generator of square waves.
    Outside,
}

impl fmt::Display for Drive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Drive::Simulated => f.write_str("sim"),
            Drive::Line(name) => name.fmt(f),
            Drive::Pull(path) => write!(f, "pull:{}", path.display()),
            Drive::Outside => f.write_str("outside"),
        }
    }
}

impl std::str::FromStr for Drive {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match (text, text.strip_prefix("pull:")) {
            ("sim", _) => Ok(Drive::Simulated),
            ("outside", _) => Ok(Drive::Outside),
            (_, Some(path)) if !path.is_empty() => Ok(Drive::Pull(path.into())),
            _ => text.parse().map(Drive::Line).map_err(|_| {
                format!(
                    "`{text}` makes no edges: give `outside`, a wired line such as gpiochip0:18, or pull:FILE \
                     of a line of gpio-sim"
                )
            }),
        }
    }
}

const CONSUMER: &str = "fauxplat-latency";
/// Time without an edge after which the test fails, in addition to the interval between edges.
const PATIENCE_NS: u64 = 10_000_000_000;
/// Time, in milliseconds, for which the handler waits for an edge before it checks whether the test is over.
const LOOK_MS: i32 = 50;

/// Records the latencies of `count` edges. A thread at the first place makes an edge every `interval_ns` nanoseconds,
/// at least 1000 (none with [`Drive::Outside`]); a thread at the second place handles and answers each. The three
/// latencies are those from the edge to the handler, from the handler to the answering edge, and from the edge to the
/// answering edge. Edges that the kernel dropped from its buffer count as missed. Ends early when a stop was requested,
/// even while the next edge is far off. Driven lines are restored afterwards.
///
/// # Errors
/// Fails where a thread cannot be created or placed, or a line cannot be requested or restored, is silent, or vanishes.
pub fn line(
    places: [&ThreadPlacement; 2],
    lines: &Lines,
    interval_ns: u64,
    count: u64,
) -> Result<[Recording; 3], LatencyError> {
    let named = InputWish { consumer: CONSUMER.to_owned(), ..InputWish::default() };
    let mut input = lines.chips.input(&lines.event, &named)?;
    let wish = OutputWish { consumer: CONSUMER.to_owned(), ..OutputWish::default() };
    let mut answer = Lent::of(lines.chips.output(&lines.answer, &wish)?);
    let mut hand = Hand::of(lines, &wish)?;
    let over = AtomicBool::new(false);
    let drive = || {
        let driven = hand.make_edges(interval_ns.max(1000), count, &over);
        over.fetch_or(!matches!(lines.drive, Drive::Outside) || driven.is_err(), Ordering::AcqRel);
        driven
    };
    let handle = || {
        let patience_ns = PATIENCE_NS.saturating_add(interval_ns);
        let served = serve(input.as_mut(), answer.output.as_mut(), (count, patience_ns), &over);
        // The handler has ended, so the driver stops as well.
        over.store(true, Ordering::Release);
        served
    };
    let done = run_both(places, drive, handle);
    // Each line is restored, whether or not restoring the other failed.
    let left = hand.leave().and(answer.leave());
    let ((), ways) = done?;
    left.map(|()| ways)
}

/// A driven line that is restored however the test ends.
struct Lent {
    output: Box<dyn Output>,
    is_left: bool,
}

impl Lent {
    fn of(output: Box<dyn Output>) -> Self {
        Lent { output, is_left: false }
    }

    fn leave(&mut self) -> Result<(), LatencyError> {
        self.is_left = true;
        Ok(self.output.leave(Leave::AsItWas)?)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if !self.is_left {
            // The test is failing with another error or a panic, which is reported instead.
            let _ = self.leave();
        }
    }
}

/// The driver of the edges, with the state to which its line is restored.
enum Hand<'a> {
    Simulated { chips: &'a Chips, line: u32, was_high: bool },
    Output(Lent),
    Pull { path: &'a Path, was: String },
    Nobody,
}

impl<'a> Hand<'a> {
    fn of(lines: &'a Lines, wish: &OutputWish) -> Result<Self, LatencyError> {
        Ok(match &lines.drive {
            Drive::Simulated => {
                let line = Some(&lines.event).filter(|name| name.chip == ChipName::Simulated);
                let line = line.and_then(|name| name.line.parse().ok());
                let line = line.ok_or_else(|| {
                    LatencyError::Line(GpioError::Unfit {
                        line: lines.event.to_string(),
                        why: "the line is not simulated, so something else has to make its edges (--drive)",
                    })
                })?;
                let was_high = lines.chips.simulated.is_high(line);
                Hand::Simulated { chips: &lines.chips, line, was_high }
            }
            Drive::Line(name) => Hand::Output(Lent::of(lines.chips.output(name, wish)?)),
            Drive::Pull(path) => {
                // A file whose content could not be read is not restored.
                let was = String::from_utf8(read_bounded(path, 4096).unwrap_or_default()).unwrap_or_default();
                Hand::Pull { path, was }
            }
            Drive::Outside => Hand::Nobody,
        })
    }

    fn leave(&mut self) -> Result<(), LatencyError> {
        match self {
            Hand::Simulated { was_high, .. } => {
                let was_high = *was_high;
                self.set(was_high)
            }
            Hand::Output(output) => output.leave(),
            Hand::Pull { path, was } if !was.trim().is_empty() => pull(path, was.trim()),
            Hand::Pull { .. } | Hand::Nobody => Ok(()),
        }
    }

    fn make_edges(&mut self, interval_ns: u64, count: u64, over: &AtomicBool) -> Result<(), LatencyError> {
        if matches!(self, Hand::Nobody) {
            return Ok(());
        }
        let mut is_high = matches!(self, Hand::Simulated { was_high: true, .. });
        let mut due_ns = clock::monotonic_ns() + interval_ns;
        for _ in 0..count {
            let is_over = || signal::stop_requested() || over.load(Ordering::Acquire);
            if !sleep_until(due_ns, is_over) || is_over() {
                return Ok(());
            }
            is_high = !is_high;
            self.set(is_high)?;
            due_ns += interval_ns;
        }
        Ok(())
    }

    fn set(&mut self, is_high: bool) -> Result<(), LatencyError> {
        match self {
            Hand::Simulated { chips, line, .. } => chips.simulated.drive(*line, is_high).map(drop)?,
            Hand::Output(lent) => lent.output.set(is_high).map(drop)?,
            Hand::Pull { path, .. } => pull(path, if is_high { "pull-up" } else { "pull-down" })?,
            Hand::Nobody => {}
        }
        Ok(())
    }
}

fn pull(path: &Path, how: &str) -> Result<(), LatencyError> {
    // Only the kernel makes this file, so a missing one is not created.
    let opened = OpenOptions::new().write(true).truncate(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(how.as_bytes()));
    written.map_err(|source| LatencyError::Pull { path: path.display().to_string(), source })
}

/// Waits for edges and answers each. Ends after `count` edges, lost ones included, or when `over` is set and no edge is
/// left. Silence longer than `patience_ns` is an error.
fn serve(
    input: &mut dyn Input,
    answer: &mut dyn Output,
    (count, patience_ns): (u64, u64),
    over: &AtomicBool,
) -> Result<[Recording; 3], LatencyError> {
    let place = |error| LatencyError::Wait { source: error };
    let poller = Poller::new().map_err(place)?;
    poller.add(input.fd(), 0, input.interest()).map_err(place)?;
    let (mut ready, mut events) = (Vec::new(), Vec::new());
    let mut served = Served::default();
    let begun_ns = clock::monotonic_ns();
    let mut heard_ns = begun_ns;
    while served.ways[0].count() + input.lost() < count && !signal::stop_requested() {
        // The flag is read before the wait, so that edges made before the end are still served.
        let was_over = over.load(Ordering::Acquire);
        poller.wait(&mut ready, Some(LOOK_MS)).map_err(place)?;
        if ready.is_empty() {
            let silent_ns = clock::monotonic_ns() - heard_ns;
            if was_over {
                break;
            } else if silent_ns > patience_ns {
                let (line, seconds) = (input.name().to_owned(), patience_ns / 1_000_000_000);
                return Err(LatencyError::Silent { line, seconds });
            }
            continue;
        }
        let lost_before = input.lost();
        input.take(&mut events)?;
        for event in events.drain(..) {
            served.answer(&event, input.name(), answer)?;
        }
        served.miss(input.lost() - lost_before);
        heard_ns = clock::monotonic_ns();
    }
    let wall_ns = clock::monotonic_ns() - begun_ns;
    served.ways.iter_mut().for_each(|way| way.wall_ns = wall_ns);
    Ok(served.ways)
}

#[derive(Default)]
struct Served {
    ways: [Recording; 3],
    /// The latencies of the edge that was served last, one for each of `ways`.
    times_ns: [u64; 3],
    is_active: bool,
}

impl Served {
    /// Handles an edge. The time is read first, so that answering is no part of the latency from the edge to the
    /// handler.
    fn answer(&mut self, event: &LineEvent, line: &str, answer: &mut dyn Output) -> Result<(), LatencyError> {
        let handled_ns = clock::monotonic_ns();
        if event.stamp == Stamp::Reader {
            return Err(LatencyError::Line(GpioError::Unfit {
                line: line.to_owned(),
                why: "the interface of the line does not say when an edge was, only that there was one",
            }));
        }
        self.is_active = !self.is_active;
        let answered_ns = answer.set(self.is_active)?;
        self.times_ns = [
            handled_ns.saturating_sub(event.at_ns),
            answered_ns.saturating_sub(handled_ns),
            answered_ns.saturating_sub(event.at_ns),
        ];
        self.ways.iter_mut().zip(self.times_ns).for_each(|(way, late_ns)| way.record(late_ns));
        Ok(())
    }

    /// Records edges that the kernel dropped from its buffer. Their latencies are unknown, so each gets those of the
    /// edge that was handled last.
    fn miss(&mut self, edges: u64) {
        if edges > 0 {
            self.ways
                .iter_mut()
                .zip(self.times_ns)
                .for_each(|(way, late_ns)| way.record_lost(edges, late_ns));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Policy;
    use fauxplat_sys::sched;
    use fauxplat_units::Cpu;

    fn simulated() -> Lines {
        let name = |text: &str| text.parse().unwrap();
        Lines {
            chips: Chips::below("/".as_ref()),
            event: name("sim:0"),
            answer: name("sim:1"),
            drive: Drive::Simulated,
        }
    }

    fn places() -> [ThreadPlacement; 2] {
        let cpus: Vec<Cpu> = sched::affinity(0).unwrap().iter().collect();
        let place = |cpu| ThreadPlacement { cpu, policy: Policy::Other, slack_ns: None };
        [place(cpus[0]), place(cpus[cpus.len() - 1])]
    }

    #[test]
    fn every_edge_is_answered_and_seen_from_outside() {
        let (lines, [a, b]) = (simulated(), places());
        let mut answers = lines.chips.simulated.watch(1).unwrap();
        for round in 1..=2 {
            let [to_handler, to_answer, whole] = line([&a, &b], &lines, 100_000, 40).unwrap();
            assert_eq!(to_handler.count() + to_handler.missed, 40, "round {round}");
            assert_eq!(to_answer.count(), to_handler.count());
            assert!(whole.raw().max_ns >= to_handler.raw().max_ns.max(to_answer.raw().max_ns));
            let mut seen = Vec::new();
            answers.take(&mut seen).unwrap();
            assert!(seen.len() as u64 >= to_handler.count(), "{} of {}", seen.len(), to_handler.count());
            assert!(!lines.chips.simulated.is_high(1), "left low");
        }
    }

    #[test]
    fn lines_are_left_as_they_were_found() {
        let (lines, [a, b]) = (simulated(), places());
        let levels = |lines: &Lines| [0, 1, 2].map(|line| lines.chips.simulated.is_high(line));
        lines.chips.simulated.drive(1, true).unwrap();
        // An odd number of edges, so that no line ends in its initial state by itself.
        let [_, _, whole] = line([&a, &b], &lines, 100_000, 5).unwrap();
        assert!(whole.count() > 0);
        assert_eq!(levels(&lines), [false, true, false]);

        // Lines are restored even if the test fails.
        let nowhere = ThreadPlacement { cpu: Cpu(99_999), ..a };
        lines.chips.simulated.drive(2, true).unwrap();
        let wired = Lines { drive: Drive::Line("sim:2".parse().unwrap()), ..lines };
        assert!(line([&a, &nowhere], &wired, 100_000, 5).is_err());
        assert_eq!(levels(&wired), [false, true, true]);
        let taken = Lines { drive: Drive::Line("sim:1".parse().unwrap()), ..wired };
        assert!(line([&a, &b], &taken, 100_000, 5).unwrap_err().to_string().contains("sim:1 is taken"));
        assert_eq!(levels(&taken), [false, true, true]);
    }

    #[test]
    fn lines_that_cannot_be_tested_say_why() {
        let [a, b] = places();
        let nowhere = ThreadPlacement { cpu: Cpu(99_999), ..a };
        assert!(line([&a, &nowhere], &simulated(), 100_000, 5).is_err());
        assert!(line([&nowhere, &b], &simulated(), 100_000, 5).is_err());
        let same = Lines { answer: "sim:0".parse().unwrap(), ..simulated() };
        assert!(
            line([&a, &b], &same, 100_000, 5).unwrap_err().to_string().contains("taken by fauxplat-latency")
        );
        let missing = Lines { drive: Drive::Pull("/nowhere/pull".into()), ..simulated() };
        assert!(line([&a, &b], &missing, 100_000, 5).unwrap_err().to_string().contains("/nowhere/pull"));
        // The file is not created even where the user may write.
        let absent = std::env::temp_dir().join(format!("fauxplat-absent-{}", std::process::id()));
        let missing = Lines { drive: Drive::Pull(absent.clone()), ..simulated() };
        assert!(line([&a, &b], &missing, 100_000, 5).is_err() && !absent.exists());
        let unplugged = simulated();
        unplugged.chips.simulated.unplug(0);
        assert!(line([&a, &b], &unplugged, 100_000, 5).unwrap_err().to_string().contains("vanished"));
    }

    #[test]
    fn what_makes_edges_has_a_word() {
        for text in ["sim", "outside", "gpiochip0:4", "pull:/sys/devices/x/pull"] {
            assert_eq!(text.parse::<Drive>().unwrap().to_string(), text);
        }
        assert!(
            "pull:".parse::<Drive>().is_err() && "wind".parse::<Drive>().unwrap_err().contains("outside")
        );
    }
}
