//! Settings of commands in addition to their condition.

use std::path::PathBuf;

use fauxplat_launch::{Entry, Stdout};

use crate::counters::Counters;
use crate::meter::Meters;

/// Settings of commands in addition to their condition. Lists have one element for each command; commands beyond the
/// end of a list get none.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// Iterations of extra work that each command does before each run.
    pub work: Vec<u64>,
    /// Folders of the control groups that each command enters.
    pub groups: Vec<Vec<PathBuf>>,
    /// File to which all commands write their standard output, instead of the destination in their condition.
    pub stdout: Option<PathBuf>,
    /// Program with its first arguments that is executed instead of each command's program, and gets the path of that
    /// program as a further argument; empty for none.
    pub wrapper: Vec<String>,
    /// Additional environment variables of all commands, as `NAME=VALUE`.
    pub variables: Vec<String>,
    /// Events of the processor and the kernel that are counted in each run.
    pub(crate) counters: Counters,
}

impl Extra {
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
        // An existing variable of the same name, such as that of a fauxplat which runs this fauxplat, would be found
        // first.
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

/// Lengthens a path to this many bytes by slashes before its last component, so that programs that process their own
/// name take equally long for all commands.
fn lengthened(path: &str, bytes: usize) -> String {
    let slashes = "/".repeat(bytes.saturating_sub(path.len()));
    match path.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/{slashes}{name}"),
        None => path.to_owned(),
    }
}
