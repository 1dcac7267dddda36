//! Group-sequential bounds from a spending function, computed by numerical integration.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::distribution::{normal_upper_quantile, normal_upper_tail};

/// Number of intervals on the positive half of the continuation region. Doubling it changes no bound of the default
/// design by 1e-4.
const HALF_GRID: usize = 64;

/// The cumulative error that may be spent at a fraction `t` (0 to 1) of the maximum sample size: level · ln(1 + (e − 1)
/// t), the Pocock-type function of Lan and DeMets (1983), "Discrete Sequential Boundaries for Clinical Trials".
pub fn pocock_spending(level: f64, t: f64) -> f64 {
    level * ((std::f64::consts::E - 1.0) * t.clamp(0.0, 1.0)).ln_1p()
}

/// Critical |z| at each look, for looks after `looks` clusters (ascending) of at most `max`.
///
/// With `closing`, the last look is final and spends the whole remaining level, even before `max`. That is valid as
/// long as the end was not chosen by looking at the result.
///
/// The recursion is that of Armitage, McPherson and Rowe (1969), "Repeated Significance Tests on Accumulating Data":
/// the score S at n clusters is a Brownian motion at time n/max, and z = S/√time. At each look the bound is the value
/// beyond which exactly the newly released error lies; then the density inside the bounds is propagated.
pub fn pocock_bounds(level: f64, looks: &[u32], max: u32, closing: bool) -> Vec<f64> {
    let mut bounds = Vec::with_capacity(looks.len());
    for seen in 1..=looks.len() {
        let last = closing && seen == looks.len();
        bounds.push(stage(level, &looks[..seen], max, last).map_or(f64::INFINITY, |stage| stage.bound));
    }
    bounds
}

/// A look: its bound, and the state for the next look.
struct Stage {
    before: Option<Arc<Stage>>,
    /// Standard deviation of the change in the score S since the previous look.
    step: f64,
    /// Bound of the look: the |z| beyond which the test rejects.
    bound: f64,
    /// Bound of the look in terms of the score: the |S| beyond which the test rejects.
    cut: f64,
    /// Number of clusters at the look as a share of the maximum, 0 to 1.
    time: f64,
    /// Error probability that was spent up to this look.
    spent: f64,
    /// Density of the paths inside the bounds; computed when a next look needs it.
    alive: OnceLock<Alive>,
}

/// The stage of the last of `looks`, from the cache if it was computed before: a look then costs a single step of the
/// recursion, and simulations request the same design thousands of times.
fn stage(level: f64, looks: &[u32], max: u32, closing: bool) -> Option<Arc<Stage>> {
    type Key = (u64, Vec<u32>, u32, bool);
    static CACHE: Mutex<BTreeMap<Key, Arc<Stage>>> = Mutex::new(BTreeMap::new());
    let cache = || CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let (&look, earlier) = looks.split_last()?;
    let key = (level.to_bits(), looks.to_vec(), max, closing);
    if let Some(stage) = cache().get(&key) {
        return Some(Arc::clone(stage));
    }
    let before = stage(level, earlier, max, false);
    let time = f64::from(look) / f64::from(max.max(look));
    let spent = pocock_spending(level, if closing { 1.0 } else { time });
    let stage = Arc::new(Stage::after(before, time, spent));
    cache().insert(key, Arc::clone(&stage));
    Some(stage)
}

impl Stage {
    /// The stage at `time` after another stage, with all error up to `spent` released.
    fn after(before: Option<Arc<Stage>>, time: f64, spent: f64) -> Stage {
        let step = (time - before.as_ref().map_or(0.0, |before| before.time)).max(1e-12).sqrt();
        let cut = match &before {
            None => normal_upper_quantile(spent / 2.0) * step,
            Some(before) => before.alive().cut(step, spent - before.spent),
        };
        Stage { before, step, bound: cut / time.sqrt(), cut, time, spent, alive: OnceLock::new() }
    }

    fn alive(&self) -> &Alive {
        let before = || self.before.as_deref().map(Stage::alive);
        self.alive.get_or_init(|| Alive::advance(before(), self.cut, self.step))
    }
}

/// Density of the score process among paths that have not crossed, on a grid over its positive half, since the process
/// is symmetric.
struct Alive {
    /// Points on the axis of the score S.
    places: Vec<f64>,
    /// Density times integration weight at each place.
    mass: Vec<f64>,
}

