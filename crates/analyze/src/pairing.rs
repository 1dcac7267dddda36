//! Computes log ratios and further figures of two commands from the samples of a block.

use fauxplat_model::{Metric, Phase, Sample, Unit};
use fauxplat_stats::describe::mean;

/// The measured runs of two commands within one block, in chronological order.
pub(crate) struct Pair<'a> {
    pub(crate) a: Vec<&'a Sample>,
    pub(crate) b: Vec<&'a Sample>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Seen {
    /// Mean of log B minus mean of log A.
    pub(crate) log_ratio: f64,
    /// Mean of the mean log readings of A and B, which exchanging A and B does not change.
    pub(crate) log_level: f64,
    /// Log ratio B over A of each pair of runs, in chronological order.
    pub(crate) log_ratios: Vec<f64>,
    pub(crate) readings: Vec<(f64, f64)>,
    /// Further log ratios of a block in which each command runs twice in a row; `None` for other orders.
    pub(crate) twice: Option<Twice>,
    /// Changes from the first to the second of two successive runs of a command, where the command before the first is
    /// known.
    pub(crate) rises: Vec<Rise>,
    /// Start of the first run and end of the last one.
    pub(crate) began_ns: u64,
    pub(crate) ended_ns: u64,
}

#[cfg(test)]
impl Seen {
    /// Figures of a pair with these logarithms and no duration.
    pub(crate) fn of(log_ratio: f64, log_level: f64) -> Seen {
        let readings = vec![((log_level - 0.5 * log_ratio).exp(), (log_level + 0.5 * log_ratio).exp())];
        Seen {
            log_ratio,
            log_level,
            log_ratios: vec![log_ratio],
            readings,
            twice: None,
            rises: Vec::new(),
            began_ns: 0,
            ended_ns: 0,
        }
    }
}

/// Log ratios of a block in which each command runs twice in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Twice {
    /// Log ratio B over A of the runs that follow a run of the same command.
    pub(crate) after_itself: f64,
    /// Log ratio B over A of the first of two successive runs of a command.
    pub(crate) after_another: f64,
    /// Mean absolute log ratio of two successive runs of one command, for A and for B.
    pub(crate) apart: [f64; 2],
}

/// Change from the first to the second of two successive runs of a command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rise {
    pub(crate) is_b: bool,
    /// Whether the run before these two was also one of the same command.
    pub(crate) follows_itself: bool,
    pub(crate) log_ratio: f64,
}

/// Function that returns the reading of a run; `None` if there is none.
pub(crate) type Read<'r> = dyn Fn(&Sample) -> Option<u64> + 'r;

