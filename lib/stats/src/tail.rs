//! The slow tail of a group: a bound for its slowest member, predicted from the others.
//!
//! The slowest of a thousand members lies further out than any of the others, so a tail has to be extrapolated, and its
//! weight is not known exactly. A bound for the likeliest shape is exceeded too often: if the tail is heavier than it
//! seemed, far more members lie beyond than are missing if it is lighter. Therefore shapes are weighted by their
//! agreement with the data, and the bound is that of the mixture.

use crate::describe::{MAD_TO_SD, median_in_place, sorted};
use crate::distribution::{normal_upper_quantile, normal_upper_tail, t_upper_quantile, t_upper_tail};
use crate::outlying::MAD_EFFICIENCY;

/// Share of the members, the slowest ones, of which only the number is used and not the distances, since a few odd
/// members may be among them; and the minimum of that number, for small groups.
const BEYOND_SHARE: f64 = 0.025;
const BEYOND_MEMBERS: f64 = 2.5;

/// Prior of [`Shape::weight`]: mean and standard deviation.
const WEIGHT_PRIOR: (f64, f64) = (0.17, 0.1);

/// Maximum weight of a tail: Student's t with two and a half degrees of freedom.
const WEIGHT_MAX: f64 = 0.4;

/// Standard deviation of the logarithm of the ratio of the slow side's width to the fast side's.
const SKEW: f64 = 0.25;

/// Minimum spread between the members of a group, as a share of the standard error of a member's distance: a smaller
/// spread cannot be distinguished from none.
const LEAST_OF_NOISE: f64 = 0.3;

/// Number of distances at which the observed slow side is compared with a shape.
const PLACES: usize = 12;

/// Distribution of the slow side of a group, as a weighted mixture of shapes.
#[derive(Clone, Debug)]
pub struct SlowSide {
    shapes: Vec<(Shape, f64)>,
}

/// A tail: that of Student's t with 1/weight degrees of freedom, normal for weight zero, of which a quarter lies beyond
/// `quartile`.
#[derive(Clone, Copy, Debug)]
struct Shape {
    weight: f64,
    quartile: f64,
}

impl Shape {
    fn scale(self) -> f64 {
        let unit = if self.is_normal() {
            normal_upper_quantile(0.25)
        } else {
            t_upper_quantile(0.25, 1.0 / self.weight)
        };
        self.quartile / unit
    }

    fn is_normal(self) -> bool {
        self.weight < 1e-3
    }

    /// Share of the shape beyond a distance, which is given in units of [`Shape::scale`].
    fn beyond(self, distance: f64) -> f64 {
        if self.is_normal() { normal_upper_tail(distance) } else { t_upper_tail(distance, 1.0 / self.weight) }
    }
}

/// Observed distances on the slow side of a group.
struct Seen {
    /// Distances from the centre in ascending order, with the number of members between each and the previous one.
    places: Vec<(f64, f64)>,
    /// Number of members beyond the last distance.
    beyond: f64,
    /// Prior of the logarithm of [`Shape::quartile`], derived from the fast side: mean and standard deviation.
    quartile: (f64, f64),
    noise: f64,
}

impl SlowSide {
    /// Fits shapes to the distances of all members from the middle of their group, which are positive for the slow
    /// ones. `noise` is the standard error of a typical distance; the shapes describe the distances without it.
    pub fn of(distances: &[f64], noise: f64) -> Self {
        let seen = Seen::of(distances, noise);
        let (centre, doubt) = seen.quartile;
        let everywhere = grid((0.0, WEIGHT_MAX), 9, (centre - 2.5 * doubt, centre + 2.5 * doubt), 21);
        let rough = seen.weighed(everywhere);
        let near = |of: fn(&Shape) -> f64, step: f64| {
            let (mean, deviation) = moments(&rough, of);
            let half = 3.0 * deviation.hypot(0.5 * step);
            (mean - half, mean + half)
        };
        let weights = near(|shape| shape.weight, WEIGHT_MAX / 8.0);
        let quartiles = near(|shape| shape.quartile.ln(), 0.25 * doubt);
        let closer = grid((weights.0.max(0.0), weights.1.min(WEIGHT_MAX)), 9, quartiles, 11);
        SlowSide { shapes: seen.weighed(closer) }
    }

    /// The distance that the next member exceeds with this probability (below a quarter), without noise of its own.
    pub fn reach(&self, probability: f64) -> f64 {
        let scaled: Vec<(Shape, f64, f64)> =
            self.shapes.iter().map(|&(shape, share)| (shape, share, shape.scale())).collect();
        let beyond = |distance: f64| -> f64 {
            scaled.iter().map(|(shape, share, scale)| share * shape.beyond(distance / scale)).sum()
        };
        let mut high = scaled.iter().map(|(_, _, scale)| *scale).fold(0.0, f64::max);
        while beyond(high) > probability {
            high *= 2.0;
        }
        let mut low = 0.0;
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if beyond(middle) > probability { low = middle } else { high = middle }
        }
        high
    }

    /// Weight of the tail: one over the degrees of freedom of a Student's t, on average over the shapes.
    pub fn weight(&self) -> f64 {
        moments(&self.shapes, |shape| shape.weight).0
    }
}