impl Alive {
    /// The |S| beyond which a step with standard deviation `step` has the probability `release`.
    fn cut(&self, step: f64, release: f64) -> f64 {
        let beyond = |cut: f64| -> f64 {
            let tails = |place: f64| {
                normal_upper_tail((cut - place) / step) + normal_upper_tail((cut + place) / step)
            };
            2.0 * self.places.iter().zip(&self.mass).map(|(&place, &mass)| mass * tails(place)).sum::<f64>()
        };
        let (mut low, mut high) = (0.0, self.places[HALF_GRID] + 40.0 * step);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if beyond(middle) > release { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// The density inside ±`cut` after one more step.
    fn advance(before: Option<&Alive>, cut: f64, step: f64) -> Alive {
        let width = cut / HALF_GRID as f64;
        let places: Vec<f64> = (0..=HALF_GRID).map(|index| width * index as f64).collect();
        let scale = 1.0 / (step * (2.0 * std::f64::consts::PI).sqrt());
        let bell = |x: f64| scale * (-0.5 * (x / step).powi(2)).exp();
        let density = |place: f64| match before {
            None => bell(place),
            Some(alive) => {
                let from = alive.places.iter().zip(&alive.mass);
                from.map(|(&old, &mass)| mass * (bell(place - old) + bell(place + old))).sum()
            }
        };
        let mass = places.iter().enumerate().map(|(i, &place)| density(place) * simpson(i) * width).collect();
        Alive { places, mass }
    }
}

/// Weight of a point in Simpson's rule over the half grid, in units of its spacing.
fn simpson(index: usize) -> f64 {
    match index {
        0 | HALF_GRID => 1.0 / 3.0,
        odd if odd % 2 == 1 => 4.0 / 3.0,
        _ => 2.0 / 3.0,
    }
}

/// The numbers of clusters at the looks of a comparison: 6, 8, 12, 16, 24, 32, … (alternately × 1.33 and × 1.5) below
/// `max`, and `max` itself.
pub fn looks(max: u32) -> Vec<u32> {
    let doubling = (0..).map(|power| 6u32 << power).zip((0..).map(|power| 8u32 << power)).take(24);
    let mut looks: Vec<u32> =
        doubling.flat_map(|(six, eight)| [six, eight]).take_while(|&n| n < max).collect();
    looks.push(max.max(1));
    looks
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn the_schedule() {
        assert_eq!(looks(128), [6, 8, 12, 16, 24, 32, 48, 64, 96, 128]);
        assert_eq!(looks(40), [6, 8, 12, 16, 24, 32, 40]);
        assert_eq!(looks(6), [6]);
        assert_eq!(looks(3), [3]);
        assert_eq!(looks(0), [1]);
    }

    #[test]
    fn one_look_is_the_plain_normal_test() {
        let bounds = pocock_bounds(0.05, &[20], 20, true);
        assert!((bounds[0] - 1.959_964).abs() < 1e-5);
    }

    #[test]
    fn five_equal_looks_agree_with_published_bounds() {
        // Two-sided 5 %, Pocock-type spending, five equal looks: 2.438, 2.427, 2.410, 2.397, 2.386 (the constants
        // of Reboussin, DeMets, Kim and Lan's program, as printed in textbooks).
        let bounds = pocock_bounds(0.05, &[1, 2, 3, 4, 5], 5, true);
        for (got, want) in bounds.iter().zip([2.438, 2.427, 2.410, 2.397, 2.386]) {
            assert!((got - want).abs() < 2e-3, "{bounds:?}");
        }
    }

    #[test]
    fn the_default_design_agrees_with_simulated_bounds() {
        // Result of 400,000 simulated paths; its own error is about 0.03 at the first looks.
        let simulated = [3.36, 3.52, 3.41, 3.38, 3.26, 3.21, 3.12, 3.06, 2.97, 2.97];
        let bounds = pocock_bounds(0.01, &looks(128), 128, true);
        for (got, want) in bounds.iter().zip(simulated) {
            assert!((got - want).abs() < 0.04, "{bounds:?}");
        }
    }

    #[test]
    fn a_brownian_motion_crosses_as_often_as_was_spent() {
        let (level, paths) = (0.05, 40_000);
        let looks = looks(128);
        let bounds = pocock_bounds(level, &looks, 128, true);
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let crossed = (0..paths).filter(|_| crosses(&mut random, &looks, &bounds)).count();
        let rate = crossed as f64 / f64::from(paths);
        assert!((rate - level).abs() < 3.0 * (level / f64::from(paths)).sqrt(), "{rate}");
    }

    fn crosses(random: &mut ChaCha8Rng, looks: &[u32], bounds: &[f64]) -> bool {
        let (mut sum, mut seen) = (0.0, 0);
        looks.iter().zip(bounds).any(|(&look, bound)| {
            sum += normal(random) * f64::from(look - seen).sqrt();
            seen = look;
            (sum / f64::from(look).sqrt()).abs() > *bound
        })
    }

    /// A standard normal deviate by the method of Box and Muller.
    fn normal(random: &mut ChaCha8Rng) -> f64 {
        let uniform = |random: &mut ChaCha8Rng| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let (u, v) = (1.0 - uniform(random), uniform(random));
        (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
    }

    #[test]
    fn a_close_last_look_spends_what_is_left() {
        let open = pocock_bounds(0.01, &[6, 8, 11], 128, false);
        let closed = pocock_bounds(0.01, &[6, 8, 11], 128, true);
        assert!(closed[2] < 2.8 && open[2] > 3.0, "{open:?} {closed:?}");
        let near = pocock_bounds(0.01, &[126, 127, 128], 128, true);
        assert!(near.iter().all(|bound| (2.4..4.5).contains(bound)), "{near:?}");
    }
}
