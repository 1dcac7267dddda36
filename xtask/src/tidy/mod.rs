//! The rules of the house that neither the compiler nor clippy knows.

mod layers;
mod sources;

use crate::cargo;
use crate::error::ChoreError;

/// Checks the whole workspace.
pub(crate) fn check_workspace() -> Result<(), ChoreError> {
    let mut violations = layers::check(&cargo::metadata()?)?;
    violations.extend(sources::check(&cargo::root())?);
    violations.sort();
    if violations.is_empty() { Ok(()) } else { Err(ChoreError::Untidy(violations)) }
}