impl Seen {
    fn of(distances: &[f64], noise: f64) -> Self {
        let n = distances.len() as f64;
        let slow: Vec<f64> = sorted(distances).into_iter().filter(|&distance| distance > 0.0).collect();
        let beyond = (BEYOND_SHARE * n).max(BEYOND_MEMBERS);
        let counted = slow.len().saturating_sub(beyond.ceil() as usize);
        let places = PLACES.min(counted);
        let rank = |place: usize| place * counted / places.max(1);
        let at = |place: usize| (slow[rank(place + 1) - 1], (rank(place + 1) - rank(place)) as f64);
        Seen {
            places: (0..places).map(at).collect(),
            beyond: (slow.len() - counted) as f64,
            quartile: believed(distances, noise),
            noise,
        }
    }

    /// Weight of each shape by its agreement with data and prior; the weights sum to one.
    ///
    /// The agreement is the product of the spacings between ordered values (Cheng and Amin 1983), which equals the
    /// likelihood except for the contribution of a few values.
    fn weighed(&self, shapes: Vec<Shape>) -> Vec<(Shape, f64)> {
        let agreement = |&shape: &Shape| self.spacings(shape) + self.prior(shape);
        let logs: Vec<f64> = shapes.iter().map(agreement).collect();
        let best = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let all: f64 = logs.iter().map(|log| (log - best).exp()).sum();
        shapes.into_iter().zip(logs).map(|(shape, log)| (shape, (log - best).exp() / all)).collect()
    }

    fn spacings(&self, shape: Shape) -> f64 {
        let scale = shape.scale();
        let half = self.noisy(shape, scale, 0.0);
        let (mut inner, mut sum) = (1.0, 0.0);
        for &(distance, members) in &self.places {
            let outer = self.noisy(shape, scale, distance) / half;
            // Equal values have no space between them.
            sum += members * (inner - outer).max(1e-9).ln();
            inner = outer;
        }
        sum + self.beyond * inner.max(1e-300).ln()
    }

    /// Share of a shape with noise beyond a distance: a sum over the noise, in steps of half a standard deviation.
    fn noisy(&self, shape: Shape, scale: f64, distance: f64) -> f64 {
        if self.noise <= 0.0 {
            return shape.beyond(distance / scale);
        }
        let steps = (-6..=6).map(|step| 0.5 * f64::from(step));
        let terms = steps.map(|z: f64| {
            let density = (-0.5 * z * z).exp();
            (density, density * shape.beyond((distance - z * self.noise) / scale))
        });
        let (weight, sum) = terms.fold((0.0, 0.0), |all, term| (all.0 + term.0, all.1 + term.1));
        sum / weight
    }

    fn prior(&self, shape: Shape) -> f64 {
        let off = |value: f64, (centre, doubt): (f64, f64)| -0.5 * ((value - centre) / doubt).powi(2);
        off(shape.weight, WEIGHT_PRIOR) + off(shape.quartile.ln(), self.quartile)
    }
}

/// The quartile of the slow side as estimated from the fast side, without noise: its logarithm, and the standard
/// deviation of that.
fn believed(distances: &[f64], noise: f64) -> (f64, f64) {
    let mut fast: Vec<f64> = distances.iter().filter(|&&it| it <= 0.0).map(|it| -it).collect();
    let spread = MAD_TO_SD * median_in_place(&mut fast).unwrap_or(0.0);
    let least = (LEAST_OF_NOISE * noise).max(1e-9);
    let between = (spread * spread - noise * noise).max(0.0).sqrt().max(least);
    let known = (1.0 / (MAD_EFFICIENCY * distances.len().max(1) as f64)).sqrt();
    let of_between = (spread / between).powi(2).max(1.0) * known;
    ((between / MAD_TO_SD).ln(), SKEW.hypot(of_between).min(1.0))
}

/// A grid of shapes with evenly spaced weights and evenly spaced logarithms of quartiles.
fn grid(weights: (f64, f64), of_weights: usize, quartiles: (f64, f64), of_quartiles: usize) -> Vec<Shape> {
    let even = |(low, high): (f64, f64), count: usize| {
        (0..count).map(move |at| low + (high - low) * at as f64 / (count - 1) as f64)
    };
    let with =
        |weight: f64| even(quartiles, of_quartiles).map(move |ln| Shape { weight, quartile: ln.exp() });
    even(weights, of_weights).flat_map(with).collect()
}

