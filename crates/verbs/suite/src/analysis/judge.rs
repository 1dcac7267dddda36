//! The judge of a suite collects evidence for each benchmark and decides about all benchmarks together with one error
//! level.

use fauxplat_model::{GateQuestion, GateState};
use fauxplat_stats::bets::{differences_that_suffice, differences_to};
use fauxplat_stats::multiple::e_benjamini_hochberg;

use super::evidence::{Evidence, Peaks};
use crate::findings::{Control, State};

/// Settings by which a suite is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// Error level over the whole suite. The statements *changed* and *unchanged* and the answer to `--fail-if` each
    /// have this whole level.
    pub level: f64,
    /// The largest change that counts as none, as a share (0.03 is 3 %).
    pub margin: f64,
    /// The kind of error that `level` limits.
    pub control: Control,
    /// Direction of change that `--fail-if` asks about; `None` without that option.
    pub gate: Option<GateQuestion>,
    /// Whether a benchmark without a verdict fails (`--fail-if inconclusive`), so that sampling goes on until there is one.
    pub needs_verdict: bool,
}

/// Evidence about one benchmark, and the statements that it has shown.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) evidence: Evidence,
    /// The largest change that counts as none, as a log ratio.
    pub(super) margin: f64,
    /// State of knowledge at the latest look.
    pub(super) state: State,
    pub(super) gate: Option<GateState>,
    pub(super) has_changed: bool,
    pub(super) is_within: bool,
    /// Whether no further pairs are wanted, since the benchmark is decided or can no longer be measured.
    pub(super) is_closed: bool,
}

#[derive(Clone, Debug)]
pub struct Judge {
    rule: Rule,
    pub(super) cases: Vec<Case>,
}

impl Judge {
    pub fn new(benchmarks: usize, rule: Rule) -> Self {
        Judge::with_margins(&vec![rule.margin; benchmarks], rule)
    }

    /// A judge of benchmarks with a margin for each, as a share (0.03 is 3 %).
    pub fn with_margins(margins: &[f64], rule: Rule) -> Self {
        let case = |margin: f64| Case {
            evidence: Evidence::about(margin.ln_1p(), rule.gate),
            margin: margin.ln_1p(),
            state: State::Undecided,
            gate: rule.gate.map(|_| GateState::Undecided),
            has_changed: false,
            is_within: false,
            is_closed: false,
        };
        Judge { rule, cases: margins.iter().map(|&margin| case(margin)).collect() }
    }

    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Records the log ratio of a pair, B over A; positive means that B is worse. The order within the pair has to be
    /// random.
    pub fn pair(&mut self, benchmark: usize, log_ratio: f64) {
        self.cases[benchmark].evidence.pair(log_ratio);
    }

    /// Records the log ratios, B over A, of the first and of the second runs of a block, in which each side ran twice
    /// in a row. Which side came first has to be random.
    pub fn block(&mut self, benchmark: usize, [first, second]: [f64; 2], is_b_first: bool) {
        self.cases[benchmark].evidence.block(first, second, is_b_first);
    }

    /// Whether the next runs of a benchmark should be a block instead of a pair.
    pub fn wants_block(&self, benchmark: usize) -> bool {
        self.cases[benchmark].evidence.wants_block()
    }

    pub fn close(&mut self, benchmark: usize) {
        self.cases[benchmark].is_closed = true;
    }

    /// Whether more pairs of the benchmark are wanted.
    pub fn is_open(&self, benchmark: usize) -> bool {
        !self.cases[benchmark].is_closed
    }

    /// Whether the question about the benchmark was answered at the latest look.
    pub fn is_answered(&self, benchmark: usize) -> bool {
        self.cases[benchmark].is_answered(self.rule.needs_verdict)
    }

    pub fn state(&self, benchmark: usize) -> State {
        self.cases[benchmark].state
    }

    /// Number of pairs recorded for a benchmark.
    pub fn pairs(&self, benchmark: usize) -> usize {
        self.cases[benchmark].evidence.pairs()
    }

