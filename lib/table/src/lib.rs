//! A lock-free table of integers in a memory-mapped file.
//!
//! Values are attached to (object, key) pairs; objects, keys and values are all integers. Any number of processes and
//! threads read while others write. No reader ever waits for a writer, and a writer that dies at any instruction leaves
//! a table that all others can continue to use.
//!
//! ```
//! # fn main() -> Result<(), fauxplat_table::Error> {
//! use fauxplat_table::{Options, Table};
//! # let path = std::path::Path::new("/dev/shm").join(format!("fauxplat-doc-{}", std::process::id()));
//! # let _ = std::fs::remove_file(&path);
//! let table: Table = Options::new().dense_keys(4).create(&path)?;
//! table.set(0xFEED, 2, 41)?;
//! table.add(0xFEED, 2, 1)?;
//! assert_eq!(table.get(0xFEED, 2), Some(42));
//! assert_eq!(table.get(0xFEED, 3), None);
//! # std::fs::remove_file(&path).unwrap();
//! # Ok(())
//! # }
//! ```
//!
//! The algorithm is in `words` and is generic over the memory on which it runs, so the schedule explorer of the tests,
//! Miri and the mapped file all run the same code. `docs/table.md` draws the file, pairs each atomic access with its
//! counterpart and lists which properties were verified and which were not.
#![warn(missing_docs)]

mod describe;
mod error;
mod file;
mod guard;
mod header;
mod layout;
mod map;
mod memory;
mod options;
mod rates;
mod reader;
mod row;
mod table;
mod width;
mod words;

pub use describe::{Key, Kind};
pub use error::Error;
pub use map::TableFile;
pub use options::{AnyTable, Options};
pub use rates::{Rate, Rates, Selection};
pub use reader::Reader;
pub use row::{Counter, Row};
pub use table::{Dense, Info, Table};
pub use width::{Narrow, Wide, Width};
