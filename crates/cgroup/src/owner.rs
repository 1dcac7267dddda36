//! Names of groups identify their owners, since the kernel keeps nothing else about a group.
//!
//! Containers may share a tree of groups and number their processes independently, so the name includes the pid
//! namespace, and groups of another namespace are left alone. The last number of the name combines the number of the
//! group within its process with the controllers that were enabled for the group in the parent, so that a process that
//! removes the group of a dead owner can disable these controllers as well.

use std::path::Path;

use fauxplat_sys::process::{pid_namespace, start_ticks};

use crate::Controller;

/// Prefix of the names of all groups that fauxplat makes.
const PREFIX: &str = "fauxplat";
/// Bound below which group numbers are reduced. The last number of a name is the group number plus this bound times the
/// mask of controllers.
const GROUPS_MAX: u64 = 1_000_000;

/// A unique name for a group: pid namespace, process id and start time, which together identify a process of this boot,
/// and a number that combines the group's number with the mask of the controllers in `enabled`.
pub(crate) fn name(number: usize, enabled: u64) -> String {
    let (namespace, pid) = (pid_namespace().unwrap_or_default(), std::process::id());
    let number = number as u64 % GROUPS_MAX + enabled * GROUPS_MAX;
    format!("{PREFIX}-{namespace}-{pid}-{}-{number}", start_ticks(pid).unwrap_or_default())
}

/// Prefix and suffix of the names of fauxplat's scope units.
const SCOPE_UNIT: (&str, &str) = ("fauxplat-", ".scope");

/// A unique name for a scope unit.
pub(crate) fn scope_unit() -> String {
    let (pid, (beginning, end)) = (std::process::id(), SCOPE_UNIT);
    format!("{beginning}{pid}-{}{end}", start_ticks(pid).unwrap_or_default())
}

/// Whether a group is a scope unit of fauxplat. The groups above it belong to the service manager.
pub(crate) fn is_scope_unit(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(SCOPE_UNIT.0) && name.ends_with(SCOPE_UNIT.1))
}

/// Numbers in the name of a group: pid namespace, process id, start time, and group number with mask; `None` if the
/// name is none of fauxplat's.
fn numbers(name: &str) -> Option<[u64; 4]> {
    let mut parts = name.split('-');
    if parts.next() != Some(PREFIX) {
        return None;
    }
    let numbers: Option<Vec<u64>> = parts.map(|part| part.parse().ok()).collect();
    numbers?.try_into().ok()
}

/// Whether a group with this name was made by any fauxplat process.
pub(crate) fn is_ours(name: &str) -> bool {
    numbers(name).is_some()
}

/// Whether a group with this name was made by a fauxplat process that has ended; false for processes of other pid
/// namespaces.
pub(crate) fn is_stale(name: &str) -> bool {
    let Some([namespace, pid, started, _]) = numbers(name) else { return false };
    let is_gone = u32::try_from(pid).is_ok_and(|pid| start_ticks(pid) != Some(started));
    pid_namespace() == Some(namespace) && is_gone
}

/// Mask of the controllers that were enabled in the parent for a group with this name.
pub(crate) fn enabled(name: &str) -> u64 {
    let known: u64 = (1 << Controller::ALL.len()) - 1;
    numbers(name).map_or(0, |[.., number]| (number / GROUPS_MAX) & known)
}

/// Mask of a single controller: the bit at its index in [`Controller::ALL`].
pub(crate) fn mask(controller: Controller) -> u64 {
    Controller::ALL.iter().position(|one| *one == controller).map_or(0, |at| 1 << at)
}

/// Controllers whose bits are set in a mask.
pub(crate) fn controllers(bits: u64) -> Vec<Controller> {
    Controller::ALL.into_iter().filter(|controller| bits & mask(*controller) != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_groups_of_dead_processes_are_stale() {
        assert!(!is_stale(&name(3, 0)));
        let here = pid_namespace().unwrap();
        let reused = format!("fauxplat-{here}-{}-1-0", std::process::id());
        assert!(is_stale(&reused), "the process id was used again");
        assert!(is_stale(&format!("fauxplat-{here}-4194304-77-0")), "there is no such process");
        let elsewhere = here - 1;
        for foreign in ["fauxplat", "fauxplat-x-1-1-0", "fauxplat-1-1", "user.slice", "fauxplat-1-1-1-0-0"] {
            assert!(!is_stale(foreign) && !is_ours(foreign), "{foreign}");
        }
        assert!(!is_stale(&format!("fauxplat-{elsewhere}-4194304-77-0")), "another container's");
    }

    #[test]
    fn a_name_tells_what_was_given_on_for_it() {
        let given = mask(Controller::Cpuset) | mask(Controller::Io);
        assert_eq!(controllers(enabled(&name(7, given))), [Controller::Cpuset, Controller::Io]);
        assert_eq!(enabled(&name(7, 0)), 0);
        assert_eq!(enabled("user.slice"), 0);
    }
}
