//! Every parser that reads what somebody else wrote, as a function of arbitrary bytes: it may refuse them, and neither
//! panics, nor hangs, nor takes memory without end. The same functions are replayed on stable with mutations of the
//! corpus (`tests/replay.rs`), run for as long as one likes by the same mutator (`main.rs`, `cargo xtask campaign
//! fuzz`), and driven by libFuzzer (`libfuzzer/`).

mod mutator;
mod targets;

use std::path::{Path, PathBuf};

pub use mutator::Mutator;

/// A parser of foreign input.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// `AREA-NAME`: its corpus is the folder `AREA/corpus/NAME`.
    pub name: &'static str,
    /// Reads the bytes, and panics when they reveal a bug.
    pub run: fn(&[u8]),
    /// Words that the parser knows, for the mutator.
    pub words: &'static [&'static str],
}

/// All targets.
pub const TARGETS: &[Target] = targets::ALL;

impl Target {
    /// Finds a target by its name.
    pub fn find(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// The folder of the target's corpus.
    pub fn folder(&self) -> PathBuf {
        let (area, name) = self.name.split_once('-').unwrap_or((self.name, ""));
        Path::new(env!("CARGO_MANIFEST_DIR")).join(area).join("corpus").join(name)
    }

    /// The committed inputs, in the order of their names.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn corpus(&self) -> std::io::Result<Vec<Vec<u8>>> {
        let entries = std::fs::read_dir(self.folder())?.collect::<Result<Vec<_>, _>>()?;
        let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().filter(|path| path.is_file()).map(std::fs::read).collect()
    }
}
