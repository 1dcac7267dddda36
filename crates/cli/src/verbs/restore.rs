//! `fauxplat restore`: restores the settings of the machine that `fauxplat tune` changed.

use fauxplat_experiment::Failure;
use fauxplat_model::RestoreFindings;
use fauxplat_model::document::Findings;
use fauxplat_sys::signal;
use fauxplat_tuning::{Restore, Root, remainder};

use super::put_back::all_back;
use super::tune::journal;
use crate::{inspection, output};
use fauxplat_options::RestoreArgs;

pub(crate) fn restore(args: &RestoreArgs, invocation: &[String]) -> Result<(), Failure> {
    // A half-restored machine would be worse than one that is not restored, so a restoration that has begun is
    // completed, and only one that still waits for the journal can be interrupted.
    signal::stop_on_interrupt().map_err(Failure::machine)?;
    output::try_files(&args.output)?;
    let (root, journal) = (Root::new(&args.place.sysroot), journal(&args.place));
    let how = Restore { force: args.force, wait: args.place.wait };
    let restored = fauxplat_tuning::restore(&root, &journal, how, &invocation.join(" "))?;
    let mut header = inspection::header(&args.place.sysroot, invocation);
    header.warnings.extend(restored.as_ref().and_then(|restored| remainder(restored, &journal)));
    let verdict = all_back(restored.as_ref(), &journal);
    let findings = RestoreFindings { restored, journal: journal.display().to_string() };
    inspection::report(&header, &Findings::Restore(findings), &args.output)?;
    verdict
}
