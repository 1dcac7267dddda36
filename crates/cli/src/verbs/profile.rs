//! `fauxplat profile`: where the time goes, who calls it, and what changed between two builds.

use fauxplat_experiment::measure::profile::{Profiling, profile_file, profile_process};
use fauxplat_experiment::{Driver, Failure, Machine, measure};
use fauxplat_model::document::Findings;
use fauxplat_model::{CommandLine, Definition, ProfileFindings};
use fauxplat_sys::signal;
use fauxplat_units::Nanos;

use crate::begin::{beginning, check_reports, conclude};
use crate::inspection;
use fauxplat_options::define;
use fauxplat_options::{Method, OutputArgs, ProfileArgs, RATE_HZ, STACK_BYTES};

/// Default time for which several commands are sampled in turns.
const IN_TURNS: Nanos = Nanos(30_000_000_000);
/// Greatest number of blocks of sampled runs: more would not improve the result.
const BLOCKS_MAX: u32 = 1000;
/// Highest probability that any function is falsely reported as different; the same as that of a wrong verdict in a
/// comparison.
const ERROR: f64 = 0.01;

/// Samples commands or a process, or reads samples from a file.
pub(crate) fn profile(args: &ProfileArgs, invocation: &[String]) -> Result<(), Failure> {
    if args.unwind == Method::FramePointers && args.stack_size.is_some() {
        return Err(Failure::usage(
            "--stack-size has no effect with --unwind frame-pointers: leave one option out",
        ));
    }
    let machine = Machine::here();
    let output = OutputArgs { tree: args.tree, ..OutputArgs::clone(&args.output) };
    if let Some(file) = &args.import {
        check_reports("profile", &one(), &output)?;
        let asked = asked(args, None, 1);
        let header = inspection::header_of(machine.facts().clone(), invocation);
        let found = profile_file(file, &asked)?;
        return inspection::report(&header, &Findings::Profile(Box::new(found)), &output);
    }
    if let Some(pid) = args.pid {
        return process(pid, args, &output, &machine, invocation);
    }
    let mut definition = define::definition(&args.commands, &args.condition, &machine)?;
    refuse(&definition)?;
    let event = event(&std::mem::take(&mut definition.counters))?;
    define::defaults_as_it_is(&mut definition.condition, &args.commands, &args.condition);
    let warmup = definition.warmup;
    let mut driver =
        Driver::of_commands(beginning("profile", definition, machine, (&output, &args.end), invocation)?)?;
    let asked = asked(args, event, driver.names().len());
    let warmed = driver.warm_up(warmup);
    let (found, failed) = match warmed {
        Ok(()) => measure::profile::profile(&mut driver, &asked),
        Err(failure) => (ProfileFindings::default(), Some(failure)),
    };
    conclude(driver.finish(Findings::Profile(Box::new(found)), failed), &output, Ok(()))
}

/// A definition with one empty command, for the profile of a running process or of a file.
fn one() -> Definition {
    Definition { commands: vec![CommandLine::default()], ..Definition::default() }
}

fn process(
    pid: u32,
    args: &ProfileArgs,
    output: &OutputArgs,
    machine: &Machine,
    invocation: &[String],
) -> Result<(), Failure> {
    signal::stop_on_interrupt().map_err(Failure::machine)?;
    check_reports("profile", &one(), output)?;
    let asked = asked(args, event(&args.commands.counters)?, 1);
    let header = inspection::header_of(machine.facts().clone(), invocation);
    let found = profile_process(machine, pid, &asked)?;
    inspection::report(&header, &Findings::Profile(Box::new(found)), output)
}

/// Refuses options that apply to timed runs alone.
fn refuse(definition: &Definition) -> Result<(), Failure> {
    let measured = [
        ("--table", !definition.tables.is_empty()),
        ("--metric-from", !definition.printed.is_empty()),
        ("--region", !definition.regions.is_empty()),
        ("--control", definition.control.is_some()),
        ("--simulated", definition.condition.simulate.is_some()),
    ];
    match measured.iter().find(|(_, is_there)| *is_there) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::usage(format!(
            "{option}: sampled runs are not measured; leave it out, or take `fauxplat run`"
        ))),
    }
}

/// Settings for sampling two commands in turns: defaults, except for the time.
pub(super) fn in_turns(longest: Nanos) -> Profiling {
    Profiling {
        rate_hz: RATE_HZ,
        stack_bytes: STACK_BYTES,
        runs: BLOCKS_MAX,
        error: ERROR,
        longest: Some(longest),
        ..Profiling::default()
    }
}

/// The event to sample that the option `-e` names; `None` for the default.
fn event(events: &[String]) -> Result<Option<String>, Failure> {
    match events {
        [] => Ok(None),
        [event] => Ok(Some(event.clone())),
        _ => Err(Failure::usage("-e: a profile is of one event; name one")),
    }
}

fn asked(args: &ProfileArgs, event: Option<String>, commands: usize) -> Profiling {
    let is_alone = commands < 2;
    Profiling {
        event,
        rate_hz: args.frequency,
        period: args.period,
        unwinding: args.unwind.unwinding(),
        stack_bytes: args.stack_size.unwrap_or(STACK_BYTES),
        is_user_only: args.user_only,
        error: ERROR,
        runs: args.runs.unwrap_or(if is_alone { 1 } else { BLOCKS_MAX }),
        longest: args.max_time.or_else(|| (!is_alone && args.runs.is_none()).then_some(IN_TURNS)),
        callers_of: args.callers_of.clone(),
        callees_of: args.callees_of.clone(),
        annotate: args.annotate.clone(),
    }
}
