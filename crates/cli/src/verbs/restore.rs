//! `fauxplat restore`: put back exactly what was there.

use fauxplat_experiment::Failure;
use fauxplat_experiment::surroundings::tuning::incomplete;
use fauxplat_model::document::Findings;
use fauxplat_model::{KnobOutcome, RestoreFindings};
use fauxplat_tuning::{Restore, Root};

use super::tune::journal;
use crate::{inspection, output};
use fauxplat_options::RestoreArgs;

/// Puts back what a journal announces.
pub(crate) fn restore(args: &RestoreArgs, invocation: &[String]) -> Result<(), Failure> {
    output::try_files(&args.output)?;
    let (root, journal) = (Root::new(&args.place.sysroot), journal(&args.place));
    let how = Restore { force: args.force, wait: args.place.wait };
    let restored = fauxplat_tuning::restore(&root, &journal, how, &invocation.join(" "))?;
    let mut header = inspection::header(&args.place.sysroot, invocation);
    let left = restored.as_ref().filter(|restored| !restored.complete);
    header.warnings.extend(left.map(incomplete));
    let refused = restored.iter().flat_map(|done| &done.changes);
    let refused = refused.filter(|change| change.outcome == KnobOutcome::Refused).count();
    let findings = RestoreFindings { restored, journal: journal.display().to_string() };
    inspection::report(&header, &Findings::Restore(findings), &args.output)?;
    match refused {
        0 => Ok(()),
        count => Err(Failure::machine(format!(
            "{count} values could not be put back; the journal {} keeps them",
            journal.display()
        ))),
    }
}
