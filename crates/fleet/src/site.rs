//! What every engine needs to know of a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::engine::Task;
use crate::folder::RunFolder;
use crate::{FleetError, wire};

/// What somebody said about how an engine is to be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineOptions {
    /// A licence of Slurm, as `NAME` or `NAME:COUNT`, that every measurement takes: so many of them at once at most.
    pub licence: Option<String>,
    /// Whether other jobs may run on a node beside a measurement.
    pub shared: bool,
    /// The most nodes that measure at the same time.
    pub at_once: Option<u32>,
    /// How long a job of Slurm may take, in minutes.
    pub limit_minutes: Option<u32>,
    /// Programs for other architectures than this one, by the word of `uname -m`.
    pub programs: BTreeMap<String, PathBuf>,
    /// Where the program lies on every node already, so that none is shipped.
    pub program_there: Option<String>,
}

/// A run, as engines see it.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its folder.
    pub folder: RunFolder,
    /// The order that all nodes get, as one word.
    pub order: String,
    /// What somebody said.
    pub options: EngineOptions,
}

impl Site {
    /// The words behind the program by which a node carries out a task. One that is told to all leaves out who is meant.
    pub(crate) fn words(&self, task: &Task, is_for_all: bool) -> Vec<String> {
        let mut words: Vec<String> = ["node", "--framed"].map(str::to_owned).into();
        words.push(task.token.clone());
        if !is_for_all {
            words.extend(["--node".to_owned(), task.node.clone()]);
        }
        words.extend(["--round".to_owned(), task.round.to_string()]);
        words.extend([
            "--attempt".to_owned(),
            task.attempt.to_string(),
            "--order".to_owned(),
            self.order.clone(),
        ]);
        words
    }

    /// The program for this machine's own architecture, as it was when the run began.
    pub(crate) fn own_program(&self) -> PathBuf {
        self.folder.file("programs").join(std::env::consts::ARCH)
    }

    /// The programs that can be shipped, by architecture.
    pub(crate) fn programs(&self) -> Vec<(String, PathBuf)> {
        let folder = self.folder.file("programs");
        let others = self.options.programs.keys().map(|arch| (arch.clone(), folder.join(arch)));
        let ours = std::env::consts::ARCH.to_owned();
        std::iter::once((ours, self.own_program())).chain(others).collect()
    }

    /// Keeps copies of the programs in the folder of the run, unless they are there: what is built meanwhile changes
    /// nothing for those that measure later.
    ///
    /// # Errors
    /// One of them cannot be read, or the folder is full.
    pub fn keep_programs(&self, own: &Path) -> Result<(), FleetError> {
        let copy = |from: &Path, to: PathBuf| {
            if to.exists() {
                return Ok(());
            }
            let part = to.with_extension("part");
            std::fs::copy(from, &part).map_err(FleetError::at(from))?;
            std::fs::rename(&part, &to).map_err(FleetError::at(&to))
        };
        copy(own, self.own_program())?;
        let folder = self.folder.file("programs");
        self.options.programs.iter().try_for_each(|(arch, path)| copy(path, folder.join(arch)))
    }

    /// Takes copies of programs, and answers as they came, away from the folder of a run that is over: the journal has all of
    /// them. What cannot be taken away is left.
    pub fn tidy(&self) {
        for name in ["programs", "out"] {
            let entries = std::fs::read_dir(self.folder.file(name)).into_iter().flatten().flatten();
            for entry in entries {
                let path = entry.path();
                let _left =
                    if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            }
        }
    }

    /// The order as one word.
    ///
    /// # Errors
    /// It is longer than a command line takes.
    pub fn packed(order: &fauxplat_model::NodeOrder) -> Result<String, FleetError> {
        wire::packed_word(
            &serde_json::to_string(order).map_err(|error| FleetError::Garbage(error.to_string()))?,
        )
    }
}

/// The order that such a word stands for.
///
/// # Errors
/// It is none.
pub fn unpacked(word: &str) -> Result<fauxplat_model::NodeOrder, FleetError> {
    let text = wire::unpacked_word(word)?;
    serde_json::from_str(&text).map_err(|error| FleetError::Garbage(error.to_string()))
}

/// SHA-256 of a text in hexadecimal.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Words as a shell reads them.
pub fn joined(words: &[String]) -> String {
    shell_words::join(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run that goes on measures by the programs with which it began, wherever it is resumed.
    #[test]
    fn a_program_that_is_kept_is_not_copied_again() {
        let runs = crate::private();
        let (own, other) = (runs.path().join("own"), runs.path().join("other"));
        [&own, &other].iter().for_each(|path| std::fs::write(path, "first").unwrap());
        let programs = BTreeMap::from([("sparc64".to_owned(), other.clone())]);
        let options = EngineOptions { programs, ..EngineOptions::default() };
        let folder = RunFolder::make(&runs.path().join("runs")).unwrap();
        let site = Site { folder, order: String::new(), options };
        site.keep_programs(&own).unwrap();
        std::fs::write(&own, "second").unwrap();
        std::fs::remove_file(&other).unwrap();
        site.keep_programs(&own).unwrap();
        for (arch, path) in site.programs() {
            assert_eq!(std::fs::read_to_string(path).unwrap(), "first", "{arch}");
        }
        site.tidy();
        assert!(
            site.keep_programs(&own).unwrap_err().to_string().contains("other"),
            "it is copied if need be"
        );
    }
}
