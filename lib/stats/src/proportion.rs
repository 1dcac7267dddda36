//! Shares of a number of trials.

use crate::distribution::normal_upper_quantile;

/// An interval of the share behind `hits` of `trials`, by Wilson's score (E. B. Wilson 1927, "Probable inference, the
/// law of succession, and statistical inference", JASA 22). It never leaves 0 to 1, and is not empty where nothing or
/// all was hit. Of no trials it is everything.
pub fn wilson(hits: u64, trials: u64, level: f64) -> (f64, f64) {
    if trials == 0 {
        return (0.0, 1.0);
    }
    let (n, share) = (trials as f64, hits.min(trials) as f64 / trials as f64);
    let z = normal_upper_quantile((1.0 - level) / 2.0);
    let weight = 1.0 + z * z / n;
    let middle = (share + z * z / (2.0 * n)) / weight;
    let half = z / weight * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    // Rounding may move the ends, which are exact at zero and at all hits.
    let low = if hits == 0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if hits >= trials { 1.0 } else { (middle + half).min(1.0) };
    (low, high)
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
}
