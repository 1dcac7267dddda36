//! Finds where the level of a series of sessions changed, and compares the newest session with earlier ones.

use fauxplat_model::{FailIf, Gate, GateAnswer, GateQuestion, GateState};
use fauxplat_stats::describe::{mean, median, standard_deviation};
use fauxplat_stats::distribution::normal_upper_quantile;
use fauxplat_stats::levels::{Newest, Noise, Searcher, Step, newest};
use fauxplat_stats::multiple::benjamini_hochberg;
use fauxplat_store::Point;

use crate::findings::{
    Apart, CommitRange, GateFindings, LevelChange, Moved, SeriesFindings, SeriesName, Session,
};
use crate::series::{Context, Series};

/// Seed of the random permutations that give p-values. A fixed seed makes every call find the same changes in the same
/// series.
pub const SEED: u64 = 48;

/// Half the width of a 95 % confidence interval, in standard errors.
const HALF_95: f64 = 1.96;

/// Probability with which a gate finds a change of the size that the report calls detectable.
const POWER: f64 = 0.9;

/// Findings about a series over its sessions, without the list of these sessions.
pub fn trend(series: &Series, context: &Context, searcher: &mut Searcher, level: f64) -> SeriesFindings {
    let logs = logs(series);
    let steps = searcher.steps(&logs, level);
    let noise = searcher.noise(&logs);
    let from = steps.last().map_or(0, |step| step.at);
    let apart = apart(&logs[from..]);
    let end = apart.as_ref().map_or(logs.len(), |apart| from + apart.before);
    let last = series.points.last();
    SeriesFindings {
        name: name(series),
        session_count: logs.len(),
        newest: last.map_or(0.0, |point| point.ln.exp()),
        newest_started: last.map_or_else(String::new, |point| point.started.to_string()),
        level: median(&logs[from..end]).unwrap_or(0.0).exp(),
        apart,
        between_sd: noise.map(|noise| between(noise, &series.points)),
        dependence: noise.map(|noise| noise.inflation),
        changes: steps.iter().map(|step| change(step, series, context)).collect(),
        sessions: Vec::new(),
    }
}

/// Least number of sessions from whose scatter a distance is judged.
const BEFORE_MIN: usize = 5;

/// Least distance of sessions that lie apart, in standard deviations of the sessions before them.
const APART_SD: f64 = 5.0;

/// The newest values of a stretch of one level that lie far from all others; `None` if there are none. At most a third
/// of the values are newest ones, since more of them would show a change of level.
fn apart(logs: &[f64]) -> Option<Apart> {
    let of = |count: usize| {
        let (before, newest) = logs.split_at(logs.len() - count);
        let level = median(before)?;
        let reach = APART_SD * standard_deviation(before);
        let is_above = |log: &f64| log - level > reach;
        let is_below = |log: &f64| level - log > reach;
        let is_apart = newest.iter().all(is_above) || newest.iter().all(is_below);
        let ratio = (median(newest)? - level).exp();
        (is_apart && before.len() >= BEFORE_MIN).then_some(Apart {
            sessions: count,
            before: before.len(),
            ratio,
        })
    };
    (1..=logs.len() / 3).rev().find_map(of)
}

/// Removes the changes that are not significant when all series are tested together (Benjamini and Hochberg), so that
/// the share of false changes does not grow with the number of benchmarks.
pub fn keep_together(all: &mut [SeriesFindings], level: f64) {
    let p_values: Vec<f64> = all.iter().flat_map(|it| &it.changes).map(|change| change.p_value).collect();
    // Every series is a test, and each change adds two more, since the sessions before and after it are searched as
    // well.
    let tests = all.len() + 2 * p_values.len();
    let mut adjusted = benjamini_hochberg(&p_values, tests).into_iter();
    for series in all {
        series.changes.retain(|_| adjusted.next().is_some_and(|q| q <= level));
    }
}

/// Sorts series: first those whose last change made them worse, largest change first; then those that became better,
/// largest change first; then the others by name.
pub fn sort(all: &mut [SeriesFindings]) {
    let worse = |it: &SeriesFindings| {
        let last = it.changes.last();
        let log = last.map_or(0.0, |change| change.ratio.ln().abs());
        (last.map_or(1, |change| if change.is_worse { 0 } else { 2 }), log)
    };
    let rank = |group: i32| [0, 2, 1][group as usize];
    all.sort_by(|a, b| {
        let ((group_a, log_a), (group_b, log_b)) = (worse(a), worse(b));
        let by_change = rank(group_a).cmp(&rank(group_b)).then(log_b.total_cmp(&log_a));
        by_change.then_with(|| (&a.name.identity, &a.name.machine).cmp(&(&b.name.identity, &b.name.machine)))
    });
}

