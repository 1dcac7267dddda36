//! Size of an effect from its F ratio: the noncentral F distribution and intervals of its noncentrality.

use statrs::function::{beta, gamma};

/// Maximum noncentrality for which the distribution is summed exactly.
const EXACT_MAX: f64 = 2000.0;

/// P(F ≤ f) for an F ratio with `df1` and `df2` degrees of freedom and noncentrality `lambda` (the sum of squared
/// effects over their error variance).
///
/// A Poisson mixture of beta distributions (Johnson, Kotz and Balakrishnan 1995, "Continuous Univariate Distributions",
/// volume 2, equation 30.10), summed downwards, where the recurrence of the incomplete beta function only adds positive
/// terms. Beyond a noncentrality of 2000, Patnaik's central F with equal first two moments (1949) is used, which is
/// then accurate to three digits.
pub fn noncentral_f_cdf(f: f64, df1: f64, df2: f64, lambda: f64) -> f64 {
    if f <= 0.0 {
        return 0.0;
    }
    if lambda > EXACT_MAX {
        let degrees = (df1 + lambda).powi(2) / (df1 + 2.0 * lambda);
        return central(f * df1 / (df1 + lambda), degrees, df2);
    }
    mixture(df1 * f / (df1 * f + df2), 0.5 * df1, 0.5 * df2, 0.5 * lambda).clamp(0.0, 1.0)
}

/// P(F > f) for a central F ratio, accurate for large `f`.
pub fn f_upper_tail(f: f64, df1: f64, df2: f64) -> f64 {
    if f <= 0.0 { 1.0 } else { beta::beta_reg(0.5 * df2, 0.5 * df1, df2 / (df1 * f + df2)) }
}

fn central(f: f64, df1: f64, df2: f64) -> f64 {
    beta::beta_reg(0.5 * df1, 0.5 * df2, df1 * f / (df1 * f + df2))
}

/// Σ Poisson(j; mean) · I_x(a + j, b).
fn mixture(x: f64, a: f64, b: f64, mean: f64) -> f64 {
    let last = (mean + 8.0 * mean.sqrt() + 12.0).ceil();
    let mut index = last;
    let mut regular = beta::beta_reg(a + index, b, x);
    let mut total = 0.0;
    loop {
        let ln_weight = if mean > 0.0 {
            index * mean.ln() - mean - gamma::ln_gamma(index + 1.0)
        } else if index == 0.0 {
            0.0
        } else {
            f64::NEG_INFINITY
        };
        total += ln_weight.exp() * regular;
        if index == 0.0 {
            return total;
        }
        index -= 1.0;
        // I_x(p, b) = I_x(p + 1, b) + x^p (1 − x)^b / (p B(p, b)).
        let p = a + index;
        let step = p * x.ln() + b * (1.0 - x).ln() - p.ln() - beta::ln_beta(p, b);
        regular += step.exp();
    }
}

/// Estimate and interval of a noncentrality.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noncentrality {
    /// Lower end of the interval of the noncentrality.
    pub low: f64,
    /// Unbiased estimate of the noncentrality, but at least zero.
    pub estimate: f64,
    /// Upper end of the interval of the noncentrality.
    pub high: f64,
}

/// Noncentrality estimated from an observed F ratio, with its interval at `level` (0.05 for 95 %), by inverting the
/// distribution (Venables 1975). The upper end is at least that for a ratio of one, since a very small ratio is luck
/// and no evidence.
pub fn noncentrality(f: f64, df1: f64, df2: f64, level: f64) -> Noncentrality {
    let shrink = if df2 > 2.0 { (df2 - 2.0) / df2 } else { 0.0 };
    let estimate = (df1 * (f * shrink - 1.0)).max(0.0);
    let low = solve(f, df1, df2, 1.0 - level / 2.0);
    let high = solve(f.max(1.0), df1, df2, level / 2.0);
    Noncentrality { low: low.min(estimate), estimate, high: high.max(estimate) }
}

