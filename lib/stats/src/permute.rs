//! Permutation of levels within blocks: the results that the random order of the visits could have given.

use crate::draw::Draw;

/// Statistics of the level sums under one order of the visits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extremes {
    /// Sum over levels of the squared sum divided by the number of visits: large if many levels differ.
    pub squares: f64,
    /// The largest level sum divided by the root of its visits: large if a single level differs.
    pub largest: f64,
}

/// Minimum number of visits for which a block has enough rotations for a test; shorter blocks are shuffled, which costs
/// little.
pub(crate) const TURNED_FROM: usize = 32;

/// Sums of values per level, as observed and under many random orders of the same visits.
///
/// Within a block the levels were visited in random order. If levels do not matter, the value at a time would have been
/// the same whichever level was visited then, so each reordering within blocks is as likely as the observed one. The
/// test is therefore exact for any course of the noise over time (Fisher 1935; Pitman 1937). Blocks may visit any
/// subset of the levels, as long as it was not chosen by looking at earlier blocks.
#[derive(Clone, Debug)]
pub struct LevelSums {
    levels: usize,
    /// Sums per level, one row for each order of the visits; row 0 is the observed order.
    rows: Vec<f64>,
    visits: Vec<u32>,
    draw: Draw,
}

impl LevelSums {
    /// Sums for `levels` levels and `draws` random orders.
    pub fn new(levels: usize, draws: usize, seed: u64) -> Self {
        LevelSums {
            levels,
            rows: vec![0.0; levels * (draws + 1)],
            visits: vec![0; levels],
            draw: Draw::new(seed, 0),
        }
    }

    /// Adds one block: the level and the value of each visit in chronological order, which must be random. Takes about
    /// a nanosecond per visit and random order.
    pub fn add(&mut self, levels: &[u16], values: &[f64]) {
        let count = levels.len().min(values.len());
        let (levels, values) = (&levels[..count], &values[..count]);
        levels.iter().for_each(|&level| self.visits[usize::from(level)] += 1);
        if count < TURNED_FROM { self.add_shuffled(levels, values) } else { self.add_turned(levels, values) }
    }

    /// Adds a block under all orders of its values, each equally likely.
    fn add_shuffled(&mut self, levels: &[u16], values: &[f64]) {
        let mut values = values.to_vec();
        for (row, sums) in self.rows.chunks_exact_mut(self.levels.max(1)).enumerate() {
            if row > 0 {
                self.draw.shuffle(&mut values);
            }
            levels.iter().zip(&values).for_each(|(&level, value)| sums[usize::from(level)] += value);
        }
    }

    /// Adds a block whose values are rotated against the levels by a random number of places. Rotations are a group
    /// too, so the test is as exact as with all orders (Hoeffding 1952; Lehmann and Romano 2005, section 15.2), and
    /// which levels coincide in a rotation is as random as the order of the visits was.
    fn add_turned(&mut self, levels: &[u16], values: &[f64]) {
        let twice = [values, values].concat();
        for (row, sums) in self.rows.chunks_exact_mut(self.levels.max(1)).enumerate() {
            let turn = if row > 0 { self.draw.below(values.len()) } else { 0 };
            let turned = &twice[turn..turn + values.len()];
            levels.iter().zip(turned).for_each(|(&level, value)| sums[usize::from(level)] += value);
        }
    }

    /// Number of visits of each level.
    pub fn visits(&self) -> &[u32] {
        &self.visits
    }

    /// Statistics of every row, the observed one first.
    pub fn extremes(&self) -> Vec<Extremes> {
        let inverse: Vec<f64> =
            self.visits.iter().map(|&n| if n > 0 { 1.0 / f64::from(n) } else { 0.0 }).collect();
        let extremes = |sums: &[f64]| {
            let squares = sums.iter().zip(&inverse).map(|(sum, inverse)| sum * sum * inverse);
            let (squares, largest) = squares.fold((0.0, 0.0f64), |(all, top), one| (all + one, top.max(one)));
            Extremes { squares, largest: largest.sqrt() }
        };
        self.rows.chunks_exact(self.levels.max(1)).map(extremes).collect()
    }
}

/// Extremeness of a row among all rows: the smaller of its two ranks, then their product. Smaller is more extreme.
type Key = (f64, f64);

/// The smaller of the ranks by [`Extremes::squares`] and by [`Extremes::largest`], for every row. The minimum needs no
/// further correction, since it is itself a statistic whose distribution the rows show.
fn keys(extremes: &[Extremes]) -> Vec<Key> {
    let squares = upper_ranks(&extremes.iter().map(|one| one.squares).collect::<Vec<_>>());
    let largest = upper_ranks(&extremes.iter().map(|one| one.largest).collect::<Vec<_>>());
    squares.iter().zip(&largest).map(|(&a, &b)| (a.min(b), a * b)).collect()
}

/// For each value the share of all values that are at least as large. Values that differ only by rounding count as
/// equal.
fn upper_ranks(values: &[f64]) -> Vec<f64> {
    let mut rising = crate::describe::sorted(values);
    let slack = 1e-9 * rising.last().copied().unwrap_or(0.0).abs();
    rising.iter_mut().for_each(|value| *value += slack);
    let n = values.len() as f64;
    values.iter().map(|&value| (n - rising.partition_point(|&other| other < value) as f64) / n).collect()
}

fn compare(a: &Key, b: &Key) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
}

