//! The experiment of `limit`: runs commands in control groups with limits, at the same time, and reports the events of
//! each group.

mod victims;
mod watch;

use std::collections::BTreeMap;
use std::path::Path;

use fauxplat_analyze::limit_shares;
use fauxplat_cgroup::{CgroupError, Group, Host, Pausing};
use fauxplat_model::{
    Condition, Event, Evidence, Limit, LimitEvent, LimitFindings, LimitedCommand, LimitedGroup, OnOom,
    Outcome,
};
use fauxplat_units::Nanos;

use crate::abreast::Ended;
use crate::cpus::check_limit;
use crate::steer::how_it_ended;
use crate::surroundings::with_groups;
use crate::{Driver, Failure, memory};
use victims::Log;
use watch::Watch;

#[derive(Clone, Debug, Default)]
pub struct Limiting {
    pub groups: Vec<(String, Limit)>,
    /// Index in `groups` of the control group of each command.
    pub group_of: Vec<usize>,
    /// Reaction when a group reaches its limit of memory.
    pub on_oom: OnOom,
    /// Time after which the commands are ended; `None` for no limit.
    pub longest: Option<Nanos>,
}

/// A control group that was created for this experiment, with its limits.
pub(super) struct RunGroup {
    pub(super) name: String,
    pub(super) limit: Limit,
    pub(super) group: Group,
    pub(super) pausing: Option<Pausing>,
}

/// Runs all commands at the same time, each in its group. A failure is returned together with the findings so far. The
/// groups are created for this experiment, and removed at its end.
pub fn limit(driver: &mut Driver, asked: &Limiting) -> (LimitFindings, Option<Failure>) {
    let allowed = state(driver, asked);
    let failed =
        |failure| (LimitFindings { on_oom: asked.on_oom, ..LimitFindings::default() }, Some(failure));
    let standing = match allowed.and_then(|()| driver.open_record()).and_then(|()| make(asked)) {
        Ok(standing) => standing,
        Err(failure) => return failed(failure),
    };
    let commands: Vec<u16> = (0..driver.commands.len() as u16).collect();
    let mut watch = Watch::new(&standing, asked, Log::open(Path::new("/")));
    let began_s = driver.elapsed_s();
    let ended = driver.abreast(&commands, &mut watch);
    let elapsed_s = driver.elapsed_s() - began_s;
    let (ended, failure) = match ended {
        Ok(Some(ended)) => (ended, None),
        Ok(None) => (Vec::new(), None),
        Err(failure) => (Vec::new(), Some(explained(failure, &standing))),
    };
    if ended.is_empty() && failure.is_none() {
        driver.interrupt();
    }
    let mut found = found(driver, asked, &standing, watch, &ended);
    found.elapsed_s = elapsed_s;
    let failure = failure.or_else(|| stored(driver, &found).err()).or_else(|| failed_command(driver, &found));
    (found, failure)
}

/// Adds the limits to the condition under which the commands run.
///
/// # Errors
/// Fails if the condition contradicts a limit.
fn state(driver: &mut Driver, asked: &Limiting) -> Result<(), Failure> {
    for (command, &group) in driver.commands.iter_mut().zip(&asked.group_of) {
        command.condition.limit = asked.groups[group].1.clone();
    }
    if let [(_, limit)] = asked.groups.as_slice() {
        driver.header.condition.limit = limit.clone();
    }
    // CPUs that `auto` resolved to were not requested by the user, so they are not checked.
    let cpu = &driver.header.definition.condition.cpu;
    driver.commands.iter().try_for_each(|command| {
        check_limit(&Condition { cpu: cpu.clone(), ..command.condition.clone() })?;
        memory::check(&command.condition, driver.machine())
    })
}

fn make(asked: &Limiting) -> Result<Vec<RunGroup>, Failure> {
    if asked.on_oom == OnOom::Pause && asked.groups.iter().all(|(_, limit)| limit.memory.is_none()) {
        return Err(Failure::usage(
            "--on-oom pause: there is no limit of memory that could be met; state --memory SIZE",
        ));
    }
    with_groups(|host| made(asked, host))
}

fn made(asked: &Limiting, host: &Host) -> Result<Vec<RunGroup>, CgroupError> {
    let mut standing = Vec::new();
    for (number, (name, limit)) in asked.groups.iter().enumerate() {
        let mut group = host.create_watched(number, limit)?;
        let pausing = match asked.on_oom {
            OnOom::Pause if limit.memory.is_some() => Some(group.pause_on_oom(limit)?),
            _ => None,
        };
        standing.push(RunGroup { name: name.clone(), limit: limit.clone(), group, pausing });
    }
    Ok(standing)
}

