//! The part of a visit that all machines of a fleet have in common. It is subtracted from each machine, and watched as
//! a series of its own.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::FactChange;
use fauxplat_stats::describe::median;

/// Minimum number of machines that show a common part.
const MACHINES_MIN: usize = 8;

/// A visit of a machine, as a part of a run over the fleet.
pub(super) struct Visited<'a> {
    pub(super) fleet: &'a str,
    pub(super) at_utc_ns: i64,
    /// Distance from the median of the machine's own visits.
    pub(super) distance: f64,
    /// Facts whose value differs from that at the machine's previous visit.
    pub(super) changed: Vec<FactChange>,
}

pub(super) struct Together {
    pub(super) at_utc_ns: i64,
    /// Median over the machines of the distance from their own median.
    pub(super) shift: f64,
    /// Facts that changed on at least half of the machines.
    pub(super) changed: BTreeSet<FactChange>,
}

/// The common part of each run by the run's id, in chronological order; runs of too few machines have none.
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
