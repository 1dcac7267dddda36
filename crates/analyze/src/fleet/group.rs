//! Groups of machines of the same hardware, and the members that the first measurement shows to be too slow.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fauxplat_model::{FleetGroup, GroupRule};
use fauxplat_stats::components::three_levels;
use fauxplat_stats::describe::median;
use fauxplat_stats::distribution::t_upper_quantile;
use fauxplat_stats::outlying::{robust, threshold};
use fauxplat_stats::tail::SlowSide;

use super::FleetQuestion;
use super::estimate::finite;
use super::few;
use super::hardware::Hardware;
use super::machine::{Machine, sign};

/// Minimum number of machines in a group whose spread is estimated from its own members alone.
pub(super) const ROBUST_FROM: usize = 8;

/// Minimum number of machines in a group from which a spread can be estimated at all.
pub(super) const FEW_FROM: usize = 3;

/// Standard normal quantile of 0.8: a slowdown that exceeds the detection limit by so many standard deviations is found
/// in 8 of 10 machines.
const POWER_Z: f64 = 0.841_62;

/// Efficiency of a median absolute deviation relative to a standard deviation, see `fauxplat_stats::outlying`.
const MAD_EFFICIENCY: f64 = 0.37;

/// A group of machines of the same hardware, as indices into the list of machines, with the figures by which a machine
/// is suspect. Figures of machines are logarithms in which more is slower.
pub(super) struct Group {
    pub(super) facts: BTreeMap<String, String>,
    pub(super) members: Vec<usize>,
    pub(super) rule: GroupRule,
    pub(super) centre: f64,
    /// Robust standard deviation of the members' median log readings.
    pub(super) spread: f64,
    /// Distance from the centre, in units of `spread`, above which a machine is suspect.
    pub(super) threshold: f64,
    /// Largest distance from the centre at which slow machines of this group are still usual, without the noise of
    /// runs; `None` if the group is too small to show it.
    reach: Option<Reach>,
    /// Logarithm of the median of the group over that of the whole fleet; `None` if the fleet is too small.
    pub(super) beside_fleet: Option<f64>,
    /// Standard error of a typical member's median log reading.
    error: f64,
    /// Expected number of false flags that is allowed in this group.
    flags: f64,
    /// Figures of all machines of the fleet, for a group too small to be compared within itself; otherwise `None`.
    whole: Option<Whole>,
}

#[derive(Clone, Copy)]
struct Whole {
    centre: f64,
    spread: f64,
    threshold: f64,
}

/// Largest usual distance on the slow side of a distribution of machines. The computation takes long, so it is made
/// once and on demand.
#[derive(Clone)]
struct Reach {
    distances: Rc<Vec<f64>>,
    noise: f64,
    /// Probability that a normal machine lies beyond the computed distance.
    probability: f64,
    at: Rc<OnceCell<f64>>,
}

impl Reach {
    fn of(distances: Vec<f64>, noise: f64, probability: f64) -> Self {
        Reach { distances: Rc::new(distances), noise, probability, at: Rc::new(OnceCell::new()) }
    }

    fn at(&self) -> f64 {
        let find = || SlowSide::of(&self.distances, self.noise).reach(self.probability);
        *self.at.get_or_init(find)
    }
}

/// Spread of the machines about the median of their group, over all groups of a fleet.
struct Pooled {
    spread: f64,
    df: f64,
    reach: Reach,
}

impl Pooled {
    /// Computes the spread from groups of at least [`FEW_FROM`] machines; `None` if there are too few such machines in
    /// the fleet.
    fn of(members: &[Vec<usize>], machines: &[Machine], probability: f64) -> Option<Self> {
        let mut distances = Vec::new();
        let mut df = 0.0;
        for group in members.iter().filter(|group| group.len() >= FEW_FROM) {
            let slow: Vec<f64> = group.iter().map(|&index| machines[index].left()).collect();
            let centre = median(&slow)?;
            let n = slow.len() as f64;
            let scale = (n / (n - 1.0)).sqrt();
            // In a group of odd size one machine is the median itself, so its distance is zero by construction and left
            // out.
            let mut of_group: Vec<f64> = slow.iter().map(|slow| scale * (slow - centre)).collect();
            if group.len() % 2 == 1 {
                let zero = of_group.iter().position(|&distance| distance == 0.0);
                zero.map(|at| of_group.remove(at));
            }
            distances.extend(of_group);
            df += n - 1.0;
        }
        let scale = robust(&distances)?;
        let errors: Vec<f64> = members.iter().flatten().map(|&index| machines[index].error).collect();
        let reach = Reach::of(distances, median(&errors)?, probability);
        (df >= ROBUST_FROM as f64 - 1.0 && scale.spread > 0.0).then_some(Pooled {
            spread: scale.spread,
            df,
            reach,
        })
    }
}

