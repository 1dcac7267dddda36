//! Logical CPUs and sets of them, of any size, in the kernel's list format (`0-3,8`).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Number of a logical CPU in the kernel's numbering; neither a core nor an index into a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cpu(pub u32);

impl fmt::Display for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of logical CPUs, which grows as needed: machines with more than 1024 CPUs exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CpuSet {
    /// A bit per CPU, 64 to a word, and never a zero word at the end, so that equality is structural.
    words: Vec<u64>,
}

/// Reason why a CPU list could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a CPU list such as `0-3,8`: {reason}")]
pub struct ParseCpuSetError {
    text: String,
    reason: &'static str,
}

/// Maximum CPU number accepted, far above any kernel's limit: it prevents a typing error from taking gigabytes.
const CPU_MAX: u32 = 1 << 20;

impl CpuSet {
    /// Returns the empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one CPU.
    pub fn insert(&mut self, cpu: Cpu) {
        let word = cpu.0 as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (cpu.0 % 64);
    }

    /// Adds a range of CPUs, a word at a time: a list may name the same million repeatedly.
    fn insert_range(&mut self, low: u32, high: u32) {
        let (first, last) = (low as usize / 64, high as usize / 64);
        self.words.resize(self.words.len().max(last + 1), 0);
        for (word, bits) in (first..).zip(&mut self.words[first..=last]) {
            let from = if word == first { low % 64 } else { 0 };
            let to = if word == last { high % 64 } else { 63 };
            *bits |= u64::MAX << from & u64::MAX >> (63 - to);
        }
    }

    /// Returns whether the CPU is in the set.
    pub fn contains(&self, cpu: Cpu) -> bool {
        self.words.get(cpu.0 as usize / 64).is_some_and(|word| word >> (cpu.0 % 64) & 1 == 1)
    }

    /// Returns the CPUs in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Cpu> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let rest = |&word: &u64| Some(word & (word - 1)).filter(|&rest| rest != 0);
            let words = std::iter::successors(Some(word).filter(|&word| word != 0), rest);
            words.map(move |word| Cpu(index as u32 * 64 + word.trailing_zeros()))
        })
    }

    /// Returns the number of CPUs in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether no CPU is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the lowest CPU of the set.
    pub fn first(&self) -> Option<Cpu> {
        self.iter().next()
    }

    /// Returns the CPUs that are in this set and not in the other.
    pub fn without(&self, other: &CpuSet) -> CpuSet {
        let others = other.words.iter().chain(std::iter::repeat(&0));
        CpuSet::from_words(self.words.iter().zip(others).map(|(word, other)| word & !other).collect())
    }

    /// Returns the CPUs that are in both sets.
    pub fn intersection(&self, other: &CpuSet) -> CpuSet {
        CpuSet::from_words(self.words.iter().zip(&other.words).map(|(word, other)| word & other).collect())
    }

    /// Returns the CPUs that are in either set.
    pub fn union(&self, other: &CpuSet) -> CpuSet {
        let (long, short) = if self.words.len() < other.words.len() { (other, self) } else { (self, other) };
        let mut words = long.words.clone();
        words.iter_mut().zip(&short.words).for_each(|(word, other)| *word |= other);
        CpuSet { words }
    }

    /// Returns whether every CPU of this set is in the other.
    pub fn is_subset(&self, other: &CpuSet) -> bool {
        let others = other.words.iter().chain(std::iter::repeat(&0));
        self.words.iter().zip(others).all(|(word, other)| word & !other == 0)
    }

    /// Returns whether any CPU is in both sets.
    pub fn overlaps(&self, other: &CpuSet) -> bool {
        self.words.iter().zip(&other.words).any(|(word, other)| word & other != 0)
    }

    /// Makes a set from 64-bit words, CPU 0 in the lowest bit of the first.
    pub fn from_words(mut words: Vec<u64>) -> CpuSet {
        while words.last() == Some(&0) {
            words.pop();
        }
        CpuSet { words }
    }

    /// Returns the set as 64-bit words, CPU 0 in the lowest bit of the first, as `sched_setaffinity(2)` takes it.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl FromIterator<Cpu> for CpuSet {
    fn from_iter<I: IntoIterator<Item = Cpu>>(cpus: I) -> Self {
        let mut set = CpuSet::new();
        for cpu in cpus {
            set.insert(cpu);
        }
        set
    }
}

