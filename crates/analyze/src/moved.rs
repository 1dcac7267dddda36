//! Changes of level in the course of an experiment: from which run on a command took longer, or less time, than before.

use fauxplat_model::{LevelChange, Metric, RunFindings, Sample};
use fauxplat_stats::describe::median;
use fauxplat_stats::levels::{Searcher, Step};

use crate::analysed::counts;

/// Maximum p-value of a change, corrected for all places at which it could be.
const LEVEL: f64 = 0.01;

/// Least change of level, as a log ratio of about 1 %, that is reported.
const LEAST: f64 = 0.01;

/// Minimum number of runs in which a change is searched.
const RUNS_MIN: usize = 20;

/// Maximum number of values in which a change is searched. Of more runs, medians of successive ones are taken, since
/// the time of the search grows with their number.
const VALUES_MAX: usize = 200;

/// Seed of the random orders with which the search compares.
const SEED: u64 = 1;

/// Adds to the findings of each command, whose numbers begin with 0, the changes of its level in a metric.
pub fn add_level_changes(
    findings: &mut [RunFindings],
    samples: &[Sample],
    metric: Metric,
    ignore_failure: bool,
) {
    let mut searcher = Searcher::new(SEED);
    for (command, found) in (0..).zip(findings) {
        let is_ours = |sample: &&Sample| sample.command == command && counts(sample, ignore_failure);
        let ours: Vec<&Sample> = samples.iter().filter(is_ours).collect();
        found.level_changes = changes(&ours, metric, &mut searcher).unwrap_or_default();
    }
}

/// The changes of level in the runs of a command; `None` if there are too few, or one has no reading above zero.
fn changes(runs: &[&Sample], metric: Metric, searcher: &mut Searcher) -> Option<Vec<LevelChange>> {
    let value = |run: &&Sample| run.told(metric)?.value().filter(|&value| value > 0).map(|it| it as f64);
    let values: Vec<f64> = runs.iter().map(value).collect::<Option<_>>()?;
    if values.len() < RUNS_MIN {
        return None;
    }
    let size = values.len().div_ceil(VALUES_MAX);
    let logs: Vec<f64> = values.chunks(size).filter_map(median).map(f64::ln).collect();
    let steps = searcher.steps(&logs, LEVEL).into_iter();
    let steps = steps.filter(|step| step.low > LEAST || step.high < -LEAST);
    Some(steps.map(|step| change(runs, metric, size, &step)).collect())
}

/// A change that was found in values of which each stands for `size` runs.
fn change(runs: &[&Sample], metric: Metric, size: usize, step: &Step) -> LevelChange {
    let last = runs.len() - 1;
    // The change may lie within the runs that the value before it stands for.
    let place = (step.at * size).min(last);
    let (low, high) = ((step.at_low * size + 1).saturating_sub(size), step.at_high * size + size - 1);
    let seconds = |place: usize| runs[place.min(last)].started_ns as f64 / 1e9;
    LevelChange {
        metric,
        run: place + 1,
        run_low: low.min(last) + 1,
        run_high: high.min(last) + 1,
        at_s: seconds(place),
        at_low_s: seconds(low),
        at_high_s: seconds(high),
        ratio: step.shift.exp(),
        low_ratio: step.low.exp(),
        high_ratio: step.high.exp(),
    }
}

#[cfg(test)]
mod tests {
    use fauxplat_model::Readings;

    use super::*;

    /// Runs of a hundredth of a second each, which take these times; some noise is added.
    fn found(ms: impl Fn(usize) -> f64, runs: usize) -> Vec<LevelChange> {
        let run = |number: usize| {
            let noise = 1.0 + 0.002 * ((number * 7 % 11) as f64 - 5.0);
            let readings: Readings =
                [(Metric::WALL, (1e6 * ms(number) * noise) as u64)].into_iter().collect();
            Sample { started_ns: 10_000_000 * number as u64, ..Sample::of(readings) }
        };
        let samples: Vec<Sample> = (0..runs).map(run).collect();
        let mut findings = [RunFindings::default()];
        add_level_changes(&mut findings, &samples, Metric::WALL, false);
        let [only] = findings;
        only.level_changes
    }

    #[test]
    fn a_command_that_becomes_slower_is_told_from_which_run_on() {
        let slower = found(|run| if run < 100 { 5.0 } else { 6.0 }, 160);
        let [only] = slower.as_slice() else { panic!("one change: {slower:?}") };
        assert_eq!(only.run, 101);
        assert!(
            (only.run_low..=only.run_high).contains(&101) && only.run_high - only.run_low < 10,
            "{only:?}"
        );
        assert!((only.at_s - 1.0).abs() < 1e-9, "{only:?}");
        assert!((only.at_low_s..=only.at_high_s).contains(&1.0), "{only:?}");
        assert!(only.low_ratio < 1.2 && 1.2 < only.high_ratio && (only.ratio - 1.2).abs() < 0.02, "{only:?}");
    }

    #[test]
    fn of_many_runs_the_place_is_known_to_some_runs() {
        let slower = found(|run| if run < 1003 { 5.0 } else { 4.0 }, 2000);
        let [only] = slower.as_slice() else { panic!("one change: {slower:?}") };
        assert!((only.run_low..=only.run_high).contains(&1004) && only.high_ratio < 1.0, "{only:?}");
    }

    #[test]
    fn a_level_that_stays_is_no_change() {
        assert_eq!(found(|_| 5.0, 400), []);
        assert_eq!(found(|run| if run < 100 { 5.0 } else { 5.01 }, 200), [], "nobody asks for 0.2 %");
        assert_eq!(found(|run| if run < 10 { 5.0 } else { 9.0 }, 19), [], "too few runs");
        assert_eq!(found(|run| if run < 100 { 0.0 } else { 9.0 }, 200), [], "zero has no logarithm");
    }
}
