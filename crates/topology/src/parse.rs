//! Parsers for the kernel's small files. Input is not trusted: no parser panics, and no result has more than
//! [`CPU_LIMIT`] CPUs.

use fauxplat_procfs::meminfo;
use fauxplat_units::{Bytes, CpuSet};

/// Exclusive upper limit of CPU numbers. No kernel has been built for more CPUs (`CONFIG_NR_CPUS` ends at 8192), and a
/// nonsensical list must not make the reader open millions of files.
pub const CPU_LIMIT: u32 = 16_384;

/// The result of parsing a file that should hold one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said<T> {
    Value(T),
    /// A value that stands for "unknown", such as the identifier -1.
    Unknown,
    /// Contents that make no sense; messages put the reason after the file's name.
    Nonsense(&'static str),
}

/// A list of CPUs such as `0-3,8`. An empty list is a value as well; `nohz_full` writes it as `(null)`.
pub fn list(text: &str) -> Said<CpuSet> {
    match text.parse::<CpuSet>() {
        _ if text == "(null)" => Said::Value(CpuSet::new()),
        Ok(cpus) => limited(cpus),
        Err(_) => Said::Nonsense("is not a list of CPUs such as 0-3,8"),
    }
}

/// A mask of CPUs in hexadecimal words of 32 bits, the lowest last, such as `ff,00000003`.
pub fn mask(text: &str) -> Said<CpuSet> {
    let mut words = Vec::new();
    let mut bit = 0;
    for digit in text.bytes().rev() {
        // A word has 32 bits, even where its leading zeroes are left out.
        if digit == b',' {
            bit = u32::next_multiple_of(bit, 32);
            continue;
        }
        let Some(value) = char::from(digit).to_digit(16) else {
            return Said::Nonsense("is not a mask of CPUs such as ff,00000003");
        };
        if bit % 64 == 0 {
            words.push(0);
        }
        *words.last_mut().expect("a word was just pushed") |= u64::from(value) << (bit % 64);
        bit += 4;
        if bit > 1 << 20 {
            return Said::Nonsense("is a mask of more than a million CPUs");
        }
    }
    match words.is_empty() {
        true => Said::Nonsense("is empty"),
        false => limited(CpuSet::from_words(words)),
    }
}

/// The set, or [`Said::Nonsense`] where it contains CPUs from [`CPU_LIMIT`] on.
fn limited(cpus: CpuSet) -> Said<CpuSet> {
    let words = cpus.words().iter().copied().take(CPU_LIMIT as usize / 64).collect();
    let kept = CpuSet::from_words(words);
    match kept.len() == cpus.len() {
        true => Said::Value(cpus),
        false => Said::Nonsense("names CPUs beyond 16383, which no kernel has"),
    }
}

/// A non-negative number. The kernel writes an unknown identifier as -1, 65535 or 4294967295.
pub fn number(text: &str) -> Said<u32> {
    match text {
        "" => Said::Nonsense("is empty"),
        "-1" | "65535" | "4294967295" => Said::Unknown,
        digits => match digits.parse() {
            Ok(number) => Said::Value(number),
            Err(_) if digits.starts_with('-') => Said::Nonsense("is negative"),
            Err(_) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Said::Nonsense("is too large"),
            Err(_) => Said::Nonsense("is not a number"),
        },
    }
}

/// A size such as `32K` or `2M`, in KiB or MiB; in bytes without a letter.
pub fn size(text: &str) -> Said<Bytes> {
    let (digits, unit) = match text.bytes().last() {
        Some(b'K') => (&text[..text.len() - 1], 1 << 10),
        Some(b'M') => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    match digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)) {
        // Firmware may describe a cache without its size, which then reads as zero.
        Some(0) => Said::Unknown,
        Some(bytes) => Said::Value(Bytes(bytes)),
        None if text.is_empty() => Said::Nonsense("is empty"),
        None => Said::Nonsense("is not a size such as 32K"),
    }
}

/// Distances between NUMA nodes: numbers separated by white space.
pub fn distances(text: &str) -> Said<Vec<u32>> {
    let numbers: Result<Vec<u32>, _> = text.split_ascii_whitespace().take(4096).map(str::parse).collect();
    match numbers {
        Ok(numbers) => Said::Value(numbers),
        Err(_) => Said::Nonsense("is not a row of distances such as 10 21"),
    }
}

/// `MemTotal` of a node's `meminfo`, whose lines read `Node 0 MemTotal:  16310756 kB`.
pub fn node_memory(text: &str) -> Said<Bytes> {
    match meminfo::bytes(text, "MemTotal") {
        Some(bytes) => Said::Value(Bytes(bytes)),
        None => Said::Nonsense("has no line MemTotal in kB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_units::Cpu;
    use proptest::prelude::*;

    fn cpus(text: &str) -> Said<CpuSet> {
        Said::Value(text.parse().unwrap())
    }

    #[test]
    fn masks_are_read_from_the_right() {
        assert_eq!(mask("3"), cpus("0-1"));
        assert_eq!(mask("00001001"), cpus("0,12"));
        assert_eq!(mask("1,00000000,00000003"), cpus("0-1,64"));
        assert_eq!((mask("0"), mask("8,0")), (cpus(""), cpus("35")));
        assert_eq!(mask(""), Said::Nonsense("is empty"));
        assert!(matches!(mask("xyz"), Said::Nonsense(_)));
        assert!(matches!(mask(&"f".repeat(1 << 20)), Said::Nonsense(_)));
    }

    #[test]
    fn lists_beyond_any_kernel_are_nonsense() {
        assert_eq!(list("0-3,8"), cpus("0-3,8"));
        assert_eq!(list(""), cpus(""));
        for text in ["0-16384", "-1", "3-1", "0-99999999999", "a"] {
            assert!(matches!(list(text), Said::Nonsense(_)), "{text}");
        }
    }

    #[test]
    fn numbers_say_what_is_wrong_with_them() {
        assert_eq!(number("17"), Said::Value(17));
        assert_eq!(number("-1"), Said::Unknown);
        assert_eq!(number("-7"), Said::Nonsense("is negative"));
        assert_eq!(number("99999999999"), Said::Nonsense("is too large"));
        assert_eq!(number("x"), Said::Nonsense("is not a number"));
        assert_eq!(number(""), Said::Nonsense("is empty"));
    }

    #[test]
    fn sizes_and_memory_have_units() {
        assert_eq!(size("48K"), Said::Value(Bytes(48 << 10)));
        assert_eq!(size("32M"), Said::Value(Bytes(32 << 20)));
        assert_eq!(size("0K"), Said::Unknown);
        assert!(matches!(size("99999999999999999999K"), Said::Nonsense(_)));
        let meminfo = "\nNode 0 MemTotal:       16310756 kB\nNode 0 MemFree: 1 kB\n";
        assert_eq!(node_memory(meminfo), Said::Value(Bytes(16_310_756 * 1024)));
        assert_eq!(distances("10 21"), Said::Value(vec![10, 21]));
    }

    proptest! {
        #[test]
        fn masks_and_lists_agree(numbers in proptest::collection::btree_set(0u32..200, 1..40)) {
            let set: CpuSet = numbers.into_iter().map(Cpu).collect();
            let words: Vec<String> = set.words().iter().rev().map(|word| format!("{:08x},{:08x}", word >> 32, word & 0xffff_ffff)).collect();
            prop_assert_eq!(mask(&words.join(",")), Said::Value(set.clone()));
            prop_assert_eq!(list(&set.to_string()), Said::Value(set));
        }
    }
}
