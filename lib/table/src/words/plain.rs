//! Plain words on the heap as the algorithm's memory: what Miri and the sanitizers can follow.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use super::{Sound, View};
use crate::error::Error;
use crate::layout::{At32, At64, Geometry, Shape};
use crate::memory::Memory;
use crate::width::Wide;

/// Each offset has a separate word for each width, which the layout never mixes.
pub(super) struct Plain {
    narrow: Vec<AtomicU32>,
    wide: Vec<AtomicU64>,
}

impl Plain {
    pub(super) fn new(len: usize) -> Self {
        Self {
            narrow: (0..len / 4).map(|_| AtomicU32::new(0)).collect(),
            wide: (0..len / 8).map(|_| AtomicU64::new(0)).collect(),
        }
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
    fn fetch_add64(self, at: At64, delta: u64, order: Ordering) -> u64 {
        self.wide[at.offset() / 8].fetch_add(delta, order)
    }
    fn fence(self, order: Ordering) {
        fence(order);
    }
    fn reserve(self, _offset: usize, _bytes: usize) -> Result<(), Error> {
        Ok(())
    }
}

/// Objects of the test below; an interpreter takes its time.
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
