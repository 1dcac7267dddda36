//! Counts of a processor simulator repeat exactly if the program does the same in each run. If two runs of every
//! command show that, the counts are compared as numbers, and a difference of 1 is a difference.

use std::collections::BTreeMap;

use fauxplat_model::{ExactCounts, Metric, Sample};

use crate::analysed::counts;

/// Minimum number of runs that show whether counts repeat.
const RUNS: u32 = 2;

#[derive(Clone, Debug, Default)]
pub(crate) struct Exact(BTreeMap<(u16, Metric), Repeated>);

/// Count of the first run, the number of runs with a count, and whether all of them had this count.
#[derive(Clone, Copy, Debug)]
struct Repeated {
    count: u64,
    runs: u32,
    is_same: bool,
}

impl Exact {
    /// Adds the runs of a block.
    pub(crate) fn take(&mut self, samples: &[Sample], ignore_failure: bool) {
        for sample in samples.iter().filter(|sample| counts(sample, ignore_failure)) {
            for (metric, value) in sample.readings.iter() {
                let Some(count) = value else { continue };
                let seen = self.0.entry((sample.command, metric));
                let seen = seen.or_insert(Repeated { count, runs: 0, is_same: true });
                seen.is_same &= seen.count == count;
                seen.runs += 1;
            }
        }
    }

    /// The counts of two commands; `None` unless each is equal in at least [`RUNS`] runs of its command.
    pub(crate) fn of(&self, metric: Metric, reference: u16, candidate: u16) -> Option<ExactCounts> {
        let one = |command| self.0.get(&(command, metric)).filter(|seen| seen.is_same && seen.runs >= RUNS);
        let (a, b) = (one(reference)?, one(candidate)?);
        Some(ExactCounts { a: a.count, b: b.count, runs: a.runs.min(b.runs) })
    }

    /// Whether some command has no count in `metric` although at least [`RUNS`] blocks are over.
    pub(crate) fn is_hopeless(&self, metric: Metric, commands: u16, blocks: u32) -> bool {
        blocks >= RUNS && (0..commands).any(|command| !self.0.contains_key(&(command, metric)))
    }

    /// Whether the counts of a command in `metric` differ between its runs.
    pub(crate) fn apart(&self, metric: Metric, command: u16) -> bool {
        self.0.get(&(command, metric)).is_some_and(|seen| !seen.is_same)
    }

    /// Counts of the metrics other than `metric` that repeat exactly in both commands, and are not zero in both.
    pub(crate) fn others(
        &self,
        metric: Metric,
        (reference, candidate): (u16, u16),
    ) -> Vec<(Metric, ExactCounts)> {
        let metrics = self.0.keys().filter(|(command, other)| *command == reference && *other != metric);
        let exact = |other: Metric| Some((other, self.of(other, reference, candidate)?));
        metrics.filter_map(|(_, other)| exact(*other)).filter(|(_, it)| it.a.max(it.b) > 0).collect()
    }
}
