//! Reads which condition the kernel applies to a process of each command before its first run, and checks it against
//! the definition.
//!
//! The process that is read ends before its program begins, so that no part of a command is executed and no timed run
//! takes longer.

use std::path::PathBuf;

use fauxplat_launch::LaunchError;
use fauxplat_model::{Command, Condition, EnvPad, Heap, HeldCondition, Placement, Setup};

use crate::request::request_of;
use crate::{Driver, Executor, Failure};

impl Driver {
    /// Reads and records the condition of each command's process.
    ///
    /// # Errors
    /// Fails if a requested condition does not hold, or a process cannot be created under its condition.
    pub(crate) fn read_back(&mut self, groups: &[Vec<PathBuf>]) -> Result<(), Failure> {
        let Some(executor) = &mut self.executor else { return Ok(()) };
        // Most levels of a factor agree in everything that is read back, so equal conditions are read only once.
        let mut seen: Vec<(Condition, &[PathBuf], HeldCondition)> = Vec::new();
        for index in 0..self.commands.len() {
            let (essence, own) = (essence(&self.commands[index].condition), groups.get(index));
            let own = own.map_or(&[][..], Vec::as_slice);
            let known = seen.iter().find(|(condition, groups, _)| *condition == essence && *groups == own);
            let held = match known {
                Some((_, _, held)) => held.clone(),
                None => match executor.read_back(index as u16)? {
                    Some(held) => held,
                    None => return Ok(()),
                },
            };
            let command = &mut self.commands[index];
            check(command, &held, own)?;
            command.condition.held =
                Some(HeldCondition { env_bytes: executor.env_bytes(index as u16), ..held.clone() });
            if known.is_none() {
                seen.push((essence, own, held));
            }
        }
        self.header.condition.held = shared(&self.commands);
        Ok(())
    }
}

impl Executor {
    /// Condition that holds for a process of this command; `None` where the launcher creates no process, or the user
    /// stopped fauxplat.
    fn read_back(&mut self, command: u16) -> Result<Option<HeldCondition>, Failure> {
        let request = request_of(self.commands[usize::from(command)].run, &Setup::default(), 0);
        match self.launcher.read_back(request) {
            Err(LaunchError::Stopped) => Ok(None),
            read => Ok(read?),
        }
    }

    /// Size of a command's environment in bytes, without padding; `None` for an unknown command.
    fn env_bytes(&self, command: u16) -> Option<u64> {
        let entry = self.launcher.table().entries.get(self.commands[usize::from(command)].run as usize)?;
        Some(entry.env.iter().map(|setting| setting.len() as u64 + 1).sum())
    }
}

/// The condition with defaults for everything that is not read back, so that conditions with the same readings are
/// equal.
fn essence(condition: &Condition) -> Condition {
    Condition {
        cpu: condition.cpu.clone(),
        policy: condition.policy,
        nice: condition.nice,
        aslr: condition.aslr,
        stack_limit: condition.stack_limit,
        limit: condition.limit.clone(),
        env_pad: EnvPad::None,
        heap: Heap::Inherit,
        ..Condition::default()
    }
}

/// The condition that holds for the processes of all commands; `None` if they differ. The size of the environment may
/// differ and is that of the first command.
fn shared(commands: &[Command]) -> Option<HeldCondition> {
    let held = |command: &Command| {
        command.condition.held.clone().map(|held| HeldCondition { env_bytes: None, ..held })
    };
    let first = held(commands.first()?)?;
    commands
        .iter()
        .all(|command| held(command).as_ref() == Some(&first))
        .then(|| commands[0].condition.held.clone())?
}

/// # Errors
/// Fails if a requested setting does not hold.
fn check(command: &Command, held: &HeldCondition, groups: &[PathBuf]) -> Result<(), Failure> {
    match difference(&command.condition, held, groups) {
        None => Ok(()),
        Some((asked, holds)) => Err(Failure::machine(format!(
            "{}: {asked} was asked for, and {holds} holds for its process: something here undoes it (a security module, a \
             container, another scheduler); leave the setting out, or measure where it can hold",
            command.name
        ))),
    }
}

