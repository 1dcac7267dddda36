//! The part of the readings at a visit that all machines of a fleet have in common. It is subtracted from the readings
//! of each machine, and watched as a series of its own.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_model::FactChange;
use fauxplat_stats::describe::median;

/// Minimum number of machines in a run over a fleet for a common part.
const MACHINES_MIN: usize = 8;

/// A visit of a machine: its measurement in a run over the fleet.
pub(super) struct Visited<'a> {
    pub(super) fleet: &'a str,
    pub(super) at_utc_ns: i64,
    /// Log reading minus the median of the log readings of all visits of this machine.
    pub(super) distance: f64,
    /// Facts whose value differs from that at the machine's previous visit.
    pub(super) changed: Vec<FactChange>,
}

pub(super) struct Together {
    pub(super) at_utc_ns: i64,
    /// Median over the machines of `distance` in this run.
    pub(super) shift: f64,
    /// Facts that changed on at least half of the machines since their previous visit.
    pub(super) changed: BTreeSet<FactChange>,
}

/// The common part of each run over the fleet with the run's id, in chronological order; runs of fewer than
/// [`MACHINES_MIN`] machines are left out.
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
