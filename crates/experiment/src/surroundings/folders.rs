//! Working directories whose paths have given lengths; deleted on drop.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fauxplat_model::{Level, Setting};
use fauxplat_sys::workplace::Workplace;

use crate::Failure;

/// Empty folders by the length of their paths in bytes.
#[derive(Debug)]
pub(crate) struct Folders {
    base: Workplace,
    made: BTreeMap<u16, PathBuf>,
}

/// Maximum length of the name of one folder in bytes; `NAME_MAX` is 255.
const NAME_BYTES_MAX: usize = 200;

impl Folders {
    pub(crate) fn new() -> Result<Self, Failure> {
        let base = Workplace::make("cwd", &std::env::temp_dir());
        let base = base.map_err(|error| Failure::machine(format!("working directories: {error}")))?;
        Ok(Folders { base, made: BTreeMap::new() })
    }

    fn base_bytes(&self) -> usize {
        self.base.path().as_os_str().len()
    }

    /// Length in bytes of the shortest path of a folder below `base`, which adds a slash and one letter.
    pub(crate) fn shortest_bytes(&self) -> u16 {
        (self.base_bytes() + 2) as u16
    }

    /// Creates a folder for every level that sets the length of the working directory's path.
    pub(crate) fn make(&mut self, levels: &[Level]) -> Result<(), Failure> {
        for level in levels {
            for setting in &level.settings {
                if let Setting::CwdLength(bytes) = setting {
                    let path = self.base.path().join(relative(usize::from(*bytes) - self.base_bytes() - 1));
                    std::fs::create_dir_all(&path)
                        .map_err(|error| Failure::machine(format!("{}: {error}", path.display())))?;
                    self.made.insert(*bytes, path);
                }
            }
        }
        Ok(())
    }

    /// The folder whose path has this length in bytes; `base` if none was made.
    pub(crate) fn of(&self, bytes: u16) -> &Path {
        self.made.get(&bytes).map_or(self.base.path(), PathBuf::as_path)
    }
}

/// A relative path of exactly this length in bytes, which is at least one: names made of the letter `d`, separated by
/// slashes.
fn relative(bytes: usize) -> String {
    let slash = |place: usize| place % (NAME_BYTES_MAX + 1) == NAME_BYTES_MAX && place + 1 < bytes;
    (0..bytes).map(|place| if slash(place) { '/' } else { 'd' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_exactly_their_bytes() {
        let mut folders = Folders::new().unwrap();
        let lengths = [folders.shortest_bytes(), 250, 251, 452, 1000, 3000];
        let level = |&bytes: &u16| Level {
            name: bytes.to_string(),
            number: Some(bytes.into()),
            settings: vec![Setting::CwdLength(bytes)],
            cell: None,
        };
        folders.make(&lengths.iter().map(level).collect::<Vec<_>>()).unwrap();
        for bytes in lengths {
            let path = folders.of(bytes);
            assert_eq!((path.as_os_str().len(), path.is_dir()), (usize::from(bytes), true));
        }
        let base = folders.base.path().to_owned();
        drop(folders);
        assert!(!base.exists());
    }
}