/// The group of each kind of hardware, in the order of `hardware.kinds`, with the machines for which `counts` is true.
/// The expected number of false flags is given for the whole fleet, and divided among the groups in proportion to their
/// machines.
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
    let counted: usize = members.iter().map(Vec::len).sum();
    let has_small = members.iter().any(|group| (1..ROBUST_FROM).contains(&group.len()));
    let whole = (has_small && counted >= ROBUST_FROM).then(|| {
        let slow: Vec<f64> = members.iter().flatten().map(|&index| machines[index].left()).collect();
        let scale = robust(&slow).unwrap_or_default();
        Whole {
            centre: scale.centre,
            spread: scale.spread,
            threshold: threshold(counted, question.false_flags),
        }
    });
    let probability = question.false_flags / counted.max(1) as f64;
    let pooled = if has_small { Pooled::of(&members, machines, probability) } else { None };
    let group = |(facts, members): (&BTreeMap<String, String>, Vec<usize>)| {
        let flags = question.false_flags * members.len() as f64 / counted.max(1) as f64;
        Group::of(facts.clone(), members, machines, flags, (pooled.as_ref(), whole))
    };
    hardware.kinds.iter().zip(members).map(group).collect()
}

impl Group {
    fn of(
        facts: BTreeMap<String, String>,
        members: Vec<usize>,
        machines: &[Machine],
        flags: f64,
        (pooled, whole): (Option<&Pooled>, Option<Whole>),
    ) -> Self {
        let slow: Vec<f64> = members.iter().map(|&index| machines[index].left()).collect();
        let errors: Vec<f64> = members.iter().map(|&index| machines[index].error).collect();
        let scale = robust(&slow).unwrap_or_default();
        let error = median(&errors).unwrap_or(0.0);
        let rule = match (members.len(), pooled) {
            (0 | 1, _) => GroupRule::Alone,
            (few, Some(_)) if few < ROBUST_FROM => GroupRule::Pooled,
            (2, None) => GroupRule::Pair,
            (few, None) if few < ROBUST_FROM => GroupRule::Few,
            _ if scale.spread <= 0.0 => GroupRule::ZeroSpread,
            _ => GroupRule::Robust,
        };
        let share = flags / members.len().max(1) as f64;
        let (of_rule, threshold, reach): (f64, f64, Option<Reach>) = match (rule, pooled) {
            (GroupRule::Robust, _) => {
                let distances = slow.iter().map(|slow| slow - scale.centre).collect();
                let reach = Reach::of(distances, error, share);
                (scale.spread, threshold(members.len(), flags), Some(reach))
            }
            (GroupRule::Pooled, Some(pooled)) => {
                // The spread within a pair of machines is just their difference, which does not show how machines
                // usually differ.
                let own = if members.len() >= FEW_FROM { scale.spread } else { 0.0 };
                let by_fleet = t_upper_quantile(share, MAD_EFFICIENCY * pooled.df);
                (pooled.spread.max(own), by_fleet, Some(pooled.reach.clone()))
            }
            _ => (scale.spread, threshold(members.len(), flags), None),
        };
        // A spread below the standard error of a single machine is due to chance or to a coarse clock.
        let spread = of_rule.max(error);
        let beside_fleet = whole.map(|whole| scale.centre - whole.centre);
        let whole = whole.filter(|_| members.len() < FEW_FROM);
        let centre = scale.centre;
        Group { facts, members, rule, centre, spread, threshold, reach, beside_fleet, error, flags, whole }
    }

    /// Distance of a machine from the centre, towards the slow side, in units of the spread. A machine whose own runs
    /// vary more than usual gets a smaller value. `None` if there is no spread, or if machines of this group are not
    /// compared with its centre.
    pub(super) fn z(&self, machine: &Machine) -> Option<f64> {
        let counted = matches!(self.rule, GroupRule::Robust | GroupRule::ZeroSpread);
        let own = (machine.error.powi(2) - self.error.powi(2)).max(0.0);
        let spread = (self.spread * self.spread + own).sqrt();
        (counted && spread > 0.0).then(|| (machine.left() - self.centre) / spread)
    }

    /// Distance of a member from the median of the group's other members, towards the slow side, in units of the spread
    /// that all groups have in common; `None` if there is no spread.
    fn z_of_others(&self, index: usize, machines: &[Machine]) -> Option<f64> {
        let others: Vec<f64> =
            self.members.iter().filter(|&&it| it != index).map(|&it| machines[it].left()).collect();
        let machine = &machines[index];
        let own = (machine.error.powi(2) - self.error.powi(2)).max(0.0);
        // The median of three or more values has a larger variance than their mean, by a factor of up to π/2.
        let loss = if others.len() > 2 { std::f64::consts::FRAC_PI_2 } else { 1.0 };
        let spread = (self.spread.powi(2) * (1.0 + loss / others.len() as f64) + own).sqrt();
        (spread > 0.0).then_some((machine.left() - median(&others)?) / spread)
    }

