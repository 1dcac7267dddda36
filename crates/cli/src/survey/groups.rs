//! Control groups of a sweep over limits.

use std::path::{Path, PathBuf};

use fauxplat_cgroup::{Group, Host};
use fauxplat_model::{Command, Limit};

use crate::failure::Failure;

/// The groups of a sweep, removed when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    made: Vec<(Limit, Group)>,
}

impl Groups {
    /// Makes a group for each limit of these commands, if any has one. A command without a limit stands in a group
    /// as well then, so that levels differ in nothing but the limit.
    pub(super) fn of(commands: &[Command]) -> Result<Self, Failure> {
        let mut groups = Groups::default();
        if commands.iter().all(|command| command.condition.limit.is_none()) {
            return Ok(groups);
        }
        let host = Host::discover(Path::new("/")).map_err(Failure::machine)?;
        host.remove_stale();
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
