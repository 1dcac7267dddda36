//! Limits the unpacked size of compressed records (`perf record -z`), before a library keeps all of them in memory.

use zstd_safe::{DCtx, InBuffer, OutBuffer};

/// Limit of the compression ratio. Records of perf become three to five times smaller (`perf-record(1)`), copies of
/// stacks twenty times; a record that unpacks to a hundred times its size was made to fill memory.
const TIMES_MAX: u64 = 100;
/// Unpacked bytes that are always allowed, however small the file is.
const BYTES_ALWAYS: u64 = 16 << 20;
/// Size of the buffer for unpacked bytes, which are discarded.
const ROOM: usize = 128 << 10;

/// An unpacker for compressed records, which together form one stream. The number of unpacked bytes is limited.
pub(super) struct Unpacking {
    context: DCtx<'static>,
    room: Vec<u8>,
    left: u64,
}

impl Unpacking {
    /// Creates an unpacker for a file with this many bytes of compressed records.
    pub(super) fn new(packed_bytes: u64) -> Self {
        let left = packed_bytes.saturating_mul(TIMES_MAX).max(BYTES_ALWAYS);
        Unpacking { context: DCtx::create(), room: vec![0; ROOM], left }
    }

    /// Unpacks the next record, and subtracts its length from the number of bytes that may still be unpacked.
    ///
    /// # Errors
    /// Returns the reason why the record is invalid, as the end of a sentence.
    pub(super) fn take(&mut self, packed: &[u8]) -> Result<(), &'static str> {
        let mut packed = InBuffer::around(packed);
        loop {
            let mut room = OutBuffer::around(self.room.as_mut_slice());
            let unpacked = self.context.decompress_stream(&mut room, &mut packed);
            unpacked.map_err(|_| "its records cannot be unpacked")?;
            let bytes = room.pos();
            self.left =
                self.left.checked_sub(bytes as u64).ok_or("its records unpack to far more than its size")?;
            if bytes < ROOM && packed.pos() == packed.src.len() {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a frame of blocks that each unpack to 128 KiB of one byte (RFC 8878, 3.1.1.2).
    fn repeated(blocks: usize) -> Vec<u8> {
        let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58];
        let header = ((128 << 10) << 3 | 1 << 1) as u32;
        (0..blocks).for_each(|_| frame.extend([header.to_le_bytes()[..3].as_ref(), &[7]].concat()));
        frame
    }

    #[test]
    fn records_that_fill_memory_are_refused_and_others_pass() {
        let mut unpacking = Unpacking::new(1000);
        assert_eq!(unpacking.take(&repeated(100)), Ok(()));
        let bomb = repeated(16_000);
        assert!(bomb.len() < 1 << 16, "it fits into a record");
        let refused = Unpacking::new(bomb.len() as u64).take(&bomb);
        assert_eq!(refused, Err("its records unpack to far more than its size"));
        assert_eq!(Unpacking::new(9).take(b"no zstd"), Err("its records cannot be unpacked"));
    }
}
