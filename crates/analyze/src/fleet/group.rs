//! Machines of the same hardware, and which of them are out of line by one measurement.

use std::collections::BTreeMap;

use fauxplat_model::{FactRole, FleetGroup, GroupRule, role_of};
use fauxplat_stats::components::three_levels;
use fauxplat_stats::describe::median;
use fauxplat_stats::outlying::{dixon_highest, robust, threshold};
use fauxplat_stats::tail::SlowSide;

use super::FleetQuestion;
use super::estimate::finite;
use super::machine::{Machine, sign};

/// With fewer machines than this a spread between them is not known, and Dixon's test decides.
const ROBUST_FROM: usize = 8;

/// The z that a slowdown exceeds in 8 of 10 machines that have it.
const POWER_Z: f64 = 0.841_62;

/// A group, its machines by their index, and how they are judged.
pub(super) struct Group {
    pub(super) facts: BTreeMap<String, String>,
    pub(super) members: Vec<usize>,
    pub(super) rule: GroupRule,
    pub(super) centre: f64,
    /// Robust standard deviation of the members' medians.
    pub(super) spread: f64,
    /// The z from which on a machine is suspect.
    pub(super) threshold: f64,
    /// Excess that the slow side of the group reaches by itself, without the noise of runs; zero where no spread shows
    /// one.
    pub(super) reach: f64,
    /// Standard error of the typical machine's median.
    error: f64,
}

/// The facts that say which hardware it is.
pub(super) fn identity(facts: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let is_identity = |name: &&String| role_of(name) == FactRole::Identity;
    facts.keys().filter(is_identity).map(|name| (name.clone(), facts[name].clone())).collect()
}

/// The machines by their hardware.
pub(super) struct Hardware {
    /// The facts of each, the one with most machines first.
    pub(super) kinds: Vec<BTreeMap<String, String>>,
    /// Index into `kinds` of each machine.
    pub(super) of: Vec<usize>,
}

impl Hardware {
    pub(super) fn of(machines: &[Machine]) -> Self {
        let identities: Vec<BTreeMap<String, String>> =
            machines.iter().map(|machine| identity(&machine.record.facts)).collect();
        let mut counts: BTreeMap<&BTreeMap<String, String>, usize> = BTreeMap::new();
        identities.iter().for_each(|identity| *counts.entry(identity).or_default() += 1);
        let mut ordered: Vec<_> = counts.into_iter().collect();
        ordered.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let places: BTreeMap<_, _> =
            ordered.iter().enumerate().map(|(place, (kind, _))| (*kind, place)).collect();
        let of = identities.iter().map(|identity| places[identity]).collect();
        Hardware { kinds: ordered.into_iter().map(|(kind, _)| kind.clone()).collect(), of }
    }
}

/// The group of each hardware, in the same order, without the machines that are not to be counted. The budget of false
/// flags is for the whole fleet, so each group has as much of it as it has machines of those that are judged by z.
pub(super) fn groups(
    hardware: &Hardware,
    machines: &[Machine],
    counts: impl Fn(usize) -> bool,
    question: &FleetQuestion,
) -> Vec<Group> {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); hardware.kinds.len()];
    for (index, &kind) in hardware.of.iter().enumerate().filter(|(index, _)| counts(*index)) {
        members[kind].push(index);
    }
    let judged: usize = members.iter().map(Vec::len).filter(|&count| count >= ROBUST_FROM).sum();
    let share = |count: usize| question.false_flags * count as f64 / judged.max(1) as f64;
    let group = |(facts, members): (&BTreeMap<String, String>, Vec<usize>)| {
        let flags = share(members.len());
        Group::of(facts.clone(), members, machines, flags)
    };
    hardware.kinds.iter().zip(members).map(group).collect()
}

impl Group {
    fn of(facts: BTreeMap<String, String>, members: Vec<usize>, machines: &[Machine], flags: f64) -> Self {
        let slow: Vec<f64> = members.iter().map(|&index| machines[index].slow).collect();
        let errors: Vec<f64> = members.iter().map(|&index| machines[index].error).collect();
        let scale = robust(&slow).unwrap_or_default();
        let error = median(&errors).unwrap_or(0.0);
        let rule = match members.len() {
            0 | 1 => GroupRule::Alone,
            2 => GroupRule::Pair,
            few if few < ROBUST_FROM => GroupRule::Few,
            _ if scale.spread <= 0.0 => GroupRule::ZeroSpread,
            _ => GroupRule::Robust,
        };
        // A spread below what the runs of one machine explain is luck, or a clock that does not resolve it.
        let spread = scale.spread.max(error);
        let threshold = threshold(members.len(), flags);
        let reach = match rule {
            GroupRule::Robust => {
                let distances: Vec<f64> = slow.iter().map(|slow| slow - scale.centre).collect();
                SlowSide::of(&distances, error).reach(flags / members.len() as f64)
            }
            _ => 0.0,
        };
        Group { facts, members, rule, centre: scale.centre, spread, threshold, reach, error }
    }

