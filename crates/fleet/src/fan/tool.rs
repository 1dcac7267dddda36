//! Tools and their command lines, see `clush(1)`, `pdsh(1)`, `pdcp(1)` and `ansible(1)`.

use std::path::Path;

use fauxplat_sys::text::read_text;

use crate::FleetError;
use crate::ask::{ask, has};

use super::ansible;
use super::call::{Call, HOSTS, words};

/// A tool that runs a command on many hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Clush,
    /// pdsh, whose `pdcp` needs pdsh on the hosts as well.
    Pdsh,
    Ansible,
}

/// Maximum size of an inventory file in bytes.
const INVENTORY_BYTES_MAX: usize = 64 << 20;

const HINT: &str = "install clustershell, pdsh or ansible, or name another engine after --on";

impl Tool {
    /// Returns the name of the tool, as the user writes it after `--on`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Tool::Clush => "clush",
            Tool::Pdsh => "pdsh",
            Tool::Ansible => "ansible",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Tool::Clush, Tool::Pdsh, Tool::Ansible].into_iter().find(|tool| tool.name() == name)
    }

    /// Returns the tool for an inventory, where the user named no tool: Ansible for a file with an extension of
    /// Ansible's inventories, otherwise the first installed tool.
    ///
    /// # Errors
    /// Fails where no such tool is installed.
    pub(crate) fn for_inventory(inventory: &str) -> Result<Self, FleetError> {
        let path = Path::new(inventory);
        let is_file_of_ansible = path.is_file()
            && path
                .extension()
                .is_some_and(|end| ["ini", "yml", "yaml", "json"].iter().any(|known| end == *known));
        let order = match is_file_of_ansible {
            true => vec![Tool::Ansible],
            false => vec![Tool::Clush, Tool::Pdsh],
        };
        let missing = || FleetError::NotInstalled { program: order[0].name().to_owned(), hint: HINT };
        order.iter().copied().find(|tool| has(tool.name())).ok_or_else(missing)
    }

    /// Returns the hosts of an inventory: names that the tool understands, or a file with a name on each line.
    pub(super) fn hosts(self, inventory: &str) -> Result<Vec<String>, FleetError> {
        let is_file = Path::new(inventory).is_file();
        let lines = |text: String| -> Vec<String> {
            let line = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
            text.lines().map(line).filter(|line| !line.is_empty()).collect()
        };
        match self {
            Tool::Ansible => ansible::hosts(inventory),
            // Each line of a file may have any form that the tool understands.
            Tool::Clush => {
                let names = if is_file { lines(read(inventory)?).join(",") } else { inventory.to_owned() };
                Ok(lines(ask("nodeset", &["-e", "-S", "\n", &names], HINT)?))
            }
            Tool::Pdsh => {
                let names = if is_file { format!("^{inventory}") } else { inventory.to_owned() };
                let said = ask("pdsh", &["-R", "exec", "-Q", "-w", &names], HINT)?;
                let listed = said.lines().last().unwrap_or_default();
                Ok(listed
                    .split(',')
                    .map(str::trim)
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned)
                    .collect())
            }
        }
    }

    /// Returns the command line that copies a file from here to the path `there` on the hosts.
    pub(super) fn copy(self, to: &Call<'_>, from: &str, there: &str) -> Vec<String> {
        let fan = to.fan.to_string();
        match self {
            Tool::Clush => words(&["clush", "-q", "-f", &fan, "-w", HOSTS, "--copy", from, "--dest", there]),
            Tool::Pdsh => words(&["pdcp", "-R", "ssh", "-f", &fan, "-w", HOSTS, from, there]),
            Tool::Ansible => ansible::copy(to, from, there),
        }
    }

    /// Returns the command line that runs a shell line on the hosts.
    pub(super) fn run(self, to: &Call<'_>, line: &str) -> Vec<String> {
        let fan = to.fan.to_string();
        match self {
            Tool::Clush => words(&["clush", "-q", "-f", &fan, "-w", HOSTS, line]),
            // Without `-K`, labels are shortened to host names without the domain, which match no node. A percent sign
            // introduces substitutions of pdsh.
            Tool::Pdsh => {
                words(&["pdsh", "-K", "-R", "ssh", "-f", &fan, "-w", HOSTS, &line.replace('%', "%%")])
            }
            Tool::Ansible => ansible::run(to, line),
        }
    }

    /// Returns the command line that runs a shell line on the hosts, if the output of the line is no answer.
    pub(super) fn clean(self, to: &Call<'_>, line: &str) -> Vec<String> {
        match self {
            Tool::Ansible => ansible::clean(to, line),
            Tool::Clush | Tool::Pdsh => self.run(to, line),
        }
    }

    /// Returns environment variables of the tool that make its output parseable.
    pub(super) fn environment(self) -> Vec<(String, String)> {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        match self {
            Tool::Ansible => vec![
                pair("ANSIBLE_NOCOLOR", "1"),
                // Otherwise a deprecation warning would be reported as the reason why a host failed.
                pair("ANSIBLE_DEPRECATION_WARNINGS", "0"),
                pair("LC_ALL", "C.UTF-8"),
            ],
            Tool::Clush | Tool::Pdsh => vec![pair("LC_ALL", "C")],
        }
    }
}

fn read(path: &str) -> Result<String, FleetError> {
    read_text(Path::new(path), INVENTORY_BYTES_MAX).map_err(FleetError::at(Path::new(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without `-K`, pdsh cuts the domain off its labels, and no answer matches a node.
    #[test]
    fn pdsh_keeps_names_as_they_are() {
        let to = Call { inventory: "n[1-2].example.org", fan: 64, answers: "/answers" };
        let words = Tool::Pdsh.run(&to, "echo 7%h");
        assert!(words.contains(&"-K".to_owned()), "{words:?}");
        assert_eq!(
            words[words.len() - 3..],
            ["-w", HOSTS, "echo 7%%h"],
            "a percent sign is none of pdsh's names"
        );
    }
}
