//! Counters of an experiment: resolves the names of events to entries of the launcher's table. Each event is first
//! opened once in this process, so that an error is reported before anything is run.

use std::collections::BTreeMap;

use fauxplat_counters::{
    Asked, Catalog, Circumstances, CounterError, Counters as _, Form, Kernel, Misfit, Reason, Resolved,
    Source, parse, reason, refusal, rotation,
};
use fauxplat_launch::{CounterEntry, Table};
use fauxplat_model::{Definition, Metric, MetricSpec, Sample};
use fauxplat_sys::perf::CountingEvent;

use crate::control::Controlled;
use crate::{Failure, Machine};

/// Counters of an experiment, divided into sets. The counters of a set count at the same time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) entries: Vec<CounterEntry>,
    sets: u8,
    /// Sentences for the report, such as that an event is counted in user mode alone.
    pub(crate) notes: Vec<String>,
    /// Names of requested metrics that meters read before and after each run, such as energy of the whole machine,
    /// instead of counters of the run's processes.
    pub(crate) accounts: Vec<String>,
    /// Sentences about events of a predefined set that are not available on this machine.
    left_out: Vec<String>,
    /// Control pipes by which programs enable counting; `None` if whole runs are counted.
    control: Option<Controlled>,
}

const SOURCES: [&str; 3] = ["pmu:", "software:", "tracepoint:"];
/// Maximum number of sets: the sets to which an event belongs are bits of a 64-bit word.
const SETS_MAX: usize = 64;

impl Counters {
    /// Opens the counters that a definition requests, including those of its deciding metrics.
    ///
    /// # Errors
    /// Fails for a name that is unknown, or an event that cannot be counted on this machine, with the reason.
    pub(crate) fn open(definition: &Definition, machine: &Machine) -> Result<Self, Failure> {
        let counters = Counters::of_runs(definition, machine)?;
        let only = if definition.control.is_some() { counters.only_set_of_runs()? } else { Vec::new() };
        Ok(Counters { control: Controlled::open(definition, &only)?, ..counters })
    }

    /// Opens the counters for whole runs, without control pipes.
    fn of_runs(definition: &Definition, machine: &Machine) -> Result<Self, Failure> {
        let mut lists = definition.counters.clone();
        let decides = definition.rule.decided().into_iter().map(|(metric, _)| metric.name().to_owned());
        let decides: Vec<String> =
            decides.filter(|name| SOURCES.iter().any(|source| name.starts_with(source))).collect();
        lists.extend(decides.iter().cloned());
        lists.extend(counted_in_parts(definition));
        let (accounts, lists) = without_accounts(&lists);
        if lists.is_empty() {
            return Ok(Counters { accounts, ..Counters::default() });
        }
        let asked = parse(&lists.join(",")).map_err(say)?;
        let catalog = Catalog::read(machine.root());
        let (asked, left_out) = those_here(asked, machine, &catalog)?;
        let mut notes = Vec::new();
        let asked =
            asked.into_iter().map(|one| allowed(one, &catalog, &mut notes)).collect::<Result<Vec<_>, _>>()?;
        let events = catalog.resolve_all(&asked).map_err(say)?;
        let rotation = rotation(&events);
        if let Some((at, why)) = rotation.misfits.first() {
            return Err(refused(&events[*at], *why, &circumstances(machine, &catalog)));
        }
        let sets = rotation.sets;
        if !definition.all_regions().is_empty() {
            fit_beside_themselves(&events)?;
        }
        if sets.len() > SETS_MAX {
            return Err(Failure::usage(format!(
                "-e: {} sets of counters are more than {SETS_MAX}: ask for fewer",
                sets.len()
            )));
        }
        if sets.len() > 1 {
            notes.push(format!(
                "the processor cannot count all events at once: {} sets of them are counted in different blocks of \
                 runs, each for whole runs, so that nothing is scaled up",
                sets.len()
            ));
        }
        let sometimes = |name: &&String| {
            let of_name =
                |event: &Resolved| event.metric().is_ok_and(|metric| metric.name() == name.as_str());
            let everywhere = |at: usize| sets.iter().all(|set| set.contains(&at));
            events.iter().position(of_name).is_some_and(|at| !everywhere(at))
        };
        if let Some(name) = decides.iter().find(sometimes) {
            return Err(Failure::usage(format!(
                "-e: the verdict is about {name}, which would be counted in some of the blocks only, since the \
                 processor cannot count all events at once: ask for fewer"
            )));
        }
        let devices: Vec<Option<&String>> = events.iter().map(|event| event.device.as_ref()).collect();
        let group = |at: usize| devices.iter().position(|device| device.is_some() && *device == devices[at]);
        let entries = events.iter().enumerate();
        let entries = entries.map(|(at, event)| entry(event, group(at), mask(&sets, at)));
        Ok(Counters {
            entries: entries.collect::<Result<_, _>>()?,
            sets: sets.len() as u8,
            notes,
            accounts,
            left_out,
            control: None,
        })
    }

