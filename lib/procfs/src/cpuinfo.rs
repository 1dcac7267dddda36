//! `/proc/cpuinfo` (`proc_cpuinfo(5)`): a line of `key : value` for every property of a CPU.

use crate::{keyed, number};

/// Iterates over key and value of every line that has a value.
pub fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> + '_ {
    let entries = text.lines().filter(|line| line.contains(':')).filter_map(keyed::split);
    entries.filter(|(_, value)| !value.is_empty())
}

/// Returns the CPU whose description begins with a line of this key and value; `None` for other lines. s390 writes
/// `processor 0: version = …` and later `cpu number : 0`; all other architectures write `processor : 0`.
pub fn processor(key: &str, value: &str) -> Option<u32> {
    let digits = match key.strip_prefix("processor")?.trim_start() {
        "" => value,
        digits => digits,
    };
    number(digits).and_then(|cpu| u32::try_from(cpu).ok())
}

/// Iterates over the CPUs in the file.
pub fn processors(text: &str) -> impl Iterator<Item = u32> + '_ {
    lines(text).filter_map(|(key, value)| processor(key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_lines_are_counted_and_nonsense_is_not() {
        let text =
            "processor\t: 0\nmodel name\t: X\n\nprocessor\t: 3\nprocessor : many\nprocessor: 4294967296\n";
        assert_eq!(processors(text).collect::<Vec<_>>(), [0, 3]);
        let s390 =
            "vendor_id : IBM/S390\nprocessor 0: version = FF\nprocessor 1: version = FF\ncpu number : 0\n";
        assert_eq!(processors(s390).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(processors("Processor : ARMv7\nprocessors : 5\n").count(), 0);
    }

    #[test]
    fn lines_without_a_value_say_nothing() {
        let text = "power management:\nflags : fpu tsc\nno colon\nbugs\t\t: a b: c\n";
        assert_eq!(lines(text).collect::<Vec<_>>(), [("flags", "fpu tsc"), ("bugs", "a b: c")]);
    }
}
