//! Finds slow machines in a group of three to seven that can only be compared with each other. Several of them may be
//! slow, and must not hide each other.

use fauxplat_stats::describe::{mean, median, standard_deviation};
use fauxplat_stats::distribution::{ln_choose, t_upper_tail};

use super::machine::Machine;

/// Share of the expected number of false flags that a group of a few machines may use. The spread is estimated from so
/// few values that tails heavier than those of a normal distribution easily cause false flags.
const PART: f64 = 0.25;

/// Members that are slow compared with the other members: the largest number of slowest machines, less than half of the
/// group, of which even the least slow is significantly slower than the remaining machines.
///
/// The slowest k members are compared with the n − k other members: the distance of the least slow of them from the
/// mean of the others, in units of the standard deviation of the others, is Student's t with n − k − 1 degrees of
/// freedom, with Bonferroni's correction over all choices of k members. For k = 1 this is the test of Grubbs (1969).
/// The largest k is tested first, so that two odd machines do not mask each other (Rosner 1975).
pub(super) fn slow(
    members: &[usize],
    machines: &[Machine],
    (error, least, flags): (f64, f64, f64),
) -> Vec<usize> {
    let mut sorted = members.to_vec();
    sorted.sort_by(|&a, &b| machines[a].left().total_cmp(&machines[b].left()));
    let most = (sorted.len() - 1) / 2;
    let level = PART * flags / most.max(1) as f64;
    let is_odd = |count: &usize| {
        let (rest, block) = sorted.split_at(sorted.len() - count);
        let rest: Vec<f64> = rest.iter().map(|&index| machines[index].left()).collect();
        let nearest = &machines[block[0]];
        let by_runs = 2.0 * nearest.error.hypot(error);
        let distance = |middle: Option<f64>| middle.map_or(0.0, |middle| nearest.left() - middle);
        let p = p_value(&rest, sorted.len(), distance(mean(&rest)), error);
        p <= level && distance(median(&rest)) > least.max(by_runs)
    };
    let count = (1..=most).rev().find(is_odd).unwrap_or(0);
    sorted.split_off(sorted.len() - count)
}

fn p_value(rest: &[f64], all: usize, distance: f64, error: f64) -> f64 {
    let n = rest.len() as f64;
    let spread = standard_deviation(rest).max(error) * (1.0 + 1.0 / n).sqrt();
    let blocks = ln_choose(all, all - rest.len()).exp();
    match spread > 0.0 {
        true => blocks * t_upper_tail(distance / spread, n - 1.0),
        false => f64::from(u8::from(distance <= 0.0)),
    }
}
