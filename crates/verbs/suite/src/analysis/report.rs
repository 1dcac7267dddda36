//! Turns the state of a judge into the findings of its benchmarks.

use fauxplat_model::GateState;
use fauxplat_stats::describe::median;

use super::judge::{Case, Judge, Rule};
use super::together::group_of;
use crate::findings::{Benchmark, Ratio, State};
use crate::harness::Unit;
use crate::processes::Processes;

/// A benchmark's name, readings and cost, which the judge does not store.
#[derive(Clone, Debug, Default)]
pub struct Named {
    pub name: String,
    pub unit: Unit,
    /// Readings of A and of B in each pair, in `unit`.
    pub readings: Vec<(f64, f64)>,
    /// Seconds that a process takes for this benchmark.
    pub cost_s: f64,
    /// Seconds that a pair takes, with its share of all around it; zero before the first pair.
    pub pair_s: f64,
    /// Why readings are missing; `None` where none are.
    pub trouble: Option<String>,
    /// Processes of A and of B that ran the benchmark.
    pub processes: [Processes; 2],
    /// Whether processes of the benchmark failed and the failures are not left out, or so many that it was given up.
    pub has_failed: bool,
    /// Whether the benchmark was given up while it was open.
    pub is_given_up: bool,
}

impl Named {
    /// Log ratio of a pair's readings, B over A for times and A over B for rates; positive means that B is worse.
    /// `None` where a reading is not positive.
    pub fn log_ratio(unit: &Unit, (a, b): (f64, f64)) -> Option<f64> {
        let log_ratio = (a > 0.0 && b > 0.0).then(|| (b / a).ln()).filter(|it| it.is_finite())?;
        Some(if unit.more_is_better() { -log_ratio } else { log_ratio })
    }
}

/// The findings of all benchmarks, in the order of `named`.
pub fn benchmarks(judge: &Judge, named: &[Named]) -> Vec<Benchmark> {
    let adjusted = judge.adjusted_p();
    let each = judge.rule().level / named.len().max(1) as f64;
    let one = |(at, named): (usize, &Named)| {
        let case = &judge.cases[at];
        let (low, high) = shown_by(case, case.evidence.deciding().interval(each));
        let centre = case.centre().clamp(low, high);
        let end = |end: f64| end.is_finite().then(|| end.exp());
        let n = case.evidence.pairs() as u32;
        let state = if n == 0 { State::NotMeasured } else { case.state };
        let suffice = judge.pairs_that_suffice(at);
        let of = |side: fn(&(f64, f64)) -> f64| median(&named.readings.iter().map(side).collect::<Vec<_>>());
        let margin = case.margin;
        Benchmark {
            name: named.name.clone(),
            group: group_of(&named.name).to_owned(),
            unit: named.unit.to_string(),
            metric: None,
            state,
            effect: (n > 0).then(|| Ratio { ratio: centre.exp(), low: end(low), high: end(high) }),
            margin: (margin != judge.rule().margin.ln_1p()).then(|| margin.exp_m1()),
            is_within_margin: low >= -margin && high <= margin && case.gate != Some(GateState::Undecided),
            gate: case.gate,
            ln_evidence: case.ln_changed(),
            p_adjusted: adjusted[at],
            a: of(|pair| pair.0),
            b: of(|pair| pair.1),
            pairs: n,
            pairs_to_decide: (!judge.is_answered(at) && suffice < 1e6).then_some(suffice as u32),
            cost_s: named.cost_s,
            pair_s: named.pair_s,
            trouble: named.trouble.clone(),
            processes: named.processes.clone(),
            has_failed: named.has_failed,
            // Later evidence about other benchmarks may answer the question.
            is_given_up: named.is_given_up && !judge.is_answered(at),
            carried_over: case.evidence.carried_over(),
            alone: None,
            readings: named.readings.clone(),
        }
    };
    named.iter().enumerate().map(one).collect()
}

/// Findings about a benchmark of which no pair was measured, for the reason `trouble`.
pub fn not_measured(name: &str, trouble: String, rule: &Rule) -> Benchmark {
    Benchmark {
        name: name.to_owned(),
        group: group_of(name).to_owned(),
        unit: Unit::default().to_string(),
        metric: None,
        state: State::NotMeasured,
        effect: None,
        margin: None,
        is_within_margin: false,
        gate: rule.gate.map(|_| GateState::Undecided),
        ln_evidence: 0.0,
        p_adjusted: 1.0,
        a: None,
        b: None,
        pairs: 0,
        pairs_to_decide: None,
        cost_s: 0.0,
        pair_s: 0.0,
        trouble: Some(trouble),
        processes: Default::default(),
        has_failed: false,
        is_given_up: false,
        carried_over: None,
        alone: None,
        readings: Vec::new(),
    }
}

/// Narrows a benchmark's interval of log ratios to the region that Holm's procedure has shown, which can be narrower,
/// since the intervals share the level evenly. For a benchmark shown to be slower or faster the interval ends at zero
/// at most, and for one shown to be unchanged at the margin (Strassburger and Bretz 2008).
fn shown_by(case: &Case, whole: (f64, f64)) -> (f64, f64) {
    let within = if case.is_within { case.margin } else { f64::INFINITY };
    let (least, most) = match case.state {
        State::Slower => (0.0, within),
        State::Faster => (-within, 0.0),
        _ => (-within, within),
    };
    // Statements of an earlier look may contradict later evidence; the interval is then returned unchanged.
    let (low, high) = (whole.0.max(least), whole.1.min(most));
    if low <= high { (low, high) } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_of_a_rate_is_better_and_zero_has_no_ratio() {
        let rate = Unit::Other("MB/s".to_owned());
        assert!(Named::log_ratio(&rate, (1.0, 2.0)).unwrap() < 0.0);
        assert!(Named::log_ratio(&Unit::Ns, (1.0, 2.0)).unwrap() > 0.0);
        assert_eq!(Named::log_ratio(&Unit::Ns, (0.0, 2.0)), None);
        assert_eq!(Named::log_ratio(&Unit::Ns, (1.0, f64::NAN)), None);
    }
}
