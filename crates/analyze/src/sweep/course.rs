//! Course of a sweep: coarse grids of levels first, then all levels, then further blocks that confirm levels that stood
//! out. After some blocks the data are looked at (an interim analysis).

use fauxplat_stats::distribution::normal_upper_tail;
use fauxplat_stats::spending::{looks, pocock_bounds, pocock_spending};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Coarse,
    /// All levels.
    Scan,
    /// Levels that stood out in earlier blocks, their neighbours, and other levels to compare them with.
    Confirm,
}

impl Stage {
    pub(super) fn name(self) -> &'static str {
        match self {
            Stage::Coarse => "coarse",
            Stage::Scan => "scan",
            Stage::Confirm => "confirm",
        }
    }
}

/// Number of blocks of the first grid, and of each later grid before the last one, which has all levels. A grid is a
/// subset of the levels; a single grid has no coarse blocks.
const COARSE_BLOCKS: (u32, u32) = (6, 4);

/// Number of blocks that visit all levels before the first look at their data, after coarse grids: many levels give
/// much information in a few blocks.
const SCAN_BLOCKS: u32 = 4;

/// Numbers of blocks that confirm candidates after which the data are looked at.
const CONFIRM_LOOKS: [u32; 3] = [8, 16, 32];

/// Share of the error level for the blocks before the confirmation; the rest is for the blocks that confirm candidates.
const BACKBONE_SHARE: f64 = 0.8;

/// A sequence of successive blocks that visit the same levels.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    pub(super) stage: Stage,
    /// Levels that each block visits, as indices into the list of distinct levels.
    pub(super) levels: Vec<u16>,
    pub(super) blocks: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Course {
    grids: std::vec::IntoIter<Vec<u16>>,
    /// Stretches so far; the last one is not over.
    pub(super) stretches: Vec<Stretch>,
    /// Numbers of blocks that visit all levels after which the data are looked at; the last is the limit.
    scan_looks: Vec<u32>,
    looks_total: usize,
    looks_taken: usize,
}

impl Course {
    /// A course through these grids, of which the last has all levels and is visited by at most `blocks_max` blocks.
    pub(super) fn new(grids: Vec<Vec<u16>>, blocks_max: u32) -> Self {
        let coarse = grids.len() - 1;
        let mut scan_looks = looks(blocks_max);
        if coarse > 0 && blocks_max > SCAN_BLOCKS {
            scan_looks.insert(0, SCAN_BLOCKS);
        }
        let looks_total = coarse + scan_looks.len();
        let mut course = Course {
            grids: grids.into_iter(),
            stretches: Vec::new(),
            scan_looks,
            looks_total,
            looks_taken: 0,
        };
        course.next_grid();
        course
    }

    pub(super) fn now(&self) -> &Stretch {
        &self.stretches[self.stretches.len() - 1]
    }

    /// Counts a block; returns whether the data are to be looked at now.
    pub(super) fn count(&mut self) -> bool {
        let last = self.stretches.len() - 1;
        self.stretches[last].blocks += 1;
        self.blocks_to_look() == 0
    }

    /// Number of blocks of the current stretch still to come until the next look at the data.
    pub(super) fn blocks_to_look(&self) -> u32 {
        let stretch = self.now();
        let looks: &[u32] = match stretch.stage {
            Stage::Coarse if self.stretches.len() == 1 => &[COARSE_BLOCKS.0],
            Stage::Coarse => &[COARSE_BLOCKS.1],
            Stage::Scan => &self.scan_looks,
            Stage::Confirm => &CONFIRM_LOOKS,
        };
        let reached = looks.contains(&stretch.blocks);
        let next = looks.iter().find(|&&look| look > stretch.blocks);
        if reached { 0 } else { next.map_or(0, |next| next - stretch.blocks) }
    }

    /// Whether the current stretch has reached its limit of blocks.
    pub(super) fn is_at_limit(&self) -> bool {
        let stretch = self.now();
        let limit = match stretch.stage {
            Stage::Coarse => None,
            Stage::Scan => self.scan_looks.last(),
            Stage::Confirm => CONFIRM_LOOKS.last(),
        };
        limit.is_some_and(|&limit| stretch.blocks >= limit)
    }

