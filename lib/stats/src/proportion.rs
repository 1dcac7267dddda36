//! Intervals of a share of trials.

use crate::distribution::normal_upper_quantile;

/// Interval at the confidence `level` (such as 0.95) of the probability behind `hits` of `trials`, by Wilson's score
/// (E. B. Wilson 1927, "Probable inference, the law of succession, and statistical inference", JASA 22). The ends lie
/// within 0 to 1, also for no hits or only hits. For no trials the interval is 0 to 1.
pub fn wilson(hits: u64, trials: u64, level: f64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    wilson_of_share(hits.min(trials) as f64 / trials as f64, trials as f64, level)
}

/// Wilson's interval of a share, for an effective number of trials that need not be whole.
pub fn wilson_of_share(share: f64, trials: f64, level: f64) -> (f64, f64) {
    if trials.is_nan() || trials <= 0.0 {
        return (0.0, 1.0);
    }
    let n = trials;
    let z = normal_upper_quantile((1.0 - level) / 2.0);
    let weight = 1.0 + z * z / n;
    let middle = (share + z * z / (2.0 * n)) / weight;
    let half = z / weight * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    // Rounding may move the ends, which are exact at zero and at all hits.
    let low = if share <= 0.0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if share >= 1.0 { 1.0 } else { (middle + half).min(1.0) };
    (low, high)
}

/// A share of trials with unequal weights: share, lower and upper end. `hit` and `all` are sums of weights, each with
/// the sum of their squares.
///
/// Wilson's interval for the number of equal trials that would give the share the same variance. The larger of two
/// variances is used: that of a ratio of sums, from the squares of hits and others (W. G. Cochran 1977, "Sampling
/// techniques", 6.4), and that for weights unrelated to hits, with (Σw)²/Σw² trials (L. Kish 1965, "Survey sampling",
/// 11.7). The latter is also valid if the hits are too few to show their weights.
pub fn weighted(hit: (f64, f64), all: (f64, f64), level: f64) -> (f64, f64, f64) {
    let ((hit, hit_squares), (all, squares)) = (hit, all);
    if all <= 0.0 || squares <= 0.0 {
        return (0.0, 0.0, 1.0);
    }
    let share = (hit / all).clamp(0.0, 1.0);
    let of_kish = share * (1.0 - share) * squares / (all * all);
    let others = (squares - hit_squares).max(0.0);
    let of_ratio = ((1.0 - share).powi(2) * hit_squares + share * share * others) / (all * all);
    let variance = of_kish.max(of_ratio);
    let trials = if variance > 0.0 { share * (1.0 - share) / variance } else { all * all / squares };
    let (low, high) = wilson_of_share(share, trials, level);
    (share, low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_books() {
        // Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3.
        for (hits, trials, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (l, h) = wilson(hits, trials, 0.95);
            assert!((l - low).abs() < 5e-5 && (h - high).abs() < 5e-5, "{hits}/{trials}: {l} {h}");
        }
        assert_eq!(wilson(0, 0, 0.95), (0.0, 1.0));
        assert_eq!(wilson(7, 7, 0.95).1, 1.0);
    }

    #[test]
    fn even_weights_weigh_nothing() {
        for (hits, trials) in [(0_u64, 20_u64), (1, 29), (15, 148), (81, 263), (7, 7)] {
            let of = |samples: u64| (samples as f64 * 1000.0, samples as f64 * 1e6);
            let (share, low, high) = weighted(of(hits), of(trials), 0.95);
            let (even_low, even_high) = wilson(hits, trials, 0.95);
            assert!((share - hits as f64 / trials as f64).abs() < 1e-12);
            assert!((low - even_low).abs() < 1e-9 && (high - even_high).abs() < 1e-9, "{hits} of {trials}");
        }
        assert_eq!(weighted((0.0, 0.0), (0.0, 0.0), 0.95), (0.0, 0.0, 1.0));
    }

    /// Trials with weights between 1 and 1000, of which a random part hits, with or without a relation between weight
    /// and hit.
    #[test]
    fn shares_of_uneven_weights_hold_the_truth() {
        let weight = |at: u64| 1.0 + 999.0 * ((at * 7919 % 1000) as f64 / 999.0).powi(4);
        for chance in
            [|_: f64| 0.3, |weight: f64| 0.02 + 0.5 * weight / 1000.0, |weight: f64| 0.6 - weight / 2000.0]
        {
            let population: Vec<f64> = (0..1000).map(weight).collect();
            let all: f64 = population.iter().sum();
            let truth = population.iter().map(|&it| it * chance(it)).sum::<f64>() / all;
            let mut draw = crate::draw::Draw::new(11, 0);
            let holds = |_: &u32| {
                let (mut hit, mut sums) = ((0.0, 0.0), (0.0, 0.0));
                for _ in 0..400 {
                    let weight = population[draw.below(1000)];
                    sums = (sums.0 + weight, sums.1 + weight * weight);
                    if draw.uniform() < chance(weight) {
                        hit = (hit.0 + weight, hit.1 + weight * weight);
                    }
                }
                let (_, low, high) = weighted(hit, sums, 0.95);
                (low..=high).contains(&truth)
            };
            let held = (0..400).filter(holds).count();
            assert!(held >= 372, "{held} of 400 hold {truth}");
        }
    }
}
