//! Rules by which pairs are dropped. Each rule uses sums over both commands of a pair, and never depends on which
//! command was faster.
//!
//! If A and B are the same program, exchanging their labels changes the answer of no rule. The log ratios of the kept
//! pairs are then as likely as their negatives, and the error rate of the test holds.

use std::collections::VecDeque;

use fauxplat_model::{Dropped, DroppedReason, Metric, Sample};
use fauxplat_stats::describe::median;
use fauxplat_stats::distribution::clopper_pearson_lower;

use crate::censored;
use crate::pairing::Pair;

/// Steal time, in nanoseconds, up to which a pair is never dropped for steal: two ticks. Steal is counted in ticks of
/// 10 ms over all CPUs together, so a pair of 5 ms runs may show two ticks that were lost on another CPU or earlier.
pub(crate) const STEAL_ALLOWED_NS: f64 = 20e6;

/// Share of a pair's wall time in the limit of its steal time: this share plus the larger of [`STEAL_ALLOWED_NS`] and
/// [`TIMES_USUAL`] times the usual steal of a pair. A pair beyond the limit is dropped.
pub(crate) const STEAL_SHARE: f64 = 0.10;

/// Number of migrations of a pair up to which it is never dropped for migrations.
pub(crate) const MIGRATIONS_ALLOWED: f64 = 10.0;

/// Run-queue wait, in nanoseconds, up to which a pair of single-threaded commands is never dropped for waiting.
pub(crate) const WAIT_ALLOWED_NS: f64 = 100e3;

/// Share of a pair's wall time in the limit of its waiting time: this share plus the larger of [`WAIT_ALLOWED_NS`] and
/// [`TIMES_USUAL`] times the usual waiting of a pair. A pair beyond the limit counts as preempted.
pub(crate) const WAIT_SHARE: f64 = 0.02;

/// Multiple of the median wait, steal or migrations of earlier pairs above which a pair is unusual.
pub(crate) const TIMES_USUAL: f64 = 4.0;

/// Number of the latest pairs whose median wait, steal and migrations count as usual.
const MEMORY: usize = 32;

#[derive(Clone, Debug, Default)]
pub(crate) struct Guard {
    /// Whether both commands are single tasks without a quota, so that only other programs can keep them waiting.
    single_task: bool,
    wait_ns: VecDeque<f64>,
    steal_ns: VecDeque<f64>,
    migrations: VecDeque<f64>,
    dropped: Vec<Dropped>,
    /// Numbers of pairs dropped for waiting, steal, migrations or throttling in which A had more of that quantity, and
    /// in which B had more (more wall time for throttling).
    waited: [usize; 2],
}

/// Minimum number of dropped pairs from which on it is tested whether one command waited more in them.
const LEANS_FROM: usize = 8;

impl Guard {
    pub(crate) fn new(single_task: bool) -> Self {
        Guard { single_task, ..Guard::default() }
    }

    /// Returns why this pair is dropped; `None` if it is kept. The waiting, steal and migrations of dropped pairs are
    /// remembered too: on a machine where every pair loses steal time, steal is usual, and dropping every pair would
    /// leave no data. With `counts` false, the comparison was decided before, and a drop is not counted.
    pub(crate) fn judge(
        &mut self,
        pair: &Pair,
        metric: Metric,
        (ignore_failure, throttled): (bool, bool),
        counts: bool,
    ) -> Option<DroppedReason> {
        let reason = self.reason(pair, metric, ignore_failure, throttled);
        remember(&mut self.wait_ns, total(pair, Metric::RUN_DELAY));
        remember(&mut self.steal_ns, total(pair, Metric::STEAL));
        remember(&mut self.migrations, total(pair, Metric::MIGRATIONS));
        if let Some(reason) = reason.filter(|_| counts) {
            self.count(reason, pair.pairs().max(1));
            self.note_who_waited(pair, reason);
        }
        reason
    }