    /// Index of the set that the runs of a block count. The sets come in a shuffled order, each once before any set
    /// repeats.
    pub(crate) fn set_of(&self, block: u32) -> u8 {
        let count = u32::from(self.sets.max(1));
        let mut order: Vec<u8> = (0..self.sets.max(1)).collect();
        let mut state = u64::from(block / count);
        for last in (1..order.len()).rev() {
            // SplitMix64 (Steele, Lea and Flood 2014) gives an order that is unrelated to the measurement and needs no
            // seed.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            order.swap(last, (mixed >> 33) as usize % (last + 1));
        }
        order[(block % count) as usize]
    }

    /// Counters of each set, in the order of the sets.
    pub(crate) fn sets_of_entries(&self) -> Vec<Vec<CounterEntry>> {
        let of_set =
            |set: u8| self.entries.iter().filter(move |entry| entry.sets >> set & 1 == 1).copied().collect();
        (0..self.sets).map(of_set).collect()
    }

    /// Counters of the only set, for measurements in which sets cannot take turns; empty if nothing is counted. Fails
    /// if there are several sets.
    pub(crate) fn only_set_of_runs(&self) -> Result<Vec<CounterEntry>, Failure> {
        let mut sets = self.sets_of_entries();
        let only = sets.pop().unwrap_or_default();
        match sets.is_empty() {
            true => Ok(only),
            false => Err(Failure::usage("-e: the processor cannot count all these at once: ask for fewer")),
        }
    }

    /// As [`Counters::only_set_of_runs`], for measurements in which meters cannot read `accounts` before and after each
    /// run.
    pub(crate) fn only_set(&self) -> Result<Vec<CounterEntry>, Failure> {
        if let Some(account) = self.accounts.first() {
            return Err(Failure::usage(format!(
                "-e {account}: an account of the machine or of a control group is read before and after each run, \
                 which only `run`, `compare`, `aa`, `sweep` and `explain` do"
            )));
        }
        self.only_set_of_runs()
    }

    /// Whether the readings of a metric come from these counters.
    pub(crate) fn gives(&self, metric: Metric) -> bool {
        let is_controlled = self.control.as_ref().is_some_and(|control| control.gives(metric));
        is_controlled || self.entries.iter().any(|entry| entry.metric == metric)
    }

    /// The counter in user mode (`:u`) that replaces this metric because the user may not count the kernel; `None` if
    /// there is none.
    pub(crate) fn instead_of(&self, metric: Metric) -> Option<Metric> {
        let name = format!("{}:u", metric.name());
        self.entries.iter().map(|entry| entry.metric).find(|given| given.name() == name)
    }

    pub(crate) fn table(&self) -> Table {
        Table {
            counters: self.entries.clone(),
            control: self.control.as_ref().map(|control| control.entry.clone()),
            ..Table::default()
        }
    }

    /// Sentences about requested counters without readings. A counter that was never scheduled has no reading, which is
    /// not zero.
    pub(crate) fn not_measured(&self, samples: &[Sample]) -> Vec<String> {
        let missing = |entry: &CounterEntry| {
            let is_due = |sample: &&Sample| entry.sets >> self.set_of(sample.block) & 1 == 1;
            let due: Vec<&Sample> = samples.iter().filter(is_due).collect();
            let never = due.iter().filter(|sample| sample.get(entry.metric).is_none()).count();
            let partly = due.iter().filter(|sample| sample.readings.counted(entry.metric).is_some()).count();
            let (name, runs) = (entry.metric.name(), due.len());
            let never = (never > 0).then(|| {
                format!("{name} in {never} of {runs} runs: other programs had all counters, so it never ran")
            });
            let partly = (partly > 0).then(|| {
                format!(
                    "{name} in part, in {partly} of {runs} runs: other programs had the counter meanwhile, and the \
                     figures are scaled up"
                )
            });
            never.into_iter().chain(partly)
        };
        let of_control = self.control.iter().flat_map(|control| control.not_measured(samples));
        let all = self.left_out.iter().cloned().chain(self.entries.iter().flat_map(missing));
        all.chain(of_control).collect()
    }
}

