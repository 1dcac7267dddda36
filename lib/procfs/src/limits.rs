//! Limits of a process: `/proc/PID/limits` (`proc_pid_limits(5)`).

use crate::number;

/// Position in a line at which the soft limit begins, see `proc_pid_limits` in the kernel's `fs/proc/base.c`.
const SOFT: usize = 26;

/// Iterates over the soft limits that are numbers, by their names without `Max`: `open files`, `stack size`. Limits
/// with the value `unlimited` are omitted.
pub fn soft(text: &str) -> impl Iterator<Item = (&str, u64)> + '_ {
    text.lines().filter_map(|line| {
        let (name, values) = line.split_at_checked(SOFT)?;
        let name = name.trim_end().strip_prefix("Max ")?;
        Some((name, number(values.split_ascii_whitespace().next()?)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_are_numbers_have_names() {
        let text = "\
Limit                     Soft Limit           Hard Limit           Units     
Max cpu time              unlimited            unlimited            seconds   
Max stack size            8388608              unlimited            bytes     
Max open files            1024                 524288               files     
Max realtime priority     0                    0                    
";
        let all: Vec<_> = soft(text).collect();
        assert_eq!(all, [("stack size", 8_388_608), ("open files", 1024), ("realtime priority", 0)]);
        assert_eq!(soft("Max é").count() + soft("").count() + soft("Max stack size").count(), 0);
    }
}
