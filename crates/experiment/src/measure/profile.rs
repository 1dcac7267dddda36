//! The experiment of `profile`: runs that are sampled and not timed.

mod imported;
mod running;
mod sampled;
mod source;

use fauxplat_analyze::profile as analysis;
use fauxplat_model::{
    Annotated, OFF_CPU, Outcome, ProcessShare, Profile, ProfileFindings, ProfileQuality, ProfileView,
    ProfiledRun, Whole,
};
use fauxplat_profile::{Followed, Profiler, Tables};
use fauxplat_units::Nanos;
use regex::Regex;

use crate::steer::{HOPELESS_FROM, how_it_ended};
use crate::{Driver, Failure, Machine, Standing};
pub use imported::profile_file;
pub use running::profile_process;
use sampled::{Chosen, Run};

/// How the callers of a sampled function are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unwinding {
    /// By the compiler's unwind tables, from a copy of the stack that the kernel takes with each sample.
    #[default]
    EhFrame,
    /// By the chain of frame pointers, which the kernel follows.
    FramePointers,
}

#[derive(Clone, Debug, Default)]
pub struct Profiling {
    /// Event to sample; the default one if `None`.
    pub event: Option<String>,
    /// Number of samples per second of CPU time, unless `period` is set.
    pub rate_hz: u64,
    /// Number of events per sample; `None` to take `rate_hz` samples per second.
    pub period: Option<u64>,
    pub unwinding: Unwinding,
    /// Number of bytes of the stack that are copied with each sample.
    pub stack_bytes: u32,
    /// Whether no samples are taken in kernel mode.
    pub is_user_only: bool,
    /// Number of runs of each command.
    pub runs: u32,
    /// Maximum probability that any function of any command is falsely called different.
    pub error: f64,
    /// Time after which no further run begins; `None` for no limit.
    pub longest: Option<Nanos>,
    /// Functions whose callers are reported.
    pub callers_of: Vec<Regex>,
    /// Functions whose callees are reported.
    pub callees_of: Vec<Regex>,
    /// Functions whose lines and instructions are reported.
    pub annotate: Vec<Regex>,
}

/// Minimum number of sign patterns of the pairs' differences within the error level, the observed one included. With
/// fewer, only the most extreme difference could be shown, and noise mostly prevents that.
const WORLDS_MIN: f64 = 5.0;
/// Upper bound of what [`pairs_min`] returns. With more pairs, sign flips are drawn at random.
const PAIRS_MIN_MAX: u32 = 32;

/// Samples all commands, in turns, and reports the functions in which they spend their time. A failure is returned
/// together with the findings so far.
pub fn profile(driver: &mut Driver, asked: &Profiling) -> (ProfileFindings, Option<Failure>) {
    let chosen = match sampled::choose(asked, driver.machine()) {
        Ok(chosen) => chosen,
        Err(failure) => return (ProfileFindings::default(), Some(failure)),
    };
    if chosen.quality.whole() == Whole::Events && driver.commands.len() > 1 {
        return (ProfileFindings::default(), Some(not_of_time(&chosen.quality.event)));
    }
    let (mut profiler, mut runs) = (Profiler::default(), Vec::new());
    let mut left_out = vec![Vec::new(); driver.commands.len()];
    let failed = all_runs(driver, asked, &chosen, &mut profiler, (&mut runs, &mut left_out)).err();
    match left_out.iter().map(Vec::len).sum::<usize>() {
        0 => {}
        1 => driver.warn("1 run failed and is left out"),
        failed => driver.warn(format!("{failed} runs failed and are left out")),
    }
    let names = driver.names();
    (found(asked, &chosen.quality, profiler, runs, names), failed)
}

/// Checks that the requested sampling is possible, before anything is run.
///
/// # Errors
/// Fails with the missing requirement, and how to meet it.
pub fn can_profile(asked: &Profiling, machine: &Machine) -> Result<(), Failure> {
    sampled::choose(asked, machine).map(drop)
}

/// Lines and instructions of the functions that match a pattern, where their sources and object files can be read.
pub fn annotate(found: &ProfileFindings, profile: u16, pattern: &Regex) -> Annotated {
    let mut annotated = analysis::annotated(found, profile, pattern);
    source::fill(found, &mut annotated);
    annotated
}

/// Part of the error level for each command that is compared with the first.
fn error_each(asked: &Profiling, commands: usize) -> f64 {
    asked.error / commands.saturating_sub(1).max(1) as f64
}

/// Minimum number of pairs for this error level: `n` pairs have 2^(n−1) sign flips.
fn pairs_min(error: f64) -> u32 {
    let worlds = WORLDS_MIN / error.max(f64::MIN_POSITIVE);
    (worlds.log2().ceil() as u32).saturating_add(1).min(PAIRS_MIN_MAX)
}

