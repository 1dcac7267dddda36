//! Files that are written and synced to their device.

use std::fs::File;
use std::io::{self, Write};
use std::io::{Seek, SeekFrom};
use std::path::Path;

use fauxplat_sys::{clock, files};

use super::Labour;

/// Number of bytes written between two syncs.
const BLOCK_BYTES: usize = 1 << 20;
/// Number of blocks after which writing starts over, so that the file does not grow.
const BLOCKS: u64 = 64;

pub(super) struct Files {
    file: File,
    block: Vec<u8>,
    written: u64,
    working_ns: u64,
}

impl Files {
    /// Creates an unnamed file, which the kernel deletes however the process ends.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        let mut file = files::unnamed(folder)?;
        // The words of the block differ, so that a device that compresses has to write them all.
        let words =
            (0..BLOCK_BYTES as u64 / 8).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
        let block: Vec<u8> = words.flat_map(u64::to_ne_bytes).collect();
        file.write_all(&block)?;
        file.sync_data()?;
        Ok(Files { file, block, written: 1, working_ns: 0 })
    }
}

impl Labour for Files {
    fn lap(&mut self, units: u64) -> io::Result<()> {
        let begun_ns = clock::monotonic_ns();
        for _ in 0..units {
            if self.written.is_multiple_of(BLOCKS) {
                self.file.seek(SeekFrom::Start(0))?;
            }
            self.file.write_all(&self.block)?;
            self.file.sync_data()?;
            self.written += 1;
        }
        self.working_ns += clock::monotonic_ns() - begun_ns;
        Ok(())
    }

    /// Wall time of the work, since the work mostly waits for the device.
    fn busy_ns(&self) -> u64 {
        self.working_ns
    }
}
