//! Random sign patterns, drawn once and kept over all looks.

use crate::draw::Draw;

/// Number of columns of signs in a word.
const COLUMNS: usize = 32;

/// Number of columns after the first in which all patterns occur, equally often.
const ENUMERATED: u32 = 11;

/// Number of rows for one comparison at [`LEVEL`]. More rows are needed if several comparisons share the level, or it
/// is lower.
const ROWS: usize = 8192;

/// The level for which [`ROWS`] rows are enough.
const LEVEL: f64 = 0.01;

/// Maximum number of rows, however low the level and however many comparisons share it.
const ROWS_MAX: usize = 8 * ROWS;

/// Maximum number of paths, mirror images included. A side whose share of the level is less than one path never
/// crosses.
pub const PATHS_MAX: usize = 2 * ROWS_MAX;

/// Rows of signs. Row 0 has none flipped and represents the observed pattern; each row represents its mirror image,
/// too.
///
/// The first column is never flipped, because the mirror image does that. The next eleven columns contain all patterns,
/// so that the first looks enumerate; the others are drawn. With the observed signs multiplied in, row 0 is then a draw
/// like any other: the enumerated columns are a group, and products with a uniform pattern are uniform.
#[derive(Clone, Debug)]
pub struct Rows {
    seed: u64,
    count: usize,
    /// For every 32 columns, one word per row; a set bit flips the sign.
    words: Vec<Vec<u32>>,
}

impl Rows {
    /// Rows for `comparisons` comparisons that share a level.
    pub fn new(comparisons: usize, level: f64, seed: u64) -> Self {
        let rarer = comparisons.max(1) as f64 * (LEVEL / level).max(1.0);
        let count = ROWS * (rarer.ceil() as usize).min(ROWS_MAX / ROWS).next_power_of_two();
        Rows { seed, count, words: Vec::new() }
    }

    /// Number of rows; there are twice as many paths.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Draws columns until there are at least `columns`.
    pub fn grow(&mut self, columns: usize) {
        while self.words.len() * COLUMNS < columns {
            let chunk = self.words.len();
            let mut draw = Draw::new(self.seed, 0x5169_6e73 + chunk as u64);
            let mut words: Vec<u32> = (0..self.count / 2)
                .flat_map(|_| {
                    let bits = draw.bits();
                    [bits as u32, (bits >> 32) as u32]
                })
                .collect();
            if chunk == 0 {
                let enumerated = ((1u32 << ENUMERATED) - 1) << 1;
                let pattern = |row: usize| ((row as u32) << 1) & enumerated;
                let known = |(row, word): (usize, &mut u32)| *word = *word & !(enumerated | 1) | pattern(row);
                words.iter_mut().enumerate().for_each(known);
            }
            words[0] = 0;
            self.words.push(words);
        }
    }

    /// Sum of the weights under the signs of each row. The rows must have at least `weights.len()` columns.
    pub fn sums(&self, weights: &[f32]) -> Vec<f32> {
        self.sums_of([weights]).into_flattened()
    }

    /// Sums for several sets of weights of equal length, which share the lookup of each row's signs.
    pub(crate) fn sums_of<const SETS: usize>(&self, weights: [&[f32]; SETS]) -> Vec<[f32; SETS]> {
        let mut sums = vec![[0.0f32; SETS]; self.count];
        let columns = weights.iter().map(|weights| weights.len()).max().unwrap_or(0);
        for (first, words) in (0..columns).step_by(COLUMNS).zip(&self.words) {
            let tables: [[[f32; SETS]; 256]; 4] = std::array::from_fn(|byte| {
                table(|place| weights.map(|all| all.get(first + 8 * byte + place).copied().unwrap_or(0.0)))
            });
            for (sums, word) in sums.iter_mut().zip(words) {
                let [a, b, c, d] = word.to_le_bytes().map(usize::from);
                for (set, sum) in sums.iter_mut().enumerate() {
                    *sum += (tables[0][a][set] + tables[1][b][set]) + (tables[2][c][set] + tables[3][d][set]);
                }
            }
        }
        sums
    }

    /// Adds `sign` (±1) to each row in which the column is not flipped, and subtracts it from the others.
    pub(crate) fn add(&self, column: usize, sign: i32, counts: &mut [i32]) {
        let bit = column % COLUMNS;
        for (count, word) in counts.iter_mut().zip(&self.words[column / COLUMNS]) {
            *count += sign * (1 - 2 * (word >> bit & 1) as i32);
        }
    }
}

/// Sums of eight weights under all signs. Weights are added in a fixed order, so that a pattern and its mirror image
/// have exactly opposite sums, and equal patterns equal ones.
fn table<const SETS: usize>(weights: impl Fn(usize) -> [f32; SETS]) -> [[f32; SETS]; 256] {
    let mut sums = [[0.0f32; SETS]; 256];
    for place in 0..8 {
        let weights = weights(place);
        let (plain, flipped) = sums[..2 << place].split_at_mut(1 << place);
        for (plain, flipped) in plain.iter_mut().zip(flipped) {
            for ((plain, flipped), weight) in plain.iter_mut().zip(flipped).zip(weights) {
                *flipped = *plain - weight;
                *plain += weight;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_twelve_columns_enumerate_and_row_0_is_what_was_observed() {
        let mut rows = Rows::new(1, LEVEL, 7);
        rows.grow(40);
        let weights: Vec<f32> = (0..12).map(|place| (1u32 << place) as f32).collect();
        let mut sums = rows.sums(&weights);
        assert_eq!(sums[0], 4095.0);
        sums.sort_by(f32::total_cmp);
        sums.dedup();
        // The first column is always plus, so the mirror images are missing.
        assert_eq!(sums.len(), 2048);
        assert_eq!(rows.sums(&[1.0; 40])[0], 40.0);
    }

    #[test]
    fn a_lower_level_has_more_rows_and_a_higher_one_no_fewer() {
        let count = |comparisons, level| Rows::new(comparisons, level, 1).count();
        assert_eq!(
            [count(1, 0.05), count(1, 0.01), count(2, 0.05), count(3, 0.01)],
            [1, 1, 2, 4].map(|n| n * ROWS)
        );
        assert_eq!([count(1, 0.001), count(1, 0.004), count(600, 1e-6)], [8, 4, 8].map(|n| n * ROWS));
    }

    #[test]
    fn rows_repeat_and_mirror_exactly() {
        let (mut rows, mut again) = (Rows::new(3, LEVEL, 1), Rows::new(3, LEVEL, 1));
        rows.grow(100);
        again.grow(10);
        again.grow(100);
        assert_eq!(rows.count(), 4 * ROWS);
        let weights: Vec<f32> = (0..100).map(|place| (place as f32).sin()).collect();
        let mirrored: Vec<f32> = weights.iter().map(|weight| -weight).collect();
        let sums = rows.sums(&weights);
        assert_eq!(sums, again.sums(&weights));
        assert!(sums.iter().zip(rows.sums(&mirrored)).all(|(one, other)| *one == -other));
        let both = rows.sums_of([&weights, &[1.0; 100]]);
        assert!(
            both.iter()
                .zip(sums.iter().zip(rows.sums(&[1.0; 100])))
                .all(|(both, (one, other))| *both == [*one, other])
        );
        let mut counts = vec![0; rows.count()];
        (0..100).for_each(|column| rows.add(column, 1, &mut counts));
        assert!(counts.iter().zip(rows.sums(&[1.0; 100])).all(|(count, sum)| *count as f32 == sum));
    }
}
