//! Checks rules of the workspace that neither the compiler nor clippy checks.

mod circles;
mod code;
mod figures;
mod functions;
mod glossary;
mod language;
mod layers;
mod prose;
mod schemas;
mod sources;

use crate::cargo;
use crate::error::ChoreError;

pub(crate) fn check_workspace() -> Result<(), ChoreError> {
    let root = cargo::root();
    let crates = code::read(&root, &sources::modules(&root)?)?;
    let mut violations = layers::check(&cargo::metadata()?)?;
    violations.extend(sources::check(&root)?);
    violations.extend(circles::check(&crates));
    violations.extend(glossary::check(&root)?);
    violations.extend(schemas::check(&root, &crates)?);
    violations.extend(prose::check(&root)?);
    violations.extend(language::check(&root)?);
    violations.sort();
    if violations.is_empty() { Ok(()) } else { Err(ChoreError::Untidy(violations)) }
}

/// Amount of code, and lengths of its files and functions, as text.
pub(crate) fn figures() -> Result<String, ChoreError> {
    let root = cargo::root();
    Ok(figures::text(&code::read(&root, &sources::modules(&root)?)?))
}
