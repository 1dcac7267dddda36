//! Defaults from the environment.

use std::path::PathBuf;

/// The store that the variable `FAUXPLAT_STORE` names; `None` if the variable is unset or empty.
pub fn store_of_environment() -> Option<PathBuf> {
    std::env::var_os("FAUXPLAT_STORE").filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The store that an option names, or else the environment; `None` for the default store.
pub(crate) fn or_default(store: Option<PathBuf>) -> Option<PathBuf> {
    store.or_else(store_of_environment)
}
