//! The exit status of verbs that have to leave the machine as it was.

use std::path::Path;

use fauxplat_experiment::Failure;
use fauxplat_model::{KnobOutcome, Restoration};

/// Fails with the exit code of a machine that refuses an operation if any value could not be restored, whether this
/// process or its guardian restored the others.
pub(crate) fn all_back(restored: Option<&Restoration>, journal: &Path) -> Result<(), Failure> {
    let changes = restored.iter().flat_map(|done| &done.changes);
    match changes.filter(|change| change.outcome == KnobOutcome::Refused).count() {
        0 => Ok(()),
        count => Err(Failure::machine(format!(
            "{count} {} could not be put back; the journal {} keeps what is left",
            if count == 1 { "value" } else { "values" },
            journal.display()
        ))),
    }
}