/// Adds the limit of memory as the probable reason to the failure of a program's start, if a group has reached its
/// limit: the error of the start does not mention it.
fn explained(failure: Failure, standing: &[RunGroup]) -> Failure {
    let has_met = |one: &&RunGroup| {
        let held = one.group.limits().memory_bytes;
        held.is_some() && (one.group.usage().max > Some(0) || one.group.peak_memory_bytes() >= held)
    };
    match standing.iter().find(has_met) {
        Some(RunGroup { limit: Limit { memory: Some(memory), .. }, .. }) => {
            failure.within(&format!("the limit of memory, {memory}, is less than the program needs to start"))
        }
        _ => failure,
    }
}

fn found(
    driver: &mut Driver,
    asked: &Limiting,
    standing: &[RunGroup],
    watch: Watch<'_>,
    ended: &[Ended],
) -> LimitFindings {
    let shares = match asked.groups.len() {
        0 | 1 => Vec::new(),
        _ => limit_shares(&watch.together, driver.header.seed),
    };
    let together_s =
        watch.together.last().zip(watch.together.first()).map_or(0.0, |(last, first)| last.0 - first.0);
    let (events, untold) = watch.events(ended);
    crate::header::miss(&mut driver.header, untold);
    let mut groups: Vec<LimitedGroup> = Vec::new();
    for (at, (one, events)) in standing.iter().zip(events).enumerate() {
        let commands = (0..driver.commands.len()).filter(|&command| asked.group_of[command] == at);
        let commands = commands.map(|command| LimitedCommand {
            command: driver.commands[command].command.clone(),
            pid: watch.pids.get(command).copied().unwrap_or_default() as u32,
            outcome: ended.get(command).and_then(|ended| ended.outcome),
            wall_ns: ended.get(command).and_then(|ended| ended.wall_ns),
            cpu_ns: ended.get(command).and_then(|ended| ended.cpu_ns),
        });
        groups.push(LimitedGroup {
            name: one.name.clone(),
            version: one.group.version(),
            places: one.group.places(),
            limits: one.group.limits(),
            notes: one.group.notes().iter().chain(one.group.remarks()).cloned().collect(),
            commands: commands.collect(),
            peak_memory_bytes: one.group.peak_memory_bytes(),
            used: watch.last[at].clone(),
            elapsed_s: watch.elapsed_s,
            throttled_periods: watch.last[at].throttled_periods,
            share: shares.get(at).copied().flatten(),
            events,
        });
    }
    let (is_timed_out, looks) = (watch.is_timed_out, watch.looks);
    LimitFindings { groups, elapsed_s: 0.0, together_s, on_oom: asked.on_oom, is_timed_out, looks }
}

fn stored(driver: &mut Driver, found: &LimitFindings) -> Result<(), Failure> {
    for group in &found.groups {
        for event in &group.events {
            driver.record(Evidence::Event(evidence(&group.name, event)))?;
        }
    }
    Ok(())
}

fn evidence(group: &str, event: &LimitEvent) -> Event {
    let mut figures = BTreeMap::from([("times".to_owned(), event.times)]);
    let mut message = format!("{}: {} {} times", group, event.kind.word(), event.times);
    if let Some(victim) = &event.victim {
        message = format!("{group}: {} ({}) was killed for want of memory", victim.name, victim.pid);
        figures.insert("victim_pid".to_owned(), u64::from(victim.pid));
        figures.extend(victim.anonymous_bytes.map(|bytes| ("victim_anonymous_bytes".to_owned(), bytes)));
        figures.extend(victim.virtual_bytes.map(|bytes| ("victim_virtual_bytes".to_owned(), bytes)));
    }
    let at_ns = (event.at_s * 1e9) as u64;
    Event { at_ns, trial: None, name: event.kind.word().to_owned(), message, figures }
}

/// Failure of the first command that failed and whose failures are not ignored. A command ended by the time limit has
/// not failed.
fn failed_command(driver: &Driver, found: &LimitFindings) -> Option<Failure> {
    if driver.header.condition.ignore_failure.any() {
        return None;
    }
    let all =
        found.groups.iter().flat_map(|group| group.commands.iter().map(move |command| (group, command)));
    let failed = |outcome: Option<Outcome>| outcome.filter(|outcome| !outcome.is_success());
    let mut failures = all.filter_map(|(group, command)| Some((group, command, failed(command.outcome)?)));
    let (group, command, outcome) = failures.next()?;
    let is_killed = outcome == Outcome::Signaled(9) && group.used.oom_kills > Some(0);
    let how = match (is_killed, group.limits.memory_bytes) {
        (true, Some(limit)) => {
            format!("was killed for want of memory, of which it may have {}", fauxplat_units::Bytes(limit))
        }
        _ => how_it_ended(outcome),
    };
    Some(Failure::command(format!(
        "`{}` {how}; --ignore-failure takes that for what was wanted",
        command.command
    )))
}
