//! Who writes an experiment: it tells one that is running from one whose process is gone.

use std::fs;

use fauxplat_procfs::task::TaskStat;

/// This process, as no other process is: boot, process id, start time.
pub(crate) fn own() -> String {
    let pid = std::process::id();
    format!("{} {pid} {}", boot(), start_ticks(pid).unwrap_or_default())
}

/// Whether the process that wrote this still runs.
pub(crate) fn is_alive(owner: &str) -> bool {
    let mut parts = owner.split(' ');
    let (Some(boot_id), Some(pid), Some(start)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let started = pid.parse().ok().and_then(start_ticks);
    boot_id == boot() && started.is_some_and(|ticks| start.parse() == Ok(ticks))
}

fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// When a process began. A zombie no longer writes.
fn start_ticks(pid: u32) -> Option<u64> {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    TaskStat::parse(&line).filter(|task| !task.is_dead())?.start_ticks()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_strangers_are_not() {
        assert!(is_alive(&own()), "{}", own());
        let (rest, _) =
            own().rsplit_once(' ').map(|(rest, ticks)| (rest.to_owned(), ticks.to_owned())).unwrap();
        assert!(!is_alive(&format!("{rest} 1")), "the process id was used again");
        assert!(!is_alive(&own().replacen(&boot(), "another-boot", 1)), "the machine was started again");
        assert!(!is_alive("") && !is_alive("a b c"));
    }
}
