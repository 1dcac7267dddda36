//! Evaluates a relation on the topology of a machine.

use fauxplat_model::{MachinePart, Relation, Topology};
use fauxplat_units::{Cpu, CpuSet};

use super::{Activities, PickError, activity_of, parts};
use crate::activity::CpuActivity;

/// A relation and the machine on which it is evaluated; `activities` is `None` where no CPU was watched.
pub(super) struct Asked<'a> {
    pub(super) relation: &'a Relation,
    pub(super) topology: &'a Topology,
    pub(super) activities: Option<&'a Activities>,
}

/// Time that an interrupt takes from a task, in seconds: the handler itself and refilling the caches.
const INTERRUPT_S: f64 = 5e-6;

/// Share of a sibling's busy time that a task loses: two threads that share a core are 20 to 45 % slower each.
const SIBLING_SHARE: f64 = 0.3;

impl Asked<'_> {
    /// The CPUs that fulfil the relation, at least one, in rising order; quietest first where the relation asks for
    /// activity.
    pub(super) fn answer(&self) -> Result<Vec<Cpu>, PickError> {
        let cpus = self.evaluate(self.relation, &self.topology.allowed)?;
        if cpus.is_empty() {
            return Err(self.nothing());
        }
        let mut ordered: Vec<Cpu> = cpus.iter().collect();
        if self.relation.asks_for_activity() {
            ordered.sort_by(|&a, &b| self.lost(a).total_cmp(&self.lost(b)));
        }
        Ok(ordered)
    }

    /// Whether a CPU fulfils one part of the relation.
    pub(super) fn holds(&self, part: &Relation, cpu: Cpu) -> bool {
        self.evaluate(part, &self.topology.allowed).is_ok_and(|cpus| cpus.contains(cpu))
    }

    /// The CPUs among a set that fulfil a relation.
    fn evaluate(&self, relation: &Relation, among: &CpuSet) -> Result<CpuSet, PickError> {
        match relation {
            Relation::All => Ok(among.clone()),
            Relation::Isolated => Ok(among.intersection(&self.topology.isolated)),
            Relation::NohzFull => Ok(among.intersection(&self.topology.nohz_full)),
            Relation::PerformanceCores => Ok(among.intersection(self.fastest()?)),
            Relation::EfficiencyCores => Ok(among.without(self.fastest()?)),
            Relation::List(cpus) => self.listed(cpus, among),
            Relation::In(part, numbers) => self.in_parts(*part, numbers, among),
            Relation::To { other, same, cpu } => self.related(*other, *same, *cpu, among),
            Relation::OnePer(part) => self.one_per(*part, among),
            Relation::Quietest(count) => self.quietest(*count, among),
            Relation::Not(inner) => Ok(among.without(&self.evaluate(inner, among)?)),
            Relation::Every(factors) => self.every(factors, among),
            Relation::Any(parts) => {
                parts.iter().try_fold(CpuSet::new(), |all, part| Ok(all.union(&self.evaluate(part, among)?)))
            }
        }
    }

    /// Applies the filters on single CPUs first; the choices, in the order written, then choose among the remaining
    /// CPUs.
    fn every(&self, factors: &[Relation], among: &CpuSet) -> Result<CpuSet, PickError> {
        let (choices, filters): (Vec<_>, Vec<_>) = factors.iter().partition(|factor| factor.is_choice());
        let mut rest = among.clone();
        for filter in filters {
            rest = rest.intersection(&self.evaluate(filter, among)?);
        }
        for choice in choices {
            rest = self.evaluate(choice, &rest)?;
        }
        Ok(rest)
    }

    fn fastest(&self) -> Result<&CpuSet, PickError> {
        let kind = self.topology.kinds.first().map(|kind| &kind.cpus);
        kind.ok_or_else(|| self.no("the CPUs of this machine are all of one kind"))
    }

    fn listed(&self, cpus: &CpuSet, among: &CpuSet) -> Result<CpuSet, PickError> {
        match cpus.without(&self.topology.present).first() {
            Some(cpu) => Err(self.no_such(cpu)),
            None => Ok(cpus.intersection(among)),
        }
    }

    fn in_parts(&self, part: MachinePart, numbers: &CpuSet, among: &CpuSet) -> Result<CpuSet, PickError> {
        let all = self.parts(part)?;
        let mut found = CpuSet::new();
        for number in numbers.iter() {
            let Some((_, cpus)) = all.iter().find(|(known, _)| *known == number.0) else {
                let known: CpuSet = all.iter().map(|&(number, _)| Cpu(number)).collect();
                let word = parts::word(part);
                return Err(self.no(format!("there is no {word} {number} with CPUs; there are {known}")));
            };
            found = found.union(cpus);
        }
        Ok(found.intersection(among))
    }

    fn related(
        &self,
        other: Option<MachinePart>,
        same: Option<MachinePart>,
        cpu: Cpu,
        among: &CpuSet,
    ) -> Result<CpuSet, PickError> {
        let mut found = match same {
            Some(part) => among.intersection(&self.part_of(part, cpu)?),
            None => among.clone(),
        };
        if let Some(part) = other {
            let own = self.part_of(part, cpu)?;
            // A CPU that belongs to no part of this kind does not count as being in another part.
            let elsewhere =
                self.parts(part)?.into_iter().fold(CpuSet::new(), |all, (_, cpus)| all.union(&cpus));
            found = found.intersection(&elsewhere.without(&own));
        }
        Ok(found)
    }

    /// The CPUs of the part of this kind that contains `cpu`.
    fn part_of(&self, part: MachinePart, cpu: Cpu) -> Result<CpuSet, PickError> {
        let topology = self.topology;
        if !topology.present.contains(cpu) {
            return Err(self.no_such(cpu));
        }
        let known = match part {
            MachinePart::Cpu => Some([cpu].into_iter().collect()),
            part => parts::of(topology, part, cpu).map(|(_, cpus)| cpus),
        };
        known.ok_or_else(|| match topology.online.contains(cpu) {
            false => self.no(format!("CPU {cpu} is offline, and the kernel does not say where it was")),
            true if part == MachinePart::Kind => self.no("the CPUs of this machine are all of one kind"),
            true => self.no(format!("the kernel knows of no {} of CPU {cpu}", parts::word(part))),
        })
    }

    fn parts(&self, part: MachinePart) -> Result<Vec<(u32, CpuSet)>, PickError> {
        let all = parts::all(self.topology, part);
        match all.is_empty() {
            true if part == MachinePart::Kind => Err(self.no("the CPUs of this machine are all of one kind")),
            true => Err(self.no(format!("the kernel knows of no {} on this machine", parts::word(part)))),
            false => Ok(all),
        }
    }

    fn one_per(&self, part: MachinePart, among: &CpuSet) -> Result<CpuSet, PickError> {
        Ok(self.parts(part)?.iter().filter_map(|(_, cpus)| cpus.intersection(among).first()).collect())
    }

    fn quietest(&self, count: usize, among: &CpuSet) -> Result<CpuSet, PickError> {
        if self.activities.is_none() {
            return Err(self.no("nobody watched the CPUs, so none is known to be quiet"));
        }
        if among.len() < count {
            let left = match among.len() {
                0 => "no CPU is left".to_owned(),
                1 => "only 1 CPU is left".to_owned(),
                number => format!("only {number} CPUs are left"),
            };
            return Err(self.no(format!("{left} to choose {count} from")));
        }
        let mut ordered: Vec<Cpu> = among.iter().collect();
        ordered.sort_by(|&a, &b| self.lost(a).total_cmp(&self.lost(b)));
        Ok(ordered.into_iter().take(count).collect())
    }

    /// Estimated share of its time that a task on this CPU would lose; infinite where the CPU was not watched.
    fn lost(&self, cpu: Cpu) -> f64 {
        activity_of(self.activities, cpu).map_or(f64::INFINITY, lost)
    }

    fn no_such(&self, cpu: Cpu) -> PickError {
        PickError::NoSuchCpu {
            relation: self.relation.to_string(),
            cpu,
            present: self.topology.present.clone(),
        }
    }

    fn no(&self, reason: impl Into<String>) -> PickError {
        PickError::NoAnswer { relation: self.relation.to_string(), reason: reason.into() }
    }

    /// The error for an empty answer: this process may not use the matching CPUs, or the machine has none.
    fn nothing(&self) -> PickError {
        let everywhere = self.evaluate(self.relation, &self.topology.online).unwrap_or_default();
        if !everywhere.is_empty() {
            let allowed = &self.topology.allowed;
            return self.no(format!(
                "that is CPU {everywhere}, which this process may not use; it may use {allowed} (affinity or cpuset)"
            ));
        }
        match self.relation {
            Relation::Isolated => self.no("no CPU of this machine is isolated"),
            Relation::NohzFull => self.no("no CPU of this machine runs without its tick"),
            Relation::List(cpus) => {
                self.no(format!("CPU {cpus} is offline; online are {}", self.topology.online))
            }
            Relation::To { other, same, cpu } => self.no(alone(*other, *same, *cpu)),
            _ => self.no("no CPU of this machine fulfils all parts of it"),
        }
    }
}

/// The reason why no CPU has the given relation to `cpu`.
fn alone(other: Option<MachinePart>, same: Option<MachinePart>, cpu: Cpu) -> String {
    match (other, same) {
        (Some(MachinePart::Cpu), Some(same)) => {
            format!("CPU {cpu} shares its {} with no other CPU", parts::word(same))
        }
        (Some(other), Some(same)) => {
            format!("all CPUs in the {} of CPU {cpu} are in its {}", parts::word(same), parts::word(other))
        }
        (Some(other), None) => {
            format!("all CPUs of this machine are in the {} of CPU {cpu}", parts::word(other))
        }
        (None, _) => format!("CPU {cpu} is offline"),
    }
}

fn lost(activity: &CpuActivity) -> f64 {
    let interrupts = (activity.interrupts_per_s + activity.softirqs_per_s) * INTERRUPT_S;
    let sibling = activity.sibling_busy_share.unwrap_or(0.0) * SIBLING_SHARE;
    // A task that is bound to the CPU may wake up at any time, even if it slept during the watched interval.
    let bound = f64::from(activity.pinned_tasks) * 0.01;
    activity.busy_share + activity.steal_share + interrupts + sibling + bound
}
