//! Plain words on the heap as the algorithm's memory, so that Miri and the sanitizers can follow it.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use super::{Sound, View};
use crate::error::Error;
use crate::layout::{At32, At64, Geometry, Shape};
use crate::memory::Memory;
use crate::width::Wide;

/// Simulated memory of a table. Each offset has a separate word for each width, since the layout never accesses one
/// offset by both widths.
pub(super) struct Plain {
    narrow: Vec<AtomicU32>,
    wide: Vec<AtomicU64>,
    /// Number of pages examined to answer where there is data, the work a file system does for these questions.
    pages_asked: AtomicU64,
}

/// Size of a simulated page in bytes.
const PAGE: usize = 4096;

impl Plain {
    pub(super) fn new(len: usize) -> Self {
        Self {
            narrow: (0..len / 4).map(|_| AtomicU32::new(0)).collect(),
            wide: (0..len / 8).map(|_| AtomicU64::new(0)).collect(),
            pages_asked: AtomicU64::new(0),
        }
    }

    /// Returns whether a page has been written to.
    fn is_written(&self, page: usize) -> bool {
        self.pages_asked.fetch_add(1, Ordering::Relaxed);
        let words = |bytes: usize, all: usize| page * PAGE / bytes..((page + 1) * PAGE / bytes).min(all);
        let narrow = &self.narrow[words(4, self.narrow.len())];
        let wide = &self.wide[words(8, self.wide.len())];
        narrow.iter().any(|word| word.load(Ordering::Relaxed) != 0)
            || wide.iter().any(|word| word.load(Ordering::Relaxed) != 0)
    }

    /// Returns the first offset from this one on that lies in a page that was written to, or in one that was not, as
    /// requested; `usize::MAX` if there is none.
    fn page_from(&self, offset: usize, written: bool) -> usize {
        let pages = (self.wide.len() * 8).div_ceil(PAGE);
        let found = (offset / PAGE..pages).find(|&page| self.is_written(page) == written);
        found.map_or(usize::MAX, |page| offset.max(page * PAGE))
    }
}

impl Memory for &Plain {
    fn load32(self, at: At32, order: Ordering) -> u32 {
        self.narrow[at.offset() / 4].load(order)
    }
    fn store32(self, at: At32, word: u32, order: Ordering) {
        self.narrow[at.offset() / 4].store(word, order);
    }
    fn exchange32(self, at: At32, old: u32, new: u32, ok: Ordering, err: Ordering) -> Result<u32, u32> {
        self.narrow[at.offset() / 4].compare_exchange(old, new, ok, err)
    }
    fn load64(self, at: At64, order: Ordering) -> u64 {
        self.wide[at.offset() / 8].load(order)
    }
    fn store64(self, at: At64, word: u64, order: Ordering) {
        self.wide[at.offset() / 8].store(word, order);
    }
    fn exchange64(self, at: At64, old: u64, new: u64, ok: Ordering, err: Ordering) -> Result<u64, u64> {
        self.wide[at.offset() / 8].compare_exchange(old, new, ok, err)
    }
    fn fence(self, order: Ordering) {
        fence(order);
    }
    fn data_from(self, offset: usize) -> usize {
        self.page_from(offset, true)
    }
    fn hole_from(self, offset: usize) -> usize {
        self.page_from(offset, false)
    }
    fn reserve(self, _offset: usize, _bytes: usize) -> Result<(), Error> {
        Ok(())
    }
}

/// Number of objects of the test below, few under Miri, which is slow.
const OBJECTS: u64 = if cfg!(miri) { 6 } else { 30 };

#[test]
fn threads_insert_grow_and_publish_on_plain_words() {
    let shape = Shape {
        width: 8,
        records: false,
        exclusive: false,
        dense_objects: 1,
        // Object 0 is dense; there is no spare row for a thread that loses a race.
        max_hashed: OBJECTS - 1,
        dense_keys: 2,
        max_sparse_keys: 1,
        min_level: 1,
        region_bits: 0,
        description_bytes: 0,
    };
    let geometry = Geometry::new(shape).unwrap_or_else(|error| unreachable!("{error}"));
    let memory = Plain::new(geometry.len());
    let view = View::<&Plain, Wide, Sound>::new(&memory, &geometry);
    std::thread::scope(|scope| {
        for thread in 0..3_i64 {
            scope.spawn(move || {
                for object in 0..OBJECTS {
                    let at = view.cell_or_insert(object, 9).unwrap_or_else(|e| unreachable!("{e}"));
                    assert!(view.add(at, thread + 1).is_ok());
                    assert!(view.get(object, 9).is_some());
                }
            });
        }
    });
    assert!((0..OBJECTS).all(|object| view.get(object, 9) == Some(6)));
}

/// Counts the pages that a walk over the given number of objects asks for, a third of which are dense and far apart.
#[cfg(not(miri))]
fn pages_asked_by_a_walk(objects: u64) -> u64 {
    let shape = Shape {
        width: 8,
        records: false,
        exclusive: false,
        dense_objects: objects * 100,
        max_hashed: objects,
        dense_keys: 2,
        max_sparse_keys: 3,
        min_level: 8,
        region_bits: 4,
        description_bytes: 0,
    };
    let geometry = Geometry::new(shape).unwrap_or_else(|error| unreachable!("{error}"));
    let memory = Plain::new(geometry.len());
    let view = View::<&Plain, Wide, Sound>::new(&memory, &geometry);
    for n in 0..objects {
        let object = if n % 3 == 0 { n * 100 } else { n * 1_000_003 + objects * 100 };
        assert!(view.set(object, n % 2, 1).is_ok());
    }
    let before = memory.pages_asked.load(Ordering::Relaxed);
    let (mut walk, mut words, mut met) = (view.written_objects(), vec![0; 5], 0);
    while walk.next(&mut words).is_some() {
        met += 1;
    }
    assert_eq!(met, objects, "the walk meets all that was written");
    memory.pages_asked.load(Ordering::Relaxed) - before
}

/// Twice the objects cost about twice the work, not four times. The work of a file system during a walk is counted, not
/// timed.
#[cfg(not(miri))]
#[test]
fn a_walk_asks_for_pages_in_proportion_to_what_was_written() {
    let pages = [500, 1000, 2000, 4000].map(pages_asked_by_a_walk);
    for two in pages.windows(2) {
        assert!(two[1] < two[0] * 5 / 2, "{pages:?} pages for twice the objects each");
    }
}
