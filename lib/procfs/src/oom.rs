//! Messages of the kernel's log about a process that is killed for lack of memory (`dump_oom_victim` and
//! `__oom_kill_process` in `mm/oom_kill.c`).

use crate::number;

/// The message that names the killed process, `Killed process …`. The kernel always writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kill<'t> {
    /// Process id, in the initial namespace.
    pub pid: u32,
    /// Name of the process.
    pub name: &'t str,
    /// Size of the address space of the process, in bytes.
    pub virtual_bytes: Option<u64>,
    /// Anonymous memory of the process, in bytes.
    pub anonymous_bytes: Option<u64>,
}

/// The message before [`Kill`], `oom-kill:…`, which also names the control group. The kernel drops some of these
/// messages if there are many within seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<'t> {
    /// The group whose limit was reached, from the root of its hierarchy; empty if the memory of the machine was
    /// exhausted.
    pub group: &'t str,
    /// Process id, in the initial namespace.
    pub pid: u32,
    /// Name of the process.
    pub name: &'t str,
}

/// Parses `Memory cgroup out of memory: Killed process 12 (name) total-vm:8kB, anon-rss:4kB, …`.
pub fn kill(message: &str) -> Option<Kill<'_>> {
    let rest = message.split_once("Killed process ")?.1;
    let (pid, rest) = rest.split_once(" (")?;
    // A name may contain brackets.
    let (name, figures) = rest.rsplit_once(") total-vm:")?;
    let (virtual_size, figures) = figures.split_once(", anon-rss:")?;
    let pid = number(pid).and_then(|pid| pid.try_into().ok()).filter(|&pid| pid > 0)?;
    let anonymous = figures.split(',').next()?;
    Some(Kill { pid, name, virtual_bytes: bytes(virtual_size), anonymous_bytes: bytes(anonymous) })
}

/// Parses `oom-kill:constraint=CONSTRAINT_MEMCG,…,oom_memcg=/group,task_memcg=/group,task=name,pid=12,uid=0`.
pub fn choice(message: &str) -> Option<Choice<'_>> {
    let rest = message.strip_prefix("oom-kill:constraint=")?;
    let group = rest.split_once(",oom_memcg=").map_or("", |(_, rest)| rest);
    let group = group.split_once(",task_memcg=").map_or("", |(group, _)| group);
    let (before, after) = rest.rsplit_once(",pid=")?;
    let name = before.rsplit_once(",task=")?.1;
    let pid = number(after.split(',').next()?)?.try_into().ok().filter(|&pid| pid > 0)?;
    Some(Choice { group, pid, name })
}

fn bytes(kilobytes: &str) -> Option<u64> {
    number(kilobytes.strip_suffix("kB")?)?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lines_name_the_victim() {
        let line = "Memory cgroup out of memory: Killed process 31119 (a) b) total-vm:22996kB, anon-rss:19968kB, \
                    file-rss:1240kB, shmem-rss:0kB, UID:0 pgtables:84kB oom_score_adj:0";
        let killed = kill(line).unwrap();
        assert_eq!((killed.pid, killed.name), (31_119, "a) b"));
        assert_eq!((killed.virtual_bytes, killed.anonymous_bytes), (Some(22_996 << 10), Some(19_968 << 10)));
        let line = "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/x/y,\
                    task_memcg=/x/y/z,task=a,pid=1,b,pid=31119,uid=0";
        assert_eq!(choice(line), Some(Choice { group: "/x/y", pid: 31_119, name: "a,pid=1,b" }));
        let of_machine =
            "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task_memcg=/,task=a,pid=3,uid=0";
        assert_eq!(choice(of_machine).map(|choice| choice.group), Some(""));
    }

    #[test]
    fn other_lines_and_broken_ones_are_none() {
        for line in [
            "",
            "Killed process",
            "Killed process 0 (a) total-vm:1kB, anon-rss:1kB",
            "Killed process x (a) total-vm:1kB, anon-rss:1kB",
            "a invoked oom-killer: gfp_mask=0x0",
        ] {
            assert_eq!(kill(line), None, "{line}");
            assert_eq!(choice(line), None, "{line}");
        }
        assert_eq!(kill("Killed process 5 (a) total-vm:kB, anon-rss:1MB").unwrap().anonymous_bytes, None);
    }
}
