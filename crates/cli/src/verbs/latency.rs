//! `fauxplat latency`: how late timers, messages and signals are, and what takes the CPU away meanwhile.

use fauxplat_experiment::measure::latency::{self, Cells, Kind, Latency};
use fauxplat_experiment::{Driver, Failure, Machine};
use fauxplat_model::Policy;
use fauxplat_model::document::Findings;
use fauxplat_units::Nanos;

use crate::begin::{beginning, finish, workers};
use crate::verbs::merge;
use fauxplat_options::{LatencyArgs, LatencyKind};

pub(crate) fn latency(args: &LatencyArgs, invocation: &[String]) -> Result<(), Failure> {
    if !args.merge.is_empty() {
        return merge::merge(&args.merge, &args.output, invocation);
    }
    check(args)?;
    let machine = Machine::here();
    let tests = Cells::of(&asked(args), &machine)?;
    let mut definition = workers(tests.cpus(), &args.surroundings, args.seed);
    definition.condition.policy = Some(tests.policy());
    definition.counters.clone_from(&args.counters);
    let mut driver = Driver::of_workers(beginning(
        "latency",
        definition,
        machine,
        (&args.output, &args.end),
        invocation,
    )?)?;
    let found = latency::latency(&mut driver, &tests);
    finish(driver, found.map(Findings::Latency), &args.output, Ok(()))
}

/// Refuses options that none of the requested tests uses.
fn check(args: &LatencyArgs) -> Result<(), Failure> {
    use LatencyKind::{Edge, Line, Message, Noise, Signal, Timer};
    let tests = |kinds: &[LatencyKind]| args.tests.iter().any(|test| kinds.contains(test));
    let is_counted = tests(&[Timer, Message, Signal, Line, Edge]);
    let is_timed = tests(&[Noise]) || args.count.is_none() && !tests(&[Message, Signal]);
    let is_real_time = |policy: &Policy| *policy != Policy::Other;
    let has_slack = args.policy.is_empty() || !args.policy.iter().all(is_real_time);
    let is_zero = |time: Option<Nanos>| time == Some(Nanos(0));
    let refused = [
        (
            args.interval.is_some() && !tests(&[Timer, Line, Edge]),
            "--interval is for the tests `timer`, `line` and `edge`",
        ),
        (args.threshold.is_some() && !tests(&[Noise]), "--threshold is for the test `noise`"),
        (!args.slack.is_empty() && !tests(&[Timer, Edge]), "--slack is for the tests `timer` and `edge`"),
        (!args.slack.is_empty() && !has_slack, "--slack: real-time policies ignore the slack of timers"),
        (args.count.is_some() && !is_counted, "--count: noise is watched for a --duration"),
        (
            args.duration.is_some() && !is_timed,
            "--duration is for the test `noise`, and for `timer`, `line` and `edge` without --count; messages and signals have \
             a number",
        ),
        (is_zero(args.interval), "--interval 0: the interval must be longer than 0"),
        (is_zero(args.duration), "--duration 0: the duration must be longer than 0"),
    ];
    match refused.into_iter().find(|(is_refused, _)| *is_refused) {
        Some((_, why)) => Err(Failure::usage(why)),
        None => Ok(()),
    }
}

fn asked(args: &LatencyArgs) -> Latency {
    let kind = |kind: &LatencyKind| match kind {
        LatencyKind::Timer => Kind::Timer,
        LatencyKind::Noise => Kind::Noise,
        LatencyKind::Message => Kind::Message,
        LatencyKind::Signal => Kind::Signal,
        LatencyKind::Line => Kind::Line,
        LatencyKind::Edge => Kind::Edge,
    };
    Latency {
        tests: args.tests.iter().map(kind).collect(),
        policies: args.policy.clone(),
        cpu: args.cpu.clone(),
        pairs: args.pairs.clone(),
        interval: interval(args),
        count: count(args),
        slacks: args.slack.clone(),
        duration: args.duration.unwrap_or(NOISE_WATCHED),
        threshold: args.threshold.unwrap_or(GAP),
        channels: args.channels.clone(),
        line: args.line.clone(),
        answer: args.answer.clone(),
        drive: args.drive.clone(),
    }
}

/// Default time for which a CPU is watched for noise (gaps in the execution of a busy loop).
const NOISE_WATCHED: Nanos = Nanos(3_000_000_000);

/// Default length of the shortest gap that counts as noise.
const GAP: Nanos = Nanos(1_000);

/// Period of the timer test, and time between two edges in the tests of lines.
fn interval(args: &LatencyArgs) -> Nanos {
    args.interval.unwrap_or(Nanos(1_000_000))
}

/// Default number of timer activations.
const COUNT: u64 = 3000;

/// Number of timer activations: as stated, or as many as fit into the stated time.
fn count(args: &LatencyArgs) -> u64 {
    let has_others = args.tests.iter().any(|test| matches!(test, LatencyKind::Message | LatencyKind::Signal));
    match (args.count, args.duration.filter(|_| !has_others)) {
        (Some(count), _) => count,
        (None, None) => COUNT,
        (None, Some(duration)) => (duration.0 / interval(args).0.max(1)).max(1),
    }
}
