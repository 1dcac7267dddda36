//! Hidden verbs of this binary, by which it runs as a helper process.

use std::path::PathBuf;

/// Command that starts a helper process of fauxplat; normally this binary with a hidden verb.
#[derive(Clone, Debug)]
pub struct Program {
    pub path: PathBuf,
    /// First arguments; those of the caller follow them.
    pub words: Vec<String>,
}

impl Program {
    /// Returns the command that runs this binary with a hidden verb.
    pub fn this_binary(verb: &str) -> Self {
        Program { path: "/proc/self/exe".into(), words: vec![verb.to_owned()] }
    }
}