impl FromStr for CpuSet {
    type Err = ParseCpuSetError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = |reason| ParseCpuSetError { text: text.trim().to_owned(), reason };
        let number = |digits: &str| match digits.trim().parse::<u32>() {
            Ok(cpu) if cpu <= CPU_MAX => Ok(cpu),
            Ok(_) => Err(fail("a CPU number is too large")),
            Err(_) => Err(fail("each part is a number or a range of numbers")),
        };
        let mut set = CpuSet::new();
        for part in text.trim().split(',').filter(|part| !part.trim().is_empty()) {
            let (low, high) = match part.split_once('-') {
                Some((low, high)) => (number(low)?, number(high)?),
                None => (number(part)?, number(part)?),
            };
            if low > high {
                return Err(fail("a range runs from low to high"));
            }
            set.insert_range(low, high);
        }
        Ok(set)
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cpus = self.iter().map(|cpu| cpu.0).peekable();
        let mut separator = "";
        while let Some(low) = cpus.next() {
            let mut high = low;
            while cpus.next_if_eq(&(high + 1)).is_some() {
                high += 1;
            }
            match high - low {
                0 => write!(f, "{separator}{low}")?,
                _ => write!(f, "{separator}{low}-{high}")?,
            }
            separator = ",";
        }
        Ok(())
    }
}

impl Serialize for CpuSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CpuSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_are_all_of_their_cpus() {
        for (low, high) in [(0, 0), (0, 63), (63, 64), (1, 200), (64, 127), (127, 128), (5, 5)] {
            let set: CpuSet = format!("{low}-{high}").parse().unwrap();
            assert!(set.iter().map(|cpu| cpu.0).eq(low..=high), "{low}-{high}: {set}");
        }
    }

    #[test]
    fn reads_what_the_kernel_writes() {
        let set: CpuSet = "0-3,8,66-67\n".parse().unwrap();
        assert_eq!(set.len(), 7);
        assert!(set.contains(Cpu(67)) && !set.contains(Cpu(4)));
        assert_eq!(set.to_string(), "0-3,8,66-67");
        assert!("".parse::<CpuSet>().unwrap().is_empty());
    }

    #[test]
    fn refuses_what_is_not_a_list() {
        for bad in ["a", "3-1", "1-", "-1", "1;2", "99999999999", "4000000000"] {
            assert!(bad.parse::<CpuSet>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn sets_agree_with_a_tree(
            a in proptest::collection::btree_set(0u32..300, 0..40),
            b in proptest::collection::btree_set(0u32..300, 0..40),
        ) {
            let set = |numbers: &std::collections::BTreeSet<u32>| -> CpuSet { numbers.iter().copied().map(Cpu).collect() };
            let (x, y) = (set(&a), set(&b));
            prop_assert_eq!(x.iter().map(|cpu| cpu.0).collect::<Vec<_>>(), a.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(x.union(&y), set(&(&a | &b)));
            prop_assert_eq!(x.intersection(&y), set(&(&a & &b)));
            prop_assert_eq!(x.without(&y), set(&(&a - &b)));
            prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
            prop_assert_eq!(x.overlaps(&y), !a.is_disjoint(&b));
        }

        #[test]
        fn display_and_parse_are_inverse(cpus in proptest::collection::vec(0u32..2000, 0..40)) {
            let set: CpuSet = cpus.iter().copied().map(Cpu).collect();
            prop_assert_eq!(set.to_string().parse::<CpuSet>().unwrap(), set);
        }
    }
}
