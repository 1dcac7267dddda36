//! Capabilities of this machine's compiler and linkers.

use std::path::{Path, PathBuf};

use fauxplat_launch::words::find_program;
use fauxplat_model::Way;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linker {
    Lld,
    Mold,
}

impl Linker {
    /// Name in the compiler driver's option `-fuse-ld=…`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Linker::Lld => "lld",
            Linker::Mold => "mold",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    pub compiler: Option<PathBuf>,
    pub linker: Option<Linker>,
    pub ways: Vec<Way>,
}

impl Toolchain {
    /// Identifies the tools by fauxplat's version and by path, size and time of modification of compiler and linkers,
    /// so that a change of a tool is noticed.
    pub(crate) fn fingerprint() -> String {
        let facts = |name: &str| {
            let path = tool(name)?;
            let facts = std::fs::metadata(&path).ok()?;
            let changed = facts.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
            Some(format!("{} {} {}", path.display(), facts.len(), changed.as_nanos()))
        };
        let tools = ["cc", "ld", "ld.lld", "mold"].map(|name| facts(name).unwrap_or_default());
        format!("{} {}", env!("CARGO_PKG_VERSION"), tools.join("\n"))
    }

    /// The reason why a way to vary a program does not work on this machine, with advice.
    pub(crate) fn missing(&self, way: Way) -> String {
        match (way, &self.compiler) {
            (_, None) => "there is no `cc` in PATH to build with (install gcc or clang)".to_owned(),
            (Way::SectionOrder, _) => {
                "no linker here shuffles sections (install lld or mold; `cc -fuse-ld=lld` must work)"
                    .to_owned()
            }
            (Way::SectionPadding, _) => {
                "no linker here pads sections (lld from version 20 on does)".to_owned()
            }
            (Way::ObjectOrder | Way::Padding | Way::Alignment, Some(compiler)) => {
                format!("{} failed to do it on a test program of two lines", compiler.display())
            }
        }
    }
}

pub(crate) fn tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/bin:/usr/bin".to_owned());
    find_program(name, Path::new("/"), &path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_compiler_the_reason_is_named() {
        let missing = Toolchain::default().missing(Way::Padding);
        assert!(missing.contains("gcc"), "{missing}");
    }
}
