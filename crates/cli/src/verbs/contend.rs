//! `fauxplat contend`: what two threads cost each other on each pair of CPUs, and what is left of a busy machine.

use fauxplat_experiment::measure::capacity::{self, Capacity};
use fauxplat_experiment::measure::contend::{self, Contention};
use fauxplat_experiment::{Driver, Failure, Machine};
use fauxplat_model::Definition;
use fauxplat_model::document::Findings;
use fauxplat_report::Format;

use crate::begin::{beginning, finish};
use crate::output;
use fauxplat_options::{ContendArgs, Look};

pub(crate) fn contend(args: &ContendArgs, invocation: &[String]) -> Result<(), Failure> {
    if args.capacity {
        return what_is_left(args, invocation);
    }
    let machine = Machine::here();
    let asked = Contention {
        pairs: args.pairs.clone(),
        cpu: args.cpu.clone(),
        kernels: args.kernels.clone(),
        rounds: args.rounds,
        max_rounds: args.max_rounds,
        duration: args.duration,
    };
    let definition = args.surroundings.of_workers(asked.cpus(&machine)?, args.seed);
    let definition = Definition { counters: args.counters.clone(), ..definition };
    let mut driver = Driver::of_workers(beginning(
        "contend",
        definition,
        machine,
        (&args.output, &args.end),
        invocation,
    )?)?;
    let found = contend::contend(&mut driver, &asked);
    finish(driver, found.map(Findings::Contend), &args.output, Ok(()))
}

/// Measures what share of a busy machine is left for other work; a text report on standard output shows each reading at
/// once.
fn what_is_left(args: &ContendArgs, invocation: &[String]) -> Result<(), Failure> {
    let machine = Machine::here();
    let asked = Capacity {
        cpu: args.cpu.clone(),
        rounds: args.rounds,
        duration: args.duration,
        interval: args.interval,
        looks: args.count,
    };
    let definition = args.surroundings.of_workers(asked.cpus(&machine)?, args.seed);
    let mut driver = Driver::of_workers(beginning(
        "contend",
        definition,
        machine,
        (&args.output, &args.end),
        invocation,
    )?)?;
    let output = &args.output;
    let is_live = output.format == Format::Text && output.output.is_none() && output.style != Look::None;
    let mut is_first = true;
    let found = capacity::capacity(&mut driver, &asked, |look| {
        let head = if std::mem::take(&mut is_first) { "elapsed_s  busy  left\n" } else { "" };
        let (busy, left) = (look.busy_share * 100.0, look.left_share * 100.0);
        let line = format!("{head}{:9.1} {busy:4.0}% {left:4.0}%\n", look.elapsed_s);
        if is_live { output::lines(&line, &args.output) } else { Ok(()) }
    });
    finish(driver, found.map(Findings::Capacity), &args.output, Ok(()))
}