    /// Indices of the members that one measurement shows to be slower than the others by more than `least`, a ratio
    /// minus one.
    pub(super) fn suspects(&self, machines: &[Machine], least: f64) -> Vec<usize> {
        let least = least.ln_1p();
        let beyond = |index: &usize| {
            let machine = &machines[*index];
            let far = self.z(machine).is_none_or(|z| z > self.threshold);
            far && machine.left() - self.centre > least
        };
        let beyond_others = |index: &usize| {
            let far = self.z_of_others(*index, machines).is_some_and(|z| z > self.threshold);
            let others: Vec<f64> =
                self.members.iter().filter(|it| *it != index).map(|&it| machines[it].left()).collect();
            far && median(&others).is_some_and(|others| machines[*index].left() - others > least)
        };
        match self.rule {
            GroupRule::Alone | GroupRule::Pair => self.beyond_fleet(machines, least),
            GroupRule::Pooled => {
                let mut found: Vec<usize> = self.members.iter().copied().filter(beyond_others).collect();
                let more = self.beyond_fleet(machines, least);
                found.extend(more.into_iter().filter(|index| !found.contains(index)).collect::<Vec<_>>());
                found
            }
            GroupRule::Few => few::slow(&self.members, machines, (self.error, least, self.flags)),
            GroupRule::Robust | GroupRule::ZeroSpread => {
                self.members.iter().copied().filter(beyond).collect()
            }
        }
    }

    /// Members of a group of one or two that are far slower than the whole fleet, whatever the hardware of its
    /// machines.
    fn beyond_fleet(&self, machines: &[Machine], least: f64) -> Vec<usize> {
        let Some(whole) = self.whole.filter(|whole| whole.spread > 0.0) else { return Vec::new() };
        let is_far = |index: &usize| {
            let distance = machines[*index].left() - whole.centre;
            distance > least.max(whole.threshold * whole.spread.max(self.error))
        };
        self.members.iter().copied().filter(is_far).collect()
    }

    /// Whether the group has enough machines to compare them with each other.
    pub(super) fn compares(&self) -> bool {
        !matches!(self.rule, GroupRule::Alone | GroupRule::Pair)
    }

    /// Largest distance from the centre at which slow machines of this group are still usual, without the noise of
    /// runs; zero if the group is too small to show it.
    pub(super) fn reach(&self) -> f64 {
        self.reach.as_ref().map_or(0.0, Reach::at)
    }

    /// Whether a distance from the centre, in a single measurement with standard error `error`, is larger than usual in
    /// this group.
    pub(super) fn is_beyond_reach(&self, distance: f64, error: f64) -> bool {
        let judged = matches!(self.rule, GroupRule::Robust | GroupRule::Pooled);
        !judged || distance > self.reach().hypot(self.threshold * error.max(self.error))
    }

    /// Smallest slowdown, as a ratio, that would be found in 8 of 10 machines that have it, if they were measured in
    /// the same way; `None` for a group too small to tell.
    fn smallest_detectable(&self, least: f64) -> Option<f64> {
        let found = match self.rule {
            GroupRule::Robust | GroupRule::ZeroSpread | GroupRule::Pooled => {
                let by_threshold = (self.threshold * self.spread).max(self.reach());
                by_threshold.max(least.ln_1p()) + POWER_Z * self.spread
            }
            _ => return None,
        };
        finite(found.exp())
    }

    pub(super) fn finding(&self, machines: &[Machine], question: &FleetQuestion) -> FleetGroup {
        let blocks: Vec<Vec<Vec<f64>>> =
            self.members.iter().map(|&index| machines[index].blocks.clone()).collect();
        let parts = three_levels(&blocks);
        // If no machine was measured in several blocks, the variation between blocks cannot be separated from that
        // between machines.
        let repeated = blocks.iter().any(|machine| machine.len() > 1);
        let slow = || self.members.iter().map(|&index| machines[index].slow);
        let range = slow().fold(f64::NEG_INFINITY, f64::max) - slow().fold(f64::INFINITY, f64::min);
        let judged = matches!(self.rule, GroupRule::Robust | GroupRule::ZeroSpread | GroupRule::Pooled);
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
            fleet_ratio: self.beside_fleet.and_then(|beside| finite((sign(question) * beside).exp())),
        }
    }
}
