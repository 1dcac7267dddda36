//! Options for creating a table, and opening a table without knowing its creator's options.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use crate::describe::Key;
use crate::error::Error;
use crate::file::{self, Plan};
use crate::layout::{Geometry, MOST_REGION_BITS, Shape, most_level};
use crate::map::TableFile;
use crate::table::{Info, Table};
use crate::width::{Narrow, Wide, Width};

/// Size and properties of a new table. The file is sparse: unused rows take no memory.
#[derive(Clone, Debug)]
#[must_use]
pub struct Options {
    shape: Shape,
    expected_objects: u64,
    keys: Vec<Key>,
    mode: u32,
    on_disk: bool,
    of_others: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Options {
    /// Creates the default options: no dense objects, up to 2^20 hashed objects, 16 dense keys, 16 sparse keys,
    /// readable and writable by the owner.
    pub fn new() -> Self {
        let shape = Shape {
            width: 8,
            records: false,
            exclusive: false,
            dense_objects: 0,
            max_hashed: 1 << 20,
            dense_keys: 16,
            max_sparse_keys: 16,
            min_level: 10,
            region_bits: 0,
            description_bytes: 0,
        };
        Self { shape, expected_objects: 0, keys: Vec::new(), mode: 0o600, on_disk: false, of_others: false }
    }

    /// Gives objects `0..count` a row each, found by arithmetic. Their pages are allocated at once. Object 0 always has
    /// a row.
    pub fn dense_objects(mut self, count: u64) -> Self {
        self.shape.dense_objects = count;
        self
    }

    /// Allows this many further objects, with any 64-bit number.
    pub fn max_hashed_objects(mut self, count: u64) -> Self {
        self.shape.max_hashed = count;
        self
    }

    /// Makes the index large enough for this many hashed objects from the beginning. Its pages are allocated at once,
    /// sixteen to thirty-two bytes an object, and inserts need not wait for it to grow.
    pub fn expected_objects(mut self, count: u64) -> Self {
        self.expected_objects = count;
        self
    }

    /// Describes keys in the file itself, so that readers of the table get their names, kinds, units and help. Replaces
    /// earlier descriptions.
    pub fn describe(mut self, keys: impl IntoIterator<Item = Key>) -> Self {
        self.keys = keys.into_iter().collect();
        self
    }

    /// Gives keys `0..count` a column each (key 0 always has one), and removes the sparse keys: most tables need only
    /// one of the two.
    pub fn dense_keys(mut self, count: u32) -> Self {
        self.shape.dense_keys = count;
        self.shape.max_sparse_keys = 0;
        self
    }

    /// Allows this many further keys, with any 64-bit number. Looking up such a key costs a second search.
    pub fn max_sparse_keys(mut self, count: u32) -> Self {
        self.shape.max_sparse_keys = count;
        self
    }

    /// Starts each row on a separate pair of cache lines, for rows that different threads write.
    pub fn exclusive_rows(mut self, yes: bool) -> Self {
        self.shape.exclusive = yes;
        self
    }

    /// Makes a table of records: [`Table::publish`] writes an object's values together and [`Table::snapshot`] reads
    /// them together. Single cells of such a table cannot be written.
    pub fn records(mut self, yes: bool) -> Self {
        self.shape.records = yes;
        self
    }

    /// Sets the permission bits of the file, before the umask of the process is applied.
    pub fn mode(mut self, mode: u32) -> Self {
        self.mode = mode;
        self
    }

    /// Allows a file on a disk, where it survives a reboot, but write-back can stop a writer.
    pub fn on_disk(mut self, yes: bool) -> Self {
        self.on_disk = yes;
        self
    }

    /// Lets [`Options::open_or_create`] open a table that another user created in a directory that is writable for all
    /// users, such as `/dev/shm`. The owner of the file can change all of its values, and truncate it.
    pub fn of_others(mut self, yes: bool) -> Self {
        self.of_others = yes;
        self
    }

    /// Creates the table; an error if the file exists.
    pub fn create<W: Width>(&self, path: impl AsRef<Path>) -> Result<Table<W>, Error> {
        let plan =
            Plan { shape: self.shape(W::BYTES), keys: &self.keys, mode: self.mode, on_disk: self.on_disk };
        Ok(Table::from_opened(file::create(path.as_ref(), &plan)?))
    }

    /// Returns the shape of a table with a value width: the index begins with a page, or with the expected size, and
    /// has regions of at least sixteen slots in the beginning and some thousands at the end.
    fn shape(&self, width: usize) -> Shape {
        let most = most_level(self.shape.max_hashed).unwrap_or(0);
        let region_bits = most.saturating_sub(LAST_REGION_LEVEL).min(MOST_REGION_BITS);
        let expected = most_level(self.expected_objects).unwrap_or(most).min(most);
        let min_level = expected.max(FIRST_LEVEL).max(region_bits + FIRST_REGION_LEVEL);
        Shape { width: width as u32, min_level, region_bits, ..self.shape }
    }

    /// Opens the table for writing, or creates it; of several processes that do this at the same time, one creates it.
    /// An existing table must have been created with the same sizes and, if any are given here, the same descriptions
    /// of keys; [`Error::Different`] names the first difference. In a directory that is writable for all users, the
    /// table must belong to this user, to root or to the directory's owner, unless [`Options::of_others`] allows more;
    /// otherwise the call returns [`Error::Stranger`]. [`Table::open`] does not check the owner.
    pub fn open_or_create<W: Width>(&self, path: impl AsRef<Path>) -> Result<Table<W>, Error> {
        let path = path.as_ref();
        let asked = Geometry::new(self.shape(W::BYTES))?.shape;
        let is = |source: &io::Error, kind| source.kind() == kind;
        let mut tries = 0;
        loop {
            match file::open(path, true) {
                Err(Error::Io { call: "open", source, .. }) if is(&source, io::ErrorKind::NotFound) => {}
                opened => {
                    let opened = opened?;
                    compare(path, &opened.geometry.shape, &asked)?;
                    if !self.keys.is_empty() && self.keys != opened.keys {
                        return Err(Error::Different { path: path.to_owned(), what: "descriptions of keys" });
                    }
                    if !self.of_others {
                        file::refuse_strangers(path, &opened)?;
                    }
                    return Ok(Table::from_opened(opened));
                }
            }
            tries += 1;
            match self.create(path) {
                // Another process has created the file meanwhile. Unless the name is a dangling link, the table can be
                // opened now.
                Err(Error::Io { call: "create", source, .. })
                    if is(&source, io::ErrorKind::AlreadyExists) && tries < TRIES => {}
                result => return result,
            }
        }
    }
}

/// Minimum number of slots on the first level of an index, as powers of two: of the whole level, and of one region.
const FIRST_LEVEL: u32 = 10;
const FIRST_REGION_LEVEL: u32 = 4;
/// Number of slots of a region on the largest level, as a power of two, if the number of regions allows it: a copy
/// takes a few tenths of a millisecond.
const LAST_REGION_LEVEL: u32 = 14;
/// Maximum number of attempts if the table is created and removed between opening and creating it.
const TRIES: u32 = 100;

/// Checks whether a table has the requested shape. The lowest level of the index may differ, since callers cannot
/// observe it.
fn compare(path: &Path, found: &Shape, asked: &Shape) -> Result<(), Error> {
    if found.width != asked.width {
        return Err(Error::Width { path: path.to_owned(), found: found.width, asked: asked.width });
    }
    let differs = [
        (found.records != asked.records, "rows: records in one case, single cells in the other"),
        (found.exclusive != asked.exclusive, "rows: exclusive in one case"),
        (found.dense_objects != asked.dense_objects, "dense objects"),
        (found.max_hashed != asked.max_hashed, "hashed objects"),
        (found.dense_keys != asked.dense_keys, "dense keys"),
        (found.max_sparse_keys != asked.max_sparse_keys, "sparse keys"),
    ];
    match differs.into_iter().find(|differs| differs.0) {
        Some((_, what)) => Err(Error::Different { path: path.to_owned(), what }),
        None => Ok(()),
    }
}

/// A table whose value width is read from its file.
#[derive(Debug)]
pub enum AnyTable {
    /// Cells of eight bytes.
    Wide(Table<Wide>),
    /// Cells of four bytes.
    Narrow(Table<Narrow>),
}

/// Calls a method of the table of either width.
macro_rules! either {
    ($self:expr, $table:ident => $call:expr) => {
        match $self {
            AnyTable::Wide($table) => $call,
            AnyTable::Narrow($table) => $call,
        }
    };
}

impl<W: Width> Table<W> {
    /// Creates a table with the default sizes; see [`Options`] for others.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, Error> {
        Options::new().create(path)
    }
}

