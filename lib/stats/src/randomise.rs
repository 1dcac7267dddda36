//! Randomisation tests: the results that the coin that ordered A and B could have given for the same data.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::describe::{MAD_TO_SD, mean, median_in_place, variance};

/// Maximum number of values for which all sign patterns are enumerated.
pub const EXACT_MAX: usize = 16;

/// Number of sign patterns that are drawn for more than [`EXACT_MAX`] values.
pub const DRAWS: u32 = 10_000;

/// Two-sided p-value of the sign-flip randomisation test of a winsorised mean against zero; 1 for no values.
///
/// If A and B are the same, the coin that decided their order makes each difference as likely as its negative (Fisher
/// 1935, "The Design of Experiments", section 21). Outliers are winsorised to ± 1.5 · 1.4826 · median of |d|. That
/// fence depends on the *magnitudes* only: flipping a sign never moves it, so the test is exact for every number of
/// values, unlike one with a fence around the signed median. The fence equals that of Huber's estimator under the null
/// hypothesis, and is wide if all values lie far on one side. Drawn p-values count the observed pattern too, and are
/// therefore never zero (Phipson and Smyth 2010).
pub fn sign_flip_p(values: &[f64], seed: u64) -> f64 {
    sign_flip_of_sums(&pull_in_magnitudes(values), seed)
}

/// As [`sign_flip_p`], with the signs of runs of `length` neighbours flipped together, for a series whose neighbours
/// are alike: runs are then nearly independent although single values are not. The last run may be shorter.
pub fn block_sign_flip_p(values: &[f64], length: usize, seed: u64) -> f64 {
    let pulled = pull_in_magnitudes(values);
    let sums: Vec<f64> = pulled.chunks(length.max(1)).map(|run| run.iter().sum()).collect();
    sign_flip_of_sums(&sums, seed)
}

/// Length of the runs for [`block_sign_flip_p`]: the cube root of n, at least two (the order of the best block length
/// for a mean, Hall, Horowitz and Jing 1995).
pub fn run_length(n: usize) -> usize {
    ((n as f64).cbrt().round() as usize).max(2)
}

/// Values further from zero than this many scaled median magnitudes are winsorised.
const MAGNITUDE_FENCE: f64 = 1.5;

/// Values with winsorised magnitudes. If more than half of the values are zero there is no scale, and they are returned
/// unchanged.
fn pull_in_magnitudes(values: &[f64]) -> Vec<f64> {
    let mut magnitudes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
    let reach = MAGNITUDE_FENCE * MAD_TO_SD * median_in_place(&mut magnitudes).unwrap_or(0.0);
    let reach = if reach > 0.0 { reach } else { f64::INFINITY };
    values.iter().map(|value| value.clamp(-reach, reach)).collect()
}

/// Two-sided p-value of the sum of values, each of which is as likely as its negative under the hypothesis.
fn sign_flip_of_sums(sums: &[f64], seed: u64) -> f64 {
    let tables = tables(sums);
    let total: f64 = sums.iter().sum();
    // Sums that differ only by rounding count as equal, so that ties are recognised.
    let reach = total.abs() - 1e-12 * sums.iter().map(|value| value.abs()).sum::<f64>();
    match sums.len() {
        0 => 1.0,
        n if n <= EXACT_MAX => {
            // A pattern and its mirror image have the same magnitude, so half of the patterns suffices.
            let patterns = 1u32 << (n - 1);
            let extreme =
                (0..patterns).filter(|&bits| signed_sum(&tables, &bits.to_le_bytes()).abs() >= reach);
            extreme.count() as f64 / f64::from(patterns)
        }
        _ => drawn_p(&tables, reach, seed),
    }
}

/// The share of sign patterns whose sum is at least `reach` in magnitude, among drawn patterns and the observed one.
fn drawn_p(tables: &[[f64; 256]], reach: f64, seed: u64) -> f64 {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut bits = vec![0u8; tables.len()];
    let mut extreme = 1u32;
    for _ in 0..DRAWS {
        random.fill_bytes(&mut bits);
        extreme += u32::from(signed_sum(tables, &bits).abs() >= reach);
    }
    f64::from(extreme) / f64::from(DRAWS + 1)
}

/// For every eight values the sums under all 256 sign patterns, so that one pattern of n values takes n/8 additions.
fn tables(values: &[f64]) -> Vec<[f64; 256]> {
    values.chunks(8).map(table).collect()
}

/// The sums of up to eight values under all sign patterns; a set bit flips a value.
fn table(values: &[f64]) -> [f64; 256] {
    let mut sums = [0.0; 256];
    sums[0] = values.iter().sum();
    for pattern in 1..256usize {
        let flipped = values.get(pattern.trailing_zeros() as usize).copied().unwrap_or(0.0);
        sums[pattern] = sums[pattern & (pattern - 1)] - 2.0 * flipped;
    }
    sums
}

/// The sum of the values under one pattern of signs.
fn signed_sum(tables: &[[f64; 256]], bits: &[u8]) -> f64 {
    tables.iter().zip(bits).map(|(table, &byte)| table[usize::from(byte)]).sum()
}

