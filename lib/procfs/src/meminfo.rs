//! `/proc/meminfo` (`proc_meminfo(5)`), and the file with the same name of each NUMA node, whose lines begin with `Node
//! 0 `.

use crate::keyed;

/// Returns the value of a line in bytes. For lines without a unit, see [`count`].
pub fn bytes(text: &str, key: &str) -> Option<u64> {
    keyed::in_bytes(value(text, key)?)
}

/// Returns the value of a line that is a count, such as `HugePages_Total`.
pub fn count(text: &str, key: &str) -> Option<u64> {
    crate::number(value(text, key)?)
}

fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let entry = |line: &'t str| {
        let (name, value) = keyed::split(line)?;
        let name =
            name.strip_prefix("Node ").map_or(name, |rest| rest.split_once(' ').map_or("", |(_, name)| name));
        (name.trim_start() == key).then_some(value)
    };
    text.lines().find_map(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_and_its_nodes_are_read_alike() {
        let machine = "MemTotal:       16310756 kB\nMemFree:         1000 kB\nHugePages_Total:       4\n";
        let node =
            "\nNode 0 MemTotal:       16310756 kB\nNode 0 MemFree: 1000 kB\nNode 0 HugePages_Total: 4\n";
        for text in [machine, node] {
            assert_eq!(
                (bytes(text, "MemTotal"), bytes(text, "MemFree")),
                (Some(16_310_756 << 10), Some(1_024_000))
            );
            assert_eq!((count(text, "HugePages_Total"), count(text, "MemTotal")), (Some(4), None));
            assert_eq!((bytes(text, "Mem"), bytes(text, "HugePages_Total")), (None, None));
        }
    }

    #[test]
    fn what_does_not_fit_is_absent() {
        assert_eq!(bytes("MemTotal: 99999999999999999 kB", "MemTotal"), None);
        assert_eq!(
            (bytes("MemTotal: many kB", "MemTotal"), bytes("Node 0", "MemTotal"), bytes("", "")),
            (None, None, None)
        );
    }
}
