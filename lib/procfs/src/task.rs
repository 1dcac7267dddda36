//! A process or thread: `/proc/PID/stat`, `schedstat` and `sched` (`proc_pid_stat(5)`, `sched(7)`).

use std::str::FromStr;

use crate::{keyed, number};

/// `PF_KTHREAD` of the kernel's `include/linux/sched.h`: a kernel thread.
const KERNEL_THREAD: u64 = 0x0020_0000;
/// `PF_NO_SETAFFINITY`: the affinity of the task cannot be changed.
const NO_SET_AFFINITY: u64 = 0x0400_0000;

/// The line of `/proc/PID/stat`, or of `/proc/PID/task/TID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskStat<'t> {
    /// Id of the process or thread.
    pub id: i32,
    /// Name, which may contain blanks and parentheses.
    pub name: &'t str,
    fields: &'t str,
}

impl<'t> TaskStat<'t> {
    /// Parses the line. The name may contain any character, and no field after it contains a parenthesis, so the last
    /// parenthesis ends the name.
    pub fn parse(line: &'t str) -> Option<Self> {
        let (before, fields) = line.rsplit_once(')')?;
        let (id, name) = before.split_once('(')?;
        let id = number(id.trim()).and_then(|id| i32::try_from(id).ok())?;
        Some(TaskStat { id, name, fields })
    }

    /// Returns a field from the third on, numbered as in the manual page.
    pub fn field(&self, number: usize) -> Option<&'t str> {
        self.fields.split_ascii_whitespace().nth(number.checked_sub(3)?)
    }

    fn value<T: FromStr>(&self, number: usize) -> Option<T> {
        self.field(number).filter(|field| !field.starts_with('+'))?.parse().ok()
    }

    /// Returns the letter of the state: `R`, `S`, `D`, `Z` and so on.
    pub fn state(&self) -> Option<char> {
        self.field(3)?.chars().next()
    }

    /// Returns whether the task has ended and only waits to be reaped.
    pub fn is_dead(&self) -> bool {
        matches!(self.state(), Some('Z' | 'X' | 'x'))
    }

    /// Returns whether the process still has a running thread: its first thread may have ended, and then stays as a
    /// zombie until the others end.
    pub fn process_lives(&self) -> bool {
        !self.is_dead() || self.threads().is_some_and(|threads| threads > 1)
    }

    /// Returns the id of the parent of its process, or of the process that adopted it.
    pub fn parent(&self) -> Option<i32> {
        self.value(4)
    }

    /// Returns the process group of its process.
    pub fn group(&self) -> Option<i32> {
        self.value(5)
    }

    /// Returns whether the task is a kernel thread.
    pub fn is_kernel(&self) -> Option<bool> {
        self.value::<u64>(9).map(|flags| flags & KERNEL_THREAD != 0)
    }

    /// Returns whether the affinity cannot be changed.
    pub fn is_fixed(&self) -> Option<bool> {
        self.value::<u64>(9).map(|flags| flags & NO_SET_AFFINITY != 0)
    }

    /// Returns the CPU time in user and kernel mode together, in ticks.
    pub fn cpu_ticks(&self) -> Option<u64> {
        self.value::<u64>(14)?.checked_add(self.value(15)?)
    }

    /// Returns the nice value, -20 to 19.
    pub fn nice(&self) -> Option<i8> {
        self.value(19)
    }

    /// Returns the number of threads of its process.
    pub fn threads(&self) -> Option<u64> {
        self.value(20)
    }

    /// Returns the start time in ticks since boot, which together with the id identifies a process within a boot.
    pub fn start_ticks(&self) -> Option<u64> {
        self.value(22)
    }

    /// Returns the CPU on which the task ran last. Since Linux 2.2.8.
    pub fn last_cpu(&self) -> Option<u32> {
        self.value(39)
    }

    /// Returns the priority under a real-time policy, 1 to 99. Since Linux 2.5.19.
    pub fn real_time_priority(&self) -> Option<u8> {
        self.value(40)
    }

    /// Returns the scheduling policy, numbered as in `sched(7)`. Since Linux 2.5.19.
    pub fn policy(&self) -> Option<u32> {
        self.value(41)
    }
}

/// Returns the CPU time of a thread, the first number of `schedstat`.
pub fn cpu_ns(schedstat: &str) -> Option<u64> {
    number(schedstat.split_ascii_whitespace().next()?)
}

