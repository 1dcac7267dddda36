//! Properties of a run over a fleet that every engine needs.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::engine::Task;
use crate::folder::RunFolder;
use crate::{FleetError, wire};

/// Options of the user for the engine.
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
    /// Returns the arguments with which the program performs a task on a node. With `is_for_all` the same order is sent
    /// to all nodes, and contains no node name.
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
    /// change later measurements. `own` is the program for this machine's architecture. Symbolic links in the folder
    /// are not followed.
    ///
    /// # Errors
    /// Fails where a program cannot be read, where the disk is full, or where something else is in the place of a
    /// program.
    pub fn keep_programs(&self, own: &Path) -> Result<(), FleetError> {
        let folder = self.folder.inner("programs")?;
        copy_once(own, &folder.join(std::env::consts::ARCH))?;
        self.options.programs.iter().try_for_each(|(arch, path)| copy_once(path, &folder.join(arch)))
    }

    /// Removes copies of programs and raw answers from the folder of a completed run, whose journal contains all
    /// answers. Errors are ignored.
    pub fn tidy(&self) {
        for name in ["programs", "out"] {
            let folder = self.folder.inner(name).ok();
            let entries = folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
            for entry in entries {
                let (path, is_folder) = (entry.path(), entry.file_type().is_ok_and(|kind| kind.is_dir()));
                let _left = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
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

/// Copies a program, with its permissions, unless its copy exists. A symbolic link in the place of the copy is refused:
/// the program that it leads to is none of the run's.
fn copy_once(from: &Path, to: &Path) -> Result<(), FleetError> {
    match fs::symlink_metadata(to) {
        Ok(facts) if facts.is_file() => return Ok(()),
        Ok(_) => {
            let why =
                "no regular file, where the run keeps a copy of a program: remove it, or begin another run";
            return Err(FleetError::Record { path: to.to_owned(), why: why.to_owned() });
        }
        Err(_) => {}
    }
    let part = to.with_extension("part");
    let copy = |mut source: File| {
        // A file of that name was left by a process that was killed; a link of that name would lead elsewhere.
        if fs::symlink_metadata(&part).is_ok() {
            fs::remove_file(&part)?;
        }
        let mut copy = File::options().write(true).create_new(true).mode(0o700).open(&part)?;
        io::copy(&mut source, &mut copy)?;
        copy.set_permissions(source.metadata()?.permissions())
    };
    // An error while copying is most often a full disk, so it names the folder of the run and not the source.
    let source = File::open(from).map_err(FleetError::at(from))?;
    copy(source).map_err(FleetError::at(&part))?;
    fs::rename(&part, to).map_err(FleetError::at(to))
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

    /// A symbolic link stands in the place of a program, of its unfinished copy, or of the folder of programs.
    #[test]
    fn no_link_in_the_folder_of_a_run_is_followed() {
        let runs = crate::private();
        let (own, theirs) = (runs.path().join("own"), runs.path().join("theirs"));
        let elsewhere = runs.path().join("elsewhere");
        fs::write(&own, "own").unwrap();
        fs::write(&theirs, "theirs").unwrap();
        fs::create_dir(&elsewhere).unwrap();
        fs::write(elsewhere.join("kept"), "kept").unwrap();
        let folder = RunFolder::make(&runs.path().join("runs")).unwrap();
        let site = Site { folder, order: String::new(), options: EngineOptions::default() };
        let (program, programs) = (site.own_program(), site.folder.file("programs"));
        let link = |to: &Path, name: &Path| std::os::unix::fs::symlink(to, name).unwrap();
        let kept = || site.keep_programs(&own).map_err(|error| error.to_string());

        link(&theirs, &program.with_extension("part"));
        kept().unwrap();
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
        assert!(program.symlink_metadata().unwrap().is_file());
        assert_eq!(fs::read_to_string(&program).unwrap(), "own");

        fs::remove_file(&program).unwrap();
        link(&theirs, &program);
        assert!(kept().unwrap_err().contains("no regular file"));

        fs::remove_dir_all(&programs).unwrap();
        link(&elsewhere, &programs);
        assert!(kept().unwrap_err().contains("programs: "));
        site.tidy();
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 1, "nothing is written or removed there");
    }
}
