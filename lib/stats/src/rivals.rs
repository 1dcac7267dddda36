//! The rules by which other tools, or their users, call two samples different.
//!
//! Each rule takes the readings of A and of B in chronological order. The rules are compared with fauxplat's own rule
//! on the same data, and decide nothing.

use crate::describe::{mean, standard_deviation, variance};
use crate::distribution::{ln_choose, normal_upper_tail, t_two_sided_p, t_upper_quantile};
use crate::randomise::welch_t;

/// A rule: takes the readings of A and of B, and returns whether it calls them different.
pub type Rule = fn(&[f64], &[f64]) -> bool;

/// The decision rule of another tool, or of its users, with the minimum effort of the tool.
#[derive(Clone, Copy, Debug)]
pub struct Rival {
    /// Name of the rule in reports.
    pub name: &'static str,
    /// The rule: whether two samples are called different.
    pub rule: Rule,
    /// Minimum number of runs of each command.
    pub runs_min: usize,
    /// Minimum time for which each command runs, in nanoseconds.
    pub time_ns: f64,
}

impl Rival {
    /// Number of runs of one command that the tool would make, given their wall times in order; `None` if there are too
    /// few. The rule includes the tool's own stopping time.
    pub fn runs(&self, walls_ns: &[f64]) -> Option<usize> {
        let mut elapsed_ns = 0.0;
        let mut is_enough = |(before, wall_ns): (usize, &f64)| {
            elapsed_ns += wall_ns;
            before + 1 >= self.runs_min && elapsed_ns >= self.time_ns
        };
        walls_ns.iter().enumerate().position(&mut is_enough).map(|last| last + 1)
    }
}

/// All rules with the default effort of their tools: hyperfine ten runs and three seconds; poop five seconds; pyperf
/// three values of each of twenty processes; benchstat the ten runs that it recommends; tango a second.
pub const ALL: [Rival; 6] = [
    Rival { name: "hyperfine + Welch", rule: welch, runs_min: 10, time_ns: 3e9 },
    Rival { name: "hyperfine ±", rule: hyperfine, runs_min: 10, time_ns: 3e9 },
    Rival { name: "poop", rule: poop, runs_min: 3, time_ns: 5e9 },
    Rival { name: "pyperf", rule: pyperf, runs_min: 60, time_ns: 0.0 },
    Rival { name: "benchstat", rule: benchstat, runs_min: 10, time_ns: 0.0 },
    Rival { name: "tango", rule: tango, runs_min: 2, time_ns: 1e9 },
];

/// Welch's t test at 5 %, as `welch_ttest.py` from hyperfine's `scripts` directory computes it from hyperfine's output.
pub fn welch(a: &[f64], b: &[f64]) -> bool {
    welch_p(a, b) < 0.05
}

/// Two-sided p-value of Welch's t test (Welch 1947); 1 if either sample has fewer than two values.
pub fn welch_p(a: &[f64], b: &[f64]) -> f64 {
    if a.len() < 2 || b.len() < 2 {
        return 1.0;
    }
    t_two_sided_p(
        welch_t(a, b),
        welch_df(variance(a) / a.len() as f64, a.len(), variance(b) / b.len() as f64, b.len()),
    )
}

/// Degrees of freedom of Welch and Satterthwaite for squared standard errors of samples of the given sizes.
pub fn welch_df(a_se2: f64, a_n: usize, b_se2: f64, b_n: usize) -> f64 {
    let parts = a_se2.powi(2) / (a_n as f64 - 1.0) + b_se2.powi(2) / (b_n as f64 - 1.0);
    if parts > 0.0 { (a_se2 + b_se2).powi(2) / parts } else { (a_n + b_n - 2) as f64 }
}

