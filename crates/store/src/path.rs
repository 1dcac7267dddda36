//! Default path of the store.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::{StoreError, Url};

/// Returns `$XDG_DATA_HOME/fauxplat/store.sqlite`, or `~/.local/share/fauxplat/store.sqlite`.
///
/// # Errors
/// Returns [`StoreError::NoHome`] if neither variable is set to an absolute path.
pub fn default_path() -> Result<PathBuf, StoreError> {
    choose(std::env::var_os("XDG_DATA_HOME"), std::env::var_os("HOME"))
}

/// Returns the path of the local file of a store: the named file, or the default path if the name is a URL or missing.
/// Results for a server are first recorded in a local file. A URL may hold a password, so no file is ever named after a
/// URL.
///
/// # Errors
/// Returns the error of [`default_path`].
pub fn local_path(named: Option<&Path>) -> Result<PathBuf, StoreError> {
    match named.filter(|path| !path.to_str().is_some_and(Url::is_one)) {
        Some(file) => Ok(file.to_owned()),
        None => default_path(),
    }
}

/// Returns the default path for these values of the two variables. The XDG base directory specification requires that
/// relative paths are ignored.
fn choose(data_home: Option<OsString>, home: Option<OsString>) -> Result<PathBuf, StoreError> {
    let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let data = data_home
        .and_then(absolute)
        .or_else(|| home.and_then(absolute).map(|home| home.join(".local/share")))
        .ok_or(StoreError::NoHome)?;
    Ok(data.join("fauxplat/store.sqlite"))
}

/// Returns the path of a file that SQLite keeps beside a store: the store's path with a suffix, for instance
/// `store.sqlite-wal`.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(data: Option<&str>, home: Option<&str>) -> Option<String> {
        let path = choose(data.map(OsString::from), home.map(OsString::from)).ok()?;
        Some(path.to_str().unwrap().to_owned())
    }

    #[test]
    fn the_data_directory_comes_before_the_home() {
        assert_eq!(chosen(Some("/data"), Some("/home/a")).unwrap(), "/data/fauxplat/store.sqlite");
        assert_eq!(chosen(None, Some("/home/a")).unwrap(), "/home/a/.local/share/fauxplat/store.sqlite");
    }

    /// No file is named after a URL: the name is visible to anybody who lists the folder, and must not contain a
    /// password.
    #[test]
    fn no_file_is_called_after_a_server() {
        let named = |store| local_path(Some(Path::new(store))).ok();
        assert_eq!(named("postgres://ada:secret@db/lab"), default_path().ok());
        assert_eq!(named("lab/store.sqlite"), Some(PathBuf::from("lab/store.sqlite")));
    }

    #[test]
    fn relative_and_empty_values_do_not_count() {
        assert_eq!(
            chosen(Some("data"), Some("/home/a")).unwrap(),
            "/home/a/.local/share/fauxplat/store.sqlite"
        );
        assert_eq!(chosen(Some(""), None), None);
        assert_eq!(chosen(None, None), None);
    }
}
