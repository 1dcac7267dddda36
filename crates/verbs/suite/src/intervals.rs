//! Changes of benchmarks with their intervals, as a report shows them.

use fauxplat_report::say;

use crate::findings::{Benchmark, Ratio, State};
use crate::harness::Unit;

pub(crate) fn is_changed(it: &Benchmark) -> bool {
    matches!(it.state, State::Slower | State::Faster)
}

pub(crate) fn more_is_better(it: &Benchmark) -> bool {
    it.unit.parse().is_ok_and(|unit: Unit| unit.more_is_better())
}

/// Ratio B over A of the readings as printed: for a rate the inverse of the ratio of times.
pub(crate) fn as_read(it: &Benchmark) -> Option<Ratio> {
    let effect = it.effect?;
    let inverse = |end: Option<f64>| end.map(|end| 1.0 / end);
    Some(match more_is_better(it) {
        true => Ratio { ratio: 1.0 / effect.ratio, low: inverse(effect.high), high: inverse(effect.low) },
        false => effect,
    })
}

pub(crate) fn with_interval(ratio: Ratio, is_changed: bool) -> String {
    match (ratio.low, ratio.high) {
        (None, None) => say::change(ratio.ratio),
        _ => {
            let [low, high] = ends(ratio, is_changed);
            format!("{} ({low} to {high})", say::change(ratio.ratio))
        }
    }
}

/// Ends of a ratio's interval as text. If the benchmark was shown to change, an end of exactly one is shown as a strict
/// bound, `> 0 %` or `< 0 %`: the direction is known, but no minimum size.
pub(crate) fn ends(ratio: Ratio, is_changed: bool) -> [String; 2] {
    let end = |end: Option<f64>, sign: &str| match end {
        Some(1.0) if is_changed => format!("{sign} {}", say::percent(0.0)),
        Some(end) => say::change(end),
        None => "?".to_owned(),
    };
    [end(ratio.low, ">"), end(ratio.high, "<")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_at_one_excludes_it_where_a_change_was_shown() {
        let ratio = |low, high| Ratio { ratio: 1.5, low, high };
        assert_eq!(ends(ratio(Some(1.0), Some(2.0)), true)[0], format!("> {}", say::percent(0.0)));
        assert_eq!(ends(ratio(Some(0.5), Some(1.0)), true)[1], format!("< {}", say::percent(0.0)));
        assert_eq!(ends(ratio(Some(1.0), None), false), [say::change(1.0), "?".to_owned()]);
        assert_eq!(ends(ratio(Some(1.1), Some(2.0)), true), [say::change(1.1), say::change(2.0)]);
    }
}
