//! `fauxplat counters`: what can be counted here, and why the rest cannot.

use fauxplat_experiment::measure::counters::Watching;
use fauxplat_experiment::{Failure, Machine, measure};
use fauxplat_model::document::Findings;
use fauxplat_sys::signal;
use fauxplat_units::Nanos;

use crate::{inspection, output};
use fauxplat_options::CountersArgs;

/// Default length of the intervals in which a process is watched.
const EVERY: Nanos = Nanos(1_000_000_000);

/// Tries which of all known counters can be opened here, or counts events of a running process.
pub(crate) fn counters(args: &CountersArgs, invocation: &[String]) -> Result<(), Failure> {
    let machine = Machine::here();
    let header = inspection::header_of(machine.facts().clone(), invocation);
    let findings = match args.pid {
        None => measure::counters::counters(&machine),
        Some(pid) => {
            signal::stop_on_interrupt().map_err(Failure::machine)?;
            output::try_files(&args.output)?;
            let every = args.series.unwrap_or(EVERY);
            let asked = Watching { pid, counters: args.counters.clone(), every, longest: args.max_time };
            measure::counters::watch(&machine, &asked)?
        }
    };
    inspection::report(&header, &Findings::Counters(findings), &args.output)
}
