//! Disagreement of counts and times, such as fewer instructions in more time.

use fauxplat_model::{
    Comparison, Derived, DerivedChange, DifferenceIn, Disagreement, Metric, MetricChange, RatioInterval,
    RunFindings, Verdict,
};

/// Metrics that count work on a real processor. Counts of a simulator are not listed, since simulated runs are never
/// timed.
const WORK: [&str; 2] = ["pmu:instructions", "pmu:instructions:u"];
/// Maximum number of derived figures that a disagreement lists.
const FIGURES_MAX: usize = 4;

/// Returns the changes of work (instructions) and time between two commands if their directions disagree; otherwise
/// `None`. `comparisons` has the comparisons of the two commands in every metric of the rule.
pub(crate) fn disagreement(comparisons: &[&Comparison], [a, b]: [&RunFindings; 2]) -> Option<Disagreement> {
    let first = comparisons.first()?;
    let change = |metric| changes(comparisons).find(|it: &MetricChange| it.metric == metric);
    let count = WORK.into_iter().filter_map(Metric::from_name).find_map(change)?;
    let time = [Metric::WALL, Metric::CPU].into_iter().find_map(change)?;
    let way = |it: MetricChange| (!it.is_same).then_some(it.change.ratio > 1.0);
    let derived = derived(&a.derived, &b.derived);
    (way(count) != way(time)).then(|| Disagreement {
        a: first.a.clone(),
        b: first.b.clone(),
        count,
        time,
        derived,
    })
}

/// The metrics that were shown to differ, or to be equal within a margin: their own margin if the rule decides by them,
/// otherwise that of the first metric.
fn changes(comparisons: &[&Comparison]) -> impl Iterator<Item = MetricChange> {
    let common = comparisons.first().map_or(0.0, |it| it.margin);
    let decided = comparisons.iter().map(|it| {
        let has_moved = it.verdict == Verdict::Different && it.difference_in.contains(&DifferenceIn::Typical);
        let [ratio, low_ratio, high_ratio] = [it.effect_ratio, it.ci_low_ratio, it.ci_high_ratio];
        (it.metric, RatioInterval { ratio, low_ratio, high_ratio }, has_moved, it.margin)
    });
    let others = comparisons.iter().flat_map(|it| &it.secondary).map(move |it| {
        let [ratio, low_ratio, high_ratio] = [it.effect_ratio, it.ci_low_ratio, it.ci_high_ratio];
        (it.metric, RatioInterval { ratio, low_ratio, high_ratio }, it.different, common)
    });
    let (decided, others): (Vec<_>, Vec<_>) = (decided.collect(), others.collect());
    decided.into_iter().chain(others).filter_map(|(metric, change, has_moved, margin)| {
        let is_same = change.low_ratio >= 1.0 / (1.0 + margin) && change.high_ratio <= 1.0 + margin;
        (has_moved || is_same).then_some(MetricChange { metric, change, is_same, margin: Some(margin) })
    })
}

/// The derived figures whose intervals for the two commands do not overlap.
fn derived(a: &[Derived], b: &[Derived]) -> Vec<DerivedChange> {
    let of_both =
        a.iter().filter_map(|a| Some((a, b.iter().find(|b| b.formula == a.formula && b.unit == a.unit)?)));
    let below =
        |one: &Derived, other: &Derived| one.high.zip(other.low).is_some_and(|(high, low)| high < low);
    let apart = of_both.filter(|(a, b)| below(a, b) || below(b, a));
    let change = |(a, b): (&Derived, &Derived)| DerivedChange {
        name: a.name.clone(),
        unit: a.unit.clone(),
        a: a.median,
        b: b.median,
    };
    apart.map(change).take(FIGURES_MAX).collect()
}