/// Failure for several commands and an event other than a time, because differences between commands are reported in
/// seconds.
fn not_of_time(event: &str) -> Failure {
    Failure::usage(format!(
        "-e {event}: several commands are compared by time, their CPU time or with -e {OFF_CPU} that of waiting; profile one \
         command by {event}, or compare how many there are with `fauxplat compare -e {event} --metric {event}`"
    ))
}

/// Runs blocks of one run of each command, in an order that changes from block to block. For each command, `left_out`
/// receives the blocks whose run failed and is left out.
fn all_runs(
    driver: &mut Driver,
    asked: &Profiling,
    chosen: &Chosen,
    profiler: &mut Profiler,
    (runs, left_out): (&mut Vec<Run>, &mut [Vec<u32>]),
) -> Result<(), Failure> {
    let commands = driver.commands.len() as u16;
    let least = if commands > 1 { pairs_min(error_each(asked, driver.commands.len())) } else { 1 };
    // In a comparison, timed runs came before; their time does not count here.
    let begun_s = driver.elapsed_s();
    for block in 0..asked.runs {
        let elapsed_ns = (driver.elapsed_s() - begun_s) * 1e9;
        let is_late = asked.longest.is_some_and(|longest| elapsed_ns >= longest.0 as f64);
        if driver.is_over() || driver.is_interrupted() || (block >= least && is_late) {
            break;
        }
        let share = match asked.longest {
            Some(longest) => elapsed_ns / longest.0.max(1) as f64,
            None => f64::from(block) / f64::from(asked.runs),
        };
        let words = "sampling".to_owned();
        driver.tell(&Standing { share: share.min(1.0), words, blocks: block });
        for turn in 0..commands {
            let command = if block % 2 == 0 { turn } else { commands - 1 - turn };
            let Some(run) = sampled::run(driver, chosen, profiler, command, block)? else {
                driver.interrupt();
                return Ok(());
            };
            let Some(outcome) = run.outcome else {
                // The user stopped the run. Its samples are reported if there is only one command, but cannot be half
                // of a pair.
                if commands == 1 {
                    runs.push(run);
                }
                driver.interrupt();
                return Ok(());
            };
            match fate(driver, command, outcome) {
                Fate::Counts => runs.push(run),
                Fate::IsLeftOut => {
                    left_out[usize::from(command)].push(block);
                    if is_hopeless(&left_out[usize::from(command)], block) {
                        return Err(failed(driver, command, outcome));
                    }
                }
                Fate::Ends => {
                    runs.push(run);
                    return Err(failed(driver, command, outcome));
                }
            }
        }
    }
    Ok(())
}

/// How a run is used, according to its outcome.
enum Fate {
    Counts,
    IsLeftOut,
    /// The run is reported, and is the last one.
    Ends,
}

fn fate(driver: &Driver, command: u16, outcome: Outcome) -> Fate {
    let ignored = &driver.commands[usize::from(command)].condition.ignore_failure;
    match (ignored.lets_pass(outcome), ignored.are_left_out()) {
        (true, _) => Fate::Counts,
        (false, true) => Fate::IsLeftOut,
        (false, false) => Fate::Ends,
    }
}

/// Whether a command's runs in all of the last `HOPELESS_FROM` blocks were left out; `left_out` has the numbers of the
/// blocks in which the command's run was left out.
fn is_hopeless(left_out: &[u32], block: u32) -> bool {
    let first = left_out.iter().rev().nth(HOPELESS_FROM - 1);
    first.is_some_and(|&first| block - first < HOPELESS_FROM as u32)
}

fn failed(driver: &Driver, command: u16, outcome: Outcome) -> Failure {
    let command = &driver.commands[usize::from(command)];
    let how = how_it_ended(outcome);
    let hint = match command.condition.ignore_failure.are_left_out() {
        true => "as those before it did; see its output with --show-output",
        false => {
            "what was sampled of it is reported; see its output with --show-output, keep failed runs with --ignore-failure, or leave them out with --skip-failures"
        }
    };
    Failure::command(format!("`{}` {how}; {hint}", command.command))
}

fn found(
    asked: &Profiling,
    common: &ProfileQuality,
    profiler: Profiler,
    runs: Vec<Run>,
    names: Vec<String>,
) -> ProfileFindings {
    let profiles: Vec<Profile> = names
        .into_iter()
        .enumerate()
        .map(|(at, name)| profile_of(name, common, runs.iter().filter(|run| usize::from(run.command) == at)))
        .collect();
    let followed: Vec<(ProfiledRun, Followed)> = runs
        .into_iter()
        .map(|run| {
            let shape = ProfiledRun {
                profile: run.command,
                block: run.block,
                whole_s: run.whole_s(common.whole()),
                ..ProfiledRun::default()
            };
            (shape, run.followed)
        })
        .collect();
    let mut tables = profiler.tables(&followed, profiles.len());
    let runs = std::mem::take(&mut tables.runs);
    let mut found = with_tables(profiles, tables);
    analysis::shares(&mut found);
    let error = error_each(asked, found.profiles.len());
    found.differences = (1..found.profiles.len() as u16)
        .map(|other| analysis::difference(&found, &runs, 0, other, error))
        .collect();
    found.views = views(asked, &found);
    found
}