/// A sequence of looks at a growing [`LevelSums`] that together cross with at most the probability that was spent.
///
/// A random order gives a whole path over the looks. At each look the most extreme paths cross, as many as the spending
/// allows, and the observed path is one of them like the others. It is therefore among those that ever crossed with at
/// most the probability that was spent, exactly, for any correlation between looks.
#[derive(Clone, Debug, Default)]
pub struct Crossing {
    crossed: Vec<bool>,
    p_value: Option<f64>,
}

impl Crossing {
    /// Takes a look, after which at most the share `spent` of all paths may have crossed (cumulative over looks).
    /// Returns whether the observed path has crossed, at this look or earlier.
    pub fn look(&mut self, sums: &LevelSums, spent: f64) -> bool {
        if self.has_crossed() {
            return true;
        }
        let keys = keys(&sums.extremes());
        self.crossed.resize(keys.len(), false);
        let so_far = self.crossed.iter().filter(|&&crossed| crossed).count();
        let at_least = |row: &usize| !self.crossed[*row] && compare(&keys[*row], &keys[0]).is_le();
        let now = (0..keys.len()).filter(at_least).count();
        self.p_value = Some((so_far + now) as f64 / keys.len() as f64);
        let allowed = ((spent * keys.len() as f64) as usize).saturating_sub(so_far);
        let mut open: Vec<usize> = (0..keys.len()).filter(|&row| !self.crossed[row]).collect();
        open.sort_by(|&a, &b| compare(&keys[a], &keys[b]));
        // Rows that tie with the first one that may not cross must not cross either.
        let barrier = open.get(allowed).map(|&row| keys[row]);
        let crosses = |row: &usize| barrier.is_none_or(|barrier| compare(&keys[*row], &barrier).is_lt());
        open.iter().take(allowed).filter(|row| crosses(row)).for_each(|&row| self.crossed[row] = true);
        self.has_crossed()
    }

    /// Whether the observed path has crossed.
    pub fn has_crossed(&self) -> bool {
        self.crossed.first() == Some(&true)
    }

    /// Share of the rows that crossed before the observed one, or are at least as extreme at the look at which it
    /// crossed (otherwise at the latest look). That is the smallest level at which the observed row would have crossed,
    /// so it is a p-value although the looks decided when it was taken (stagewise ordering, Armitage 1957). 1 before
    /// the first look.
    pub fn p_value(&self) -> f64 {
        self.p_value.unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spending::pocock_spending;

    /// Whether levels that alternately add `effect` are found in `blocks` blocks, with looks after every second block.
    fn found(seed: u64, effect: f64, levels: u16, blocks: usize) -> bool {
        looked(seed, effect, levels, blocks).has_crossed()
    }

    fn looked(seed: u64, effect: f64, levels: u16, blocks: usize) -> Crossing {
        let mut noise = Draw::new(seed, 7);
        let mut sums = LevelSums::new(usize::from(levels), 499, seed);
        let mut crossing = Crossing::default();
        let visited: Vec<u16> = (0..levels).collect();
        for block in 1..=blocks {
            let value = |level: u16, noise: &mut Draw| noise.normal() + effect * f64::from(level % 2);
            let values: Vec<f64> = visited.iter().map(|&level| value(level, &mut noise)).collect();
            sums.add(&visited, &values);
            if block % 2 == 0 {
                crossing.look(&sums, pocock_spending(0.05, block as f64 / blocks as f64));
            }
        }
        crossing
    }

    #[test]
    fn the_p_value_at_a_stopping_time_is_one() {
        let small = (10_000..12_000).filter(|&seed| looked(seed, 0.0, 5, 8).p_value() <= 0.02).count();
        // 40 are expected, and three standard deviations are 19. The share of rows that are as extreme at the last look
        // alone was this small in twice as many cases.
        assert!(small <= 59, "{small}");
    }

    #[test]
    fn paths_cross_as_often_as_was_spent() {
        let crossed = (10_000..12_000).filter(|&seed| found(seed, 0.0, 5, 8)).count();
        // 5 % of 2000 is 100, three standard deviations are 29; of 30,000 other seeds 1503 crossed.
        assert!((71..=129).contains(&crossed), "{crossed}");
        assert!((0..50).filter(|&seed| found(seed, 2.0, 5, 8)).count() >= 48);
    }

    #[test]
    fn subsets_of_the_levels_are_levels_too() {
        let mut sums = LevelSums::new(4, 99, 1);
        for _ in 0..8 {
            sums.add(&[3, 1], &[1.0, -1.0]);
        }
        assert_eq!(sums.visits(), [0, 8, 0, 8]);
        let mut crossing = Crossing::default();
        assert!(crossing.look(&sums, 0.05));
        assert!(crossing.p_value() <= 0.03, "{}", crossing.p_value());
    }

    #[test]
    fn a_level_may_come_twice_in_a_block() {
        let mut sums = LevelSums::new(2, 9, 1);
        sums.add(&[1, 1], &[2.0, 3.0]);
        assert_eq!(sums.visits(), [0, 2]);
        assert!(sums.extremes().iter().all(|row| row.squares == 12.5));
    }

    #[test]
    fn equal_values_show_nothing() {
        let mut sums = LevelSums::new(3, 99, 1);
        sums.add(&[0, 1, 2], &[0.0; 3]);
        let mut crossing = Crossing::default();
        assert!(!crossing.look(&sums, 0.5));
        assert_eq!(crossing.p_value(), 1.0);
    }
}
