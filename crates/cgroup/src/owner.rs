//! Whose group it is: the name of a group says so, since the kernel keeps nothing else about it.
//!
//! Containers may share a tree of groups and number their processes each for itself, so the name has the namespace in
//! which the number is meant, and groups of another namespace are not ours to judge.

use fauxplat_sys::process::{pid_namespace, start_ticks};

/// What the names of our groups begin with.
const PREFIX: &str = "fauxplat";

/// A name that no other process makes: namespace, process id and start time, which together no two processes of a boot
/// share.
pub(crate) fn name(number: usize) -> String {
    let (namespace, pid) = (pid_namespace().unwrap_or_default(), std::process::id());
    format!("{PREFIX}-{namespace}-{pid}-{}-{number}", start_ticks(pid).unwrap_or_default())
}

/// Whether a group of this name is ours and its owner is gone.
pub(crate) fn is_stale(name: &str) -> bool {
    let mut parts = name.split('-');
    if parts.next() != Some(PREFIX) {
        return false;
    }
    let numbers: Option<Vec<u64>> = parts.map(|part| part.parse().ok()).collect();
    let Some([namespace, pid, started, _]) = numbers.as_deref() else { return false };
    let is_gone = u32::try_from(*pid).is_ok_and(|pid| start_ticks(pid) != Some(*started));
    pid_namespace() == Some(*namespace) && is_gone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_groups_of_dead_processes_are_stale() {
        assert!(!is_stale(&name(3)));
        let here = pid_namespace().unwrap();
        let reused = format!("fauxplat-{here}-{}-1-0", std::process::id());
        assert!(is_stale(&reused), "the process id was used again");
        assert!(is_stale(&format!("fauxplat-{here}-4194304-77-0")), "there is no such process");
        let elsewhere = here - 1;
        for foreign in ["fauxplat", "fauxplat-x-1-1-0", "fauxplat-1-1", "user.slice", "fauxplat-1-1-1-0-0"] {
            assert!(!is_stale(foreign), "{foreign}");
        }
        assert!(!is_stale(&format!("fauxplat-{elsewhere}-4194304-77-0")), "another container's");
    }
}
