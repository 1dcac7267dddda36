//! Properties of a run over a fleet that every engine needs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::engine::Task;
use crate::folder::RunFolder;
use crate::{FleetError, wire};

/// Options for the way in which an engine is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineOptions {
    /// Licence of Slurm that every measurement takes, as `NAME` or `NAME:COUNT`; the number of licences limits the
    /// number of simultaneous measurements.
    pub licence: Option<String>,
    /// Whether other jobs may run on a node during a measurement.
    pub shared: bool,
    /// Maximum number of nodes that measure at the same time.
    pub at_once: Option<u32>,
    /// Time limit of a job of Slurm, in minutes.
    pub limit_minutes: Option<u32>,
    /// Paths of programs for other architectures than that of this machine, by the architecture as `uname -m` prints
    /// it.
    pub programs: BTreeMap<String, PathBuf>,
    /// Path of a program that is installed on every node, so that no program is copied there.
    pub program_there: Option<String>,
}

/// A run of a fleet, as far as engines need to know it.
#[derive(Clone, Debug)]
pub struct Site {
    pub folder: RunFolder,
    /// Order (what to measure) for all nodes, packed into one word.
    pub order: String,
    pub options: EngineOptions,
}

impl Site {
    /// Returns the arguments with which the program performs a task on a node. If the same order is sent to all nodes,
    /// it contains no node name.
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

    /// Returns the path of the copy of this program in the folder of the run, for this machine's own architecture.
    pub(crate) fn own_program(&self) -> PathBuf {
        self.folder.file("programs").join(std::env::consts::ARCH)
    }

    /// Returns the copies of programs that can be sent to nodes, each with its architecture.
    pub(crate) fn programs(&self) -> Vec<(String, PathBuf)> {
        let folder = self.folder.file("programs");
        let others = self.options.programs.keys().map(|arch| (arch.clone(), folder.join(arch)));
        let ours = std::env::consts::ARCH.to_owned();
        std::iter::once((ours, self.own_program())).chain(others).collect()
    }

    /// Copies the programs into the folder of the run, unless it already has them: a rebuild during the run must not
    /// change later measurements. `own` is the program for this machine's architecture.
    ///
    /// # Errors
    /// Fails where a program cannot be read, or where the disk is full.
    pub fn keep_programs(&self, own: &Path) -> Result<(), FleetError> {
        let copy = |from: &Path, to: PathBuf| {
            if to.exists() {
                return Ok(());
            }
            let part = to.with_extension("part");
            // An error of the copy itself most often is a full disk, so it is reported for the folder of the run.
            std::fs::File::open(from).map_err(FleetError::at(from))?;
            std::fs::copy(from, &part).map_err(FleetError::at(&part))?;
            std::fs::rename(&part, &to).map_err(FleetError::at(&to))
        };
        copy(own, self.own_program())?;
        let folder = self.folder.file("programs");
        self.options.programs.iter().try_for_each(|(arch, path)| copy(path, folder.join(arch)))
    }

    /// Removes copies of programs and raw answers from the folder of a completed run, whose journal contains all
    /// answers. Errors are ignored.
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

    /// Packs an order into one word of a command line.
    ///
    /// # Errors
    /// Fails where the word would be too long for a command line.
    pub fn packed(order: &fauxplat_model::NodeOrder) -> Result<String, FleetError> {
        wire::packed_word(
            &serde_json::to_string(order).map_err(|error| FleetError::Garbage(error.to_string()))?,
        )
    }
}

/// Unpacks an order from a word that [`Site::packed`] returned.
///
/// # Errors
/// Fails where the word is invalid.
pub fn unpacked(word: &str) -> Result<fauxplat_model::NodeOrder, FleetError> {
    let text = wire::unpacked_word(word)?;
    serde_json::from_str(&text).map_err(|error| FleetError::Garbage(error.to_string()))
}

pub fn joined(words: &[String]) -> String {
    shell_words::join(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A resumed run measures with the programs with which it began.
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
