//! What the commands of an experiment get beside their condition.

use std::path::PathBuf;

use fauxplat_launch::{Entry, Stdout};

use crate::counters::Counters;
use crate::meter::Meters;

/// What single commands get beside their condition; those behind the last entry get nothing.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// Iterations of work before each run.
    pub work: Vec<u64>,
    /// Folders of the control groups in which it runs.
    pub groups: Vec<Vec<PathBuf>>,
    /// Where all of them write their standard output, in the place of what their condition says.
    pub stdout: Option<PathBuf>,
    /// What their programs are handed to in the place of being executed, if anything: a program and its first arguments.
    pub wrapper: Vec<String>,
    /// What all of them get in their environment, as `NAME=VALUE`.
    pub variables: Vec<String>,
    /// What the kernel counts of each run.
    pub(crate) counters: Counters,
}

impl Extra {
    /// What these need to read.
    pub(crate) fn read_by(meters: &Meters) -> Self {
        Extra {
            stdout: meters.stdout(),
            wrapper: meters.wrapper(),
            variables: meters.variables(),
            ..Extra::default()
        }
    }

    pub(crate) fn add_to(&self, index: usize, mut entry: Entry, path_bytes: usize) -> Entry {
        if let Some(wrapper) = self.wrapper.first() {
            let program = lengthened(&entry.program, path_bytes);
            let own = entry.argv.drain(..).skip(1);
            entry.argv = self.wrapper.iter().cloned().chain([program]).chain(own).collect();
            entry.program.clone_from(wrapper);
        }
        // One that is there already would be found first: that of a fauxplat that runs this one.
        for variable in &self.variables {
            let name = variable.split_once('=').map_or(variable.as_str(), |(name, _)| name);
            entry.env.retain(|other| other.split_once('=').is_none_or(|(other, _)| other != name));
            entry.env.push(variable.clone());
        }
        let extra_work = self.work.get(index).copied().unwrap_or(0);
        let stdout = self.stdout.clone().map_or(entry.stdout, Stdout::File);
        Entry { extra_work, groups: self.groups.get(index).cloned().unwrap_or_default(), stdout, ..entry }
    }
}

/// The same path in so many bytes, by slashes before its last part: what a program does with its own name takes as long for
/// all commands then.
fn lengthened(path: &str, bytes: usize) -> String {
    let slashes = "/".repeat(bytes.saturating_sub(path.len()));
    match path.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/{slashes}{name}"),
        None => path.to_owned(),
    }
}
