//! Layout of the file, computed from the creation parameters alone.
//!
//! Nothing in the file is a pointer or an offset: every place follows from the shape, which is checked once and then
//! kept in private memory. Offsets are made only here and only from indices that were compared with their bounds
//! ([`Row`], [`Column`], [`Level`], [`Slot`], [`CellsStart`]), so a damaged or hostile file can contain any words and
//! still cannot move an access out of the mapping.
//!
//! The fields of these types are private to this module and its submodules, so that no other code can create invalid
//! values.

mod index;

use crate::error::Error;
use index::IndexPlace;
pub(crate) use index::{IndexGeometry, most_level};

/// An aligned offset of a four-byte word inside the mapping.
///
/// The offset is kept in two parts that are added last: the start of an area of the file, which is constant in a loop,
/// so that its address is computed outside of the loop, and the offset into that area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At32(usize, usize);

/// An aligned offset of an eight-byte word inside the mapping; see [`At32`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct At64(usize, usize);

/// The offset of a cell, whose width is part of the table's type; see [`At32`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellAt(usize, usize);

/// The number of a row for a hashed object (or for a sparse key), less than the number of rows in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row(u32);

/// The number of a column, less than the number of columns in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column(u32);

/// A size of an index, as the binary logarithm of its number of slots, within the limits of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) struct Level(u32);

/// The number of a region, which is a part of an index that grows separately; less than the number of regions in the
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region(u32);

/// The number of a slot of an index, on a level that exists; see [`IndexGeometry::home`].
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
    /// Returns the offset of a cell of eight bytes. Only tables with such cells call this function, so the offset is a
    /// multiple of eight.
    #[inline(always)]
    pub(crate) fn wide(self) -> At64 {
        At64(self.0, self.1)
    }
}

impl CellsStart {
    /// Returns the place of an existing row's cells from their offset.
    #[inline(always)]
    pub(crate) fn from_offset(offset: usize) -> Self {
        Self(offset, 0)
    }
    #[inline(always)]
    pub(crate) fn offset(self) -> usize {
        self.0 + self.1
    }
    /// Returns the cell of a dense key, which the caller has compared with the number of dense keys.
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
    /// Returns the number of slots of a whole level, all regions together.
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
    /// Whether whole rows are published at once instead of single cells.
    pub records: bool,
    /// Whether rows start on separate cache-line pairs, so that writers of neighbouring rows never share one.
    pub exclusive: bool,
    /// Objects `0..dense_objects` have a row each, found without an index.
    pub dense_objects: u64,
    /// Number of further objects, with any 64-bit number, whose row is found through the index.
    pub max_hashed: u64,
    /// Keys `0..dense_keys` have a column each.
    pub dense_keys: u32,
    /// Number of further keys, with any 64-bit number.
    pub max_sparse_keys: u32,
    /// The index starts with two to this power slots.
    pub min_level: u32,
    /// The index of objects has two to this power regions, each of which grows separately.
    pub region_bits: u32,
    /// Bytes of the description of the keys.
    pub description_bytes: u32,
}

/// Bytes before the description: the page of the header, the page of shared counters, and the page of the regions'
/// levels.
const FIXED_BYTES: usize = 3 * PAGE;
/// Offset in the file of the page of shared counters.
const CONTROL: usize = PAGE;
/// Offset of the levels of the regions of the index of objects. Every search reads them, and they are only written when
/// a region grows, so they need no cache lines of their own.
const LEVELS: usize = 2 * PAGE;
const PAGE: usize = 4096;
/// Maximum number of regions, as a power of two: their levels fill a page, which stays in the nearest cache.
pub(crate) const MOST_REGION_BITS: u32 = 10;
/// Maximum size of the description of the keys.
pub(crate) const MOST_DESCRIPTION_BYTES: u32 = 1 << 20;
const LINE: usize = 64;
/// Distance in bytes between shared counters, a pair of cache lines: otherwise adjacent-line prefetch would make them
/// share one.
const CONTROL_STRIDE: usize = 128;
/// Maximum number of columns; rows with more would be too long.
const MAX_COLUMNS: u32 = 1 << 16;
/// Maximum number of hashed objects: row numbers then need at most 31 bits, so that an entry of an index, which has 32,
/// always has room for a tag.
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

/// Offsets and sizes of all parts of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub shape: Shape,
    pub hot: Hot,
    pub keys: IndexGeometry,
    columns: u32,
    half: usize,
    len: usize,
}

/// Returns the bytes from one row to the next. A row that fits into a cache line lies in a single line, as long as that
/// costs no more than a third of its size. A longer row has to lie in several lines anyway, and more memory would only
/// cost more misses.
fn row_pitch(bytes: usize) -> Option<usize> {
    let whole = bytes.next_power_of_two();
    if whole <= LINE && whole <= bytes + bytes / 3 { Some(whole) } else { align(bytes, 8) }
}

