//! What becomes of a verb by whose end a machine should be as it was.

use std::path::Path;

use fauxplat_experiment::Failure;
use fauxplat_model::{KnobOutcome, Restoration};

/// A value that could not be put back is the machine's refusal, whoever put back the others.
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
