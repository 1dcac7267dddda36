//! Records and reports of verbs that inspect the machine and start no command: those of an experiment without commands
//! and samples.

use std::path::Path;

use fauxplat_experiment::{Failure, header};
use fauxplat_model::MachineFacts;
use fauxplat_model::document::{Findings, Header, Record};

use crate::output;
use fauxplat_options::OutputArgs;

/// The header for the machine below `root`, which is `/` unless the files of another machine are read.
pub(crate) fn header(root: &Path, invocation: &[String]) -> Header {
    header_of(fauxplat_topology::discover(root), invocation)
}

/// The header for a machine whose facts are known already.
pub(crate) fn header_of(machine: MachineFacts, invocation: &[String]) -> Header {
    header::inspection(machine, invocation)
}

pub(crate) fn record<'a>(header: &'a Header, findings: &'a Findings) -> Record<'a> {
    Record { header, commands: &[], samples: &[], findings }
}

/// Writes the findings of an inspection to the destination that the options name.
///
/// # Errors
/// Returns the error of a report that cannot be written.
pub(crate) fn report(header: &Header, findings: &Findings, output: &OutputArgs) -> Result<(), Failure> {
    output::write(&record(header, findings), output)
}