/// Names of events that deciding metrics count in a part of a run only: in a region, or in the time in which a control
/// pipe enables counting.
fn counted_in_parts(definition: &Definition) -> impl Iterator<Item = String> {
    let decided = definition.rule.decided().into_iter().map(|(metric, _)| metric);
    let names = decided.filter(|metric| is_part(*metric)).filter_map(|metric| metric.name().split_once(':'));
    names.map(|(_, name)| name.to_owned()).filter(|name| !["wall", "calls", "times"].contains(&name.as_str()))
}

fn is_part(metric: Metric) -> bool {
    let source = metric.name().split_once(':').map(|(source, _)| source);
    metric.region().is_some() || source == Some(MetricSpec::CONTROL)
}

/// Refuses events that do not fit into the processor's counters twice at the same time: a thread counts an event for
/// its region while the event is counted for the whole run.
fn fit_beside_themselves(events: &[Resolved]) -> Result<(), Failure> {
    let sets = rotation(&[events, events].concat()).sets.len();
    match sets {
        0 | 1 => Ok(()),
        _ => Err(Failure::usage(
            "-e and --region: what is counted in a region takes a counter of the processor beside that of the whole run, and not \
             all of these fit: ask for fewer",
        )),
    }
}

/// Name of the metric for the time in which a CPU quota stopped a command.
pub(crate) const THROTTLED: &str = "cgroup:throttled";

/// Whether the name is a metric that meters read before and after each run: energy, pressure, or a figure of a control
/// group.
pub(crate) fn is_account(name: &str) -> bool {
    name == "energy"
        || name.starts_with("cgroup:")
        || name.starts_with("energy:")
        || name.starts_with("pressure:")
}

fn without_accounts(lists: &[String]) -> (Vec<String>, Vec<String>) {
    let words = lists.iter().flat_map(|list| list.split(',')).map(|word| word.trim().to_owned());
    words.partition(|word| is_account(word))
}

/// Returns which sets contain an event (an index), one bit for each set.
fn mask(sets: &[Vec<usize>], event: usize) -> u64 {
    sets.iter().enumerate().filter(|(_, set)| set.contains(&event)).map(|(at, _)| 1 << at).sum()
}

fn say(error: CounterError) -> Failure {
    Failure::usage(format!("-e: {error} (`fauxplat counters` lists what there is)"))
}

/// Events that occur in the kernel alone. Restricted to user mode, their counts would always be zero.
pub(crate) const IN_KERNEL: [&str; 5] =
    ["context-switches", "cs", "cpu-migrations", "migrations", "cgroup-switches"];

pub(crate) fn is_in_kernel(asked: &Asked) -> bool {
    matches!(&asked.form, Form::Word(word) if IN_KERNEL.contains(&word.name))
}

/// The event restricted to user mode (`:u`); `None` if it has a modifier already or occurs in the kernel alone.
pub(crate) fn in_user_mode(asked: &Asked) -> Option<Asked> {
    let is_open = asked.modifiers.is_none() && !is_in_kernel(asked);
    let colon = if asked.name.ends_with('/') { "" } else { ":" };
    let alone = is_open.then(|| parse(&format!("{}{colon}u", asked.name)).ok()).flatten();
    alone.and_then(|mut all| all.pop()).map(|one| Asked { group: asked.group, ..one })
}

/// The event as the kernel permits it to this user. A user who may not count the kernel gets the event in user mode,
/// under a name that says so.
fn allowed(asked: Asked, catalog: &Catalog, notes: &mut Vec<String>) -> Result<Asked, Failure> {
    if asked.modifiers.user && !asked.modifiers.kernel && is_in_kernel(&asked) {
        let name = &asked.name;
        return Err(Failure::usage(format!(
            "-e: `{name}`: that happens in the kernel, and in user mode there is none; leave `:u` out"
        )));
    }
    let user = in_user_mode(&asked).filter(|user| !can_open(&asked, catalog) && can_open(user, catalog));
    if let Some(user) = &user {
        notes.push(format!(
            "{} counts user mode alone, as {}: the kernel's own part may not be counted \
             (kernel.perf_event_paranoid, CAP_PERFMON)",
            asked.name, user.name
        ));
    }
    Ok(user.unwrap_or(asked))
}

