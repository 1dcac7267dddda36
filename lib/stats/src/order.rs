//! Intervals of quantiles by order statistics: the sorted readings that bound a quantile, for any distribution.

use statrs::function::beta;

/// Ranks, from 1, of the sorted readings between which the quantile lies with this confidence. Each end misses with at
/// most half of the remaining probability, by the binomial distribution of the number of `n` readings below the
/// quantile (David and Nagaraja, "Order Statistics", section 7.1). `None` for an end that no reading bounds.
pub fn quantile_ranks(n: u64, probability: f64, confidence: f64) -> [Option<u64>; 2] {
    let tail = (1.0 - confidence) / 2.0;
    // Bisection finds both ranks, since the distribution increases with the rank.
    let first_above = |limit: f64| {
        let (mut inside, mut outside) = (0, n);
        while inside < outside {
            let middle = inside + (outside - inside) / 2;
            if at_most(n, middle, probability) > limit { outside = middle } else { inside = middle + 1 }
        }
        inside
    };
    // The lower end misses if fewer readings than its rank lie below the quantile, the upper end if at least as many as
    // its rank do.
    let low = Some(first_above(tail)).filter(|&rank| rank > 0);
    let high = (0..=1)
        .map(|more| first_above(1.0 - tail) + more)
        .find(|&rank| rank > 0 && at_most(n, rank - 1, probability) >= 1.0 - tail);
    [low, high.filter(|&rank| rank <= n)]
}

/// The readings, out of those in ascending order, between which the quantile lies with this confidence; `None` for an
/// end that no reading bounds.
pub fn quantile_interval<T: Copy>(rising: &[T], probability: f64, confidence: f64) -> [Option<T>; 2] {
    let reading = |rank: u64| rising.get(rank as usize - 1).copied();
    quantile_ranks(rising.len() as u64, probability, confidence).map(|rank| rank.and_then(reading))
}

/// The ends of the interval of the median of readings in ascending order; `None` if there are too few readings, which
/// is fewer than six at 95 %.
pub fn median_interval<T: Copy>(rising: &[T], confidence: f64) -> Option<[T; 2]> {
    let [low, high] = quantile_interval(rising, 0.5, confidence);
    Some([low?, high?])
}

/// P(X ≤ k) for a binomial X of `n` trials that succeed with this probability.
fn at_most(n: u64, k: u64, probability: f64) -> f64 {
    match k >= n {
        true => 1.0,
        false => beta::beta_reg((n - k) as f64, (k + 1) as f64, 1.0 - probability),
    }
}

/// Minimum number of readings for which at least one is expected beyond this quantile; with fewer, the quantile is just
/// the largest reading.
pub fn readings_for(probability: f64) -> u64 {
    (1.0 / (1.0 - probability) - 1e-6).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    #[test]
    fn a_median_has_the_ranks_of_the_sign_test() {
        // Ranks of the ends of the 95 % interval of a median, from published tables.
        for (n, ends) in [(6, [1, 6]), (10, [2, 9]), (20, [6, 15]), (100, [40, 61])] {
            let rising: Vec<u64> = (1..=n).collect();
            assert_eq!(median_interval(&rising, 0.95), Some(ends), "{n}");
        }
        for n in 0..6 {
            assert_eq!(median_interval(&vec![1.0; n], 0.95), None, "{n}");
        }
    }

    #[test]
    fn intervals_cover_as_often_as_they_say() {
        let mut draw = Draw::new(11, 0);
        for (n, probability) in [(100_u64, 0.9), (300, 0.99), (1000, 0.99)] {
            let mut missed = 0;
            for _ in 0..2000 {
                // Uniform: the quantile is the probability itself.
                let below = (0..n).filter(|_| draw.uniform() < probability).count() as u64;
                let [low, high] = quantile_ranks(n, probability, 0.95);
                missed +=
                    u32::from(low.is_some_and(|rank| below < rank) || high.is_some_and(|rank| below >= rank));
            }
            // 100 are expected; 135 would come once in thousands of times.
            assert!(missed <= 135, "{n} {probability}: {missed}");
        }
    }

    #[test]
    fn what_takes_more_readings_has_no_upper_end() {
        let [low, high] = quantile_ranks(600, 0.999, 0.95);
        assert!(low.is_some() && high.is_none());
        assert_eq!([0.9, 0.99, 0.999, 0.99999].map(readings_for), [10, 100, 1000, 100_000]);
        let [low, high] = quantile_ranks(10_000_000, 0.99999, 0.95).map(Option::unwrap);
        assert!(low < 9_999_900 && high > 9_999_900 && high < 10_000_000, "{low} {high}");
    }
}