/// Logarithm of the typical reading of each session.
pub fn logs(series: &Series) -> Vec<f64> {
    series.points.iter().map(|point| point.ln).collect()
}

pub fn name(series: &Series) -> SeriesName {
    let point = series.points.last();
    SeriesName {
        identity: series.key.identity.clone(),
        metric: point.map_or_else(String::new, |it| it.metric.to_string()),
        unit: point.map_or_else(String::new, |it| it.unit.to_string()),
        more_is_better: point.is_some_and(|it| it.more_is_better),
        machine: series.key.machine.to_string(),
        host: point.and_then(|it| it.host.as_deref()).map(str::to_owned),
    }
}

pub fn session(point: &Point, context: &Context) -> Session {
    let end = |side: f64| point.error.map(|error| (point.ln + side * HALF_95 * error).exp());
    Session {
        experiment: point.experiment,
        started: point.started.to_string(),
        commit: point.commit.clone(),
        dirty: point.dirty,
        label: point.label.clone(),
        notes: context.notes.get(&point.experiment).cloned().unwrap_or_default(),
        value: point.ln.exp(),
        low: end(-1.0),
        high: end(1.0),
        runs: point.runs,
    }
}

/// Standard deviation between sessions, as a logarithm, without the part that the uncertainty within sessions explains.
fn between(noise: Noise, points: &[Point]) -> f64 {
    let squares: Vec<f64> =
        points.iter().filter_map(|point| point.error).map(|error| error * error).collect();
    (noise.sd * noise.sd - median(&squares).unwrap_or(0.0)).max(0.0).sqrt()
}

fn change(step: &Step, series: &Series, context: &Context) -> LevelChange {
    let (before, after) = (&series.points[step.at - 1], &series.points[step.at]);
    let commits = before.commit.clone().zip(after.commit.clone());
    let near = &series.points[step.at_low..=step.at_high];
    let notes = near.iter().filter_map(|point| context.notes.get(&point.experiment)).flatten();
    LevelChange {
        at: step.at,
        at_low: step.at_low,
        at_high: step.at_high,
        experiment: after.experiment,
        started: after.started.to_string(),
        ratio: step.shift.exp(),
        low_ratio: step.low.exp(),
        high_ratio: step.high.exp(),
        is_worse: (step.shift > 0.0) != after.more_is_better,
        p_value: step.p_value,
        commits: commits.map(|(last_before, first_after)| CommitRange { last_before, first_after }),
        notes: notes.cloned().collect(),
    }
}

#[derive(Clone, Debug)]
pub struct GateRule {
    pub fail_if: Vec<FailIf>,
    /// Largest change that counts as none, as a share (0.03 is 3 %).
    pub margin: f64,
    /// Probability that the interval of the change does not contain the true change.
    pub level: f64,
}

/// Compares the newest session of a series with the sessions since the last change of level before it. The newest
/// session takes no part in the search for that change: otherwise a change at the newest session would leave no earlier
/// session for comparison. `None` for a series without sessions.
pub fn gate(series: &Series, context: &Context, rule: &GateRule) -> Option<GateFindings> {
    let (last, earlier) = series.points.split_last()?;
    let logs: Vec<f64> = earlier.iter().map(|point| point.ln).collect();
    let steps = Searcher::new(SEED).steps(&logs, rule.level);
    let from = steps.last().map_or(0, |step| step.at);
    let past = &logs[from..];
    let unshown = beyond_since(&self::logs(series)[from..], rule, last.more_is_better);
    let moved = match (unshown, steps.last()) {
        (Some((at, shift)), _) => Some((from + at, shift, false)),
        (None, step) => step.map(|step| (step.at, step.shift, true)),
    };
    let told = newest(past, last.ln, rule.level);
    let question = FailIf::question(&rule.fail_if).unwrap_or(GateQuestion::Different);
    let state = told.map_or(GateState::Undecided, |it| state(it, question, rule.margin, last.more_is_better));
    let mut found = GateFindings {
        summary: String::new(),
        name: name(series),
        level: rule.level,
        fail_if: rule.fail_if.iter().map(|gate| gate.word().to_owned()).collect(),
        newest: session(last, context),
        past_sessions: past.len(),
        past_since: earlier.get(from).map(|point| point.experiment),
        past_value: mean(past).map(f64::exp),
        ratio: told.map(|it| it.shift.exp()),
        low_ratio: told.map(|it| it.low.exp()),
        high_ratio: told.map(|it| it.high.exp()),
        reason: told
            .is_none()
            .then(|| "the past is too short: three sessions before the newest are needed".to_owned()),
        moved: moved.map(|(at, shift, is_shown)| Moved {
            experiment: series.points[at].experiment,
            ratio: shift.exp(),
            is_shown,
        }),
        gate: Gate { question, margin: rule.margin, state, detectable: told.map(|it| detectable(it, rule)) },
        fails: false,
    };
    let is_worse = told.is_some_and(|it| (it.shift > 0.0) != last.more_is_better);
    let is_concluded = state != GateState::Undecided;
    let answer = GateAnswer { question, state, is_better: !is_worse, is_concluded };
    found.fails = answer.failed(&rule.fail_if).is_some();
    Some(found)
}

