//! The table: values of (object, key) pairs, which are read and written one by one or together.

use std::ops::ControlFlow;
use std::path::Path;

use crate::describe::Key;
use crate::error::Error;
use crate::file::{self, Opened};
use crate::header::Header;
use crate::layout::{CellAt, Geometry};
use crate::map::{Mapping, Raw, TableFile};
use crate::reader::Reader;
use crate::row::{Counter, Row};
use crate::width::{Wide, Width, decode, encode};
use crate::words::View;

/// A table in a mapped file. Threads share it by reference, processes by opening the same file.
///
/// Guarantees, in short (`docs/table.md` has the long form): each cell is an atomic integer; a reader that sees a store
/// sees everything that the storing thread stored before; reads take a bounded number of steps; writes are lock-free; a
/// process that dies or is stopped at any instruction blocks no other.
#[derive(Debug)]
pub struct Table<W: Width = Wide> {
    mapping: Mapping,
    geometry: Geometry,
    header: Header,
    keys: Vec<Key>,
    width: std::marker::PhantomData<W>,
}

/// The dense pairs of a table as words in memory: the cell of (object, key) is `object` strides and `key` words after
/// the first cell and contains the value plus half the range of its width, 0 if absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    /// Address of the cell of object 0 and key 0.
    pub cells: *const u8,
    /// Bytes from one object to the next.
    pub stride: usize,
    /// Number of dense objects, which are `0..objects`.
    pub objects: u64,
    /// Number of dense keys, which are `0..keys`.
    pub keys: u32,
}

/// Facts about an open table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Info {
    /// Bytes of a value: 4 or 8.
    pub value_bytes: u32,
    /// Whether whole rows are published at once.
    pub records: bool,
    /// Number of objects with a row from the beginning.
    pub dense_objects: u64,
    /// Maximum number of hashed objects: those that are not dense.
    pub max_hashed_objects: u64,
    /// Number of rows that were given to hashed objects so far. Rows that a race or a dead process left unused are
    /// reused before the table is full.
    pub hashed_rows: u64,
    /// Number of keys with a column from the beginning.
    pub dense_keys: u32,
    /// Maximum number of sparse keys: those that are not dense.
    pub max_sparse_keys: u32,
    /// Bytes of the file, most of which may be a hole.
    pub file_bytes: u64,
    /// Number of slots in the index of hashed objects.
    pub index_slots: u64,
    /// Process id of the creator of the table.
    pub creator_pid: u64,
    /// Whether the creator still runs, in the same boot; `None` if its process id belongs to another namespace, such as
    /// a container's.
    pub creator_alive: Option<bool>,
}