    /// Judges all benchmarks by the present evidence; may be called at any moment, any number of times.
    ///
    /// Each kind of statement has the whole level of the rule. *Changed* uses Holm's procedure on anytime-valid
    /// p-values, or e-BH on the present evidence to control the false discovery rate, which is valid however strongly
    /// benchmarks of one process depend on each other. *Unchanged* and the gate use Holm's procedure over all
    /// benchmarks; each of the gate's two answers has half of the level. Where there is a gate, *unchanged* has that half,
    /// too: the evidence for *unchanged* is part of that for *within*, so that no benchmark is unchanged beside a gate
    /// that is undecided.
    pub fn look(&mut self) {
        let level = self.rule.level;
        let changed = match self.rule.control {
            Control::Family => self.holm(|peaks| peaks.changed, level),
            Control::Discovery => {
                let present: Vec<f64> =
                    self.cases.iter().map(|case| case.evidence.ln_changed_now()).collect();
                e_benjamini_hochberg(&present, level)
            }
        };
        let within_level = if self.rule.gate.is_some() { level / 2.0 } else { level };
        let within = self.holm(|peaks| peaks.within, within_level);
        let beyond = self.holm(|peaks| peaks.beyond, level / 2.0);
        let not_beyond = self.holm(|peaks| peaks.not_beyond, level / 2.0);
        let (rule, is_family) = (self.rule, self.rule.control == Control::Family);
        for (at, case) in self.cases.iter_mut().enumerate() {
            // A rejection by e-BH may be withdrawn when the evidence of other benchmarks falls. A rejection by Holm's
            // procedure is final.
            case.has_changed = changed[at] || is_family && case.has_changed;
            case.is_within |= within[at];
            case.state = match (case.has_changed, case.is_within) {
                (true, _) if case.centre() >= 0.0 => State::Slower,
                (true, _) => State::Faster,
                (false, true) => State::Unchanged,
                (false, false) => State::Undecided,
            };
            case.gate = rule.gate.map(|_| match (case.gate, beyond[at], not_beyond[at]) {
                (Some(GateState::Beyond), ..) | (_, true, _) => GateState::Beyond,
                (Some(GateState::Within), ..) | (_, _, true) => GateState::Within,
                _ => GateState::Undecided,
            });
            case.is_closed |= case.is_answered(rule.needs_verdict);
        }
    }

    /// Whether Holm's procedure rejects the hypothesis of each benchmark at this level. The inverse of the evidence is
    /// an anytime-valid p-value.
    fn holm(&self, evidence: impl Fn(Peaks) -> f64, level: f64) -> Vec<bool> {
        let adjusted = self.adjusted(evidence);
        adjusted.into_iter().map(|p| p <= level).collect()
    }

    fn adjusted(&self, evidence: impl Fn(Peaks) -> f64) -> Vec<f64> {
        let p: Vec<f64> =
            self.cases.iter().map(|case| (-evidence(case.evidence.peaks())).exp().min(1.0)).collect();
        fauxplat_stats::multiple::holm(&p)
    }

    /// Adjusted p-value of each benchmark: the smallest error level of the suite at which the benchmark would be called
    /// changed.
    pub fn adjusted_p(&self) -> Vec<f64> {
        self.adjusted(|peaks| peaks.changed)
    }

    /// Expected total number of pairs after which a benchmark is decided; infinite where there is no estimate.
    pub fn pairs_to_decide(&self, benchmark: usize) -> f64 {
        self.pairs_by(benchmark, differences_to)
    }

    /// Total number of pairs by which a new measurement decides a benchmark in nine of ten cases, if its change and its
    /// noise are what they seem; infinite where the pairs so far are too few to say.
    pub fn pairs_that_suffice(&self, benchmark: usize) -> f64 {
        let seen = self.cases[benchmark].evidence.deciding().len();
        self.pairs_by(benchmark, |distance, level, _| {
            differences_that_suffice(distance, level, seen) - seen as f64
        })
    }

    /// Total number of pairs until a benchmark is decided. `takes` gives the number of further bets by the distance in
    /// spreads, the level, and the logarithm of the present evidence.
    fn pairs_by(&self, benchmark: usize, takes: impl Fn(f64, f64, f64) -> f64) -> f64 {
        let (case, n) = (&self.cases[benchmark], self.pairs(benchmark));
        let (spread, peaks) = (case.evidence.deciding().usual_spread(), case.evidence.peaks());
        if spread == 0.0 {
            return f64::INFINITY;
        }
        let (level, margin, centre) = (self.rule.level / self.cases.len() as f64, case.margin, case.centre());
        let takes = |distance: f64, level: f64, ln_now: f64| takes(distance.abs() / spread, level, ln_now);
        let verdict = || {
            let within = takes((margin - centre.abs()).max(0.0), level, peaks.within);
            takes(centre, level, peaks.changed).min(within)
        };
        let gate = |side: GateQuestion| {
            let is_below = side == GateQuestion::Faster || side == GateQuestion::Different && centre < 0.0;
            let end = if is_below { -margin } else { margin };
            takes(centre - end, level / 2.0, peaks.beyond.max(peaks.not_beyond))
        };
        let more = match self.rule.gate {
            None => verdict(),
            Some(side) if self.rule.needs_verdict => gate(side).max(verdict()),
            Some(side) => gate(side),
        };
        n as f64 + more.ceil() * case.evidence.pairs_per_bet()
    }
}

impl Case {
    fn is_answered(&self, needs_verdict: bool) -> bool {
        let has_verdict = self.state != State::Undecided;
        match self.gate {
            Some(gate) => gate != GateState::Undecided && (has_verdict || !needs_verdict),
            None => has_verdict,
        }
    }

