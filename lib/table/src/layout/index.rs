//! Offsets in the file of the parts of an index: its shared words, its slots on every level, and its rows.

use super::{At32, At64, CONTROL_STRIDE, Level, PAGE, Region, Row, Slot, align};

/// The index of hashed objects, or of sparse keys: slots on every level, and the rows to which they point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexGeometry {
    control: usize,
    levels: usize,
    slots: usize,
    pub(super) min_level: u32,
    max_level: u32,
    region_bits: u32,
    /// The bits of an entry that contain the row's number plus one; the other bits are its tag.
    row_mask: u32,
    max_rows: u32,
    pub(super) rows: usize,
    pub(super) row_stride: usize,
}

impl IndexGeometry {
    /// Places an index after `offset`; returns it and the first offset after it.
    pub(super) fn place(place: IndexPlace, offset: usize, rows: u64, stride: usize) -> Option<(Self, usize)> {
        let IndexPlace { control, levels, min_level: min, region_bits } = place;
        let max_rows = u32::try_from(rows).ok()?;
        let row_bits = u64::BITS - (rows + 1).leading_zeros();
        let max_level = most_level(rows)?.max(min);
        let slots = align(offset, PAGE)?;
        // An index without rows keeps its smallest level, so that a lookup needs no special case. There is one slot
        // more than necessary, because a lookup reads the neighbour of the last slot.
        let slot_bytes = 4usize.checked_shl(max_level + 1)?.checked_add(4)?;
        let first_row = align(slots.checked_add(slot_bytes)?, PAGE)?;
        let end = first_row.checked_add(stride.checked_mul(usize::try_from(rows).ok()?)?)?;
        let index = Self {
            control,
            levels,
            slots,
            min_level: min,
            max_level,
            region_bits,
            row_mask: (1 << row_bits) - 1,
            max_rows,
            rows: first_row,
            row_stride: stride,
        };
        Some((index, end))
    }

    /// Returns the region of a hash: its top bits.
    #[inline(always)]
    pub(crate) fn region(&self, hash: u64) -> Region {
        Region(((hash >> 1) >> (63 - self.region_bits)) as u32)
    }
    pub(crate) fn regions(&self) -> impl Iterator<Item = Region> + use<> {
        (0..1 << self.region_bits).map(Region)
    }
    /// Returns the word that contains a region's current level.
    #[inline(always)]
    pub(crate) fn level_at(&self, region: Region) -> At32 {
        At32(self.levels, 4 * region.0 as usize)
    }
    /// Returns the word that contains a level which no region is below.
    #[inline(always)]
    pub(crate) fn common_at(&self) -> At32 {
        At32(self.control, 4 * CONTROL_STRIDE)
    }
    /// Returns the word that contains the number of rows handed out so far: the first of five shared words of the
    /// index, which are on separate cache lines.
    pub(crate) fn next_at(&self) -> At64 {
        At64(self.control, 0)
    }
    /// Returns the word that contains the number of rows whose pages exist.
    pub(crate) fn reserved_at(&self) -> At64 {
        At64(self.control, CONTROL_STRIDE)
    }
    /// Returns the word with the number of a row that may be free, plus one: a hint.
    pub(crate) fn spare_at(&self) -> At64 {
        At64(self.control, 2 * CONTROL_STRIDE)
    }
    /// Returns the word with a number below which every row is named by a slot.
    pub(crate) fn named_at(&self) -> At64 {
        At64(self.control, 3 * CONTROL_STRIDE)
    }