impl Geometry {
    /// Computes every offset, or returns which size is impossible.
    ///
    /// The word 0 in a row's head means that the row is free, so object 0 and key 0 are always dense.
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
        // The index of keys has one region, whose level is stored after the other shared words of the index.
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
            // The cells of records are not where the fast path reads, so for the fast path no key is dense.
            dense_keys: if shape.records { 0 } else { u64::from(shape.dense_keys) },
            dense: dense + sequence,
            dense_stride,
            row_head: 8 + sequence,
        };
        Some(Self { shape, hot, keys, columns, half, len })
    }

    /// Returns the bytes of the whole file.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
    pub(crate) fn columns(&self) -> u32 {
        self.columns
    }
    /// Returns offset and length of each part of the file that is allocated when the table is created.
    pub(crate) fn first_ranges(&self) -> [(usize, usize); 4] {
        let hot = &self.hot;
        let dense = hot.dense_stride * self.shape.dense_objects as usize;
        let level = |index: &IndexGeometry| index.level_range(Level(index.min_level));
        let sequence = hot.row_head - 8;
        let head = FIXED_BYTES + self.shape.description_bytes as usize;
        [(0, head), (hot.dense - sequence, dense), level(&hot.objects), level(&self.keys)]
    }
    /// Returns the offset of the description of the keys.
    pub(crate) fn description(&self) -> usize {
        FIXED_BYTES
    }

    /// Returns whether the table has exactly `columns` keys, all of them dense, and single cells whose rows follow one
    /// another without a gap.
    pub(crate) fn fits(&self, columns: usize) -> bool {
        let width = self.shape.width as usize;
        self.shape.dense_keys as usize == columns
            && self.columns as usize == columns
            && !self.shape.records
            && self.hot.dense_stride == columns * width
    }
    /// Returns the location of the dense pairs: offset of the first row, bytes between rows, number of objects and of
    /// keys. `None` for records, whose cells are elsewhere.
    pub(crate) fn dense(&self) -> Option<(usize, usize, u64, u32)> {
        let hot = &self.hot;
        let plain = !self.shape.records && self.shape.dense_objects > 0;
        plain.then_some((hot.dense, hot.dense_stride, self.shape.dense_objects, self.shape.dense_keys))
    }
    /// Returns the start of a row's cells, or of the sequence word before them, and the end of the cells.
    pub(crate) fn cells_range(&self, place: CellsStart) -> (usize, usize) {
        let halves = if self.shape.records { 2 } else { 1 };
        let cells = place.0 + place.1;
        (cells - (self.hot.row_head - 8), cells + halves * self.half)
    }
    /// Returns the first offset after the sparse keys.
    pub(crate) fn keys_end(&self) -> usize {
        let (offset, bytes) = self.keys.rows_range(0, u64::from(self.keys.max_rows()));
        offset + bytes
    }
    /// Returns the first dense object whose row ends after an offset; the number of dense objects if there is none.
    pub(crate) fn dense_object_from(&self, offset: usize) -> u64 {
        let first = self.hot.dense - (self.hot.row_head - 8);
        let row = offset.saturating_sub(first) / self.hot.dense_stride;
        (row as u64).min(self.shape.dense_objects)
    }
    /// Returns the column with a number, if it exists.
    #[inline(always)]
    pub(crate) fn column(&self, number: u64) -> Option<Column> {
        if number < u64::from(self.columns) {
            return Some(Column(number as u32));
        }
        None
    }
    /// Returns the sequence word of a record row: the word before its cells.
    pub(crate) fn sequence_at(&self, place: CellsStart) -> At64 {
        At64(place.0 - 8, place.1)
    }
    /// Returns a cell in one of the two halves of a record row.
    pub(crate) fn half_cell(&self, place: CellsStart, half: u64, column: Column, width: usize) -> CellAt {
        CellAt(place.0, place.1 + (half & 1) as usize * self.half + column.0 as usize * width)
    }
}

impl Hot {
    /// Returns the row of a dense object.
    #[inline(always)]
    pub(crate) fn dense_row(&self, object: u64) -> Option<CellsStart> {
        if object < self.dense_objects {
            return Some(CellsStart(self.dense, object as usize * self.dense_stride));
        }
        None
    }
    /// Returns the row of a dense object if the number of columns is known to the compiler; see [`Geometry::fits`].
    #[inline(always)]
    pub(crate) fn dense_row_of<const COLUMNS: usize>(&self, object: u64, width: usize) -> Option<CellsStart> {
        if object < self.dense_objects {
            return Some(CellsStart(self.dense, object as usize * (COLUMNS * width)));
        }
        None
    }
    /// Returns the cells of a hashed object's row.
    #[inline(always)]
    pub(crate) fn hashed_row(&self, row: Row) -> CellsStart {
        CellsStart(self.objects.rows + self.row_head, self.objects.id_at(row).1)
    }
    /// Returns the offset that a cell would have if the row and the column existed: for prefetching, never for access.
    #[inline(always)]
    pub(crate) fn probable_cell(&self, row: u32, key: u64, width: usize) -> usize {
        let row = (row as usize).wrapping_mul(self.objects.row_stride);
        (self.objects.rows + self.row_head).wrapping_add(row).wrapping_add((key as usize).wrapping_mul(width))
    }
    /// Returns the number of dense keys: keys below it have a column each.
    #[inline(always)]
    pub(crate) fn dense_keys(&self) -> u64 {
        self.dense_keys
    }
    /// Returns the column of a dense key.
    #[inline(always)]
    pub(crate) fn dense_column(&self, key: u64) -> Option<Column> {
        if key < self.dense_keys {
            return Some(Column(key as u32));
        }
        None
    }
    /// Returns the column of a dense key if the number of keys is known to the compiler.
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

/// Checks a shape against the limits of the format; returns the number of columns.
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

/// Returns the first offset of the page after an offset.
pub(crate) fn page_after(offset: usize) -> usize {
    (offset / PAGE * PAGE).saturating_add(PAGE)
}

fn align(offset: usize, to: usize) -> Option<usize> {
    offset.checked_next_multiple_of(to)
}
