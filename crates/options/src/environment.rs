//! Defaults that the environment gives.

use std::path::PathBuf;

/// The store that the environment names; an empty value names none.
pub fn store_of_environment() -> Option<PathBuf> {
    std::env::var_os("FAUXPLAT_STORE").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The store that an option names, or else the environment.
pub(crate) fn or_default(store: Option<PathBuf>) -> Option<PathBuf> {
    store.or_else(store_of_environment)
}
