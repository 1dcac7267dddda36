//! Axes: the mapping of values to pixels, and the round values that are marked.

use maud::{Markup, html};

use super::{Anchor, TEXT_SIZE, line, text};

/// A linear axis from `low` to `high` in the unit of the values, mapped to `from` and `to` in pixels. `from` may be
/// larger than `to`: a vertical axis grows upwards, pixel coordinates downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// The value at the pixel `from`.
    pub low: f64,
    /// The value at the pixel `to`.
    pub high: f64,
    /// Position of `low` in pixels.
    pub from: f64,
    /// Position of `high` in pixels.
    pub to: f64,
}

const MARK: f64 = 4.0;

impl Axis {
    /// An axis that includes all values, with a twentieth of free space at both ends. A single value is in the middle;
    /// without values the axis goes from 0 to 1.
    pub fn around(values: impl IntoIterator<Item = f64>, from: f64, to: f64) -> Self {
        let finite = values.into_iter().filter(|value| value.is_finite());
        let ends = finite.fold(None, |ends: Option<(f64, f64)>, value| {
            Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
        });
        let (low, high) = ends.unwrap_or((0.0, 1.0));
        let margin = match high - low {
            0.0 if low == 0.0 => 1.0,
            0.0 => low.abs() * 0.05,
            spread => spread * 0.05,
        };
        Axis { low: low - margin, high: high + margin, from, to }
    }

    /// Position of a value in pixels. Values beyond the ends are outside of the drawing.
    pub fn at(&self, value: f64) -> f64 {
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Round values within the axis, about `wanted` of them, with a spacing of 1, 2 or 5 times a power of ten.
    pub fn ticks(&self, wanted: usize) -> Vec<f64> {
        let span = self.high - self.low;
        if !span.is_finite() || span <= 0.0 || wanted == 0 {
            return Vec::new();
        }
        let rough = span / wanted as f64;
        let power = 10f64.powf(rough.log10().floor());
        let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * power >= rough).unwrap_or(10.0);
        let step = factor * power;
        let (first, last) = ((self.low / step).ceil(), (self.high / step).floor());
        // There may be no round value within the axis. The number is limited, since a step below the precision of the
        // values would never reach the end.
        let count = (last - first + 1.0).clamp(0.0, 100.0) as usize;
        (0..count).map(|index| (first + index as f64) * step).collect()
    }

    /// Draws the axis from left to right at height `y`, with marks and their labels below.
    pub fn horizontal(&self, y: f64, wanted: usize, label: impl Fn(f64) -> String) -> Markup {
        html! {
            (line((self.from, y), (self.to, y), "ink"))
            @for tick in self.ticks(wanted) {
                (line((self.at(tick), y), (self.at(tick), y + MARK), "ink"))
                (text(self.at(tick), y + MARK + TEXT_SIZE, Anchor::Middle, TEXT_SIZE, "", &label(tick)))
            }
        }
    }

    /// Draws the axis upwards at `x`, with marks and labels at the left, and rules to the right up to `right`.
    pub fn vertical(&self, x: f64, right: f64, wanted: usize, label: impl Fn(f64) -> String) -> Markup {
        html! {
            (line((x, self.from), (x, self.to), "ink"))
            @for tick in self.ticks(wanted) {
                (line((x, self.at(tick)), (right, self.at(tick)), "rule"))
                (line((x - MARK, self.at(tick)), (x, self.at(tick)), "ink"))
                (text(x - 2.0 * MARK, self.at(tick) + TEXT_SIZE / 3.0, Anchor::End, TEXT_SIZE, "", &label(tick)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_are_round() {
        let axis = Axis { low: 0.93, high: 1.31, from: 0.0, to: 100.0 };
        let marks: Vec<String> = axis.ticks(4).iter().map(|tick| format!("{tick:.1}")).collect();
        assert_eq!(marks, ["1.0", "1.1", "1.2", "1.3"]);
        assert_eq!(
            Axis { low: 0.0, high: 10.0, from: 0.0, to: 1.0 }.ticks(5),
            [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
        );
    }

    #[test]
    fn an_axis_without_spread_still_places_its_value() {
        for value in [0.0, 7.0, -3.0] {
            let axis = Axis::around([value], 100.0, 0.0);
            assert!((axis.at(value) - 50.0).abs() < 1e-9, "{axis:?}");
        }
        assert_eq!(Axis::around([f64::NAN], 0.0, 1.0), Axis::around([0.0, 1.0], 0.0, 1.0));
    }

    #[test]
    fn an_axis_that_cannot_be_marked_has_no_marks() {
        let between = |low, high| Axis { low, high, from: 0.0, to: 1.0 };
        for axis in
            [between(0.0, 0.0), between(1.0, 0.0), between(f64::NAN, 1.0), between(0.0, f64::INFINITY)]
        {
            assert!(axis.ticks(5).is_empty(), "{axis:?}");
        }
        assert!(between(0.0, 1.0).ticks(0).is_empty());
        let narrow = between(1e15, 1e15 + 0.25);
        assert!(narrow.ticks(5).len() <= 100, "steps below the precision of the values end");
    }

    proptest! {
        #[test]
        fn marks_stay_within_the_axis(low in -1e6f64..1e6, span in 1e-3f64..1e6, wanted in 1usize..12) {
            let axis = Axis { low, high: low + span, from: 0.0, to: 1.0 };
            let ticks = axis.ticks(wanted);
            prop_assert!(ticks.len() <= wanted + 2, "{ticks:?}");
            prop_assert!(ticks.iter().all(|&tick| (-1e-6..=1.0 + 1e-6).contains(&axis.at(tick))), "{ticks:?}");
        }

        #[test]
        fn marks_rise_in_equal_steps_of_one_two_or_five(low in -1e6f64..1e6, span in 1e-2f64..1e6, wanted in 2usize..12) {
            let ticks = Axis { low, high: low + span, from: 0.0, to: 1.0 }.ticks(wanted);
            for three in ticks.windows(3) {
                let (first, second) = (three[1] - three[0], three[2] - three[1]);
                prop_assert!(first > 0.0 && (first - second).abs() <= 1e-9 * (low.abs() + span), "{ticks:?}");
                let digits = first / 10f64.powf((first * 1.000_001).log10().floor());
                prop_assert!([1.0, 2.0, 5.0].iter().any(|round| (digits / round - 1.0).abs() < 1e-4), "{digits}");
            }
        }

        /// All values lie within the pixels of the axis, with room at both ends.
        #[test]
        fn an_axis_holds_its_values(values in proptest::collection::vec(-1e12f64..1e12, 1..20)) {
            let axis = Axis::around(values.iter().copied(), 200.0, 10.0);
            for &value in &values {
                prop_assert!(axis.at(value) > 10.0 && axis.at(value) < 200.0, "{value} {axis:?}");
            }
        }
    }
}
