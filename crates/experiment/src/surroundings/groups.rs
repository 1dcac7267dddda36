//! Control groups of an experiment: one for each limit of the commands, and one for the threads of fauxplat itself.

use std::path::PathBuf;

use fauxplat_cgroup::{CgroupError, Group, Host, Inside};
use fauxplat_model::{Command, Limit};

use super::scope_unit::with_groups;
use crate::Failure;

/// Control groups of an experiment, removed on drop.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    made: Vec<(Limit, Group)>,
}

impl Groups {
    /// Creates a group for each limit of these commands, if any has one. A command without a limit then gets a group as
    /// well, so that commands differ only in the limit.
    pub(crate) fn of(commands: &[Command]) -> Result<Self, Failure> {
        if commands.iter().all(|command| command.condition.limit.is_none()) {
            return Ok(Groups::default());
        }
        with_groups(|host| Groups::made(commands, host))
    }

    fn made(commands: &[Command], host: &Host) -> Result<Self, CgroupError> {
        let mut groups = Groups::default();
        let needed = Host::needed(commands.iter().map(|command| &command.condition.limit));
        for command in commands {
            let limit = &command.condition.limit;
            if !groups.made.iter().any(|(made, _)| made == limit) {
                let group = host.create(groups.made.len(), limit, &needed)?;
                groups.made.push((limit.clone(), group));
            }
        }
        Ok(groups)
    }

    /// Notes about the limits for the report: settings that were changed with them, and lower limits of the groups
    /// above.
    pub(crate) fn notes(&self) -> Vec<String> {
        notes(self.made.iter().map(|(_, group)| group))
    }

    pub(crate) fn folders(&self, commands: &[Command]) -> Vec<Vec<PathBuf>> {
        let of = |command: &Command| {
            let found = self.made.iter().find(|(limit, _)| *limit == command.condition.limit);
            found.map_or_else(Vec::new, |(_, group)| group.folders().to_vec())
        };
        commands.iter().map(of).collect()
    }
}

fn notes<'g>(groups: impl Iterator<Item = &'g Group>) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for note in groups.flat_map(Group::notes) {
        let note = format!("--limit: {note}");
        if !told.contains(&note) {
            told.push(note);
        }
    }
    told
}

/// The control group of this process, for verbs that measure their own threads. The process leaves the group on drop.
#[derive(Debug)]
pub struct OwnGroup {
    // Fields are dropped in this order, so the process leaves the group first: a group that contains a process cannot
    // be removed without ending that process.
    _inside: Inside,
    group: Group,
}

impl OwnGroup {
    /// Creates a group and enters it. All processes that this process starts afterwards are in the group, too.
    ///
    /// # Errors
    /// Fails if no group can be created or entered.
    pub fn enter(limit: &Limit) -> Result<Self, Failure> {
        let group = with_groups(|host| host.create(0, limit, &[]))?;
        let inside = group.enter().map_err(Failure::machine)?;
        Ok(OwnGroup { _inside: inside, group })
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        notes([&self.group].into_iter())
    }
}
