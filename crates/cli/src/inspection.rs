//! Verbs that look at the machine and start no command: the same record, without commands and samples.

use std::path::Path;

use fauxplat_experiment::{Failure, header};
use fauxplat_model::MachineFacts;
use fauxplat_model::document::{Findings, Header, Record};

use crate::output;
use fauxplat_options::OutputArgs;

/// What the record of an inspection says about itself. `root` is `/` except when another machine is replayed.
pub(crate) fn header(root: &Path, invocation: &[String]) -> Header {
    header_of(fauxplat_topology::discover(root), invocation)
}

/// The same for a machine that is known already.
pub(crate) fn header_of(machine: MachineFacts, invocation: &[String]) -> Header {
    header::inspection(machine, invocation)
}

/// The record of what was found.
pub(crate) fn record<'a>(header: &'a Header, findings: &'a Findings) -> Record<'a> {
    Record { header, commands: &[], samples: &[], findings }
}

/// Writes what was found where the options say.
///
/// # Errors
/// The report cannot be written.
pub(crate) fn report(header: &Header, findings: &Findings, output: &OutputArgs) -> Result<(), Failure> {
    output::write(&record(header, findings), output)
}