/// Returns the events that can be counted here, and sentences about events that are left out. Only events of a
/// predefined set may be left out, since the user did not name them. A set that is a group is available as a whole or
/// not at all, and at least one event must remain.
fn those_here(
    asked: Vec<Asked>,
    machine: &Machine,
    catalog: &Catalog,
) -> Result<(Vec<Asked>, Vec<String>), Failure> {
    let is_here = |one: &Asked| {
        let in_user_mode = || in_user_mode(one).is_some_and(|user| can_open(&user, catalog));
        one.set.is_none() || one.group.is_some() || can_open(one, catalog) || in_user_mode()
    };
    let (here, missing): (Vec<Asked>, Vec<Asked>) = asked.into_iter().partition(is_here);
    let is_whole = |set| !here.iter().any(|one| one.set == set);
    if let Some(first) = missing.iter().find(|one| is_whole(one.set)) {
        let why = why_not(first, machine, catalog)?;
        return Err(Failure::machine(format!("-e: {} cannot be counted here: {why}", first.name)));
    }
    let mut by_reason: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for one in &missing {
        by_reason.entry(why_not(one, machine, catalog)?).or_default().push(&one.name);
    }
    let sentence = |(why, names): (String, Vec<&str>)| format!("{}: {why}", names.join(", "));
    Ok((here, by_reason.into_iter().map(sentence).collect()))
}

/// The reason why an event of a predefined set is not counted.
fn why_not(asked: &Asked, machine: &Machine, catalog: &Catalog) -> Result<String, Failure> {
    let events = match catalog.resolve(asked) {
        Ok(events) => events,
        Err(error) => return Ok(error.to_string()),
    };
    let is_refused = |event: &Resolved| Some((event.clone(), Kernel.open(&event.event, None).err()?));
    match events.iter().find_map(is_refused) {
        Some((event, errno)) => {
            Ok(reason_of(&event, Misfit::Refused(errno), &circumstances(machine, catalog)))
        }
        None => Err(Failure::machine(format!(
            "-e: counting {} was refused a moment ago and is possible now: try again",
            asked.name
        ))),
    }
}

/// Whether this process can open all kernel events that a requested event stands for.
pub(crate) fn can_open(asked: &Asked, catalog: &Catalog) -> bool {
    let events = catalog.resolve(asked).unwrap_or_default();
    !events.is_empty() && events.iter().all(|event| Kernel.open(&event.event, None).is_ok())
}

fn refused(event: &Resolved, why: Misfit, circumstances: &Circumstances) -> Failure {
    let why = reason_of(event, why, circumstances);
    Failure::machine(format!("-e: {} cannot be counted here: {why}", event.name))
}

/// Why an event is not counted here, and how to make it countable where that is known.
fn reason_of(event: &Resolved, why: Misfit, circumstances: &Circumstances) -> String {
    let why = match why {
        Misfit::NotTogether => {
            "the processor has too few counters for its group: leave the braces out".to_owned()
        }
        Misfit::NeverRuns => {
            "it is never counted, since other programs have the processor's counters".to_owned()
        }
        Misfit::Refused(errno) => {
            let refusal = refusal(&Kernel, &event.event, errno);
            let Reason { why, cure } = reason(refusal, event, circumstances);
            cure.map_or(why.clone(), |cure| format!("{why}; {cure}"))
        }
    };
    let instead = if event.source == Source::Pmu { "; --simulated counts without" } else { "" };
    format!("{why}{instead}")
}

pub(crate) fn circumstances(machine: &Machine, catalog: &Catalog) -> Circumstances {
    Circumstances::read(machine.root(), catalog, machine.facts().hypervisor.is_some())
}

fn entry(event: &Resolved, group: Option<usize>, sets: u64) -> Result<CounterEntry, Failure> {
    let CountingEvent { kind, config, excludes_user, excludes_kernel, excludes_hypervisor } = event.event;
    Ok(CounterEntry {
        metric: event.metric().map_err(Failure::usage)?,
        kind,
        config,
        excludes_user,
        excludes_kernel,
        excludes_hypervisor,
        sets,
        group: group.map(|group| group as u16),
        is_partial: event.is_partial,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_comes_once_before_any_comes_again() {
        let counters = Counters { sets: 3, ..Counters::default() };
        for cycle in 0..50 {
            let mut seen: Vec<u8> = (0..3).map(|at| counters.set_of(3 * cycle + at)).collect();
            seen.sort_unstable();
            assert_eq!(seen, [0, 1, 2]);
        }
        let firsts: Vec<u8> = (0..50).map(|cycle| counters.set_of(3 * cycle)).collect();
        assert!((0..3).all(|set| firsts.contains(&set)), "the order is drawn anew: {firsts:?}");
        assert_eq!(Counters::default().set_of(7), 0);
        assert_eq!(mask(&[vec![0, 2], vec![1, 2]], 2), 0b11);
    }
}
