//! What the tools of this machine can vary, found out by trying.
//!
//! A linker's version number does not tell what the compiler driver will accept, so each way is tried on a program of a
//! few lines, and counts when two seeds give two binaries that both run.

use std::path::{Path, PathBuf};

use fauxplat_launch::Capture;
use fauxplat_launch::words::{find_program, sha256};
use fauxplat_model::{Build, Outcome, Padding, Variation, Way};
use serde::{Deserialize, Serialize};

use crate::VariantError;
use crate::error::at;
use crate::flags::words;

/// A linker that can shuffle sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linker {
    /// LLVM's.
    Lld,
    /// mold.
    Mold,
}

impl Linker {
    /// As the compiler driver calls it, in `-fuse-ld=…`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Linker::Lld => "lld",
            Linker::Mold => "mold",
        }
    }
}

/// What the tools of this machine can vary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// The compiler driver that was tried.
    pub compiler: Option<PathBuf>,
    /// The linker that shuffles sections.
    pub linker: Option<Linker>,
    /// The ways that work.
    pub ways: Vec<Way>,
}

/// Two functions in two files are enough to be ordered, shuffled, padded and aligned.
const FILES: [(&str, &str); 2] = [
    ("one.c", "int two(int);\nint main(void) { return two(0); }\n"),
    ("two.c", "int two(int x) { return x; }\n"),
];

const LINE: &str = "cc {compile_flags} {link_flags} -o {out} one.c two.c";

impl Toolchain {
    /// Tries everything.
    ///
    /// # Errors
    /// No folder can be made to try in. A missing compiler is no error: nothing can be varied then.
    pub(crate) fn probe() -> Result<Toolchain, VariantError> {
        let Some(compiler) = tool("cc") else { return Ok(Toolchain::default()) };
        let trial = Trial::new()?;
        let mut found = Toolchain { compiler: Some(compiler), ..Toolchain::default() };
        // The order of objects is ours to choose, and any linker keeps it.
        let plain = [Way::ObjectOrder, Way::Padding, Way::Alignment];
        found.ways = plain.into_iter().filter(|&way| trial.works(way, &found)).collect();
        for linker in [Linker::Lld, Linker::Mold] {
            let with = Toolchain { linker: Some(linker), ..found.clone() };
            if trial.works(Way::SectionOrder, &with) {
                found.linker = Some(linker);
                let more = [Way::SectionOrder, Way::SectionPadding];
                found.ways.extend(more.into_iter().filter(|&way| trial.works(way, &with)));
                break;
            }
        }
        found.ways.sort_unstable();
        Ok(found)
    }

    /// What tells that the tools changed since they were tried: paths, sizes and times of the compiler and linkers.
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

    /// Why a way does not work here, in words that say what to do.
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
                format!("{} does not do it on a program of two lines", compiler.display())
            }
        }
    }
}

fn tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/bin:/usr/bin".to_owned());
    find_program(name, Path::new("/"), &path).ok()
}

/// A folder with the program on which ways are tried.
struct Trial {
    folder: tempfile::TempDir,
}

impl Trial {
    fn new() -> Result<Self, VariantError> {
        let folder = tempfile::Builder::new().prefix("fauxplat-probe-").tempdir();
        let folder = folder.map_err(at(std::env::temp_dir()))?;
        for (name, text) in FILES {
            let path = folder.path().join(name);
            std::fs::write(&path, text).map_err(at(&path))?;
        }
        Ok(Trial { folder })
    }

    /// Whether two settings of a way give two programs that both run.
    fn works(&self, way: Way, toolchain: &Toolchain) -> bool {
        let hash = |number| self.build(&setting(way, number), toolchain);
        // Of two functions every other permutation is the same, so a few seeds are tried.
        let first = hash(0);
        first.is_some() && (1..6).any(|number| hash(number).is_some_and(|hash| Some(hash) != first))
    }

    /// The hash of a program that ended well.
    fn build(&self, variation: &Variation, toolchain: &Toolchain) -> Option<String> {
        let objects = if variation.object_order.is_some() { &["one.c", "two.c"][..] } else { &[] };
        let build = Build { line: String::new(), objects: objects.iter().map(|&name| name.into()).collect() };
        let words = words(&build, variation, toolchain, self.folder.path()).ok()?;
        let out = self.folder.path().join("out");
        let line =
            LINE.replace("{compile_flags}", &words.compile_flags).replace("{link_flags}", &words.link_flags);
        let line = line.replace("{out}", "out");
        let line = if objects.is_empty() { line } else { line.replace("one.c two.c", &words.objects) };
        let folder = Some(self.folder.path().to_owned());
        let built = Capture { cwd: folder, ..Capture::shell(&line) }.run().ok()?;
        let ran = Capture { program: out.clone(), ..Capture::default() };
        let good = built.outcome == Outcome::Exited(0) && ran.run().ok()?.outcome == Outcome::Exited(0);
        good.then(|| sha256(&out))?
    }
}

/// One setting of a way.
fn setting(way: Way, number: u64) -> Variation {
    let plain = Variation::default();
    match way {
        Way::ObjectOrder => Variation { object_order: Some(number), ..plain },
        Way::Padding => Variation { padding: Some(Padding::Drawn(number)), ..plain },
        Way::SectionOrder => Variation { section_order: Some(number + 1), ..plain },
        Way::SectionPadding => Variation { section_padding: Some(number + 1), ..plain },
        Way::Alignment => Variation { alignment_bytes: Some(16 << number.min(6)), ..plain },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_the_ways_that_any_linker_has() {
        let toolchain = Toolchain::probe().unwrap();
        for way in [Way::ObjectOrder, Way::Padding, Way::Alignment] {
            assert!(toolchain.ways.contains(&way), "{toolchain:?}");
        }
        assert_eq!(toolchain.linker.is_some(), toolchain.ways.contains(&Way::SectionOrder));
    }

    #[test]
    fn without_a_compiler_the_reason_is_named() {
        let missing = Toolchain::default().missing(Way::Padding);
        assert!(missing.contains("gcc"), "{missing}");
    }
}