/// The "1.02 ± 0.01 times faster" of hyperfine 1.x, as it is commonly read: the ratio minus the printed deviation
/// exceeds one. That deviation is one standard deviation of a ratio of single runs, √((sd_a/mean_a)² + (sd_b/mean_b)²)
/// · ratio.
pub fn hyperfine(a: &[f64], b: &[f64]) -> bool {
    let (Some(a_mean), Some(b_mean)) = (mean(a), mean(b)) else { return false };
    let ratio = a_mean.max(b_mean) / a_mean.min(b_mean);
    let spread = (standard_deviation(a) / a_mean).hypot(standard_deviation(b) / b_mean) * ratio;
    ratio - spread > 1.0
}

/// poop 0.5: the 95 % interval of the difference with pooled variance, over the mean of A, lies entirely beyond ±1 %.
pub fn poop(a: &[f64], b: &[f64]) -> bool {
    let (Some(a_mean), Some(b_mean), true) = (mean(a), mean(b), a.len() + b.len() > 3) else { return false };
    let (n, m) = (a.len() as f64, b.len() as f64);
    let pooled = ((n - 1.0) * variance(a) + (m - 1.0) * variance(b)) / (n + m - 2.0);
    let half = t_upper_quantile(0.025, n + m - 2.0) * (pooled * (1.0 / n + 1.0 / m)).sqrt() / a_mean;
    let difference = (b_mean - a_mean) / a_mean;
    difference.abs() - half >= 0.01
}

/// pyperf 2.10: Student's t with pooled variance at 95 % for samples of equal size. For unequal sizes its test raises
/// an error that the caller takes for significance, so unequal sizes are always "significant".
pub fn pyperf(a: &[f64], b: &[f64]) -> bool {
    if a.len() != b.len() {
        return true;
    }
    let (Some(a_mean), Some(b_mean), true) = (mean(a), mean(b), a.len() > 1) else { return false };
    let n = a.len() as f64;
    let error = ((variance(a) + variance(b)) / 2.0 / n * 2.0).sqrt();
    a_mean != b_mean && ((a_mean - b_mean) / error).abs() >= t_upper_quantile(0.025, 2.0 * n - 2.0)
}

/// benchstat: the U test of Mann and Whitney (1947) at 5 %, for at least four runs of each.
pub fn benchstat(a: &[f64], b: &[f64]) -> bool {
    a.len() >= 4 && b.len() >= 4 && mann_whitney_p(a, b) < 0.05
}

/// Maximum size of samples without ties for which the exact distribution of U is used.
const EXACT_U_MAX: usize = 20;

/// Two-sided p-value of the U test: exact for small samples without ties, otherwise normal with corrections for ties
/// and continuity.
pub fn mann_whitney_p(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len(), b.len());
    let u: f64 = a
        .iter()
        .map(|x| b.iter().map(|y| if x < y { 1.0 } else { f64::from(x == y) / 2.0 }).sum::<f64>())
        .sum();
    let ties = tie_cubes(a, b);
    if ties == 0.0 && n <= EXACT_U_MAX && m <= EXACT_U_MAX {
        return exact_u_p(u as usize, n, m);
    }
    let (n, m) = (n as f64, m as f64);
    let total = n + m;
    let spread = (n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)))).sqrt();
    let distance = ((u - n * m / 2.0).abs() - 0.5).max(0.0);
    if spread > 0.0 { (2.0 * normal_upper_tail(distance / spread)).min(1.0) } else { 1.0 }
}

/// Sum of t³ − t over the sizes t of groups of equal values.
fn tie_cubes(a: &[f64], b: &[f64]) -> f64 {
    let pool = crate::describe::sorted(&[a, b].concat());
    let cubes = |group: &[f64]| (group.len() as f64).powi(3) - group.len() as f64;
    pool.chunk_by(|x, y| x == y).map(cubes).sum()
}