/// Returns the time for which a thread was runnable and waited for a CPU, the second number of `schedstat`.
pub fn run_delay_ns(schedstat: &str) -> Option<u64> {
    number(schedstat.split_ascii_whitespace().nth(1)?)
}

/// Iterates over the ids in `/proc/PID/task/TID/children`, a file that kernels without `CONFIG_PROC_CHILDREN` lack.
pub fn children(text: &str) -> impl Iterator<Item = i32> + '_ {
    text.split_ascii_whitespace().filter_map(|word| i32::try_from(number(word)?).ok())
}

/// Returns the number of moves of a thread between CPUs, from `sched`.
pub fn migrations(sched: &str) -> Option<u64> {
    keyed::number(sched, "se.nr_migrations")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shell, kernel 6.18.
    const LINE: &str = "18869 (cat) R 18860 18860 11502 0 -1 4194304 101 0 0 0 53 47 0 0 20 -5 3 0 64310 3133440 357 \
        18446744073709551615 94395101802496 94395101822377 140726208913200 0 0 0 0 0 0 0 0 0 17 1 50 2 0 0 0 \
        94395101838384 94395101840000 94395900637184 140726208920186 140726208920264 140726208920264 \
        140726208921579 0\n";

    #[test]
    fn fields_are_numbered_as_in_the_manual() {
        let task = TaskStat::parse(LINE).unwrap();
        assert_eq!((task.id, task.name, task.state(), task.parent()), (18869, "cat", Some('R'), Some(18860)));
        assert_eq!(task.group(), Some(18860));
        assert_eq!((task.cpu_ticks(), task.nice(), task.threads()), (Some(100), Some(-5), Some(3)));
        assert_eq!((task.start_ticks(), task.last_cpu(), task.policy()), (Some(64310), Some(1), Some(2)));
        assert_eq!((task.is_kernel(), task.is_fixed(), task.is_dead()), (Some(false), Some(false), false));
        assert_eq!(
            (task.field(25), task.field(52), task.field(53)),
            (Some("18446744073709551615"), Some("0"), None)
        );
        assert_eq!((task.field(0), task.field(2)), (None, None));
    }

    #[test]
    fn flags_tell_the_kernels_own_threads() {
        let task =
            TaskStat::parse("14 (kworker/0:1-ev) I 2 0 0 0 -1 69238880 0 0 0 0 0 0 0 0 20 0 1 0 6").unwrap();
        assert_eq!((task.is_kernel(), task.is_fixed()), (Some(true), Some(true)));
        assert_eq!((task.start_ticks(), task.last_cpu(), task.policy()), (Some(6), None, None));
    }

    #[test]
    fn a_process_lives_as_long_as_one_of_its_threads() {
        let lives = |line: &str| TaskStat::parse(line).unwrap().process_lives();
        let ended = LINE.replacen(" R ", " Z ", 1);
        assert!(lives(LINE) && lives(&ended) && !lives(&ended.replacen(" 20 -5 3 ", " 20 -5 1 ", 1)));
        assert!(!lives("7 (a) Z 1 7 7"));
    }

    #[test]
    fn a_name_may_hold_anything() {
        let task = TaskStat::parse("7 (a) S 1 (b\n c) Z 1 7 7").unwrap();
        assert_eq!(
            (task.name, task.state(), task.parent(), task.is_dead()),
            ("a) S 1 (b\n c", Some('Z'), Some(1), true)
        );
        for line in ["", "7 (a", "7 a) S", ") (", "x (a) S 1", "99999999999 (a) S 1"] {
            assert_eq!(TaskStat::parse(line), None, "{line}");
        }
    }

    #[test]
    fn the_schedulers_account_is_three_numbers() {
        assert_eq!(
            (cpu_ns("1223081 116065 2\n"), run_delay_ns("1223081 116065 2\n")),
            (Some(1_223_081), Some(116_065))
        );
        assert_eq!((cpu_ns(""), run_delay_ns("1"), run_delay_ns("1 x 2")), (None, None, None));
        assert_eq!(children("12 x 99999999999 7 \n").collect::<Vec<_>>(), [12, 7]);
        let sched =
            "cat (18869, #threads: 1)\n---------\nse.exec_start   :  1.5\nse.nr_migrations      :     12\n";
        assert_eq!((migrations(sched), migrations("")), (Some(12), None));
    }
}