    /// Counts which command had more of the quantity for which a pair was dropped.
    fn note_who_waited(&mut self, pair: &Pair, reason: DroppedReason) {
        let metric = match reason {
            DroppedReason::Preempted => Metric::RUN_DELAY,
            DroppedReason::HeavySteal => Metric::STEAL,
            DroppedReason::MigrationStorm => Metric::MIGRATIONS,
            DroppedReason::Throttled => Metric::WALL,
            DroppedReason::FailedRun | DroppedReason::NotMeasured => return,
        };
        let sum = |runs: &[&Sample]| runs.iter().filter_map(|run| run.get(metric)).sum::<u64>();
        let (a, b) = (sum(&pair.a), sum(&pair.b));
        self.waited[0] += usize::from(a > b);
        self.waited[1] += usize::from(b > a);
    }

    pub(crate) fn waited(&self) -> [usize; 2] {
        self.waited
    }

    /// Whether one command waited longer in significantly more of the dropped pairs, by a sign test at this error
    /// level.
    pub(crate) fn leans(&self, level: f64) -> bool {
        let [a, b] = self.waited;
        let (most, all) = (a.max(b), a + b);
        all >= LEANS_FROM && clopper_pearson_lower(most, all, 1.0 - level / 2.0) > 0.5
    }

    /// Numbers of dropped pairs by reason, in the order in which the reasons first occurred.
    pub(crate) fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    pub(crate) fn dropped_pairs(&self) -> usize {
        self.dropped.iter().map(|dropped| dropped.pairs).sum()
    }

    fn reason(
        &self,
        pair: &Pair,
        metric: Metric,
        ignore_failure: bool,
        throttled: bool,
    ) -> Option<DroppedReason> {
        let failed = pair.runs().any(|run| !ignore_failure && !run.outcome.is_success());
        let steal_limit = STEAL_ALLOWED_NS.max(TIMES_USUAL * usual(&self.steal_ns))
            + STEAL_SHARE * total(pair, Metric::WALL);
        let migration_limit = MIGRATIONS_ALLOWED.max(TIMES_USUAL * usual(&self.migrations));
        // Before the first pair it is unknown what is usual on this machine, which may be busy.
        let is_first = self.migrations.is_empty();
        if failed {
            Some(DroppedReason::FailedRun)
        } else if censored::seen(pair, metric).is_none() {
            Some(DroppedReason::NotMeasured)
        } else if throttled {
            Some(DroppedReason::Throttled)
        } else if is_first {
            None
        } else if total(pair, Metric::STEAL) > steal_limit {
            Some(DroppedReason::HeavySteal)
        } else if total(pair, Metric::MIGRATIONS) > migration_limit {
            Some(DroppedReason::MigrationStorm)
        } else if metric == Metric::WALL && self.is_preempted(pair) {
            Some(DroppedReason::Preempted)
        } else {
            None
        }
    }

    /// Whether the runs of a pair waited for the CPU for unusually long. Only single tasks can count as preempted,
    /// since a task of several may wait for another one, which is part of the command's behaviour.
    fn is_preempted(&self, pair: &Pair) -> bool {
        let limit =
            WAIT_ALLOWED_NS.max(TIMES_USUAL * usual(&self.wait_ns)) + WAIT_SHARE * total(pair, Metric::WALL);
        self.single_task && total(pair, Metric::RUN_DELAY) > limit
    }

    fn count(&mut self, reason: DroppedReason, pairs: usize) {
        match self.dropped.iter_mut().find(|dropped| dropped.reason == reason) {
            Some(dropped) => dropped.pairs += pairs,
            None => self.dropped.push(Dropped { reason, pairs }),
        }
    }
}

/// Sum of a metric over all runs of the pair; missing readings count as zero.
fn total(pair: &Pair, metric: Metric) -> f64 {
    pair.runs().filter_map(|run| run.get(metric)).map(|value| value as f64).sum()
}

fn remember(memory: &mut VecDeque<f64>, value: f64) {
    if memory.len() == MEMORY {
        memory.pop_front();
    }
    memory.push_back(value);
}

fn usual(memory: &VecDeque<f64>) -> f64 {
    median(&memory.iter().copied().collect::<Vec<_>>()).unwrap_or(0.0)
}
