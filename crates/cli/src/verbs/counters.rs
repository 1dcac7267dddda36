//! `fauxplat counters`: what can be counted here, and why the rest cannot.

use fauxplat_experiment::{Failure, Machine, measure};
use fauxplat_model::document::Findings;

use crate::args::CountersArgs;
use crate::inspection;

/// Tries every counter that has a name.
pub(crate) fn counters(args: &CountersArgs, invocation: &[String]) -> Result<(), Failure> {
    let machine = Machine::here();
    let header = inspection::header_of(machine.facts().clone(), invocation);
    inspection::report(&header, &Findings::Counters(measure::counters::counters(&machine)), &args.output)
}
