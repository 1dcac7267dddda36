//! Layout of the file, computed from the creation parameters alone.
//!
//! Nothing in the file is a pointer or an offset: every place follows from the shape, which is checked once
//! and then kept in private memory. Offsets are made only here and only from indices that were compared
//! with their bounds ([`Row`], [`Column`], [`Level`], [`Slot`],
//! [`CellsStart`]), so a damaged or hostile file can hold any
//! words it likes and still cannot move an access out of the mapping.
//!
//! The fields of these types are private to this module and those below it, which is what makes their values trustworthy.

mod index;

use crate::error::Error;
use index::IndexPlace;
pub(crate) use index::{IndexGeometry, most_level};

/// An aligned offset of a four-byte word inside the mapping.
///
/// Kept in two parts that are added last: the start of the region, which stays the same in a loop, so that its address
/// is computed outside of the loop, and the offset into the region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At32(usize, usize);

/// An aligned offset of an eight-byte word inside the mapping; see [`At32`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At64(usize, usize);

/// The offset of a cell, whose width the table's type knows; see [`At32`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellAt(usize, usize);

/// The number of a row for a hashed object (or of a sparse key), below the number that the file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row(u32);

/// The number of a column, below the number that the file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column(u32);

/// The size of an index as a power of two, within the bounds of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) struct Level(u32);

/// A part of an index that grows by itself, below the number of regions that the file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region(u32);

/// A slot of an index, on a level that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(usize);

/// Start of the cells of an existing row; see [`At32`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellsStart(usize, usize);

impl At32 {
    #[inline(always)]
    pub(crate) fn offset(self) -> usize {
        self.0 + self.1
    }
    #[inline(always)]
    pub(crate) fn parts(self) -> (usize, usize) {
        (self.0, self.1)
    }
}

impl At64 {
    #[inline(always)]
    pub(crate) fn offset(self) -> usize {
        self.0 + self.1
    }
    #[inline(always)]
    pub(crate) fn parts(self) -> (usize, usize) {
        (self.0, self.1)
    }
}

impl CellAt {
    #[inline(always)]
    pub(crate) fn narrow(self) -> At32 {
        At32(self.0, self.1)
    }
    /// Only the wide table calls this, and its columns are eight bytes apart.
    #[inline(always)]
    pub(crate) fn wide(self) -> At64 {
        At64(self.0, self.1)
    }
}

impl CellsStart {
    /// The place of an existing row's cells by their offset.
    #[inline(always)]
    pub(crate) fn from_offset(offset: usize) -> Self {
        Self(offset, 0)
    }
    #[inline(always)]
    pub(crate) fn offset(self) -> usize {
        self.0 + self.1
    }
    /// The cell of a dense key, which the caller has compared with their number.
    #[inline(always)]
    pub(crate) fn dense_cell(self, key: u64, width: usize) -> CellAt {
        CellAt(self.0, self.1 + key as usize * width)
    }
}

impl Row {
    #[inline(always)]
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

impl Level {
    /// Slots of a whole level, those of all regions together.
    #[inline(always)]
    pub(crate) fn slots(self) -> usize {
        1 << self.0
    }
}

/// The parameters that the creator of a table chose; written into the header, never changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Bytes of a value: 4 or 8.
    pub width: u32,
    /// Whole rows are published at once instead of single cells.
    pub records: bool,
    /// Rows start on separate cache-line pairs, so that writers of neighbouring rows never share one.
    pub exclusive: bool,
    /// Objects `0..dense_objects` have a row each, found without an index.
    pub dense_objects: u64,
    /// Further objects, with any 64-bit number, that find their row through the index.
    pub max_hashed: u64,
    /// Keys `0..dense_keys` have a column each.
    pub dense_keys: u32,
    /// Further keys, with any 64-bit number.
    pub max_sparse_keys: u32,
    /// The index starts with two to this power slots.
    pub min_level: u32,
    /// The index of objects has two to this power regions, each of which grows by itself.
    pub region_bits: u32,
    /// Bytes of the description of the keys.
    pub description_bytes: u32,
}

