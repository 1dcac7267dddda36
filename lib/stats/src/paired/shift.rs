//! The shift between A and B: where the test sees none, and all values that it does not exclude.

use super::score::{Question, Sorted, weights};

/// Halvings that find an end.
const HALVINGS: u32 = 32;

/// How far the values lie above a point, by the monotone weights and by the shape.
#[derive(Clone, Copy, Debug)]
struct Place {
    monotone: f64,
    shaped: f64,
    /// Bandwidth of the shape, infinite where it is not used.
    width: f64,
}

impl Place {
    fn above(self) -> f64 {
        self.monotone.max(self.shaped)
    }

    fn below(self) -> f64 {
        -self.monotone.min(self.shaped)
    }
}

/// Differences whose shift is asked for.
#[derive(Clone, Debug)]
pub struct Shift<'a> {
    sorted: &'a Sorted,
    question: Question,
}

impl<'a> Shift<'a> {
    /// Of sorted differences.
    pub fn new(sorted: &'a Sorted, question: Question) -> Self {
        Shift { sorted, question }
    }

    fn at(&self, theta: f64) -> Place {
        let about = self.sorted.about(theta);
        let chosen = weights(&about.r, self.question);
        let sum = |weights: &[f64]| weights.iter().zip(&about.sign).map(|(weight, sign)| weight * sign).sum();
        let monotone = sum(&chosen.monotone);
        let shaped = chosen.shaped.as_deref().map_or(monotone, sum);
        Place { monotone, shaped, width: if chosen.shaped.is_some() { chosen.width } else { f64::INFINITY } }
    }

    /// How far the values lie above a point, and below it: the keys of the observed path.
    pub fn keys(&self, theta: f64) -> (f64, f64) {
        let place = self.at(theta);
        (place.above(), place.below())
    }

    /// The point at which the larger of both keys is smallest; zero for no values.
    pub fn estimate(&self) -> f64 {
        let Some((low, high)) = self.sorted.range() else { return 0.0 };
        let middle = self.end(low, high, |place| place.monotone > 0.0);
        let width = self.at(middle).width;
        if !width.is_finite() {
            return middle;
        }
        // The shape may know better, nearby: as far as the monotone weights do not object.
        let size = |theta: f64| {
            let place = self.at(theta);
            place.above().max(place.below())
        };
        let steps = (-8..=8).map(|step| middle + 0.25 * width * f64::from(step));
        let best = steps.map(|theta| (size(theta), theta)).min_by(|one, other| one.0.total_cmp(&other.0));
        let (mut low, mut high) =
            best.map_or((middle, middle), |(_, at)| (at - 0.25 * width, at + 0.25 * width));
        for _ in 0..20 {
            let third = (high - low) / 3.0;
            if size(low + third) < size(high - third) { high -= third } else { low += third }
        }
        0.5 * (low + high)
    }

    /// The hull of all points whose keys are at most `critical`: none outside can be the shift.
    pub fn interval(&self, critical: f64) -> (f64, f64) {
        let none = (f64::NEG_INFINITY, f64::INFINITY);
        let Some((first, last)) = self.sorted.range() else { return none };
        // Beyond all values every sign is the same: what is not excluded there is excluded nowhere.
        let reach = (last - first).max(first.abs()).max(last.abs()).max(1e-9);
        let (first, last) = (first - 1e-9 * reach, last + 1e-9 * reach);
        let (outer_low, outer_high) = (self.at(first), self.at(last));
        let low = match outer_low.monotone > critical {
            true => {
                self.inner(self.end(first, last, |place| place.monotone > critical), last, 1.0, |place| {
                    place.above() > critical
                })
            }
            false => none.0,
        };
        let high = match -outer_high.monotone > critical {
            true => {
                self.inner(self.end(last, first, |place| -place.monotone > critical), first, -1.0, |place| {
                    place.below() > critical
                })
            }
            false => none.1,
        };
        (low, high)
    }

    /// The point between `outside`, where something holds, and `inside`, where it does not hold any more.
    fn end(&self, mut outside: f64, mut inside: f64, holds: impl Fn(Place) -> bool) -> f64 {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (outside + inside);
            if holds(self.at(middle)) { outside = middle } else { inside = middle }
        }
        0.5 * (outside + inside)
    }

    /// From an end by the monotone weights inwards, as far as the shape excludes too. It does not rise steadily, so every
    /// half bandwidth is looked at.
    fn inner(&self, start: f64, last: f64, direction: f64, excluded: impl Fn(Place) -> bool) -> f64 {
        let mut outside = start;
        loop {
            let place = self.at(outside);
            let next = outside + direction * 0.5 * place.width;
            if !place.width.is_finite() || (next - last) * direction > 0.0 {
                return outside;
            }
            if !excluded(self.at(next)) {
                return self.end(outside, next, excluded);
            }
            outside = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    #[test]
    fn the_shift_is_found_and_inside_its_interval() {
        let mut draw = Draw::new(4, 0);
        let d: Vec<f64> =
            (0..200).map(|_| 3.0 + [0.0, 25.0, 0.0, -25.0][draw.below(4)] + draw.normal()).collect();
        let sorted = Sorted::new(&d);
        let shift = Shift::new(&sorted, Question::Typical);
        let estimate = shift.estimate();
        let (low, high) = shift.interval(3.0);
        assert!((estimate - 3.0).abs() < 0.6, "{estimate}");
        assert!(low < 3.0 && 3.0 < high && low < estimate && estimate < high, "{low} {high}");
        // The mean knows it to √(312/200) only: its interval would be ± 3.7.
        assert!(high - low < 3.0, "{low} {high}");
        let mean = Shift::new(&sorted, Question::Mean).estimate();
        assert!((mean - crate::describe::mean(&d).unwrap()).abs() < 1e-6);
    }

    #[test]
    fn equal_values_and_none() {
        let sorted = Sorted::new(&[0.5; 20]);
        let shift = Shift::new(&sorted, Question::Typical);
        assert!((shift.estimate() - 0.5).abs() < 1e-9);
        let (low, high) = shift.interval(3.0);
        assert!((low - 0.5).abs() < 1e-6 && (high - 0.5).abs() < 1e-6, "{low} {high}");
        assert_eq!(shift.interval(5.0), (f64::NEG_INFINITY, f64::INFINITY));
        let none = Sorted::new(&[]);
        assert_eq!(Shift::new(&none, Question::Typical).estimate(), 0.0);
    }
}