fn with_tables(mut profiles: Vec<Profile>, tables: Tables) -> ProfileFindings {
    for (at, profile) in profiles.iter_mut().enumerate() {
        let ends = tables.ends(at);
        profile.quality.truncated = ends.truncated;
        profile.quality.broken = ends.broken;
        profile.quality.unknown = ends.unknown;
    }
    let Tables { objects, frames, stacks, instructions, .. } = tables;
    ProfileFindings { profiles, objects, frames, stacks, instructions, ..ProfileFindings::default() }
}

fn profile_of<'r>(name: String, common: &ProfileQuality, runs: impl Iterator<Item = &'r Run>) -> Profile {
    let mut quality = common.clone();
    let mut processes: Vec<ProcessShare> = Vec::new();
    for run in runs {
        quality.runs += 1;
        add_events(&mut quality, &run.followed);
        quality.samples += run.followed.samples;
        quality.lost += run.followed.lost;
        quality.throttled += run.followed.throttled;
        quality.cpu_s += run.cpu_s;
        quality.elapsed_s += run.elapsed_s;
        if quality.whole() == Whole::WaitingTime {
            *quality.waits.get_or_insert(0) += run.followed.waits;
            *quality.waited_s.get_or_insert(0.0) += run.whole_s(Whole::WaitingTime);
        }
        quality.own_cpu_s += run.followed.own_cpu_ns as f64 / 1e9;
        for it in &run.followed.processes {
            // Every run creates new processes, so processes of different runs are merged by name.
            let known = processes.iter_mut().find(|known| quality.runs > 1 && known.name == it.name);
            match known {
                Some(known) => {
                    known.samples += it.weight.samples;
                    known.events = known.events.map(|events| events.saturating_add(it.weight.events));
                    known.threads += it.threads;
                }
                None => processes.push(ProcessShare {
                    pid: it.pid as u32,
                    name: it.name.clone(),
                    samples: it.weight.samples,
                    threads: it.threads,
                    events: Some(it.weight.events),
                    interval: None,
                }),
            }
        }
    }
    let of_s = quality.whole_s().unwrap_or(quality.cpu_s);
    quality.reached_hz = (of_s > 0.0).then(|| quality.samples as f64 / of_s);
    processes.sort_by(|a, b| b.events.cmp(&a.events).then(a.pid.cmp(&b.pid)));
    if quality.period.is_some() {
        processes.iter_mut().for_each(|it| it.events = None);
    }
    Profile { name, quality, processes, functions: Vec::new() }
}

/// Adds to `quality` the number of events that the samples of a run stand for. Called before `quality.samples` is
/// increased.
fn add_events(quality: &mut ProfileQuality, followed: &Followed) {
    let is_first = quality.runs == 1;
    if followed.samples > 0 {
        let is_same = quality.samples == 0 || quality.period == followed.period;
        quality.period = followed.period.filter(|_| is_same);
    }
    *quality.events.get_or_insert(0) += followed.events;
    let before = if is_first { Some(0) } else { quality.counted };
    quality.counted = before.zip(followed.counted).map(|(before, more)| before.saturating_add(more));
}

fn views(asked: &Profiling, found: &ProfileFindings) -> Vec<ProfileView> {
    let mut views = Vec::new();
    for profile in 0..found.profiles.len() as u16 {
        let callers = |pattern| ProfileView::CallersOf(analysis::callers_of(found, profile, pattern));
        let callees = |pattern| ProfileView::CalleesOf(analysis::callees_of(found, profile, pattern));
        let annotated = |pattern| {
            let mut annotated = analysis::annotated(found, profile, pattern);
            source::fill(found, &mut annotated);
            ProfileView::Annotated(annotated)
        };
        views.extend(asked.callers_of.iter().map(callers));
        views.extend(asked.callees_of.iter().map(callees));
        views.extend(asked.annotate.iter().map(annotated));
    }
    views
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_profile_is_shared_by_all_commands_and_each_has_pairs_enough() {
        let asked = |error| Profiling { error, ..Profiling::default() };
        assert!((error_each(&asked(0.01), 1) - 0.01).abs() < 1e-12, "nothing is compared");
        assert!((error_each(&asked(0.01), 2) - 0.01).abs() < 1e-12);
        assert!((error_each(&asked(0.01), 3) - 0.005).abs() < 1e-12);
        assert_eq!([0.01, 0.005, 0.0025].map(pairs_min), [10, 11, 12]);
        assert_eq!([0.5, 0.0].map(pairs_min), [5, PAIRS_MIN_MAX]);
    }
}