/// Bytes before the description: the header's page, the page of shared counters, and that of the regions' levels.
const FIXED_BYTES: usize = 3 * PAGE;
/// Offset of the shared counters.
const CONTROL: usize = PAGE;
/// Offset of the levels of the regions of the index of objects. They are read by every search and written when a region
/// grows, so they need no lines of their own.
const LEVELS: usize = 2 * PAGE;
const PAGE: usize = 4096;
/// Greatest number of regions, as a power of two: their levels fill a page, which stays in the nearest cache.
pub(crate) const MOST_REGION_BITS: u32 = 10;
/// Greatest size of the description of the keys.
pub(crate) const MOST_DESCRIPTION_BYTES: u32 = 1 << 20;
/// Bytes of a cache line.
const LINE: usize = 64;
/// Distance in bytes between shared counters, a pair of cache lines: adjacent-line prefetch would make them share one
/// otherwise.
const CONTROL_STRIDE: usize = 128;
/// Greatest number of columns; rows with more would be too long.
const MAX_COLUMNS: u32 = 1 << 16;
/// Row numbers need 31 bits at most, so that an entry always has room for a tag.
const MAX_ROWS: u64 = (1 << 31) - 2;

/// The part of the geometry that a read needs, small enough to be kept in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hot {
    pub objects: IndexGeometry,
    dense_objects: u64,
    dense_keys: u64,
    dense: usize,
    dense_stride: usize,
    row_head: usize,
}

/// The whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub shape: Shape,
    pub hot: Hot,
    pub keys: IndexGeometry,
    columns: u32,
    half: usize,
    len: usize,
}

/// Bytes from one row to the next. A row that fits into a cache line lies in one, as long as that costs no more than a
/// third of its size. A longer row has to lie in several anyway, and more memory would only cost more misses.
fn row_pitch(bytes: usize) -> Option<usize> {
    let whole = bytes.next_power_of_two();
    if whole <= LINE && whole <= bytes + bytes / 3 { Some(whole) } else { align(bytes, 8) }
}

impl Geometry {
    /// Computes every offset, or says which size is impossible.
    ///
    /// The word 0 in a row's head means that the row is free, so object 0 and key 0 always are among the dense ones.
    pub(crate) fn new(asked: Shape) -> Result<Self, Error> {
        check(&asked)?;
        let (dense_objects, dense_keys) = (asked.dense_objects.max(1), asked.dense_keys.max(1));
        let shape = Shape { dense_objects, dense_keys, ..asked };
        let columns = check(&shape)?;
        Self::place(shape, columns).ok_or(Error::Shape { what: "its sizes overflow the address space" })
    }

    fn place(shape: Shape, columns: u32) -> Option<Self> {
        let half = columns as usize * shape.width as usize;
        let cells = if shape.records { align(half, 8)?.checked_mul(2)? } else { half };
        let half = if shape.records { align(half, 8)? } else { half };
        let sequence = if shape.records { 8 } else { 0 };
        // A plain dense row has no head: its cells follow those of the row before, as in a flat array.
        let least = if shape.records { 8 } else { shape.width as usize };
        let dense_stride = align(sequence + cells, if shape.exclusive { 2 * LINE } else { least })?;
        let row = 8 + sequence + cells;
        let row_stride = if shape.exclusive { align(row, 2 * LINE)? } else { row_pitch(row)? };

        let control = |n: usize| CONTROL + 8 * n * CONTROL_STRIDE;
        let (min_level, region_bits) = (shape.min_level, shape.region_bits);
        let sparse = u64::from(shape.max_sparse_keys);
        // The index of keys has one region, whose level lies behind its other words.
        let own = control(1) + 5 * CONTROL_STRIDE;
        let place =
            IndexPlace { control: control(1), levels: own, min_level: min_level.min(4), region_bits: 0 };
        let end = FIXED_BYTES.checked_add(shape.description_bytes as usize)?;
        let (keys, end) = IndexGeometry::place(place, end, sparse, 8)?;
        let dense = align(end, PAGE)?;
        let dense_bytes = dense_stride.checked_mul(usize::try_from(shape.dense_objects).ok()?)?;
        let end = dense.checked_add(dense_bytes)?;
        let place = IndexPlace { control: control(0), levels: LEVELS, min_level, region_bits };
        let (objects, end) = IndexGeometry::place(place, end, shape.max_hashed, row_stride)?;
        let len = align(end, PAGE)?;
        isize::try_from(len).ok()?;
        let hot = Hot {
            objects,
            dense_objects: shape.dense_objects,
            // The cells of records are not where the fast path reads, so that it must take no key for a dense one.
            dense_keys: if shape.records { 0 } else { u64::from(shape.dense_keys) },
            dense: dense + sequence,
            dense_stride,
            row_head: 8 + sequence,
        };
        Some(Self { shape, hot, keys, columns, half, len })
    }

