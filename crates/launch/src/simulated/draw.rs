//! Simulates one run of a described program: how long it takes, how it ends, and its readings.

use fauxplat_model::{Metric, MetricSet, Reading};
use fauxplat_stats::draw::Draw;
use fauxplat_sys::process::Exit;

use super::machine::{Behaviour, Machine, Neighbour, Times, When};
use crate::ring::RunEnd;
use crate::table::Entry;

/// First numbers of the random streams of a seed: for runs (one stream each), for lanes (a range of runs each), and for
/// stays of the neighbour.
const RUNS: u64 = 0;
const LANES: u64 = 1 << 48;
const STAYS: u64 = 1 << 62;

#[derive(Debug)]
pub(super) struct Drawn {
    pub(super) end: RunEnd,
    pub(super) wall_ns: u64,
    pub(super) cpu_ns: u64,
    /// Wall time by which the neighbour prolonged the run.
    pub(super) delay_ns: u64,
    /// CPU of the run, for a run whose request and entry name none.
    pub(super) cpu: u16,
}

/// Position of a run in the history of its lane: the series of runs of one launcher.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) lane: u64,
    /// Number of the run among all runs of its lane, from 0; `of_program` is the number among the runs of its program.
    pub(super) run: u64,
    pub(super) of_program: u64,
    pub(super) started_ns: u64,
    /// Carry-over from the previous run: a summand of the logarithm of the run's time.
    pub(super) carried: f64,
}

/// Draws the times and the end of a run. Each run has its own random stream, so that the draws of one run do not shift
/// those of another.
pub(super) fn run(machine: &Machine, behaviour: &Behaviour, entry: &Entry, moment: Moment) -> Drawn {
    let mut draw = Draw::new(machine.seed, RUNS + LANES * moment.lane + moment.run);
    let cpu = draw.below(usize::from(machine.cpus.max(1))) as u16;
    let end = end_of(behaviour, moment.of_program, &mut draw);
    let drift = machine.drift_per_s * seconds(moment.started_ns) + moment.carried;
    let mut time = |times: &Times| time(times, moment.started_ns, drift, &mut draw);
    // The simulation takes one nanosecond for each iteration of extra work.
    let alone_ns = time(&behaviour.wall) + entry.extra_work;
    let cpu_ns = behaviour.cpu.as_ref().map_or(alone_ns, &mut time);
    let wall_ns = disturbed(machine, moment.started_ns, alone_ns);
    let (end, wall_ns) = match entry.timeout_ns {
        Some(limit_ns) if wall_ns >= limit_ns || end == RunEnd::TimedOut => (RunEnd::TimedOut, limit_ns),
        _ => (end, wall_ns),
    };
    Drawn { end, wall_ns, cpu_ns: cpu_ns.min(wall_ns), delay_ns: wall_ns.saturating_sub(alone_ns), cpu }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

fn time(times: &Times, started_ns: u64, drift: f64, draw: &mut Draw) -> u64 {
    let mode = times.mode.filter(|mode| draw.uniform() < mode.share).map_or(1.0, |mode| mode.ratio);
    let log = times.noise * draw.normal() + times.drift_per_s * seconds(started_ns) + drift;
    (times.median_ns * mode * log.exp()).round().max(1.0) as u64
}

fn end_of(behaviour: &Behaviour, of_program: u64, draw: &mut Draw) -> RunEnd {
    let mut applies = |when: When| match when {
        When::Run(number) => of_program == number,
        When::Every(distance) => (of_program + 1).is_multiple_of(distance),
        When::Share(share) => draw.uniform() < share,
    };
    let failure = behaviour.failures.iter().find(|failure| applies(failure.when));
    failure.map_or(RunEnd::Ended(Exit::Status(0)), |failure| failure.end)
}

/// Wall time, in nanoseconds, of work that takes `alone_ns` without the neighbour. The work may last over several
/// stays, in some of which the neighbour slows it down.
fn disturbed(machine: &Machine, started_ns: u64, alone_ns: u64) -> u64 {
    let Some(neighbour) = machine.neighbour.filter(|neighbour| neighbour.stay_ns > 0) else {
        return alone_ns;
    };
    let (mut now_ns, mut left_ns) = (started_ns, alone_ns as f64);
    loop {
        let stay = now_ns / neighbour.stay_ns;
        let slowdown = if is_there(machine.seed, &neighbour, stay) { neighbour.slowdown } else { 1.0 };
        let rest_ns = (stay + 1) * neighbour.stay_ns - now_ns;
        if left_ns * slowdown <= rest_ns as f64 {
            return now_ns + (left_ns * slowdown).round() as u64 - started_ns;
        }
        left_ns -= rest_ns as f64 / slowdown;
        now_ns += rest_ns;
    }
}

fn is_there(seed: u64, neighbour: &Neighbour, stay: u64) -> bool {
    Draw::new(seed, STAYS + stay).uniform() < neighbour.share
}

/// Readings of a drawn run, one per metric of the table.
pub(super) fn readings(
    machine: &Machine,
    metrics: &MetricSet,
    behaviour: &Behaviour,
    drawn: &Drawn,
) -> Vec<Reading> {
    let named = |metric| behaviour.readings.iter().find(|(name, _)| *name == metric).map(|(_, value)| *value);
    let drawn = [
        (Metric::WALL, Some(drawn.wall_ns)),
        // A described program spends all its time in user mode.
        (Metric::CPU, Some(drawn.cpu_ns)),
        (Metric::USER, Some(drawn.cpu_ns)),
        (Metric::RUN_DELAY, Some(drawn.delay_ns)),
        // The rate of a live table is read by the runner and not by a launcher.
        (Metric::RATE, None),
    ];
    let value = |metric: Metric| {
        let known = drawn.iter().find(|(name, _)| *name == metric);
        known.map_or(Some(named(metric).unwrap_or(0)), |(_, value)| *value)
    };
    let reading = |metric| Reading::from(value(metric).filter(|_| !machine.absent.contains(&metric)));
    metrics.iter().map(reading).collect()
}
