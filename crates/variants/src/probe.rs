//! Finds by trial which ways of varying a program the tools of this machine support.
//!
//! The version number of a linker does not tell which options the compiler driver accepts, so each way is tried on a
//! program of a few lines. A way works if two seeds give two different binaries that both run.

use std::path::{Path, PathBuf};

use fauxplat_launch::Capture;
use fauxplat_launch::words::sha256;
use fauxplat_model::{Build, Outcome, Padding, Variation, Way};
use fauxplat_sys::signal;

use crate::VariantError;
use crate::error::at;
use crate::flags::words;
use crate::toolchain::{Linker, Toolchain, tool};

/// Source files of the tried program: two functions in two files suffice to be ordered, shuffled, padded and aligned.
const FILES: [(&str, &str); 2] = [
    ("one.c", "int two(int);\nint main(void) { return two(0); }\n"),
    ("two.c", "int two(int x) { return x; }\n"),
];

const LINE: &str = "cc {compile_flags} {link_flags} -o {out} one.c two.c";

impl Toolchain {
    /// Tries every way to vary a program; returns the compiler, the linker and the ways that work.
    ///
    /// # Errors
    /// Fails if the folder for the attempts cannot be made or the user interrupts. A missing compiler is no error:
    /// without one, nothing can be varied.
    pub(crate) fn probe(place: &Path) -> Result<Toolchain, VariantError> {
        let Some(compiler) = tool("cc") else { return Ok(Toolchain::default()) };
        let trial = Trial::new(place)?;
        let mut found = Toolchain { compiler: Some(compiler), ..Toolchain::default() };
        // fauxplat itself orders the objects, and every linker keeps that order.
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
        // An attempt that the user interrupted does not show that the way fails.
        if signal::stop_requested() {
            return Err(VariantError::Interrupted);
        }
        found.ways.sort_unstable();
        Ok(found)
    }
}

struct Trial {
    folder: PathBuf,
}

impl Trial {
    /// Creates the folder of the trial in the cache: on a file system from which nothing can be executed the trial
    /// fails, as built programs would.
    fn new(place: &Path) -> Result<Self, VariantError> {
        let folder = place.join("probe");
        std::fs::create_dir(&folder).map_err(at(&folder))?;
        for (name, text) in FILES {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(at(&path))?;
        }
        Ok(Trial { folder })
    }

    /// Whether a way of varying the layout works: two of its settings give different programs, which both run.
    fn works(&self, way: Way, toolchain: &Toolchain) -> bool {
        let hash = |number| self.build(&setting(way, number), toolchain);
        // With two functions, half of all seeds give the same order, so several seeds are tried.
        let first = hash(0);
        first.is_some() && (1..6).any(|number| hash(number).is_some_and(|hash| Some(hash) != first))
    }

    /// Hash of the built program; `None` unless the build succeeds and the program runs.
    fn build(&self, variation: &Variation, toolchain: &Toolchain) -> Option<String> {
        let objects = if variation.object_order.is_some() { &["one.c", "two.c"][..] } else { &[] };
        let build = Build { line: String::new(), objects: objects.iter().map(|&name| name.into()).collect() };
        let words = words(&build, variation, toolchain, &self.folder).ok()?;
        let out = self.folder.join("out");
        let line =
            LINE.replace("{compile_flags}", &words.compile_flags).replace("{link_flags}", &words.link_flags);
        let line = line.replace("{out}", "out");
        let line = if objects.is_empty() { line } else { line.replace("one.c two.c", &words.objects) };
        let folder = Some(self.folder.clone());
        let env_set = vec![("TMPDIR".to_owned(), self.folder.display().to_string())];
        let built = Capture { cwd: folder, env_set, ..Capture::shell(&line) }.run().ok()?;
        let ran = Capture { program: out.clone(), ..Capture::default() };
        let good = built.outcome == Outcome::Exited(0) && ran.run().ok()?.outcome == Outcome::Exited(0);
        good.then(|| sha256(&out))?
    }
}

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
        let place = tempfile::tempdir().unwrap();
        let toolchain = Toolchain::probe(place.path()).unwrap();
        for way in [Way::ObjectOrder, Way::Padding, Way::Alignment] {
            assert!(toolchain.ways.contains(&way), "{toolchain:?}");
        }
        assert_eq!(toolchain.linker.is_some(), toolchain.ways.contains(&Way::SectionOrder));
    }
}
