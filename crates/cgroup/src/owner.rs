//! Whose group it is: the name of a group says so, since the kernel keeps nothing else about it.

use fauxplat_sys::process::start_ticks;

/// What the names of our groups begin with.
const PREFIX: &str = "fauxplat";

/// A name that no other process makes: process id and start time, which together no two processes of a boot share.
pub(crate) fn name(number: usize) -> String {
    let pid = std::process::id();
    format!("{PREFIX}-{pid}-{}-{number}", start_ticks(pid).unwrap_or_default())
}

/// Whether a group of this name is ours and its owner is gone.
pub(crate) fn is_stale(name: &str) -> bool {
    let mut parts = name.split('-');
    if parts.next() != Some(PREFIX) {
        return false;
    }
    let numbers: Option<Vec<u64>> = parts.map(|part| part.parse().ok()).collect();
    let Some([pid, started, _]) = numbers.as_deref() else { return false };
    u32::try_from(*pid).is_ok_and(|pid| start_ticks(pid) != Some(*started))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_groups_of_dead_processes_are_stale() {
        assert!(!is_stale(&name(3)));
        let reused = format!("fauxplat-{}-1-0", std::process::id());
        assert!(is_stale(&reused), "the process id was used again");
        assert!(is_stale("fauxplat-4194304-77-0"), "there is no such process");
        for foreign in ["fauxplat", "fauxplat-x-1-0", "fauxplat-1-1", "user.slice", "fauxplat-1-1-0-0"] {
            assert!(!is_stale(foreign), "{foreign}");
        }
    }
}
