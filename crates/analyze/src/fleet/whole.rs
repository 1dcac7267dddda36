//! The part of a visit that all machines of a fleet have in common: taken off each machine, and watched by itself.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::FactChange;
use fauxplat_stats::describe::median;

/// Fewer machines than this do not show what they have in common.
const MACHINES_MIN: usize = 8;

/// A visit of a machine, as a part of its fleet's.
pub(super) struct Visited<'a> {
    pub(super) fleet: &'a str,
    pub(super) at_utc_ns: i64,
    /// Distance from the median of the machine's own visits.
    pub(super) distance: f64,
    /// Facts that are not those of the machine's visit before.
    pub(super) changed: Vec<FactChange>,
}

/// A run over the fleet.
pub(super) struct Together {
    pub(super) at_utc_ns: i64,
    /// Median over the machines of their distance from themselves.
    pub(super) shift: f64,
    /// Facts that changed on at least half of the machines.
    pub(super) changed: BTreeSet<FactChange>,
}

/// The part that the machines of each run have in common, by the run's id; runs of too few machines have nothing. In their order in
/// time.
pub(super) fn together<'a>(visits: impl Iterator<Item = Visited<'a>>) -> Vec<(String, Together)> {
    let mut by_fleet: BTreeMap<&str, Vec<Visited>> = BTreeMap::new();
    for visit in visits {
        by_fleet.entry(visit.fleet).or_default().push(visit);
    }
    let enough = by_fleet.into_iter().filter(|(_, visits)| visits.len() >= MACHINES_MIN);
    let one = |(fleet, visits): (&str, Vec<Visited>)| {
        let distances: Vec<f64> = visits.iter().map(|visit| visit.distance).collect();
        let mut counts: BTreeMap<&FactChange, usize> = BTreeMap::new();
        visits.iter().flat_map(|visit| &visit.changed).for_each(|it| *counts.entry(it).or_default() += 1);
        let most = counts.iter().filter(|(_, count)| 2 * **count >= visits.len());
        let changed = most.map(|(change, _)| (*change).clone()).collect();
        let at_utc_ns = visits.iter().map(|visit| visit.at_utc_ns).min()?;
        Some((fleet.to_owned(), Together { at_utc_ns, shift: median(&distances)?, changed }))
    };
    let mut all: Vec<(String, Together)> = enough.filter_map(one).collect();
    all.sort_by(|(one, a), (other, b)| a.at_utc_ns.cmp(&b.at_utc_ns).then_with(|| one.cmp(other)));
    all
}