    pub(super) fn centre(&self) -> f64 {
        let bets = self.evidence.deciding();
        match bets.is_empty() {
            true => 0.0,
            false => fauxplat_stats::winsor::location(&bets.values()).estimate,
        }
    }

    /// Natural logarithm of the largest evidence so far that A and B differ.
    pub(super) fn ln_changed(&self) -> f64 {
        self.evidence.peaks().changed
    }
}

#[cfg(test)]
mod tests {
    use fauxplat_stats::draw::Draw;

    use super::*;

    const RULE: Rule =
        Rule { level: 0.01, margin: 0.03, control: Control::Family, gate: None, needs_verdict: false };

    /// A judge of twenty benchmarks after `pairs` pairs of each. The log ratio is `shift` for the first one and 0 for
    /// all others, plus noise.
    fn judged(rule: Rule, shift: f64, pairs: usize) -> Judge {
        let (mut judge, mut draw) = (Judge::new(20, rule), Draw::new(7, 0));
        for _ in 0..pairs {
            for at in 0..20 {
                judge.pair(at, 0.02 * draw.normal() + if at == 0 { shift } else { 0.0 });
            }
            judge.look();
        }
        judge
    }

    #[test]
    fn a_change_is_found_and_the_rest_is_unchanged() {
        for control in [Control::Family, Control::Discovery] {
            let judge = judged(Rule { control, ..RULE }, 0.1, 60);
            assert_eq!(judge.cases[0].state, State::Slower);
            assert!(judge.cases[1..].iter().all(|case| case.state == State::Unchanged && case.is_closed));
        }
        assert_eq!(judged(RULE, -0.1, 60).cases[0].state, State::Faster);
    }

    #[test]
    fn few_pairs_decide_nothing() {
        // A pair at most doubles the evidence, and the evidence needed is 20 benchmarks × 100 for the level of 1 %.
        let judge = judged(RULE, 5.0, 6);
        assert!(judge.cases.iter().all(|case| case.state == State::Undecided));
        assert!(
            judge.pairs_to_decide(0) > 10.0 && judge.pairs_to_decide(0) < 40.0,
            "{}",
            judge.pairs_to_decide(0)
        );
    }

    /// Pairs that suffice for benchmarks that few pairs left open decide about nine of ten of them in a new measurement.
    #[test]
    fn pairs_that_suffice_decide_nine_of_ten() {
        let is_decided = |judge: &Judge| judge.cases[0].state != State::Undecided;
        let (mut open, mut decided) = (0, 0);
        for seed in 0..60 {
            let mut draw = Draw::new(seed, 2);
            for (shift, noise, few) in [(0.05, 0.1, 25), (0.1, 0.14, 20), (0.0, 0.02, 12), (0.08, 0.1, 16)] {
                let mut measured = |pairs: usize| {
                    let mut judge = Judge::new(3, RULE);
                    for _ in 0..pairs {
                        judge.pair(0, shift + noise * draw.normal());
                        judge.look();
                    }
                    judge
                };
                let first = measured(few);
                let suffice = first.pairs_that_suffice(0);
                if !is_decided(&first) && suffice < 400.0 {
                    open += 1;
                    decided += usize::from(is_decided(&measured(suffice as usize)));
                }
            }
        }
        assert!(open > 60 && 10 * decided > 8 * open, "{decided} of {open}");
    }

    #[test]
    fn a_gate_asks_beyond_the_margin() {
        let rule = Rule { gate: Some(GateQuestion::Slower), ..RULE };
        let judge = judged(rule, 0.1, 60);
        assert_eq!(judge.cases[0].gate, Some(GateState::Beyond));
        assert!(judge.cases[1..].iter().all(|case| case.gate == Some(GateState::Within)));
        let faster = judged(rule, -0.1, 60);
        assert_eq!(
            faster.cases[0].gate,
            Some(GateState::Within),
            "what is faster is not slower by more than the margin"
        );
        let edge = judged(rule, 0.03_f64.ln_1p(), 60);
        assert_eq!(edge.cases[0].gate, Some(GateState::Undecided));
    }

    /// A benchmark can be given up after any look, so that each look has to have one answer.
    #[test]
    fn no_look_calls_a_benchmark_unchanged_beside_an_undecided_gate() {
        for question in [GateQuestion::Slower, GateQuestion::Faster, GateQuestion::Different] {
            let rule = Rule { gate: Some(question), ..RULE };
            let (mut judge, mut draw, mut unchanged) = (Judge::new(5, rule), Draw::new(11, 0), 0);
            for _ in 0..60 {
                (0..5).for_each(|at| judge.pair(at, 0.02 * draw.normal()));
                judge.look();
                for case in judge.cases.iter().filter(|case| case.state == State::Unchanged) {
                    assert_eq!(case.gate, Some(GateState::Within), "{question:?}");
                    unchanged += 1;
                }
            }
            assert!(unchanged > 0);
        }
    }
}
