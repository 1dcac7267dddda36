//! Calls of the user's `git`. No call changes the user's repository.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fauxplat_launch::{Capture, Captured, words};
use fauxplat_model::Outcome;

use crate::RevisionError;

/// Environment of every call: no optional locks (otherwise `git status` writes the index), no prompt on the terminal,
/// no objects or LFS files fetched from a server, and untranslated messages.
const QUIET: [(&str, &str); 5] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_LFS_SKIP_SMUDGE", "1"),
    ("LC_ALL", "C"),
];

#[derive(Clone, Debug)]
pub(crate) struct Git {
    program: PathBuf,
    folder: PathBuf,
    env: Vec<(String, String)>,
    /// Time limit of a call; `None` for a call that may take as long as it needs.
    limit: Option<Duration>,
}

impl Git {
    /// Finds the user's git; its calls will run in `folder`.
    ///
    /// # Errors
    /// Returns [`RevisionError::NoGit`] if git is not in `PATH`.
    pub(crate) fn in_folder(folder: &Path) -> Result<Self, RevisionError> {
        let path = std::env::var("PATH").unwrap_or_else(|_| "/bin:/usr/bin".to_owned());
        let program = words::find_program("git", Path::new("/"), &path).map_err(|_| RevisionError::NoGit)?;
        let env = QUIET.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Ok(Git { program, folder: folder.to_owned(), env, limit: None })
    }

    pub(crate) fn with(&self, name: &str, value: &Path) -> Self {
        let mut git = self.clone();
        git.env.push((name.to_owned(), value.display().to_string()));
        git
    }

    /// Limits the time of each call.
    pub(crate) fn within(self, limit: Duration) -> Self {
        Git { limit: Some(limit), ..self }
    }

    pub(crate) fn at(&self, folder: &Path) -> Self {
        Git { folder: folder.to_owned(), ..self.clone() }
    }

    /// Calls git and returns its output, whatever its exit status. The user's hooks, file system monitors and automatic
    /// garbage collection are switched off.
    ///
    /// # Errors
    /// Fails if the program cannot be started.
    pub(crate) fn call(&self, words: &[&str]) -> Result<Captured, RevisionError> {
        let own = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0"];
        let arguments = own.iter().chain(words).map(ToString::to_string).collect();
        let call = Capture {
            program: self.program.clone(),
            arguments,
            env_set: self.env.clone(),
            cwd: Some(self.folder.clone()),
            limit: self.limit,
            ..Capture::default()
        };
        Ok(call.run()?)
    }

    /// The text that git writes to standard output, without the newline at its end.
    ///
    /// # Errors
    /// Fails if git fails.
    pub(crate) fn ask(&self, words: &[&str]) -> Result<String, RevisionError> {
        let done = self.call(words)?;
        match done.outcome {
            Outcome::Exited(0) => Ok(done.output.text().trim_end_matches('\n').to_owned()),
            _ => Err(self.failed(words, &done)),
        }
    }

    /// Like [`Git::ask`]; `None` if git exits with another status than 0.
    ///
    /// # Errors
    /// Fails if the program cannot be started.
    pub(crate) fn try_ask(&self, words: &[&str]) -> Result<Option<String>, RevisionError> {
        let done = self.call(words)?;
        let text = || done.output.text().trim_end_matches('\n').to_owned();
        Ok((done.outcome == Outcome::Exited(0)).then(text))
    }

    pub(crate) fn failed(&self, words: &[&str], done: &Captured) -> RevisionError {
        let errors = done.errors.text();
        if errors.contains("dubious ownership") {
            return RevisionError::Owner { folder: owned_by_others(&errors, &self.folder) };
        }
        let last = errors.lines().rev().find(|line| !line.trim().is_empty());
        let said = last.map_or_else(|| format!("{:?}", done.outcome), str::to_owned);
        RevisionError::Git { call: words.join(" "), said }
    }
}

/// The repository that git names in its error about ownership, which may be above the folder of the call.
fn owned_by_others(errors: &str, folder: &Path) -> PathBuf {
    let named = errors.split("repository at '").nth(1).and_then(|rest| rest.split('\'').next());
    named.map_or_else(|| folder.to_owned(), PathBuf::from)
}