impl AnyTable {
    /// Opens a table for reading and writing.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::from_path(path.as_ref(), true)
    }

    /// Opens a table for reading only, so that this process cannot damage it.
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::from_path(path.as_ref(), false)
    }

    fn from_path(path: &Path, writable: bool) -> Result<Self, Error> {
        let opened = file::open(path, writable)?;
        Ok(match opened.geometry.shape.width {
            4 => Self::Narrow(Table::from_opened(opened)),
            _ => Self::Wide(Table::from_opened(opened)),
        })
    }

    /// See [`Table::get`].
    #[inline]
    pub fn get(&self, object: u64, key: u64) -> Option<i64> {
        either!(self, table => table.get(object, key))
    }
    /// See [`Table::set`].
    #[inline]
    pub fn set(&self, object: u64, key: u64, value: i64) -> Result<(), Error> {
        either!(self, table => table.set(object, key, value))
    }
    /// See [`Table::add`].
    #[inline]
    pub fn add(&self, object: u64, key: u64, delta: i64) -> Result<i64, Error> {
        either!(self, table => table.add(object, key, delta))
    }
    /// See [`Table::compare_exchange`].
    pub fn compare_exchange(
        &self,
        object: u64,
        key: u64,
        expected: Option<i64>,
        new: Option<i64>,
    ) -> Result<Result<(), Option<i64>>, Error> {
        either!(self, table => table.compare_exchange(object, key, expected, new))
    }
    /// See [`Table::remove`].
    pub fn remove(&self, object: u64, key: u64) -> Result<Option<i64>, Error> {
        either!(self, table => table.remove(object, key))
    }
    /// See [`Table::get_many`].
    #[inline]
    pub fn get_many(&self, pairs: &[(u64, u64)], values: &mut [Option<i64>]) {
        either!(self, table => table.get_many(pairs, values));
    }
    /// See [`Table::set_many`].
    pub fn set_many(&self, values: &[(u64, u64, i64)]) -> Result<(), Error> {
        either!(self, table => table.set_many(values))
    }
    /// See [`Table::publish`].
    pub fn publish(&self, object: u64, values: &[Option<i64>]) -> Result<(), Error> {
        either!(self, table => table.publish(object, values))
    }
    /// See [`Table::snapshot`].
    pub fn snapshot(&self, object: u64) -> Result<Vec<(u64, i64)>, Error> {
        either!(self, table => table.snapshot(object))
    }
    /// See [`Table::objects`].
    pub fn objects(&self) -> Box<dyn Iterator<Item = u64> + '_> {
        either!(self, table => Box::new(table.objects()))
    }
    /// See [`Table::keys`].
    pub fn keys(&self, object: u64) -> Vec<(u64, i64)> {
        either!(self, table => table.keys(object))
    }
    /// See [`Table::visit`].
    pub fn visit<B>(&self, visit: impl FnMut(u64, u64, i64) -> ControlFlow<B>) -> ControlFlow<B> {
        either!(self, table => table.visit(visit))
    }
    /// See [`Table::described`].
    pub fn described(&self) -> &[Key] {
        either!(self, table => table.described())
    }
    /// See [`Table::info`].
    pub fn info(&self) -> Info {
        either!(self, table => table.info())
    }
    /// See [`Table::check`].
    pub fn check(&self) -> Result<(), Error> {
        either!(self, table => table.check())
    }
    /// See [`Table::standing`].
    pub fn standing(&self) -> Result<TableFile, Error> {
        either!(self, table => table.standing())
    }
    /// See [`Table::sync`].
    pub fn sync(&self) -> Result<(), Error> {
        either!(self, table => table.sync())
    }
}
