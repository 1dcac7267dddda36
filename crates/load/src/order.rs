//! Orders for generators, passed as words of a command line.

use std::path::PathBuf;

use fauxplat_kernels::{Caches, Kernel};
use fauxplat_model::LoadKind;
use fauxplat_sys::memory::page_bytes;
use fauxplat_units::{Bytes, CpuSet};

/// How a load is distributed over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rhythm {
    /// A share of the time in per cent, 1 to 100, held by a feedback loop.
    Share(u8),
    /// Bursts and rests of random length, each uniform between the two bounds, like the load of another virtual machine
    /// on the host.
    Random { shortest_ms: u64, longest_ms: u64, seed: u64 },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    pub kind: LoadKind,
    pub rhythm: Rhythm,
    /// CPUs on which the load stays; `None` for no affinity.
    pub cpus: Option<CpuSet>,
    /// Caches of the CPU, from which the size of the generator's memory follows.
    pub caches: Caches,
    /// Folder in which [`LoadKind::Files`] writes an unnamed file.
    pub folder: PathBuf,
}

impl Order {
    /// Size of the memory that the generator walks.
    pub fn footprint(&self) -> Bytes {
        self.footprint_in_pages_of(page_bytes() as u64)
    }

    /// Footprint for this page size: loads that consist of accesses to pages use a fixed number of pages of any size.
    fn footprint_in_pages_of(&self, page_bytes: u64) -> Bytes {
        let caches = &self.caches;
        match self.kind {
            LoadKind::L1 => caches.l1d,
            LoadKind::L2 => caches.l2,
            LoadKind::Llc => caches.llc,
            LoadKind::Memory => Kernel::Dram.footprint(caches),
            LoadKind::Tlb => Bytes(WINDOW_PAGES * page_bytes),
            LoadKind::Faults => Bytes(FAULT_PAGES * page_bytes),
            _ => Bytes(0),
        }
    }

    pub(crate) fn to_words(&self) -> Vec<String> {
        let Caches { l1d, l2, llc, line } = self.caches;
        let rhythm = match self.rhythm {
            Rhythm::Share(percent) => percent.to_string(),
            Rhythm::Random { shortest_ms, longest_ms, seed } => format!("{shortest_ms}-{longest_ms}-{seed}"),
        };
        let cpus = self.cpus.as_ref().map_or(ANYWHERE.to_owned(), CpuSet::to_string);
        let sizes = [l1d, l2, llc, line].map(|size| size.0.to_string()).join(",");
        vec![self.kind.to_string(), rhythm, cpus, sizes, self.folder.display().to_string()]
    }

    /// Parses the words that [`Order::to_words`] returns; `None` for invalid ones.
    pub(crate) fn from_words(words: &[String]) -> Option<Order> {
        let [kind, rhythm, cpus, sizes, folder] = words else { return None };
        let sizes: Vec<u64> = numbers(sizes, ',')?;
        let &[l1d, l2, llc, line] = sizes.as_slice() else { return None };
        let rhythm = match *numbers(rhythm, '-')?.as_slice() {
            [percent] => Rhythm::Share(u8::try_from(percent).ok()?),
            [shortest_ms, longest_ms, seed] => Rhythm::Random { shortest_ms, longest_ms, seed },
            _ => return None,
        };
        Some(Order {
            kind: kind.parse().ok()?,
            rhythm,
            cpus: if cpus == ANYWHERE { None } else { Some(cpus.parse().ok()?) },
            caches: Caches { l1d: Bytes(l1d), l2: Bytes(l2), llc: Bytes(llc), line: Bytes(line) },
            folder: folder.into(),
        })
    }
}

fn numbers(text: &str, between: char) -> Option<Vec<u64>> {
    text.split(between).map(|digits| digits.parse().ok()).collect()
}

/// The word that stands for no affinity in the words of an order.
const ANYWHERE: &str = "anywhere";

