//! From the samples of a block to one log ratio.

use fauxplat_model::{Metric, Phase, Sample, Unit};

/// The measured runs of two commands within one block, in the order in which they were made.
pub(crate) struct Pair<'a> {
    /// Runs of the reference.
    pub(crate) a: Vec<&'a Sample>,
    /// Runs of the candidate.
    pub(crate) b: Vec<&'a Sample>,
}

/// What a pair says of one metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Seen {
    /// Mean of log B minus mean of log A.
    pub(crate) log_ratio: f64,
    /// The mean of both, which stays as it is when A and B change places.
    pub(crate) log_level: f64,
}

impl<'a> Pair<'a> {
    /// Picks the runs of two commands out of a block.
    pub(crate) fn of(block: &[&'a Sample], a: u16, b: u16) -> Self {
        let runs = |command| block.iter().copied().filter(|run| run.command == command).collect();
        Pair { a: runs(a), b: runs(b) }
    }

    /// All runs of the pair.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &'a Sample> {
        self.a.iter().chain(&self.b).copied()
    }

    /// How many pairs of runs the block holds: one, or two for ABBA.
    pub(crate) fn pairs(&self) -> usize {
        self.a.len().min(self.b.len())
    }

    /// Mean of log B minus mean of log A; `None` unless every run was read and both commands ran.
    pub(crate) fn log_ratio(&self, metric: Metric) -> Option<f64> {
        self.seen(metric).map(|seen| seen.log_ratio)
    }

    /// What it says of a metric; `None` unless every run was read and both commands ran.
    pub(crate) fn seen(&self, metric: Metric) -> Option<Seen> {
        let (a, b) = (self.mean_log(&self.a, metric)?, self.mean_log(&self.b, metric)?);
        Some(Seen { log_ratio: b - a, log_level: 0.5 * (a + b) })
    }

    fn mean_log(&self, runs: &[&Sample], metric: Metric) -> Option<f64> {
        let logs: Vec<f64> = runs.iter().map(|run| self.log(run, metric)).collect::<Option<_>>()?;
        fauxplat_stats::describe::mean(&logs)
    }

    /// Logarithm of one reading. If any reading of the pair is zero, half of the smallest step is added to all of
    /// them: the ratio stays finite, equal readings keep ratio one, and A and B are treated alike (the usual
    /// continuity correction of log ratios, Haldane 1956).
    pub(crate) fn log(&self, run: &Sample, metric: Metric) -> Option<f64> {
        let any_zero = self.runs().any(|run| run.get(metric) == Some(0));
        let wall_ns =
            || self.runs().filter_map(|run| run.get(Metric::WALL)).map(|ns| ns as f64).collect::<Vec<_>>();
        let offset = if any_zero { half_step(metric.unit(), &wall_ns()) } else { 0.0 };
        run.get(metric).map(|value| (value as f64 + offset).ln())
    }
}

/// Half of the step that is small for a unit: half an event, half a disk sector, half a microsecond; of a rate, half an event
/// in the mean of these wall times.
pub(crate) fn half_step(unit: Unit, wall_ns: &[f64]) -> f64 {
    match unit {
        Unit::Count | Unit::Millionth => 0.5,
        Unit::Bytes => 256.0,
        Unit::Nanos => 500.0,
        Unit::MicroPerSecond => 0.5e15 / fauxplat_stats::describe::mean(wall_ns).unwrap_or(1e9).max(1.0),
    }
}

/// The measured samples in groups of one block each, in the order in which they were taken.
pub(crate) fn blocks(samples: &[Sample]) -> Vec<Vec<&Sample>> {
    let measured: Vec<&Sample> = samples.iter().filter(|sample| sample.phase == Phase::Measured).collect();
    measured.chunk_by(|one, next| one.block == next.block).map(<[&Sample]>::to_vec).collect()
}
