//! Control groups: one for each limit that a command has, and one for our own workers.

use std::path::{Path, PathBuf};

use fauxplat_cgroup::{Group, Host, Inside};
use fauxplat_model::{Command, Limit};

use crate::Failure;

/// The groups of an experiment, removed when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    made: Vec<(Limit, Group)>,
}

impl Groups {
    /// Makes a group for each limit of these commands, if any has one. A command without a limit stands in a group
    /// as well then, so that commands differ in nothing but the limit.
    pub(crate) fn of(commands: &[Command]) -> Result<Self, Failure> {
        let mut groups = Groups::default();
        if commands.iter().all(|command| command.condition.limit.is_none()) {
            return Ok(groups);
        }
        let host = host()?;
        for command in commands {
            let limit = command.condition.limit;
            if !groups.made.iter().any(|(made, _)| *made == limit) {
                let group = host.create(groups.made.len(), &limit).map_err(Failure::machine)?;
                groups.made.push((limit, group));
            }
        }
        Ok(groups)
    }

    /// The folders of the group of each command.
    pub(crate) fn folders(&self, commands: &[Command]) -> Vec<Vec<PathBuf>> {
        let of = |command: &Command| {
            let found = self.made.iter().find(|(limit, _)| *limit == command.condition.limit);
            found.map_or_else(Vec::new, |(_, group)| group.folders().to_vec())
        };
        commands.iter().map(of).collect()
    }
}

/// The group in which this process itself stands, for verbs that measure their own threads. It leaves the group when
/// this is dropped.
#[derive(Debug)]
pub struct OwnGroup {
    // In this order: a group with a process in it cannot be removed without ending that process.
    _inside: Inside,
    _group: Group,
}

impl OwnGroup {
    /// Makes a group and enters it, with whatever this process starts from now on.
    ///
    /// # Errors
    /// No group can be made or entered.
    pub fn enter(limit: &Limit) -> Result<Self, Failure> {
        let group = host()?.create(0, limit).map_err(Failure::machine)?;
        let inside = group.enter().map_err(Failure::machine)?;
        Ok(OwnGroup { _inside: inside, _group: group })
    }
}

fn host() -> Result<Host, Failure> {
    let host = Host::discover(Path::new("/")).map_err(Failure::machine)?;
    host.remove_stale();
    Ok(host)
}