impl<'a> Pair<'a> {
    pub(crate) fn of(block: &[&'a Sample], a: u16, b: u16) -> Self {
        let runs = |command| block.iter().copied().filter(|run| run.command == command).collect();
        Pair { a: runs(a), b: runs(b) }
    }

    /// Removes the first of two successive runs of each command, so that every remaining run follows a run of the same
    /// command.
    pub(crate) fn after_itself(self) -> Self {
        let second = |runs: Vec<&'a Sample>| runs.into_iter().skip(1).step_by(2).collect();
        Pair { a: second(self.a), b: second(self.b) }
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = &'a Sample> {
        self.a.iter().chain(&self.b).copied()
    }

    /// Number of pairs of runs in the block: the number of runs of the command that has fewer.
    pub(crate) fn pairs(&self) -> usize {
        self.a.len().min(self.b.len())
    }

    /// Mean log reading of B minus that of A; `None` unless every run has a reading and both commands ran.
    pub(crate) fn log_ratio(&self, metric: Metric) -> Option<f64> {
        self.seen(metric).map(|seen| seen.log_ratio)
    }

    /// Log ratios and readings of the pair in a metric; `None` unless every run has a reading and both commands ran.
    pub(crate) fn seen(&self, metric: Metric) -> Option<Seen> {
        self.seen_by(metric, &|run| run.get(metric))
    }

    /// Log ratios and readings of the pair, where `read` returns the readings; `None` unless every run has one and both
    /// commands ran.
    pub(crate) fn seen_by(&self, metric: Metric, read: &Read<'_>) -> Option<Seen> {
        let logs = |runs: &[&Sample]| -> Option<Vec<f64>> {
            runs.iter().map(|run| self.log_by(run, metric, read)).collect()
        };
        let (a, b) = (logs(&self.a)?, logs(&self.b)?);
        let (mean_a, mean_b) = (mean(&a)?, mean(&b)?);
        let reading = |run: &Sample| read(run).map(|value| value as f64);
        let readings = self.a.iter().zip(&self.b).map(|(a, b)| Some((reading(a)?, reading(b)?)));
        Some(Seen {
            log_ratio: mean_b - mean_a,
            log_level: 0.5 * (mean_a + mean_b),
            log_ratios: a.iter().zip(&b).map(|(a, b)| b - a).collect(),
            readings: readings.collect::<Option<_>>()?,
            twice: self.is_twice().then(|| twice(&a, &b)).flatten(),
            rises: Vec::new(),
            began_ns: self.runs().map(|run| run.started_ns).min()?,
            ended_ns: self.runs().map(|run| run.started_ns + run.get(Metric::WALL).unwrap_or(0)).max()?,
        })
    }

    /// Changes from the first to the second of two successive runs of a command; empty unless each command always runs
    /// twice in a row. `before` is the command that ran before the block, if known.
    pub(crate) fn rises(&self, block: &[&Sample], before: Option<u16>, metric: Metric) -> Vec<Rise> {
        if !self.is_twice() {
            return Vec::new();
        }
        let command_before = |run: &Sample| match run.position.checked_sub(1) {
            Some(position) => block.iter().find(|run| run.position == position).map(|run| run.command),
            None => before,
        };
        let rise = |two: &[&Sample], is_b| {
            Some(Rise {
                is_b,
                follows_itself: command_before(two[0])? == two[0].command,
                log_ratio: self.log(two[1], metric)? - self.log(two[0], metric)?,
            })
        };
        let of =
            |runs: &[&Sample], is_b| runs.chunks(2).filter_map(|two| rise(two, is_b)).collect::<Vec<_>>();
        [of(&self.a, false), of(&self.b, true)].concat()
    }

    /// Whether the runs of each command come in twos without another run between them.
    fn is_twice(&self) -> bool {
        let in_twos = |runs: &[&Sample]| {
            let is_next = |two: &[&Sample]| matches!(two, [one, next] if next.position == one.position + 1);
            !runs.is_empty() && runs.chunks(2).all(is_next)
        };
        self.a.len() == self.b.len() && in_twos(&self.a) && in_twos(&self.b)
    }

    /// Logarithm of the reading of `run`. If any reading of the pair is zero, half of a small step of the metric is
    /// added to all of them, so that the ratio stays finite, equal readings keep a ratio of one, and A and B are
    /// treated alike (the continuity correction of log ratios, Haldane 1956).
    pub(crate) fn log(&self, run: &Sample, metric: Metric) -> Option<f64> {
        self.log_by(run, metric, &|run| run.get(metric))
    }

    fn log_by(&self, run: &Sample, metric: Metric, read: &Read<'_>) -> Option<f64> {
        let any_zero = self.runs().any(|run| read(run) == Some(0));
        let wall_ns =
            || self.runs().filter_map(|run| run.get(Metric::WALL)).map(|ns| ns as f64).collect::<Vec<_>>();
        let offset = if any_zero { half_step(metric.unit(), &wall_ns()) } else { 0.0 };
        read(run).map(|value| (value as f64 + offset).ln())
    }
}

/// Log ratios B over A of the first and of the second of two successive runs of a command, and the distances between
/// first and second runs, from the log readings of A and B in chronological order.
fn twice(a: &[f64], b: &[f64]) -> Option<Twice> {
    let every_second = |from: usize| -> Option<f64> {
        let of = |logs: &[f64]| mean(&logs.iter().copied().skip(from).step_by(2).collect::<Vec<_>>());
        Some(of(b)? - of(a)?)
    };
    let apart = |logs: &[f64]| mean(&logs.chunks(2).map(|two| (two[1] - two[0]).abs()).collect::<Vec<_>>());
    Some(Twice {
        after_itself: every_second(1)?,
        after_another: every_second(0)?,
        apart: [apart(a)?, apart(b)?],
    })
}

/// Half of a small step of a unit: half an event, half a disk sector (256 bytes), half a microsecond; for a rate, half
/// an event in the mean wall time.
pub(crate) fn half_step(unit: Unit, wall_ns: &[f64]) -> f64 {
    match unit {
        Unit::Count | Unit::Millionth => 0.5,
        Unit::Bytes => 256.0,
        Unit::Nanos => 500.0,
        Unit::MicroPerSecond => 0.5e15 / mean(wall_ns).unwrap_or(1e9).max(1.0),
    }
}

/// The measured runs of each block, in chronological order.
pub(crate) fn blocks(samples: &[Sample]) -> Vec<Vec<&Sample>> {
    let measured: Vec<&Sample> = samples.iter().filter(|sample| sample.phase == Phase::Measured).collect();
    measured.chunk_by(|one, next| one.block == next.block).map(<[&Sample]>::to_vec).collect()
}