    /// Bytes of the whole file.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
    pub(crate) fn columns(&self) -> u32 {
        self.columns
    }
    /// Offset and length of everything that exists from the beginning.
    pub(crate) fn first_ranges(&self) -> [(usize, usize); 4] {
        let hot = &self.hot;
        let dense = hot.dense_stride * self.shape.dense_objects as usize;
        let level = |index: &IndexGeometry| index.level_range(Level(index.min_level));
        let sequence = hot.row_head - 8;
        let head = FIXED_BYTES + self.shape.description_bytes as usize;
        [(0, head), (hot.dense - sequence, dense), level(&hot.objects), level(&self.keys)]
    }
    /// Where the description of the keys begins.
    pub(crate) fn description(&self) -> usize {
        FIXED_BYTES
    }

    /// Whether exactly these dense keys exist and rows follow one another without a gap.
    pub(crate) fn fits(&self, columns: usize) -> bool {
        let width = self.shape.width as usize;
        self.shape.dense_keys as usize == columns
            && self.columns as usize == columns
            && !self.shape.records
            && self.hot.dense_stride == columns * width
    }
    /// Location of the dense pairs: offset of the first row, bytes between rows, number of objects and of keys. `None`
    /// for records, whose cells are elsewhere.
    pub(crate) fn dense(&self) -> Option<(usize, usize, u64, u32)> {
        let hot = &self.hot;
        let plain = !self.shape.records && self.shape.dense_objects > 0;
        plain.then_some((hot.dense, hot.dense_stride, self.shape.dense_objects, self.shape.dense_keys))
    }
    /// Start of a row's cells, its sequence included, and their end.
    pub(crate) fn cells_range(&self, place: CellsStart) -> (usize, usize) {
        let halves = if self.shape.records { 2 } else { 1 };
        let cells = place.0 + place.1;
        (cells - (self.hot.row_head - 8), cells + halves * self.half)
    }
    /// The first offset behind the sparse keys.
    pub(crate) fn keys_end(&self) -> usize {
        let (offset, bytes) = self.keys.rows_range(0, u64::from(self.keys.max_rows()));
        offset + bytes
    }
    /// The first dense object whose row ends behind an offset; the number of dense objects if there is none.
    pub(crate) fn dense_object_from(&self, offset: usize) -> u64 {
        let first = self.hot.dense - (self.hot.row_head - 8);
        let row = offset.saturating_sub(first) / self.hot.dense_stride;
        (row as u64).min(self.shape.dense_objects)
    }
    /// The column for a number, if it exists.
    #[inline(always)]
    pub(crate) fn column(&self, number: u64) -> Option<Column> {
        if number < u64::from(self.columns) {
            return Some(Column(number as u32));
        }
        None
    }
    /// The sequence word of a record row: the word before its cells.
    pub(crate) fn sequence_at(&self, place: CellsStart) -> At64 {
        At64(place.0 - 8, place.1)
    }
    /// A cell in one of the two halves of a record row.
    pub(crate) fn half_cell(&self, place: CellsStart, half: u64, column: Column, width: usize) -> CellAt {
        CellAt(place.0, place.1 + (half & 1) as usize * self.half + column.0 as usize * width)
    }
}

