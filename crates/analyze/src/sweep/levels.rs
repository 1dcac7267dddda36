//! The levels of a factor: which of them can differ at all, and which are visited in a coarse grid.

use std::collections::BTreeMap;

use fauxplat_stats::draw::Draw;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepLevel {
    pub name: String,
    /// The level as a number, such as bytes or a count, by which periods and neighbours are found; `None` if the level
    /// is no number.
    pub number: Option<f64>,
    pub cell: Option<(u16, u16)>,
    /// Key of a group of levels that cannot differ, for instance because the stack moves in steps of 16 bytes; only one
    /// level of a group is run. `None` for a level that can differ from all others.
    pub same: Option<u32>,
}

/// Streams of the random generator, one for each kind of draw.
const CHOICE: u64 = 1;
const STRATA: u64 = 2;
const REFERENCES: u64 = 3;

/// Indices of the levels that are run, in ascending order. One level of each group is drawn at random: always taking
/// the first could never show that the levels of a group differ after all.
pub(super) fn distinct(levels: &[SweepLevel], seed: u64) -> Vec<u16> {
    let mut random = Draw::new(seed, CHOICE);
    let mut groups: BTreeMap<u32, Vec<u16>> = BTreeMap::new();
    let mut chosen = Vec::new();
    for (index, level) in levels.iter().enumerate() {
        match level.same {
            Some(key) => groups.entry(key).or_default().push(index as u16),
            None => chosen.push(index as u16),
        }
    }
    chosen.extend(groups.values().map(|group| group[random.below(group.len())]));
    chosen.sort_unstable();
    chosen
}

/// Number of each distinct level for the search of periods: the largest number in its group. The number of the level
/// that happened to be drawn would blur a period.
pub(super) fn standing(levels: &[SweepLevel], distinct: &[u16]) -> Vec<Option<f64>> {
    let mut last: BTreeMap<u32, f64> = BTreeMap::new();
    for (key, number) in levels.iter().filter_map(|level| Some((level.same?, level.number?))) {
        last.entry(key).and_modify(|last| *last = last.max(number)).or_insert(number);
    }
    let of = |level: &SweepLevel| level.same.and_then(|key| last.get(&key).copied()).or(level.number);
    distinct.iter().map(|&chosen| of(&levels[usize::from(chosen)])).collect()
}

/// Number of levels of the first, coarsest grid.
const COARSE: usize = 32;

/// Grids of the levels 0..`count`, each contained in the next, the last with all levels: of 32, 128, 512, … levels.
///
/// The levels are divided into as many strata of neighbours as the grid has levels, and one level of each is drawn. A
/// regular grid would miss every period that divides its step, such as a cache line.
pub(super) fn grids(count: usize, seed: u64) -> Vec<Vec<u16>> {
    let mut random = Draw::new(seed, STRATA);
    let mut grids: Vec<Vec<u16>> = Vec::new();
    let mut size = COARSE;
    while 2 * size < count {
        let before = grids.last().cloned().unwrap_or_default();
        let place = |stratum: usize| {
            let (from, to) = (stratum * count / size, (stratum + 1) * count / size);
            let known = before.iter().copied().filter(|&at| (from..to).contains(&usize::from(at)));
            let known: Vec<u16> = known.collect();
            if known.is_empty() { vec![(from + random.below(to - from)) as u16] } else { known }
        };
        grids.push((0..size).flat_map(place).collect());
        size *= 4;
    }
    grids.push((0..count as u16).collect());
    grids
}

/// Draws `wanted` indices from 0..`count` that are not among `taken`, one from each of as many strata of neighbours.
pub(super) fn references(count: usize, wanted: usize, taken: &[u16], seed: u64) -> Vec<u16> {
    let mut random = Draw::new(seed, REFERENCES);
    let free: Vec<u16> = (0..count as u16).filter(|place| !taken.contains(place)).collect();
    let wanted = wanted.min(free.len());
    let stratum = |index: usize| &free[index * free.len() / wanted..(index + 1) * free.len() / wanted];
    (0..wanted).map(|index| stratum(index)[random.below(stratum(index).len())]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_levels_are_run_once() {
        let level = |same| SweepLevel { same, ..SweepLevel::default() };
        let levels = [level(Some(1)), level(None), level(Some(1)), level(Some(2)), level(Some(1))];
        for seed in 0..20 {
            let distinct = distinct(&levels, seed);
            assert_eq!(distinct.len(), 3);
            assert!(distinct.contains(&1) && distinct.contains(&3), "{distinct:?}");
        }
        let first: Vec<u16> = (0..20).map(|seed| distinct(&levels, seed)[0]).collect();
        assert!(first.contains(&0) && first.iter().any(|&chosen| chosen != 0), "{first:?}");
    }

    #[test]
    fn whichever_was_drawn_it_stands_at_the_last_of_its_equals() {
        let level = |number: u32| SweepLevel {
            number: Some(f64::from(number)),
            same: (number > 0).then_some((number + 8) / 16),
            ..SweepLevel::default()
        };
        let levels: Vec<SweepLevel> = (0..=40).map(level).collect();
        for seed in 0..20 {
            let stands = standing(&levels, &distinct(&levels, seed));
            assert_eq!(stands, [0.0, 7.0, 23.0, 39.0, 40.0].map(Some));
        }
    }

    #[test]
    fn grids_are_nested_and_end_with_everything() {
        let grids = grids(512, 7);
        assert_eq!(grids.iter().map(Vec::len).collect::<Vec<_>>(), [32, 128, 512]);
        assert!(grids[0].iter().all(|place| grids[1].contains(place)));
        assert!(grids[0].windows(2).any(|pair| pair[1] - pair[0] != 16));
        assert_eq!(super::grids(40, 1), [(0..40).collect::<Vec<u16>>()]);
    }

    #[test]
    fn references_are_none_of_the_candidates() {
        let references = references(40, 16, &[3, 4, 5], 1);
        assert_eq!(references.len(), 16);
        assert!(references.iter().all(|place| !(3..=5).contains(place)));
        assert_eq!(super::references(4, 16, &[0, 1], 1), [2, 3]);
    }
}