    /// Returns the level for a word of the file, which counts from the lowest level, so that a new file needs no first
    /// store. The word is clamped, because the file may be damaged.
    #[inline(always)]
    pub(crate) fn level(&self, word: u32) -> Level {
        if word > self.max_level - self.min_level {
            std::hint::cold_path();
            return Level(self.max_level);
        }
        Level(self.min_level + word)
    }
    /// Returns the word that stands for a level in the file; see [`IndexGeometry::level`].
    pub(crate) fn level_word(&self, level: Level) -> u32 {
        level.0 - self.min_level
    }
    /// Returns the level above, if there is one.
    pub(crate) fn above(&self, level: Level) -> Option<Level> {
        (level.0 < self.max_level).then_some(Level(level.0 + 1))
    }
    /// Returns the row for a row number that was read from the file, if there is such a row.
    #[inline(always)]
    pub(crate) fn row(&self, number: u32) -> Option<Row> {
        (number < self.max_rows).then_some(Row(number))
    }
    #[inline(always)]
    pub(crate) fn max_rows(&self) -> u32 {
        self.max_rows
    }
    #[inline(always)]
    pub(crate) fn row_mask(&self) -> u32 {
        self.row_mask
    }
    /// Returns the slot at which the search for a hash begins: its top bits, so that growth keeps the order.
    ///
    /// Level L is the 2^L words from word 2^L on, as in a heap, so that its place never changes; a one before the top
    /// bits of the hash is therefore the word's number.
    #[inline(always)]
    pub(crate) fn home(&self, hash: u64, level: Level) -> Slot {
        Slot((((hash >> 1) | 1 << 63) >> (63 - level.0)) as usize)
    }
    /// Returns the number of slots that a search on a level visits before it returns to its start: the slots of a
    /// region or, on the largest level, all.
    ///
    /// The largest level has room for every row, but a single region of it does not: numbers that were made to collide
    /// could all belong to one region. There a search that reaches the end of its region continues in the next, which
    /// costs nothing, because that level is never left and an entry is valid in any slot.
    #[inline(always)]
    pub(crate) fn chain(&self, level: Level) -> usize {
        if level.0 == self.max_level { level.slots() } else { self.region_slots(level) }
    }
    /// Returns the number of slots of one region of a level.
    #[inline(always)]
    pub(crate) fn region_slots(&self, level: Level) -> usize {
        level.slots() >> self.region_bits
    }
    /// Returns the slot after another; the last slot of a chain is followed by its first.
    #[inline(always)]
    pub(crate) fn after(&self, slot: Slot, level: Level) -> Slot {
        let within = self.chain(level) - 1;
        Slot((slot.0 & !within) | ((slot.0 + 1) & within))
    }
    /// Returns whether a slot of a level belongs to a region. On the largest level an entry may lie in another region.
    pub(crate) fn is_in(&self, slot: Slot, region: Region, level: Level) -> bool {
        (slot.0 - level.slots()) / self.region_slots(level) == region.0 as usize
    }
    /// Returns the word of the slot at which the search for a hash begins (see `home`), and the word after it. The last
    /// word of a level is followed by the level above, or by one spare word.
    #[inline(always)]
    pub(crate) fn first_two(&self, hash: u64, level: Level) -> (At32, At32) {
        // Levels are 1 to 32, so neither shift overflows.
        let first = self.slots + (4 << level.0);
        let into = 4 * (hash >> (64 - level.0)) as usize;
        (At32(first, into), At32(first + 4, into))
    }
    /// Returns the slot at a distance of `number` slots from the first slot of a region; the end of a level is followed
    /// by its first slot.
    pub(crate) fn slot(&self, level: Level, region: Region, number: usize) -> Slot {
        let first = region.0 as usize * self.region_slots(level);
        Slot(level.slots() | ((first + number) & (level.slots() - 1)))
    }
    #[inline(always)]
    pub(crate) fn slot_at(&self, slot: Slot) -> At32 {
        At32(self.slots, 4 * slot.0)
    }
    /// Returns offset and length of a region's part of a level, for reservation. The length includes the word after the
    /// part, which a search reads (see `first_two`).
    pub(crate) fn region_range(&self, level: Level, region: Region) -> (usize, usize) {
        let slots = self.region_slots(level);
        (self.slots + 4 * (level.slots() + region.0 as usize * slots), 4 * slots + 4)
    }
    /// Returns offset and length of a slot and of the following slot, which a search reads next.
    pub(crate) fn slot_ranges(&self, slot: Slot, level: Level) -> [(usize, usize); 2] {
        [slot, self.after(slot, level)].map(|slot| (self.slots + 4 * slot.0, 4))
    }
    /// Returns offset and length of a whole level, for reservation.
    pub(super) fn level_range(&self, level: Level) -> (usize, usize) {
        (self.slots + 4 * level.slots(), 4 * level.slots() + 4)
    }
    /// Returns the distance in slots from a slot to the first slot that begins at or after an offset.
    pub(crate) fn slots_until(&self, slot: Slot, offset: usize) -> usize {
        offset.saturating_sub(self.slots).div_ceil(4).saturating_sub(slot.0)
    }
    /// Returns the word with the row's object (or the key itself).
    #[inline(always)]
    pub(crate) fn id_at(&self, row: Row) -> At64 {
        At64(self.rows, row.0 as usize * self.row_stride)
    }
    /// Returns offset and length of the rows `from..to`, for reservation.
    pub(crate) fn rows_range(&self, from: u64, to: u64) -> (usize, usize) {
        let from = from.min(u64::from(self.max_rows)) as usize;
        let to = (to.min(u64::from(self.max_rows)) as usize).max(from);
        (self.rows + from * self.row_stride, (to - from) * self.row_stride)
    }
    pub(crate) fn row_stride(&self) -> usize {
        self.row_stride
    }
}

/// The places of an index's shared words, and its initial size.
pub(super) struct IndexPlace {
    pub(super) control: usize,
    pub(super) levels: usize,
    pub(super) min_level: u32,
    pub(super) region_bits: u32,
}

/// Returns the largest level that an index of this many rows needs, as a power of two: the index is never more than a
/// quarter full.
pub(crate) fn most_level(rows: u64) -> Option<u32> {
    Some(rows.checked_mul(4)?.max(2).checked_next_power_of_two()?.trailing_zeros())
}