/// Two-sided p-value of the studentised permutation test for two independent samples, with 10,000 draws; 1 if either
/// sample has fewer than two values.
///
/// The statistic is Welch's t: permuting the plain difference of means is wrong if the spreads differ, while permuting
/// the studentised difference is asymptotically right (Janssen 1997).
pub fn permutation_p(a: &[f64], b: &[f64], seed: u64) -> f64 {
    if a.len() < 2 || b.len() < 2 {
        return 1.0;
    }
    let observed = welch_t(a, b).abs() - 1e-9;
    let mut pool = [a, b].concat();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut extreme = 1u32;
    for _ in 0..DRAWS {
        shuffle_head(&mut pool, a.len(), &mut random);
        let (head, tail) = pool.split_at(a.len());
        extreme += u32::from(welch_t(head, tail).abs() >= observed);
    }
    f64::from(extreme) / f64::from(DRAWS + 1)
}

/// Welch's t statistic of B against A; zero if the means are equal.
pub fn welch_t(a: &[f64], b: &[f64]) -> f64 {
    let difference = mean(b).unwrap_or(0.0) - mean(a).unwrap_or(0.0);
    let error = (variance(a) / a.len() as f64 + variance(b) / b.len() as f64).sqrt();
    if difference == 0.0 { 0.0 } else { difference / error }
}

/// Puts a random choice of `count` values first (Fisher and Yates, as in Knuth, algorithm P).
fn shuffle_head(values: &mut [f64], count: usize, random: &mut ChaCha8Rng) {
    for place in 0..count.min(values.len()) {
        values.swap(place, place + below(random, values.len() - place));
    }
}

/// A random index below `bound`. The bias is below 2⁻³² times the bound.
pub(crate) fn below(random: &mut ChaCha8Rng, bound: usize) -> usize {
    ((u64::from(random.next_u32()) * bound as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn all_of_one_sign_is_the_smallest_p_there_is() {
        assert_eq!(sign_flip_p(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 1), 2.0 / 64.0);
        assert_eq!(sign_flip_p(&[0.0; 8], 1), 1.0);
        assert_eq!(sign_flip_p(&[], 1), 1.0);
        assert_eq!(sign_flip_p(&[-2.0], 1), 1.0);
    }

    #[test]
    fn a_small_case_by_hand() {
        // Sums of ±1 ±2 ±4 with magnitude at least 5: ±(−1+2+4) = 5, ±7, so 4 of 8 patterns.
        assert_eq!(sign_flip_p(&[-1.0, 2.0, 4.0], 1), 0.5);
    }

    #[test]
    fn drawing_agrees_with_enumerating() {
        let values: Vec<f64> = (0..16).map(|i| f64::from(i * 7 % 11) - 3.4).collect();
        let exact = sign_flip_p(&values, 0);
        let tables = tables(&values);
        let reach = values.iter().sum::<f64>().abs() - 1e-9;
        let drawn = drawn_p(&tables, reach, 5);
        assert!((exact - drawn).abs() < 4.0 * (exact / f64::from(DRAWS)).sqrt(), "{exact} {drawn}");
    }

    #[test]
    fn runs_of_neighbours_count_once() {
        let alike: Vec<f64> = (0..24).map(|i| [1.0, -0.8][(i / 4) % 2]).collect();
        assert_eq!(run_length(64), 4);
        let single = block_sign_flip_p(&[3.0; 24], 4, 1);
        assert_eq!(single, 2.0 / 64.0);
        assert!(block_sign_flip_p(&alike, 4, 1) > 0.5);
    }

    #[test]
    fn two_samples_far_apart_differ_and_equal_ones_do_not() {
        let a: Vec<f64> = (0..20).map(f64::from).collect();
        let b: Vec<f64> = a.iter().map(|value| value + 30.0).collect();
        assert!(permutation_p(&a, &b, 1) < 0.001);
        assert!(permutation_p(&a, &a, 1) > 0.9);
        assert_eq!(permutation_p(&a, &[1.0], 1), 1.0);
    }

    proptest! {
        #[test]
        fn flipping_everything_changes_nothing(values in proptest::collection::vec(-5f64..5.0, 1..15)) {
            let mirrored: Vec<f64> = values.iter().map(|value| -value).collect();
            prop_assert_eq!(sign_flip_p(&values, 3), sign_flip_p(&mirrored, 3));
        }

        #[test]
        fn under_the_null_the_exact_p_is_not_too_often_small(
            magnitudes in proptest::collection::vec(0.1f64..9.0, 10)
        ) {
            // By the definition of an exact test, the share of all sign patterns with p ≤ level is at most the level. A
            // pattern and its opposite have the same p, so half of the patterns suffices.
            let (level, patterns) = (0.05, 1u32 << 9);
            let small = (0..patterns).filter(|bits| {
                let signed: Vec<f64> = magnitudes.iter().enumerate()
                    .map(|(i, m)| if bits >> i & 1 == 1 { -m } else { *m }).collect();
                sign_flip_p(&signed, 1) <= level
            }).count();
            prop_assert!(small as f64 <= f64::from(patterns) * level, "{}", small);
        }
    }
}
