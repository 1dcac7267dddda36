//! Probabilities and quantiles of the normal, Student's t and the binomial distribution.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::function::{beta, erf, gamma};

/// Upper tail probability of the standard normal distribution, accurate for large `z`.
pub fn normal_upper_tail(z: f64) -> f64 {
    0.5 * erf::erfc(z / std::f64::consts::SQRT_2)
}

/// The z at which the upper tail of the standard normal distribution is `probability` (0 to 1, exclusive).
pub fn normal_upper_quantile(probability: f64) -> f64 {
    std::f64::consts::SQRT_2 * erf::erfc_inv(2.0 * probability)
}

/// Two-sided probability of a t statistic with `df` degrees of freedom (above 0).
pub fn t_two_sided_p(t: f64, df: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, df) {
        Ok(distribution) if t.is_finite() => (2.0 * distribution.cdf(-t.abs())).min(1.0),
        Ok(_) => 0.0,
        Err(_) => 1.0,
    }
}

/// Upper tail probability of Student's t with `df` degrees of freedom (above 0).
pub fn t_upper_tail(t: f64, df: f64) -> f64 {
    StudentsT::new(0.0, 1.0, df).map_or(1.0, |distribution| distribution.cdf(-t))
}

/// The t with `df` degrees of freedom whose upper tail probability is `probability` (0 to 0.5). Infinite if there are
/// no degrees of freedom.
pub fn t_upper_quantile(probability: f64, df: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, df) {
        Ok(distribution) if probability > 0.0 => -distribution.inverse_cdf(probability),
        _ => f64::INFINITY,
    }
}

/// The critical t that has the same tail probability as the critical z.
///
/// Group-sequential bounds are computed for a Brownian motion, that is, for a known variance. If the variance is
/// estimated from few clusters, using the *nominal probability* of each look as a quantile of Student's t keeps the
/// error rate (Jennison and Turnbull 2000, "Group Sequential Methods", section 4.4).
pub fn t_for_z(z: f64, df: f64) -> f64 {
    t_upper_quantile(normal_upper_tail(z), df)
}

/// P(X ≤ k) for a binomial X of `n` fair coins.
pub fn binomial_half_cdf(n: usize, k: usize) -> f64 {
    if k >= n {
        return 1.0;
    }
    beta::beta_reg((n - k) as f64, (k + 1) as f64, 0.5)
}

/// Exact one-sided upper bound of a probability after `events` in `trials` (Clopper and Pearson 1934), at a
/// `confidence` such as 0.95. The bound is one if there were no trials.
pub fn clopper_pearson_upper(events: usize, trials: usize, confidence: f64) -> f64 {
    if events >= trials {
        return 1.0;
    }
    let (a, b) = ((events + 1) as f64, (trials - events) as f64);
    // The bound is where the lower tail P(X ≤ events) falls to 1 − confidence; that tail is 1 − I(p; a, b).
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if beta::beta_reg(a, b, middle) < confidence { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Exact one-sided lower bound of a probability after `events` in `trials`; zero if there were no trials.
pub fn clopper_pearson_lower(events: usize, trials: usize, confidence: f64) -> f64 {
    1.0 - clopper_pearson_upper(trials - events.min(trials), trials, confidence)
}

/// Natural logarithm of the binomial coefficient.
pub fn ln_choose(n: usize, k: usize) -> f64 {
    let ln_factorial = |m: usize| gamma::ln_gamma(m as f64 + 1.0);
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

/// P(X ≥ `seen`) for the number X of marked items among `drawn` out of `total`, of which `marked` are marked (the
/// hypergeometric distribution of Fisher's exact test).
pub fn hypergeometric_upper(total: usize, marked: usize, drawn: usize, seen: usize) -> f64 {
    let ln_all = ln_choose(total, drawn);
    let exactly = |x: usize| (ln_choose(marked, x) + ln_choose(total - marked, drawn - x) - ln_all).exp();
    let least = seen.max((drawn + marked).saturating_sub(total));
    (least..=marked.min(drawn)).map(exactly).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, want: f64, tolerance: f64) {
        assert!((got - want).abs() <= tolerance, "{got} is not {want}");
    }

    #[test]
    fn quantiles_agree_with_published_tables() {
        near(normal_upper_quantile(0.025), 1.959_964, 1e-6);
        near(normal_upper_tail(3.0), 0.001_349_898, 1e-9);
        near(normal_upper_tail(6.0), 9.865_876e-10, 1e-15);
        near(t_upper_quantile(0.025, 5.0), 2.570_582, 1e-5);
        near(t_upper_quantile(0.0005, 5.0), 6.868_827, 1e-4);
        near(t_upper_quantile(0.0005, 127.0), 3.369, 2e-3);
        near(t_two_sided_p(2.570_582, 5.0), 0.05, 1e-6);
        near(t_upper_tail(2.570_582, 5.0), 0.025, 1e-6);
        near(t_upper_tail(-2.570_582, 5.0), 0.975, 1e-6);
        assert_eq!(t_two_sided_p(f64::INFINITY, 5.0), 0.0);
        assert_eq!(t_upper_quantile(0.025, 0.0), f64::INFINITY);
    }

    #[test]
    fn a_bound_in_z_keeps_its_probability_in_t() {
        near(t_for_z(1.959_964, 10.0), 2.228_139, 1e-5);
        near(t_for_z(3.0, 1e6), 3.0, 1e-4);
        assert!(t_for_z(3.36, 5.0) > 6.0);
    }

    #[test]
    fn acceptance_counts_of_a_five_per_cent_rate() {
        // The largest counts whose one-sided 95 % bound is at most 5 %.
        for (events, trials) in [(0, 59), (1, 100), (4, 200), (12, 400), (38, 1000)] {
            assert!(clopper_pearson_upper(events, trials, 0.95) <= 0.05, "{events}/{trials}");
            assert!(clopper_pearson_upper(events + 1, trials, 0.95) > 0.05, "{events}/{trials}");
        }
        near(clopper_pearson_upper(0, 59, 0.95), 1.0 - 0.05f64.powf(1.0 / 59.0), 1e-9);
        assert_eq!(clopper_pearson_upper(0, 0, 0.95), 1.0);
    }

    #[test]
    fn the_lady_tasting_tea() {
        // Fisher 1935: all four of eight cups by chance, 1 in 70; at least three, 17 in 70.
        near(hypergeometric_upper(8, 4, 4, 4), 1.0 / 70.0, 1e-12);
        near(hypergeometric_upper(8, 4, 4, 3), 17.0 / 70.0, 1e-12);
        near(hypergeometric_upper(8, 4, 4, 0), 1.0, 1e-12);
        near(hypergeometric_upper(8, 6, 4, 1), 1.0, 1e-12);
        assert_eq!(hypergeometric_upper(8, 0, 4, 1), 0.0);
    }

    #[test]
    fn coins() {
        near(binomial_half_cdf(4, 1), 5.0 / 16.0, 1e-12);
        assert_eq!(binomial_half_cdf(4, 4), 1.0);
        near(ln_choose(10, 3), 120f64.ln(), 1e-9);
    }
}
