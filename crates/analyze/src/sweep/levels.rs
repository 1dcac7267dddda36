//! The levels of a factor, and which of them differ at all.

use std::collections::BTreeMap;

use fauxplat_stats::draw::Draw;

/// One level of the factor that is swept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepLevel {
    /// What reports call it.
    pub name: String,
    /// The level as a number, where it is one: bytes, a count. Periods and neighbours need it.
    pub number: Option<f64>,
    /// For a product: index of the level in the first and in the second factor.
    pub cell: Option<(u16, u16)>,
    /// Levels with the same key must be equal (the stack moves in steps of 16 bytes): one of them is run.
    pub same: Option<u32>,
}

/// Stream of the generator that chooses levels.
const LEVELS: u64 = 1;

/// One level of each group of levels that must be equal, rising. Which one is drawn: always taking the first would
/// never show that they are not equal after all.
pub(crate) fn distinct(levels: &[SweepLevel], seed: u64) -> Vec<u16> {
    let mut random = Draw::new(seed, LEVELS);
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
