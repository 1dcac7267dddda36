//! Programs of our own that are another face of this binary.

use std::path::PathBuf;

/// The program and the first words that make it a part of fauxplat; normally this very binary and a hidden verb.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// The words before those of whoever starts it.
    pub words: Vec<String>,
}

impl Program {
    /// This very binary, with a hidden verb.
    pub fn this_binary(verb: &str) -> Self {
        Program { path: "/proc/self/exe".into(), words: vec![verb.to_owned()] }
    }
}