/// The first requested setting that does not hold, and what holds instead, as `name value`. Settings that could not be
/// read are skipped.
fn difference(condition: &Condition, held: &HeldCondition, groups: &[PathBuf]) -> Option<(String, String)> {
    let differ = |name: &str, asked: Option<String>, holds: Option<String>| {
        asked
            .zip(holds)
            .filter(|(asked, holds)| asked != holds)
            .map(|(asked, holds)| (format!("{name} {asked}"), format!("{name} {holds}")))
    };
    let cpus = match &condition.cpu {
        Placement::Set(cpus) => Some(cpus.to_string()),
        _ => None,
    };
    let stack = condition.stack_limit.soft_bytes().filter(|bytes| *bytes != u64::MAX);
    let pairs = [
        ("policy", condition.policy.map(|policy| policy.to_string()), held.policy.clone()),
        ("nice value", condition.nice.map(|nice| nice.to_string()), held.nice.map(|nice| nice.to_string())),
        ("affinity", cpus, held.cpus.as_ref().map(ToString::to_string)),
        (
            "stack limit",
            stack.map(|bytes| bytes.to_string()),
            held.limits.get("stack-size").map(ToString::to_string),
        ),
    ];
    pairs
        .into_iter()
        .find_map(|(name, asked, holds)| differ(name, asked, holds))
        .or_else(|| outside(held, groups))
}

/// The first control group in which the process should be and is not, with the groups in which it is; `None` if it is
/// in all of them, or its groups could not be read. Groups are compared by name, since the path depends on the cgroup
/// namespace of the reader.
fn outside(held: &HeldCondition, groups: &[PathBuf]) -> Option<(String, String)> {
    let names = |line: &str| line.rsplit(['/', ':']).next().unwrap_or_default().to_owned();
    let is_in = |group: &&PathBuf| {
        let name = group.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        held.groups.iter().any(|line| names(line) == name)
    };
    let group = groups.iter().filter(|_| !held.groups.is_empty()).find(|group| !is_in(group))?;
    Some((format!("control group {}", group.display()), format!("control group {}", held.groups.join(", "))))
}

#[cfg(test)]
mod tests {
    use fauxplat_model::Policy;

    use super::*;

    fn held() -> HeldCondition {
        HeldCondition {
            policy: Some("fifo:10".to_owned()),
            nice: Some(5),
            cpus: "0-1".parse().ok(),
            limits: [("stack-size".to_owned(), 8 << 20)].into(),
            groups: vec!["0::/user.slice/fauxplat-1".to_owned()],
            ..HeldCondition::default()
        }
    }

    #[test]
    fn what_was_not_asked_for_is_a_fact() {
        assert_eq!(difference(&Condition::default(), &held(), &[]), None);
        assert_eq!(difference(&Condition::default(), &HeldCondition::default(), &["/sys/x".into()]), None);
    }

    #[test]
    fn what_was_asked_for_and_does_not_hold_is_named() {
        let usual = Condition::default;
        let cases = [
            (Condition { policy: Some(Policy::Other), ..usual() }, "policy other", "policy fifo:10"),
            (Condition { nice: Some(-5), ..usual() }, "nice value -5", "nice value 5"),
            (Condition { cpu: "1".parse().unwrap(), ..usual() }, "affinity 1", "affinity 0-1"),
            (
                Condition { stack_limit: "16MiB".parse().unwrap(), ..usual() },
                "stack limit 16777216",
                "stack limit 8388608",
            ),
        ];
        for (condition, asked, holds) in cases {
            assert_eq!(difference(&condition, &held(), &[]), Some((asked.to_owned(), holds.to_owned())));
        }
        let (asked, _) = difference(&usual(), &held(), &["/sys/fs/cgroup/other".into()]).unwrap();
        assert_eq!(asked, "control group /sys/fs/cgroup/other");
        assert_eq!(difference(&usual(), &held(), &["/sys/fs/cgroup/user.slice/fauxplat-1".into()]), None);
    }
}