/// Maximum number of sessions before the newest that are searched for one beyond the margin: after more sessions, the
/// change of level is shown.
const LOOK_BACK: usize = 20;

/// The first of some values, the newest left out, that a gate with this rule finds beyond its margin, if all later
/// values are as far off: its index, and its distance from the values before it. `None` if there is none.
fn beyond_since(logs: &[f64], rule: &GateRule, more_is_better: bool) -> Option<(usize, f64)> {
    let question = FailIf::question(&rule.fail_if).unwrap_or(GateQuestion::Different);
    let end = logs.len().saturating_sub(1);
    (end.saturating_sub(LOOK_BACK).max(1)..end).find_map(|at| {
        let (past, later) = (&logs[..at], &logs[at + 1..]);
        let told = newest(past, logs[at], rule.level)?;
        let level = mean(past)?;
        let lasts = later.iter().all(|log| (log - level) * told.shift.signum() > told.shift.abs() / 2.0);
        let is_beyond = state(told, question, rule.margin, more_is_better) == GateState::Beyond;
        (is_beyond && lasts).then_some((at, told.shift))
    })
}

fn state(told: Newest, question: GateQuestion, margin: f64, more_is_better: bool) -> GateState {
    let margin = (1.0 + margin).ln();
    // For metrics of which more is better, the signs are swapped, so that a positive change means worse.
    let (low, high) = if more_is_better { (-told.high, -told.low) } else { (told.low, told.high) };
    let side = |low: f64, high: f64| match (low > margin, high < margin) {
        (true, _) => GateState::Beyond,
        (_, true) => GateState::Within,
        _ => GateState::Undecided,
    };
    match question {
        GateQuestion::Slower => side(low, high),
        GateQuestion::Faster => side(-high, -low),
        _ => match (side(low, high), side(-high, -low)) {
            (GateState::Beyond, _) | (_, GateState::Beyond) => GateState::Beyond,
            (GateState::Within, GateState::Within) => GateState::Within,
            _ => GateState::Undecided,
        },
    }
}

/// Smallest change, as a ratio minus one, that a gate with this rule and noise finds with a probability of [`POWER`].
fn detectable(told: Newest, rule: &GateRule) -> f64 {
    let reach = (told.high - told.low) / 2.0;
    let error = reach / normal_upper_quantile(rule.level / 2.0);
    ((1.0 + rule.margin).ln() + reach + normal_upper_quantile(1.0 - POWER) * error).exp() - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_beyond_the_margin_is_found_where_later_ones_stay() {
        let past = [0.01, -0.01, 0.02, 0.0, -0.02, 0.01, 0.0, -0.01];
        let rule = GateRule { fail_if: vec![FailIf::Slower], margin: 0.03, level: 0.01 };
        let with = |later: &[f64], more_is_better| {
            beyond_since(&[&past[..], later].concat(), &rule, more_is_better).map(|(at, _)| at)
        };
        assert_eq!(with(&[0.5, 0.51], false), Some(8));
        assert_eq!(with(&[0.5, 0.51, 0.49], false), Some(8));
        assert_eq!(with(&[0.5, 0.0], false), None, "it came back");
        assert_eq!(with(&[0.5], false), None, "the newest is no past");
        assert_eq!(with(&[0.5, 0.51], true), None, "it became better");
    }

    #[test]
    fn newest_values_far_from_the_others_are_apart() {
        let before = [0.01, -0.01, 0.02, 0.0, -0.02, 0.01];
        let with = |newest: &[f64]| apart(&[&before[..], newest].concat());
        let two = with(&[0.2, 0.21]).unwrap();
        assert_eq!((two.sessions, two.before), (2, 6));
        assert!((1.2..1.25).contains(&two.ratio), "{two:?}");
        assert_eq!(with(&[-0.01, -0.3]).map(|it| it.sessions), Some(1));
        assert_eq!(with(&[0.02, -0.03]), None);
        assert_eq!(with(&[]), None);
        assert_eq!(apart(&[0.0, 0.0, 0.0, 9.0]), None, "too few before it");
        assert_eq!(apart(&[]), None);
    }
}