/// Exact two-sided p. The number of arrangements of n and m values with a given U follows the recursion
/// N(u; n, m) = N(u − m; n − 1, m) + N(u; n, m − 1) of Mann and Whitney.
fn exact_u_p(u: usize, n: usize, m: usize) -> f64 {
    // After round j, counts[i][u] is N(u; i, j); round 0 has one arrangement, with u = 0.
    let mut counts = vec![vec![0.0f64; n * m + 1]; n + 1];
    counts.iter_mut().for_each(|row| row[0] = 1.0);
    for (round, row) in (1..=m).flat_map(|round| (1..=n).map(move |row| (round, row))) {
        for place in round..=n * m {
            counts[row][place] += counts[row - 1][place - round];
        }
    }
    let tail: f64 = counts[n][..=u.min(n * m - u)].iter().sum();
    (2.0 * tail * (-ln_choose(n + m, n)).exp()).min(1.0)
}

/// tango 0.9: the paired difference is at least 2.6 standard errors and more than 1 % of the mean of A.
pub fn tango(a: &[f64], b: &[f64]) -> bool {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
    let (Some(difference), Some(base), true) = (mean(&differences), mean(a), differences.len() > 1) else {
        return false;
    };
    let error = standard_deviation(&differences) / (differences.len() as f64).sqrt();
    (difference / base).abs() > 0.01 && difference.abs() >= 2.6 * error
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: [f64; 8] = [10.4, 10.1, 10.3, 10.2, 10.5, 10.15, 10.35, 10.25];
    const FAST: [f64; 8] = [10.0, 9.9, 9.8, 9.95, 9.85, 9.7, 9.75, 9.65];

    #[test]
    fn every_rule_sees_a_clear_difference_and_none_in_a_sample_and_itself() {
        for Rival { name, rule, .. } in ALL {
            assert!(rule(&SLOW, &FAST), "{name}");
            assert!(!rule(&SLOW, &SLOW), "{name}");
        }
    }

    #[test]
    fn a_rival_stops_when_its_own_rule_says() {
        let [hyperfine, _, _, pyperf, ..] = ALL;
        assert_eq!(hyperfine.runs(&[1e9; 40]), Some(10));
        assert_eq!(hyperfine.runs(&[0.1e9; 40]), Some(30));
        assert_eq!(hyperfine.runs(&[0.1e9; 29]), None);
        assert_eq!(
            (pyperf.runs(&[1e3; 64]), pyperf.runs(&[1e12; 59]), pyperf.runs(&[])),
            (Some(60), None, None)
        );
    }

    #[test]
    fn no_rule_panics_on_nothing_or_on_constants() {
        for Rival { name, rule, .. } in ALL {
            assert!(!rule(&[], &[]), "{name}");
            assert!(!rule(&[0.0; 5], &[0.0; 5]), "{name}");
        }
    }

    #[test]
    fn pyperf_takes_unequal_sizes_for_a_difference() {
        assert!(pyperf(&SLOW, &SLOW[..7]));
    }

    #[test]
    fn welch_agrees_with_a_worked_example() {
        let a = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4];
        let b = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4];
        assert!((welch_p(&a, &b) - 0.021_378).abs() < 2e-5, "{}", welch_p(&a, &b));
    }

    #[test]
    fn the_u_test_is_exact_when_small_and_normal_when_large() {
        // Eight below eight: 2 of C(16, 8) = 12,870 arrangements.
        assert!((mann_whitney_p(&SLOW, &FAST) - 2.0 / 12_870.0).abs() < 1e-12);
        let a: Vec<f64> = (0..20).map(|i| f64::from(i * 37 % 41)).collect();
        let b: Vec<f64> = (0..20).map(|i| f64::from(i * 31 % 43) + 0.5).collect();
        let exact = mann_whitney_p(&a, &b);
        let longer = mann_whitney_p(&[&a[..], &[20.1]].concat(), &b);
        assert!((exact - longer).abs() < 0.08, "{exact} {longer}");
    }

    #[test]
    fn poop_and_tango_want_one_per_cent() {
        let slightly: Vec<f64> = SLOW.iter().map(|value| value * 1.005).collect();
        assert!(!poop(&SLOW, &slightly) && !tango(&SLOW, &slightly));
    }
}