    /// Counts a look at the data, and returns the cumulative error probability that the test of all levels may spend up
    /// to it. The probability grows with the number of looks (Lan and DeMets 1983), which is valid for any course that
    /// was fixed beforehand.
    pub(super) fn spend(&mut self, level: f64) -> f64 {
        self.looks_taken += 1;
        pocock_spending(BACKBONE_SHARE * level, self.looks_taken as f64 / self.looks_total as f64)
    }

    /// Error level that the test of all levels may spend if no look at the data will follow.
    pub(super) fn spend_all(level: f64) -> f64 {
        BACKBONE_SHARE * level
    }

    /// Error level of a plain interval at this look at the data, with which the intervals of all looks at all levels
    /// hold together at `level` (repeated intervals, Jennison and Turnbull 1984). An interval within the margin ends
    /// the sweep, and without this correction one of several might be narrow by luck.
    pub(super) fn interval_level(&self, level: f64) -> f64 {
        let scan = self.stretches.iter().find(|stretch| stretch.stage == Stage::Scan);
        let Some(blocks) = scan.map(|scan| scan.blocks).filter(|&blocks| blocks > 0) else { return level };
        let limit = self.scan_looks.last().copied().unwrap_or(blocks).max(blocks);
        let mut looked: Vec<u32> = self.scan_looks.iter().copied().filter(|&look| look <= blocks).collect();
        let is_closing = looked.last() != Some(&blocks) || blocks == limit;
        looked.push(blocks);
        looked.dedup();
        let bounds = pocock_bounds(level, &looked, limit, is_closing);
        bounds.last().map_or(level, |&bound| 2.0 * normal_upper_tail(bound))
    }

    /// Error level of each look at the blocks that confirm candidates: for showing an effect, or, once an effect has
    /// been shown (`is_significant`), for locating it.
    pub(super) fn confirm_level(level: f64, is_significant: bool) -> f64 {
        let share = if is_significant { 1.0 } else { 1.0 - BACKBONE_SHARE };
        share * level / CONFIRM_LOOKS.len() as f64
    }

    /// Continues with the blocks of the next grid, if there is one.
    pub(super) fn next_grid(&mut self) {
        if let Some(levels) = self.grids.next() {
            let stage = if self.grids.len() == 0 { Stage::Scan } else { Stage::Coarse };
            self.stretches.push(Stretch { stage, levels, blocks: 0 });
        }
    }

    /// Continues with blocks that visit these levels, to confirm that levels which stood out in earlier blocks really
    /// differ.
    pub(super) fn confirm(&mut self, levels: Vec<u16>) {
        self.stretches.push(Stretch { stage: Stage::Confirm, levels, blocks: 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_levels_are_scanned_at_once() {
        let mut course = Course::new(vec![(0..8).collect()], 24);
        let looks: Vec<u32> = (1..=24).filter(|_| course.count()).collect();
        assert_eq!(looks, [6, 8, 12, 16, 24]);
        assert!(course.is_at_limit());
        let spent: Vec<f64> = (0..5).map(|_| course.spend(0.01)).collect();
        assert!(
            spent.windows(2).all(|pair| pair[0] < pair[1]) && (spent[4] - 0.008).abs() < 1e-12,
            "{spent:?}"
        );
    }

    #[test]
    fn intervals_of_all_looks_hold_together() {
        let mut course = Course::new(vec![(0..8).collect()], 24);
        assert_eq!(course.interval_level(0.01), 0.01);
        let at_look = |course: &mut Course| {
            while !course.count() {}
            course.interval_level(0.01)
        };
        let levels: Vec<f64> = (0..5).map(|_| at_look(&mut course)).collect();
        assert!(levels.iter().all(|&level| level < 0.006) && levels.iter().sum::<f64>() > 0.01, "{levels:?}");
        // A sweep that is interrupted before its first scheduled look at the data is looked at once.
        let mut course = Course::new(vec![(0..8).collect()], 24);
        course.count();
        assert!((course.interval_level(0.01) - 0.01).abs() < 1e-6);
    }

    #[test]
    fn many_levels_are_approached_in_steps() {
        let mut course = Course::new(super::super::levels::grids(512, 1), 128);
        let mut seen = Vec::new();
        for _ in 0..14 {
            let at_look = course.count();
            if at_look {
                seen.push((course.now().stage, course.now().levels.len(), course.now().blocks));
                course.next_grid();
            }
        }
        assert_eq!(seen, [(Stage::Coarse, 32, 6), (Stage::Coarse, 128, 4), (Stage::Scan, 512, 4)]);
    }
}