/// Number of pages to which the addresses of [`LoadKind::Tlb`] are mapped, [`WINDOWS`] times each.
pub(crate) const WINDOW_PAGES: u64 = 64;
pub(crate) const WINDOWS: u64 = 4096;
/// Number of pages that a load of the kind [`LoadKind::Faults`] touches in turn.
pub(crate) const FAULT_PAGES: u64 = 256;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn orders_read_what_they_write() {
        let caches = Caches::default();
        let order = |kind, rhythm, cpus: Option<&str>| Order {
            kind,
            rhythm,
            cpus: cpus.map(|list| list.parse().unwrap()),
            caches,
            folder: "/tmp/some where".into(),
        };
        let random = Rhythm::Random { shortest_ms: 20, longest_ms: 400, seed: u64::MAX };
        for order in [
            order(LoadKind::Integer, Rhythm::Share(30), Some("1")),
            order(LoadKind::Llc, random, None),
            order(LoadKind::RealTime, Rhythm::Share(100), Some("0-3,9")),
        ] {
            assert_eq!(Order::from_words(&order.to_words()), Some(order));
        }
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for bad in
            ["integer 30 1 1,2,3 /tmp", "integer 300 1 1,2,3,4 /tmp", "llama 30 1 1,2,3,4 /tmp", "integer"]
        {
            assert_eq!(Order::from_words(&words(bad)), None, "{bad}");
        }
    }

    #[test]
    fn memory_is_sized_by_the_caches_of_the_cpu() {
        let caches =
            Caches { l1d: Bytes(48 << 10), l2: Bytes(2 << 20), llc: Bytes(36 << 20), line: Bytes(64) };
        let footprint = |kind| {
            Order { kind, rhythm: Rhythm::Share(1), cpus: None, caches, folder: "/".into() }.footprint().0
        };
        assert_eq!(footprint(LoadKind::L1), 48 << 10);
        assert_eq!(footprint(LoadKind::L2), 2 << 20);
        assert!(
            footprint(LoadKind::Llc) >= 36 << 20 && footprint(LoadKind::Memory) > footprint(LoadKind::Llc)
        );
        assert_eq!(footprint(LoadKind::Integer), 0);
    }

    #[test]
    fn the_footprint_of_a_kind_is_that_of_what_it_walks() {
        let caches = Caches::default();
        let order = |kind| Order { kind, rhythm: Rhythm::Share(1), cpus: None, caches, folder: "/".into() };
        let bytes = |kind| order(kind).footprint().0;
        for kind in LoadKind::ALL {
            let walks =
                kind.operation() == "lines" || kind.operation() == "pages" || kind.operation() == "faults";
            assert_eq!(bytes(kind) > 0, walks, "{kind}");
        }
        for page_bytes in [4096, 16 << 10, 64 << 10] {
            let bytes = |kind| order(kind).footprint_in_pages_of(page_bytes).0;
            assert_eq!((bytes(LoadKind::Tlb), bytes(LoadKind::Faults)), (64 * page_bytes, 256 * page_bytes));
            assert_eq!(bytes(LoadKind::L1), caches.l1d.0, "a cache is no larger for it");
        }
        assert!(bytes(LoadKind::L1) <= bytes(LoadKind::L2) && bytes(LoadKind::L2) <= bytes(LoadKind::Llc));
    }

    fn rhythm() -> impl Strategy<Value = Rhythm> {
        let random = any::<(u64, u64, u64)>().prop_map(|(shortest_ms, longest_ms, seed)| Rhythm::Random {
            shortest_ms,
            longest_ms,
            seed,
        });
        prop_oneof![any::<u8>().prop_map(Rhythm::Share), random]
    }

    proptest! {
        #[test]
        fn every_order_is_read_as_it_was_written(
            kind in proptest::sample::select(&LoadKind::ALL[..]),
            rhythm in rhythm(),
            cpus in proptest::option::of(proptest::collection::btree_set(0u32..9000, 1..6)),
            sizes in any::<[u64; 4]>(),
            folder in "/[a-z ,\n\"'é]{0,20}",
        ) {
            let [l1d, l2, llc, line] = sizes.map(Bytes);
            let cpus = cpus.map(|cpus| cpus.into_iter().map(fauxplat_units::Cpu).collect());
            let order = Order { kind, rhythm, cpus, caches: Caches { l1d, l2, llc, line }, folder: folder.into() };
            prop_assert_eq!(Order::from_words(&order.to_words()), Some(order));
        }

        /// Any user may call the hidden verb, so arbitrary words are either parsed or refused.
        #[test]
        fn any_words_are_read_or_refused(words in proptest::collection::vec("(integer|anywhere|[0-9,-]{0,12}|\\PC{0,8})", 0..7)) {
            if let Some(order) = Order::from_words(&words) {
                prop_assert_eq!(words.len(), 5);
                prop_assert_eq!(Order::from_words(&order.to_words()), Some(order));
            }
        }
    }
}