impl Hot {
    /// The row of a dense object.
    #[inline(always)]
    pub(crate) fn dense_row(&self, object: u64) -> Option<CellsStart> {
        if object < self.dense_objects {
            return Some(CellsStart(self.dense, object as usize * self.dense_stride));
        }
        None
    }
    /// The row of a dense object when the table's columns are known to the compiler (see `fits`).
    #[inline(always)]
    pub(crate) fn dense_row_of<const COLUMNS: usize>(&self, object: u64, width: usize) -> Option<CellsStart> {
        if object < self.dense_objects {
            return Some(CellsStart(self.dense, object as usize * (COLUMNS * width)));
        }
        None
    }
    /// The cells of a hashed object's row.
    #[inline(always)]
    pub(crate) fn hashed_row(&self, row: Row) -> CellsStart {
        CellsStart(self.objects.rows + self.row_head, self.objects.id_at(row).1)
    }
    /// Offset that a cell would have if the row and the column existed: for prefetching, never for access.
    #[inline(always)]
    pub(crate) fn probable_cell(&self, row: u32, key: u64, width: usize) -> usize {
        let row = (row as usize).wrapping_mul(self.objects.row_stride);
        (self.objects.rows + self.row_head).wrapping_add(row).wrapping_add((key as usize).wrapping_mul(width))
    }
    /// Keys below this number have a column each.
    #[inline(always)]
    pub(crate) fn dense_keys(&self) -> u64 {
        self.dense_keys
    }
    /// The column of a dense key.
    #[inline(always)]
    pub(crate) fn dense_column(&self, key: u64) -> Option<Column> {
        if key < self.dense_keys {
            return Some(Column(key as u32));
        }
        None
    }
    /// The column of a dense key when the number of keys is known to the compiler.
    #[inline(always)]
    pub(crate) fn dense_column_of<const COLUMNS: usize>(&self, key: u64) -> Option<Column> {
        if key < COLUMNS as u64 {
            return Some(Column(key as u32));
        }
        None
    }
    #[inline(always)]
    pub(crate) fn cell(&self, place: CellsStart, column: Column, width: usize) -> CellAt {
        CellAt(place.0, place.1 + column.0 as usize * width)
    }
}

/// Checks the limits of the format; returns the number of columns.
fn check(shape: &Shape) -> Result<u32, Error> {
    let refuse = |what| Err(Error::Shape { what });
    if shape.width != 4 && shape.width != 8 {
        return refuse("values are 4 or 8 bytes wide");
    }
    let columns = shape.dense_keys.saturating_add(shape.max_sparse_keys);
    if columns == 0 || columns > MAX_COLUMNS {
        return refuse("it needs 1 to 65536 keys");
    }
    if shape.max_hashed > MAX_ROWS {
        return refuse("it has more than 2147483646 hashed objects");
    }
    if shape.max_hashed == 0 && shape.dense_objects == 0 {
        return refuse("it has no objects");
    }
    let most = most_level(shape.max_hashed).unwrap_or(0).max(20);
    if !(1..=most).contains(&shape.min_level) {
        return refuse("its first index level is out of range");
    }
    if shape.region_bits > MOST_REGION_BITS || shape.region_bits >= shape.min_level {
        return refuse("its index has more regions than slots");
    }
    if shape.description_bytes > MOST_DESCRIPTION_BYTES {
        return refuse("the description of its keys has more than a mebibyte");
    }
    Ok(columns)
}

/// The first offset of the page behind an offset.
pub(crate) fn page_after(offset: usize) -> usize {
    (offset / PAGE * PAGE).saturating_add(PAGE)
}

fn align(offset: usize, to: usize) -> Option<usize> {
    offset.checked_next_multiple_of(to)
}
