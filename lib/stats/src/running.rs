//! Medians of a growing series, and within a moving window.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::describe::median;

/// A number in the order of [`f64::total_cmp`].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Total(f64);

impl Eq for Total {}

impl Ord for Total {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Total {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The median of every prefix of a series: of its first value, its first two, and so on, in O(n log n).
pub fn running_medians(series: &[f64]) -> Vec<f64> {
    let (mut lower, mut upper) = (BinaryHeap::<Total>::new(), BinaryHeap::<Reverse<Total>>::new());
    let grow = |&value: &f64| {
        // The lower half has as many values as the upper one, or one more.
        match lower.peek().is_some_and(|top| Total(value) > *top) {
            true => upper.push(Reverse(Total(value))),
            false => lower.push(Total(value)),
        }
        if lower.len() > upper.len() + 1 {
            upper.extend(lower.pop().map(Reverse));
        } else if upper.len() > lower.len() {
            lower.extend(upper.pop().map(|Reverse(value)| value));
        }
        match (lower.peek(), upper.peek()) {
            (Some(low), Some(Reverse(high))) if lower.len() == upper.len() => low.0 + (high.0 - low.0) / 2.0,
            (Some(low), _) => low.0,
            _ => value,
        }
    };
    series.iter().map(grow).collect()
}

/// The median of the values around each value, up to `reach` on either side where the series has them.
pub fn medians_around(series: &[f64], reach: usize) -> Vec<f64> {
    let around = |at: usize| {
        let window = &series[at.saturating_sub(reach)..(at + reach + 1).min(series.len())];
        median(window).unwrap_or(series[at])
    };
    (0..series.len()).map(around).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_beginning_has_its_median(values in prop::collection::vec(-5i32..5, 0..40)) {
            let values: Vec<f64> = values.into_iter().map(f64::from).collect();
            for (at, running) in running_medians(&values).into_iter().enumerate() {
                prop_assert_eq!(Some(running), median(&values[..=at]));
            }
        }
    }

    #[test]
    fn windows_end_where_the_series_does() {
        assert_eq!(medians_around(&[1.0, 9.0, 2.0, 8.0], 1), [5.0, 2.0, 8.0, 5.0]);
        assert_eq!(medians_around(&[], 3), [0.0; 0]);
    }
}
