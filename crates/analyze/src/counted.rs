//! Decides comparisons of counts that may repeat exactly, such as those of a processor simulator.

use fauxplat_model::{Comparison, DifferenceIn, ExactCounts, Extent, Metric, Secondary, StoppedBy, Verdict};

use crate::contest::Contest;
use crate::exact::Exact;
use crate::judge::Judge;

impl Judge {
    /// States whether the deciding metrics are counts of a simulator, which are compared as numbers if they repeat
    /// exactly in all runs of each command.
    pub fn counted(mut self, is_counted: bool) -> Self {
        self.exact = is_counted.then(Exact::default);
        self
    }

    /// Whether every comparison is decided by counts that repeat exactly.
    pub(crate) fn is_exact(&self) -> bool {
        !self.contests.is_empty() && self.contests.iter().all(|contest| self.exact_counts(contest).is_some())
    }

    /// Whether nothing can be decided, because some command has no count of a deciding metric after `blocks` blocks.
    pub(crate) fn is_hopeless(&self, blocks: u32) -> bool {
        let metrics = self.rule.decided();
        let hopeless = |exact: &Exact| {
            metrics.iter().any(|(metric, _)| exact.is_hopeless(*metric, self.commands as u16, blocks))
        };
        self.exact.as_ref().is_some_and(hopeless)
    }

    fn exact_counts(&self, contest: &Contest) -> Option<ExactCounts> {
        self.exact.as_ref()?.of(contest.metric, contest.reference, contest.candidate)
    }

    /// Replaces the result of the statistical test by a comparison of the counts, if all comparisons are decided by
    /// counts.
    pub(crate) fn put_exact(&self, contest: &Contest, comparison: &mut Comparison) {
        let (Some(exact), Some(counted)) = (&self.exact, self.exact_counts(contest)) else { return };
        if !self.is_exact() {
            return;
        }
        let ratio = counted.ratio();
        let is_same = counted.a == counted.b;
        *comparison = Comparison {
            verdict: if is_same { Verdict::Equivalent } else { Verdict::Different },
            extent: is_same.then_some(Extent::Whole),
            difference_in: (!is_same).then_some(DifferenceIn::Typical).into_iter().collect(),
            beyond_margin: (!is_same)
                .then(|| counted.is_one_zero() || ratio.ln().abs() > comparison.margin.ln_1p()),
            tail: None,
            typical: None,
            mean: None,
            carry_over: None,
            modes: None,
            spread: None,
            halves: None,
            tail_halves: None,
            quantiles: Vec::new(),
            effect_ratio: ratio,
            ci_low_ratio: ratio,
            ci_high_ratio: ratio,
            bootstrap_low_ratio: ratio,
            bootstrap_high_ratio: ratio,
            p_value: if is_same { 1.0 } else { 0.0 },
            pairs: counted.runs as usize,
            stopped_by: StoppedBy::Verdict,
            pairs_needed: None,
            secondary: secondary(exact, contest, self.rule.metric),
            exact: Some(counted),
            ..comparison.clone()
        };
    }

    /// Index of the command whose count in the first metric is less than those of all other commands; `None` if there
    /// is a tie or not all counts repeat.
    pub(crate) fn exact_winner(&self) -> Option<usize> {
        let exact = self.exact.as_ref().filter(|_| self.is_exact())?;
        let count = |command: u16| exact.of(self.rule.metric, command, command).map(|it| (it.a, command));
        let mut all: Vec<(u64, u16)> = (0..self.commands as u16).map(count).collect::<Option<_>>()?;
        all.sort_unstable();
        match all.as_slice() {
            [(least, best), (next, _), ..] if least < next => Some(usize::from(*best)),
            _ => None,
        }
    }

    /// A sentence for each command whose counts differ from run to run.
    pub(crate) fn not_exact(&self, names: &[String]) -> Vec<String> {
        let Some(exact) = self.exact.as_ref().filter(|_| !self.is_exact()) else { return Vec::new() };
        let metrics = self.rule.decided();
        let apart = |command: u16| metrics.iter().any(|(metric, _)| exact.apart(*metric, command));
        let sentence = |(name, _): (&String, u16)| {
            format!(
                "{name} does not do the same in each run: its counts differ, so they were judged like times; fix a \
                 seed, a time or an address that it uses"
            )
        };
        names.iter().zip(0..).filter(|(_, command)| apart(*command)).map(sentence).collect()
    }
}

/// Counts of the other metrics; reported once, with the first metric of the rule, and empty for the other metrics.
fn secondary(exact: &Exact, contest: &Contest, first: Metric) -> Vec<Secondary> {
    if contest.metric != first {
        return Vec::new();
    }
    let others = exact.others(contest.metric, (contest.reference, contest.candidate)).into_iter();
    others
        .map(|(metric, counted)| Secondary {
            metric,
            effect_ratio: counted.ratio(),
            ci_low_ratio: counted.ratio(),
            ci_high_ratio: counted.ratio(),
            p_adjusted: if counted.a == counted.b { 1.0 } else { 0.0 },
            first_thread: false,
            different: counted.a != counted.b,
        })
        .collect()
}
