//! Seeded random draws, used by all randomised functions of the crate.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A seeded generator whose stream of numbers is specified, so that a seed gives the same draws on every machine.
#[derive(Clone, Debug)]
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// The generator of a seed; streams of one seed are independent of each other.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Draw(random)
    }

    /// A number below `bound`, which must not be zero. The bias is below 2⁻³² times the bound.
    pub fn below(&mut self, bound: usize) -> usize {
        crate::randomise::below(&mut self.0, bound)
    }

    /// Puts the values into random order (Fisher and Yates, as in Knuth, algorithm P).
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for place in (1..values.len()).rev() {
            values.swap(place, self.below(place + 1));
        }
    }

    /// A uniform number between 0 and 1, both excluded.
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// A standard normal deviate by the method of Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }

    /// A χ² deviate with `df` degrees of freedom, at least one: a sum of squares up to a hundred degrees, and beyond by
    /// the cube root, which is nearly normal (Wilson and Hilferty 1931).
    pub fn chi_square(&mut self, df: f64) -> f64 {
        if df <= 100.0 {
            return (0..(df.round() as usize).max(1)).map(|_| self.normal().powi(2)).sum();
        }
        let width = 2.0 / (9.0 * df);
        df * (1.0 - width + self.normal() * width.sqrt()).powi(3)
    }

    /// Sixty-four random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_a_seed_differ_and_repeat() {
        let row = |stream| {
            let mut draw = Draw::new(5, stream);
            (0..8).map(|_| draw.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(row(1), row(1));
        assert_ne!(row(1), row(2));
    }

    #[test]
    fn deviates_have_their_moments() {
        let mut draw = Draw::new(2, 0);
        let normal: Vec<f64> = (0..20_000).map(|_| draw.normal()).collect();
        assert!((crate::describe::variance(&normal) - 1.0).abs() < 0.05);
        for df in [3.0, 400.0] {
            let values: Vec<f64> = (0..4000).map(|_| draw.chi_square(df)).collect();
            assert!((crate::describe::mean(&values).unwrap() / df - 1.0).abs() < 0.05);
            assert!((crate::describe::variance(&values) / (2.0 * df) - 1.0).abs() < 0.15);
        }
    }

    #[test]
    fn every_order_is_as_likely() {
        let mut draw = Draw::new(1, 0);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut order = [0, 1, 2];
            draw.shuffle(&mut order);
            *counts.entry(order).or_insert(0u32) += 1;
        }
        // Five standard deviations of a binomial of 6000 at one sixth are 144.
        assert!(counts.len() == 6 && counts.values().all(|&n| (856..=1144).contains(&n)), "{counts:?}");
    }
}
