//! Adjustments for several tests at once: Holm's, that of Benjamini and Hochberg, and the latter for e-values.

/// Holm's adjusted p-values, in the order of the input (Holm 1979, "A Simple Sequentially Rejective Multiple Test
/// Procedure"): comparing each with the level keeps the probability of any false rejection below the level.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest = 0.0f64;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest.max((p_values.len() - rank) as f64 * p_values[index]).min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

/// Adjusted p-values of Benjamini and Hochberg (1995, "Controlling the False Discovery Rate"), in the order of the
/// input: comparing each with a level keeps the expected share of false rejections among all rejections below it.
/// `tests` is the number of tests that were made, which may exceed the number of given p-values if the omitted ones are
/// larger.
pub fn benjamini_hochberg(p_values: &[f64], tests: usize) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[b].total_cmp(&p_values[a]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut smallest = 1.0f64;
    for (place, &index) in order.iter().enumerate() {
        let rank = p_values.len() - place;
        smallest = smallest.min(p_values[index] * tests.max(p_values.len()) as f64 / rank as f64);
        adjusted[index] = smallest;
    }
    adjusted
}

/// The hypotheses that the e-BH procedure rejects, from e-values given as natural logarithms (Wang and Ramdas 2022,
/// "False discovery rate control with e-values"): the k largest, for the greatest k whose k-th largest is at least n /
/// (k · level). The expected share of false rejections is at most `level`, for any dependence between the e-values.
pub fn e_benjamini_hochberg(ln_e: &[f64], level: f64) -> Vec<bool> {
    let mut sorted = ln_e.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let least = |k: usize| (ln_e.len() as f64 / (k as f64 * level)).ln();
    let rejected = (1..=sorted.len()).rev().find(|&k| sorted[k - 1] >= least(k));
    let bound = rejected.map_or(f64::INFINITY, least);
    ln_e.iter().map(|&value| value >= bound).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjusts_step_by_step() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (got, want) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((got - want).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn the_share_of_false_discoveries_by_hand() {
        let adjusted = benjamini_hochberg(&[0.01, 0.04, 0.03, 0.005], 4);
        for (got, want) in adjusted.iter().zip([0.02, 0.04, 0.04, 0.02]) {
            assert!((got - want).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(benjamini_hochberg(&[0.01], 50), [0.5]);
        assert!(benjamini_hochberg(&[], 3).is_empty());
    }

    #[test]
    fn e_values_that_are_rejected_together() {
        let ln = |values: &[f64]| values.iter().map(|value: &f64| value.ln()).collect::<Vec<_>>();
        // Four hypotheses at 10 %: one alone needs 40, two need 20 each.
        assert_eq!(e_benjamini_hochberg(&ln(&[25.0, 1.0, 22.0, 0.1]), 0.1), [true, false, true, false]);
        assert_eq!(e_benjamini_hochberg(&ln(&[25.0, 1.0, 19.0, 0.1]), 0.1), [false; 4]);
        assert!(e_benjamini_hochberg(&[], 0.1).is_empty());
    }
}
