//! The measured figure of a claim: one reading, or two that are divided or subtracted, with an interval.

use fauxplat_model::LabMeasured;
use fauxplat_stats::{describe, order};

#[derive(Clone, Debug, PartialEq)]
pub enum LabReading {
    Interval(LabMeasured),
    /// Values of the reading, one for each of several rounds.
    Rounds(Vec<f64>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combined {
    Ratio,
    /// The first reading minus the second.
    Difference,
}

/// Minimum number of rounds from which the range from smallest to largest is an interval of the median with at least 95
/// % confidence (David and Nagaraja, "Order Statistics", section 7.1): 1 − 2·2⁻⁶ = 96.9 %.
const ROUNDS_MIN: usize = 6;
const CONFIDENCE: f64 = 0.95;

/// Returns the measured figure in the claim's unit; `times` converts from the unit of the documents.
///
/// Two readings of the same rounds are combined round by round, so that drift slower than a round cancels, and the
/// interval is that of the median. Two readings with an interval each are combined from the ends of both intervals.
/// However the two depend on each other, the result can only miss if one of them does, so two 95 % intervals give at
/// least 90 % (Bonferroni), and at least 95 % if they are independent and about normal.
///
/// # Errors
/// Returns the reason in words if there is no such figure.
pub fn lab_figure(
    first: LabReading,
    second: Option<(Combined, LabReading)>,
    times: f64,
) -> Result<LabMeasured, String> {
    let figure = match (first, second) {
        (LabReading::Rounds(first), Some((how, LabReading::Rounds(second))))
            if first.len() == second.len() =>
        {
            median(&together(how, &first, &second)?)?
        }
        (first, None) => interval(first)?,
        (first, Some((how, second))) => corners(how, interval(first)?, interval(second)?)?,
    };
    let LabMeasured { value, low, high } = figure;
    match [value, low, high].iter().all(|it| it.is_finite()) {
        // A negative `times` exchanges the ends.
        true => Ok(LabMeasured {
            value: value * times,
            low: (low * times).min(high * times),
            high: (low * times).max(high * times),
        }),
        false => Err("the figure is not a number".to_owned()),
    }
}

fn interval(reading: LabReading) -> Result<LabMeasured, String> {
    match reading {
        LabReading::Interval(figure) => Ok(figure),
        LabReading::Rounds(values) => median(&values),
    }
}

/// Combines two readings of the same rounds, round by round. A division by zero in a round is an error: as an infinite
/// value it would count as the largest of all rounds.
fn together(how: Combined, first: &[f64], second: &[f64]) -> Result<Vec<f64>, String> {
    let combined = |(a, b): (&f64, &f64)| if how == Combined::Ratio { a / b } else { a - b };
    let all: Vec<f64> = first.iter().zip(second).map(combined).collect();
    match all.iter().zip(second).find(|(value, _)| !value.is_finite()) {
        None => Ok(all),
        Some((_, by)) if how == Combined::Ratio => {
            Err(format!("in one of the rounds the figure is divided by {by}"))
        }
        Some(_) => Err("in one of the rounds the figure is not a number".to_owned()),
    }
}

fn median(values: &[f64]) -> Result<LabMeasured, String> {
    let sorted = describe::sorted(values);
    let found = describe::median(values).zip(order::median_interval(&sorted, CONFIDENCE));
    match found.filter(|_| values.len() >= ROUNDS_MIN) {
        Some((value, [low, high])) => Ok(LabMeasured { value, low, high }),
        None => Err(format!("{} values are too few for an interval, which takes {ROUNDS_MIN}", values.len())),
    }
}

fn corners(how: Combined, a: LabMeasured, b: LabMeasured) -> Result<LabMeasured, String> {
    if how == Combined::Difference {
        return Ok(LabMeasured { value: a.value - b.value, low: a.low - b.high, high: a.high - b.low });
    }
    if b.low <= 0.0 && b.high >= 0.0 {
        return Err(format!("the figure is divided by what may be zero ({} to {})", b.low, b.high));
    }
    let corners = [a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high];
    let low = corners.iter().copied().fold(f64::INFINITY, f64::min);
    let high = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(LabMeasured { value: a.value / b.value, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: f64, low: f64, high: f64) -> LabReading {
        LabReading::Interval(LabMeasured { value, low, high })
    }

    #[test]
    fn two_intervals_meet_at_their_corners() {
        let ratio = lab_figure(of(10.0, 9.0, 11.0), Some((Combined::Ratio, of(5.0, 4.0, 6.0))), 1.0).unwrap();
        assert_eq!(ratio, LabMeasured { value: 2.0, low: 1.5, high: 2.75 });
        let less =
            lab_figure(of(10.0, 9.0, 11.0), Some((Combined::Difference, of(5.0, 4.0, 6.0))), 2.0).unwrap();
        assert_eq!(less, LabMeasured { value: 10.0, low: 6.0, high: 14.0 });
        let below = lab_figure(of(-1.0, -2.0, 1.0), Some((Combined::Ratio, of(2.0, 1.0, 4.0))), 1.0).unwrap();
        assert_eq!((below.low, below.high), (-2.0, 1.0));
    }

    #[test]
    fn nothing_is_divided_by_what_may_be_zero() {
        let zero =
            lab_figure(of(1.0, 1.0, 1.0), Some((Combined::Ratio, of(0.1, -0.1, 0.3))), 1.0).unwrap_err();
        assert!(zero.contains("may be zero"), "{zero}");
        // A single zero among twenty rounds, which the median and its interval would not show.
        let mut second = vec![2.0; 20];
        second[7] = 0.0;
        for first in [vec![4.0; 20], second.clone()] {
            let over = Some((Combined::Ratio, LabReading::Rounds(second.clone())));
            let refused = lab_figure(LabReading::Rounds(first), over, 1.0).unwrap_err();
            assert!(refused.contains("divided by 0"), "{refused}");
        }
    }

    #[test]
    fn rounds_are_paired_so_that_drift_cancels() {
        let drift = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
        let second = LabReading::Rounds(drift.to_vec());
        let first = LabReading::Rounds(drift.iter().map(|it| it * 3.0).collect());
        let ratio = lab_figure(first, Some((Combined::Ratio, second.clone())), 1.0).unwrap();
        assert_eq!(ratio, LabMeasured { value: 3.0, low: 3.0, high: 3.0 });
        let alone = lab_figure(second, None, 1.0).unwrap();
        assert_eq!(alone, LabMeasured { value: 6.0, low: 1.0, high: 32.0 });
    }

    #[test]
    fn few_rounds_are_no_interval() {
        let few = lab_figure(LabReading::Rounds(vec![1.0; 5]), None, 1.0).unwrap_err();
        assert!(few.contains("5 values are too few"), "{few}");
    }
}