impl<W: Width> Table<W> {
    /// Opens a table for reading and writing.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::with_width(path.as_ref(), true)
    }

    /// Opens a table for reading only, so that this process cannot damage it.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::with_width(path.as_ref(), false)
    }

    fn with_width(path: &Path, writable: bool) -> Result<Self, Error> {
        let opened = file::open(path, writable)?;
        let (found, asked) = (opened.geometry.shape.width, W::BYTES as u32);
        if found != asked {
            return Err(Error::Width { path: path.to_owned(), found, asked });
        }
        Ok(Self::from_opened(opened))
    }

    /// Creates the table from an opened file, whose width the caller has checked.
    pub(crate) fn from_opened(opened: Opened) -> Self {
        let Opened { mapping, geometry, header, keys } = opened;
        debug_assert_eq!(geometry.shape.width as usize, W::BYTES);
        Self { mapping, geometry, header, keys, width: std::marker::PhantomData }
    }

    #[inline(always)]
    fn view(&self) -> View<'_, Raw<'_>, W> {
        View::new(self.mapping.raw(), &self.geometry)
    }

    /// Returns the view for changing single cells; an error for a read-only or record table.
    #[inline(always)]
    fn cells(&self) -> Result<View<'_, Raw<'_>, W>, Error> {
        if !self.mapping.writable() {
            return Err(Error::ReadOnly);
        }
        if self.geometry.shape.records {
            return Err(Error::Kind { what: "publish the whole row of a record table" });
        }
        Ok(self.view())
    }

    /// Returns a handle that reads faster than the table itself; take one outside the loop.
    #[inline]
    pub fn reader(&self) -> Reader<'_, W> {
        Reader { view: self.view() }
    }

    /// Returns a still faster handle for a table with exactly `COLUMNS` dense keys and no others; `None` for other
    /// tables, and for exclusive rows or records.
    #[inline]
    pub fn reader_of<const COLUMNS: usize>(&self) -> Option<Reader<'_, W, COLUMNS>> {
        if COLUMNS == 0 || !self.geometry.fits(COLUMNS) {
            return None;
        }
        Some(Reader { view: View::new(self.mapping.raw(), &self.geometry) })
    }

    /// Returns the value of a pair. The call takes a bounded number of steps, whatever writers do.
    ///
    /// In a record table, the value is that of the last publication, or possibly of the next one if publications follow
    /// each other so fast that none can be read.
    #[inline]
    pub fn get(&self, object: u64, key: u64) -> Option<i64> {
        self.view().get(object, key)
    }

    /// Fills `values` with the values of many pairs; see [`Reader::get_many`].
    pub fn get_many(&self, pairs: &[(u64, u64)], values: &mut [Option<i64>]) {
        self.reader().get_many(pairs, values);
    }

    /// Stores a value.
    #[inline]
    pub fn set(&self, object: u64, key: u64, value: i64) -> Result<(), Error> {
        self.cells()?.set(object, key, value)
    }

    /// Stores many values, in order, like [`Table::set`]. For new objects of a large table the call is several times as
    /// fast, because their places in the index are fetched in parallel. An error ends the call; values before it are
    /// stored.
    pub fn set_many(&self, values: &[(u64, u64, i64)]) -> Result<(), Error> {
        self.cells()?.set_each(values.iter().copied())
    }

    /// Adds to a value, where an absent value counts as 0; returns the previous value. Any number of threads and
    /// processes may add to the same pair, and no addition is lost.
    #[inline]
    pub fn add(&self, object: u64, key: u64, delta: i64) -> Result<i64, Error> {
        let view = self.cells()?;
        view.add(view.cell_or_insert(object, key)?, delta)
    }

    /// Replaces the expected value by another, `None` meaning absent. If the value is not the expected one, returns it
    /// as `Err`.
    pub fn compare_exchange(
        &self,
        object: u64,
        key: u64,
        expected: Option<i64>,
        new: Option<i64>,
    ) -> Result<Result<(), Option<i64>>, Error> {
        let view = self.cells()?;
        let at = match expected {
            None => view.cell_or_insert(object, key)?,
            // A pair without a row is absent. An exchange that expects a value of it fails, so no row is allocated.
            Some(_) => match self.existing_cell(object, key) {
                Some(at) => at,
                None => return view.check_values(expected, new).map(|()| Err(None)),
            },
        };
        view.compare_exchange(at, expected, new)
    }

    /// Makes a pair absent and returns its value. The object keeps its row.
    pub fn remove(&self, object: u64, key: u64) -> Result<Option<i64>, Error> {
        let view = self.cells()?;
        let cell = self.existing_cell(object, key);
        Ok(cell.and_then(|at| view.remove(at)))
    }

    fn existing_cell(&self, object: u64, key: u64) -> Option<CellAt> {
        let view = self.view();
        let column = view.column(key)?;
        Some(view.cell(view.place(object)?, column))
    }

    /// Returns a counter for the pair, which the caller alone changes: an addition costs one store. See [`Counter`].
    pub fn counter(&self, object: u64, key: u64) -> Result<Counter<'_, W>, Error> {
        let at = self.cells()?.cell_or_insert(object, key)?;
        Counter::new(self.mapping.raw(), at)
    }

    /// Location of the pairs of dense objects and dense keys, for bindings to other languages. `None` in a table
    /// without dense objects and in a record table. Valid while the table is open.
    pub fn dense(&self) -> Option<Dense> {
        let (offset, stride, objects, keys) = self.geometry.dense()?;
        Some(Dense { cells: self.mapping.raw().address(offset), stride, objects, keys })
    }

    /// Returns the row of an object, found once for many reads, or `None` if the object was never written.
    pub fn row(&self, object: u64) -> Option<Row<'_, W>> {
        self.reader().row(object)
    }

    /// Publishes the values of the dense keys of an object together, in a record table. Values that are not given
    /// become absent. Only one writer per object may publish at a time.
    pub fn publish(&self, object: u64, values: &[Option<i64>]) -> Result<(), Error> {
        if !self.mapping.writable() {
            return Err(Error::ReadOnly);
        }
        if !self.geometry.shape.records {
            return Err(Error::Kind { what: "set the single cells of a plain table" });
        }
        let columns = self.geometry.columns() as usize;
        if values.len() > columns {
            return Err(Error::Kind { what: "publish no more values than there are keys" });
        }
        let word = |value: Option<i64>| value.map_or(Ok(0), encode::<W>);
        let words: Vec<u64> = values.iter().copied().map(word).collect::<Result<_, _>>()?;
        let view = self.view();
        let place = view.place_or_insert(object)?;
        view.publish(place, words.into_iter().chain(std::iter::repeat(0)).take(columns));
        Ok(())
    }

    /// Returns the keys and values of an object as of one moment; empty for an unknown object.
    ///
    /// Exact in a record table, and in a plain one for values that never return to an earlier value, as counters do.
    /// Fails with [`Error::Unstable`] instead of waiting for a writer that never pauses.
    pub fn snapshot(&self, object: u64) -> Result<Vec<(u64, i64)>, Error> {
        let Some(row) = self.row(object) else { return Ok(Vec::new()) };
        let words = self.reader().words(row)?;
        Ok(self.pairs(&words))
    }

    /// Returns the keys and values of an object, each read separately. Those of a record are read together, unless
    /// publications follow each other too fast.
    pub fn keys(&self, object: u64) -> Vec<(u64, i64)> {
        let Some(row) = self.row(object) else { return Vec::new() };
        let mut words = vec![0; self.geometry.columns() as usize];
        self.view().words_of_one(row.place(), &mut words);
        self.pairs(&words)
    }

    /// Returns the keys and values of the present pairs among the words of a row's columns.
    fn pairs(&self, words: &[u64]) -> Vec<(u64, i64)> {
        let mut pairs = Vec::new();
        let all = Self::each_pair(words, &self.key_columns(), &mut |key, value| {
            pairs.push((key, value));
            ControlFlow::<()>::Continue(())
        });
        debug_assert!(all.is_continue());
        pairs
    }

    /// Returns the keys that have a column, with their columns.
    fn key_columns(&self) -> Vec<(u64, usize)> {
        let dense = (0..self.geometry.shape.dense_keys).map(|key| (u64::from(key), key as usize));
        dense.chain(self.view().sparse_columns()).collect()
    }

    fn each_pair<B>(
        words: &[u64],
        keys: &[(u64, usize)],
        visit: &mut impl FnMut(u64, i64) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for &(key, column) in keys {
            if let Some(value) = words.get(column).and_then(|&word| decode::<W>(word)) {
                visit(key, value)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `visit` with the object, the key and the value of every pair, until it breaks: the dense objects in order,
    /// then the others in no order. The values of an object are read as by [`Table::keys`].
    ///
    /// Takes time in proportion to what was written, however large the file is. Every value that is present during the
    /// whole walk is visited exactly once; a value written during the walk may be missed.
    pub fn visit<B>(&self, mut visit: impl FnMut(u64, u64, i64) -> ControlFlow<B>) -> ControlFlow<B> {
        let (mut objects, keys) = (self.view().written_objects(), self.key_columns());
        let mut words = vec![0; self.geometry.columns() as usize];
        while let Some(object) = objects.next(&mut words) {
            Self::each_pair(&words, &keys, &mut |key, value| visit(object, key, value))?;
        }
        ControlFlow::Continue(())
    }

    /// Returns the objects that have a value: the dense ones in order, then the others in no order. An object that has
    /// a value during the whole iteration is returned exactly once; an object that gets its first value during it may
    /// be missed.
    pub fn objects(&self) -> impl Iterator<Item = u64> + '_ {
        let mut objects = self.view().written_objects();
        let mut words = vec![0; self.geometry.columns() as usize];
        std::iter::from_fn(move || objects.next(&mut words))
    }

    /// Returns the descriptions of keys that the table's creator gave; see [`crate::Options::describe`].
    pub fn described(&self) -> &[Key] {
        &self.keys
    }

    /// Returns facts about the table.
    pub fn info(&self) -> Info {
        let shape = self.geometry.shape;
        let objects = self.view().shared_objects();
        Info {
            value_bytes: shape.width,
            records: shape.records,
            dense_objects: shape.dense_objects,
            max_hashed_objects: shape.max_hashed,
            hashed_rows: objects.rows_taken(),
            dense_keys: shape.dense_keys,
            max_sparse_keys: shape.max_sparse_keys,
            file_bytes: self.geometry.len() as u64,
            index_slots: objects.slots(),
            creator_pid: self.header.pid,
            creator_alive: file::creator_runs(&self.header),
        }
    }

    /// Fails if anything could not be read so far. A file that was truncated reads as absent values from there on, and
    /// so does a page that the file system could not provide.
    pub fn check(&self) -> Result<(), Error> {
        self.mapping.check()
    }

    /// Returns whether the path of the table still leads to the open file, to another file or to none.
    pub fn standing(&self) -> Result<TableFile, Error> {
        self.mapping.standing()
    }

    /// Writes everything back to the device and waits for it. Useful only for a file on a disk.
    pub fn sync(&self) -> Result<(), Error> {
        self.mapping.sync()
    }

    /// Returns the path of the file with which the table was opened or created.
    pub fn path(&self) -> &Path {
        self.mapping.path()
    }
}