    /// How far a machine is on the slow side; one whose own runs vary more than is usual counts for less. `None` where
    /// there is no spread to count in.
    pub(super) fn z(&self, machine: &Machine) -> Option<f64> {
        let counted = matches!(self.rule, GroupRule::Robust | GroupRule::ZeroSpread);
        let own = (machine.error.powi(2) - self.error.powi(2)).max(0.0);
        let spread = (self.spread * self.spread + own).sqrt();
        (counted && spread > 0.0).then(|| (machine.slow - self.centre) / spread)
    }

    /// The members that are slower than one measurement allows.
    pub(super) fn suspects(&self, machines: &[Machine], least: f64) -> Vec<usize> {
        let least = least.ln_1p();
        let beyond = |index: &usize| {
            let machine = &machines[*index];
            let far = self.z(machine).is_none_or(|z| z > self.threshold);
            far && machine.slow - self.centre > least
        };
        match self.rule {
            GroupRule::Alone | GroupRule::Pair => Vec::new(),
            GroupRule::Few => self.slowest_of_few(machines, least).into_iter().collect(),
            GroupRule::Robust | GroupRule::ZeroSpread => {
                self.members.iter().copied().filter(beyond).collect()
            }
        }
    }

    /// The slowest of a few machines, if it is out of line with the others and beyond what its runs explain.
    fn slowest_of_few(&self, machines: &[Machine], least: f64) -> Option<usize> {
        let slow: Vec<f64> = self.members.iter().map(|&index| machines[index].slow).collect();
        let by_slow = |a: &&usize, b: &&usize| machines[**a].slow.total_cmp(&machines[**b].slow);
        let slowest = *self.members.iter().max_by(by_slow)?;
        let machine = &machines[slowest];
        let others: Vec<f64> =
            self.members.iter().filter(|&&it| it != slowest).map(|&it| machines[it].slow).collect();
        let distance = machine.slow - median(&others)?;
        let by_runs = 2.0 * machine.error.hypot(self.error);
        (dixon_highest(&slow) == Some(true) && distance > least.max(by_runs)).then_some(slowest)
    }

    /// Smallest slowdown that would be found in 8 of 10 machines that have it, if they were measured as these were.
    fn smallest_detectable(&self, least: f64) -> Option<f64> {
        let found = match self.rule {
            GroupRule::Robust | GroupRule::ZeroSpread => {
                let by_threshold = (self.threshold * self.spread).max(self.reach);
                by_threshold.max(least.ln_1p()) + POWER_Z * self.spread
            }
            _ => return None,
        };
        finite(found.exp())
    }

    /// The group as a report shows it.
    pub(super) fn finding(&self, machines: &[Machine], question: &FleetQuestion) -> FleetGroup {
        let blocks: Vec<Vec<Vec<f64>>> =
            self.members.iter().map(|&index| machines[index].blocks.clone()).collect();
        let parts = three_levels(&blocks);
        // Where no machine was measured in several blocks there is one level less.
        let repeated = blocks.iter().any(|machine| machine.len() > 1);
        let slow = || self.members.iter().map(|&index| machines[index].slow);
        let range = slow().fold(f64::NEG_INFINITY, f64::max) - slow().fold(f64::INFINITY, f64::min);
        let judged = matches!(self.rule, GroupRule::Robust | GroupRule::ZeroSpread);
        let several = self.members.len() > 1;
        FleetGroup {
            facts: self.facts.clone(),
            machines: self.members.len(),
            median: finite((sign(question) * self.centre).exp()),
            rule: self.rule,
            between: parts.map(|parts| parts.outer.sqrt()),
            between_runs: parts.and_then(|parts| parts.inner).filter(|_| repeated).map(f64::sqrt),
            within: parts.and_then(|parts| parts.within).map(f64::sqrt),
            spread: judged.then_some(self.spread),
            max_min_ratio: several.then(|| range.exp()),
            z_threshold: judged.then_some(self.threshold),
            smallest_detectable: self.smallest_detectable(question.least_effect),
        }
    }
}
