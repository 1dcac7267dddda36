//! Defaults from the environment.

use std::path::PathBuf;

/// The store from the environment; an empty value means none.
pub fn store_of_environment() -> Option<PathBuf> {
    std::env::var_os("FAUXPLAT_STORE").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The store from an option, or else from the environment.
pub(crate) fn or_default(store: Option<PathBuf>) -> Option<PathBuf> {
    store.or_else(store_of_environment)
}