/// Mean and standard deviation of a property of the shapes, by their weights in the mixture.
fn moments(shapes: &[(Shape, f64)], of: fn(&Shape) -> f64) -> (f64, f64) {
    let mean: f64 = shapes.iter().map(|(shape, share)| share * of(shape)).sum();
    let variance: f64 = shapes.iter().map(|(shape, share)| share * (of(shape) - mean).powi(2)).sum();
    (mean, variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::median;
    use crate::draw::Draw;

    /// Distances from their median of values that are normal, or Student's t with five degrees of freedom.
    fn drawn(count: usize, heavy: bool, noise: f64, draw: &mut Draw) -> Vec<f64> {
        let value =
            |draw: &mut Draw| draw.normal() / if heavy { (draw.chi_square(5.0) / 5.0).sqrt() } else { 1.0 };
        let values: Vec<f64> = (0..count).map(|_| value(draw) + noise * draw.normal()).collect();
        let centre = median(&values).unwrap();
        values.iter().map(|value| value - centre).collect()
    }

    #[test]
    fn a_known_shape_reaches_as_far_as_its_quantile() {
        let mut draw = Draw::new(3, 0);
        let normal = SlowSide::of(&drawn(5000, false, 0.0, &mut draw), 0.0);
        let heavy = SlowSide::of(&drawn(5000, true, 0.0, &mut draw), 0.0);
        assert!(normal.weight() < 0.08 && (0.12..0.28).contains(&heavy.weight()), "{normal:?} {heavy:?}");
        for (side, probability, exact) in [
            (&normal, 1e-3, normal_upper_quantile(1e-3)),
            (&normal, 2e-5, normal_upper_quantile(2e-5)),
            (&heavy, 1e-3, t_upper_quantile(1e-3, 5.0)),
            (&heavy, 2e-5, t_upper_quantile(2e-5, 5.0)),
        ] {
            let ratio = side.reach(probability) / exact;
            assert!((0.9..1.35).contains(&ratio), "{probability}: {ratio}");
        }
    }

    #[test]
    fn noise_that_is_known_is_taken_off() {
        let mut draw = Draw::new(4, 0);
        let values = drawn(3000, false, 1.0, &mut draw);
        let ratio = |noise: f64| SlowSide::of(&values, noise).reach(1e-3) / normal_upper_quantile(1e-3);
        assert!((0.85..1.4).contains(&ratio(1.0)), "{}", ratio(1.0));
        assert!(ratio(0.0) > 1.15 * ratio(1.0), "{}", ratio(0.0));
        // If the noise is larger than the spread, next to no spread remains after it is subtracted.
        assert!(ratio(2.0) < ratio(1.0), "{}", ratio(2.0));
    }

    #[test]
    fn a_few_odd_members_do_not_hide_themselves() {
        let mut draw = Draw::new(5, 0);
        let clean = drawn(1000, false, 0.0, &mut draw);
        let mut odd = clean.clone();
        odd.iter_mut().take(10).for_each(|value| *value = 8.0);
        let ratio = SlowSide::of(&odd, 0.0).reach(1e-4) / SlowSide::of(&clean, 0.0).reach(1e-4);
        assert!((1.0..1.3).contains(&ratio), "{ratio}");
    }

    #[test]
    fn little_that_was_seen_asks_for_more_distance() {
        let mut draw = Draw::new(6, 0);
        let mut typical = |count: usize| {
            let reaches: Vec<f64> = (0..11)
                .map(|_| SlowSide::of(&drawn(count, false, 0.0, &mut draw), 0.0).reach(1e-3))
                .collect();
            median(&reaches).unwrap()
        };
        let (ten, hundred, thousands) = (typical(10), typical(100), typical(4000));
        assert!(ten > hundred && hundred > thousands, "{ten} {hundred} {thousands}");
    }

    #[test]
    fn the_slowest_of_a_group_is_beyond_as_often_as_was_allowed() {
        for (heavy, stream) in [(false, 1), (true, 2)] {
            let mut draw = Draw::new(7, stream);
            let beyond = |draw: &mut Draw| {
                let values = drawn(60, heavy, 0.0, draw);
                let slowest = values.iter().copied().fold(0.0, f64::max);
                slowest > SlowSide::of(&values, 0.0).reach(0.1 / 60.0)
            };
            let groups = (0..150).filter(|_| beyond(&mut draw)).count();
            // With a probability of 0.1 for each of 150 groups, 15 are expected; three standard deviations are 11.
            assert!(groups <= 26, "heavy {heavy}: {groups}");
        }
    }

    #[test]
    fn equal_values_and_none_at_all_have_a_reach() {
        for values in [&[][..], &[0.0; 40], &[1.0, 1.0, 1.0, -1.0, -1.0, 0.0]] {
            let reach = SlowSide::of(values, 0.0).reach(0.001);
            assert!(reach.is_finite() && reach > 0.0, "{values:?}: {reach}");
        }
    }
}
