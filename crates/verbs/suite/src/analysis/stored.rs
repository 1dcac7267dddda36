//! Judges results of two sessions, each with a set of readings for every benchmark. As the runs of the two sessions
//! were not interleaved at random, the statement is weaker.

use fauxplat_stats::describe::mean;
use fauxplat_stats::distribution::{t_two_sided_p, t_upper_quantile};
use fauxplat_stats::winsor::location;

use super::judge::Rule;
use super::report::Named;
use super::together::group_of;
use crate::findings::{Benchmark, Ratio, State};
use crate::harness::Unit;

/// Assumed standard deviation of the change from one session to another on the same machine, as a log ratio.
/// `--baseline` assumes the same where the store has no estimate.
const BETWEEN_SESSIONS: f64 = 0.01;

/// Findings about benchmarks, each given by name, unit, and the readings of the earlier and of the later session.
///
/// The interval is Welch's for the means of logarithms, widened by the assumed change between sessions. A benchmark
/// with a single reading in a session has no estimate of the noise and stays undecided.
pub fn stored(rule: &Rule, rows: &[(String, Unit, Vec<f64>, Vec<f64>)]) -> Vec<Benchmark> {
    let seen: Vec<Option<Seen>> = rows.iter().map(|(_, unit, a, b)| Seen::of(unit, a, b)).collect();
    let p: Vec<f64> = seen.iter().map(|it| it.as_ref().map_or(1.0, Seen::p)).collect();
    let adjusted = match rule.control {
        crate::findings::Control::Family => fauxplat_stats::multiple::holm(&p),
        crate::findings::Control::Discovery => fauxplat_stats::multiple::benjamini_hochberg(&p, p.len()),
    };
    let each = rule.level / rows.len().max(1) as f64;
    let one = |at: usize| {
        let (name, unit, a, b) = &rows[at];
        let interval = seen[at].as_ref().map(|it| it.interval(each));
        let state = match (&seen[at], interval) {
            (Some(it), _) if adjusted[at] <= rule.level && it.d > 0.0 => State::Slower,
            (Some(_), _) if adjusted[at] <= rule.level => State::Faster,
            (_, Some((low, high))) if low > -rule.margin.ln_1p() && high < rule.margin.ln_1p() => {
                State::Unchanged
            }
            _ if a.is_empty() || b.is_empty() => State::NotMeasured,
            _ => State::Undecided,
        };
        // Holm's procedure shows more changes than intervals that share the level evenly, so the interval of a change
        // is cut at zero.
        let interval = interval.map(|(low, high)| match state {
            State::Slower => (low.max(0.0), high),
            State::Faster => (low, high.min(0.0)),
            _ => (low, high),
        });
        let d = mean(a).zip(mean(b)).and_then(|pair| Named::log_ratio(unit, pair));
        Benchmark {
            name: name.clone(),
            group: group_of(name).to_owned(),
            unit: unit.to_string(),
            metric: None,
            state,
            effect: d.map(|d| Ratio {
                ratio: seen[at].as_ref().map_or(d, |it| it.d).exp(),
                low: interval.map(|(low, _)| low.exp()),
                high: interval.map(|(_, high)| high.exp()),
            }),
            margin: None,
            is_within_margin: state == State::Unchanged,
            gate: None,
            ln_evidence: -p[at].max(1e-300).ln(),
            p_adjusted: adjusted[at],
            a: mean(a),
            b: mean(b),
            pairs: a.len().min(b.len()) as u32,
            pairs_to_decide: None,
            cost_s: 0.0,
            pair_s: 0.0,
            trouble: None,
            processes: Default::default(),
            has_failed: false,
            is_given_up: false,
            carried_over: None,
            alone: None,
            readings: Vec::new(),
        }
    };
    (0..rows.len()).map(one).collect()
}

/// Difference between two sessions as a log ratio, with the standard error and degrees of freedom of that difference.
struct Seen {
    d: f64,
    se: f64,
    df: f64,
}

impl Seen {
    fn of(unit: &Unit, a: &[f64], b: &[f64]) -> Option<Self> {
        let logs = |values: &[f64]| -> Option<Vec<f64>> {
            values.iter().map(|&value| (value > 0.0).then(|| value.ln())).collect()
        };
        let (a, b) = (location(&logs(a)?), location(&logs(b)?));
        if a.n < 2 || b.n < 2 {
            return None;
        }
        let sign = if unit.more_is_better() { -1.0 } else { 1.0 };
        let se = (a.se.powi(2) + b.se.powi(2) + 2.0 * BETWEEN_SESSIONS.powi(2)).sqrt();
        Some(Seen { d: sign * (b.estimate - a.estimate), se, df: a.df.min(b.df).max(1.0) })
    }

    fn p(&self) -> f64 {
        t_two_sided_p(self.d / self.se, self.df)
    }

    fn interval(&self, level: f64) -> (f64, f64) {
        let half = t_upper_quantile(level / 2.0, self.df) * self.se;
        (self.d - half, self.d + half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Control;

    #[test]
    fn stored_results_are_judged_and_one_reading_is_not() {
        let rule =
            Rule { level: 0.01, margin: 0.03, control: Control::Family, gate: None, needs_verdict: false };
        let row = |name: &str, a: &[f64], b: &[f64]| (name.to_owned(), Unit::Ns, a.to_vec(), b.to_vec());
        let near = [100.0, 100.1, 99.9, 100.2, 99.8, 100.0, 100.1, 99.9];
        let slow = near.map(|it| 2.0 * it);
        let found = stored(
            &rule,
            &[row("slow", &near, &slow), row("same", &near, &near), row("one", &[1.0], &[9.0])],
        );
        let states: Vec<State> = found.iter().map(|it| it.state).collect();
        assert_eq!(states, [State::Slower, State::Undecided, State::Undecided]);
        assert!(found[1].effect.unwrap().low.unwrap() < 0.97, "sessions move by more than the margin tells");
    }

    /// Holm's procedure tests the weaker differences at more than an even share of the level, so that an interval at
    /// the even share could contain a ratio of one.
    #[test]
    fn the_interval_of_a_change_does_not_reach_beyond_one() {
        let rule =
            Rule { level: 0.05, margin: 0.001, control: Control::Family, gate: None, needs_verdict: false };
        let row = |name: &str, a: &[f64], b: &[f64]| (name.to_owned(), Unit::Ns, a.to_vec(), b.to_vec());
        let near = [100.0, 103.0, 97.0, 101.0, 99.0, 102.0, 98.0, 100.0];
        for times in (0..400).map(|step| 1.0 + f64::from(step) / 1000.0) {
            let slower = near.map(|it| times * it);
            let far = near.map(|it| 9.0 * it);
            for sides in [[&near, &slower], [&slower, &near]] {
                let rows =
                    [row("some", sides[0], sides[1]), row("far", &near, &far), row("off", &near, &far)];
                let found = stored(&rule, &rows);
                let effect = found[0].effect.unwrap();
                match found[0].state {
                    State::Slower => assert!(effect.low.unwrap() >= 1.0, "{times}: {effect:?}"),
                    State::Faster => assert!(effect.high.unwrap() <= 1.0, "{times}: {effect:?}"),
                    _ => {}
                }
            }
        }
    }
}