/// A sum of squared effects, in the unit of `squares`, from the observed sum of squares between groups with `df1` degrees
/// of freedom and an error variance `noise` > 0 that was estimated with `df2`. The ends are those of [`noncentrality`],
/// times the noise. The estimate is `squares` minus the part that noise has in it: the unbiased noncentrality times an
/// estimated variance would be too small by the factor (df2 − 2)/df2.
pub fn squares_of_effects(squares: f64, df1: f64, noise: f64, df2: f64, level: f64) -> Noncentrality {
    let shown = noncentrality(squares / df1 / noise, df1, df2, level);
    let (low, high) = (shown.low * noise, shown.high * noise);
    let estimate = (squares - df1 * noise).max(0.0).clamp(low, high);
    Noncentrality { low, estimate, high }
}

/// The noncentrality at which P(F ≤ f) falls to `probability`; zero if it is below that even for a noncentrality of
/// zero.
fn solve(f: f64, df1: f64, df2: f64, probability: f64) -> f64 {
    let below = |lambda: f64| noncentral_f_cdf(f, df1, df2, lambda) > probability;
    if !f.is_finite() || !below(0.0) {
        return if f.is_finite() { 0.0 } else { f64::MAX };
    }
    let mut high = (df1 * f).max(1.0);
    while below(high) && high < 1e15 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if below(middle) { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    #[test]
    fn agrees_with_simulated_ratios() {
        // F = ((Z1 + √λ)² + Σ Z²)/df1 over Σ Z²/df2, 20,000 times.
        let (df1, df2, lambda, f) = (3usize, 10usize, 6.0f64, 3.0);
        let mut draw = Draw::new(3, 0);
        let mut z = || {
            let unit = |draw: &mut Draw| ((draw.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            (-2.0 * unit(&mut draw).ln()).sqrt() * (2.0 * std::f64::consts::PI * unit(&mut draw)).cos()
        };
        let mut below = 0;
        for _ in 0..20_000 {
            let above: f64 = (z() + lambda.sqrt()).powi(2) + (1..df1).map(|_| z().powi(2)).sum::<f64>();
            let under: f64 = (0..df2).map(|_| z().powi(2)).sum();
            below += u32::from((above / df1 as f64) / (under / df2 as f64) <= f);
        }
        let cdf = noncentral_f_cdf(f, df1 as f64, df2 as f64, lambda);
        assert!((cdf - f64::from(below) / 20_000.0).abs() < 0.012, "{cdf} {below}");
    }

    /// Two levels 0.65 apart in their logarithms, in twelve blocks with little noise: the difference is known well.
    #[test]
    fn the_squares_of_effects_are_not_shrunk() {
        let squares = 12.0 * 2.0 * 0.325f64.powi(2);
        let found = squares_of_effects(squares, 1.0, 1e-4, 11.0, 0.05);
        assert!((found.estimate / squares - 1.0).abs() < 1e-3, "{found:?}");
        assert!(found.low < found.estimate && found.estimate < found.high, "{found:?}");
        assert_eq!(squares_of_effects(1e-5, 1.0, 1e-4, 11.0, 0.05).estimate, 0.0);
    }

    #[test]
    fn the_approximation_continues_the_sum() {
        let sum = noncentral_f_cdf(200.0, 10.0, 50.0, 1999.9);
        let approximation = noncentral_f_cdf(200.0, 10.0, 50.0, 2000.1);
        assert!((sum - approximation).abs() < 0.01, "{sum} {approximation}");
    }

    #[test]
    fn without_noncentrality_it_is_the_central_one() {
        // The 95 % quantile of F with 5 and 10 degrees of freedom is 3.3258 in every table.
        assert!((noncentral_f_cdf(3.325_835, 5.0, 10.0, 0.0) - 0.95).abs() < 1e-6);
        assert!((f_upper_tail(3.325_835, 5.0, 10.0) - 0.05).abs() < 1e-6);
        assert!(f_upper_tail(20.0, 59.0, 900.0) > 0.0 && f_upper_tail(0.0, 2.0, 3.0) == 1.0);
    }

    #[test]
    fn intervals_hold_what_they_should() {
        let none = noncentrality(1.0, 31.0, 155.0, 0.05);
        assert!(none.low == 0.0 && none.high > 5.0 && none.high < 40.0, "{none:?}");
        let lucky = noncentrality(0.2, 31.0, 155.0, 0.05);
        assert_eq!(lucky.high, none.high);
        let strong = noncentrality(50.0, 31.0, 155.0, 0.05);
        assert!(strong.low > 900.0 && strong.estimate > 1400.0 && strong.high < 2400.0, "{strong:?}");
    }
}
