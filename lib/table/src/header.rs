//! The first page of the file: a description of the table, written once and checked whenever the table is opened.
//!
//! All numbers are little-endian. The byte-order mark is written in the byte order of the machine, because the cells
//! are too.

use std::path::Path;

use crate::error::Error;
use crate::layout::Shape;

/// Bytes of the header, which are read and checked whenever a table is opened.
pub(crate) const BYTES: usize = 128;
/// Version of the file format that this library writes and reads.
pub(crate) const VERSION: u32 = 3;
const MAGIC: [u8; 8] = *b"fxtable\n";
const MARK: u64 = 0x0102_0304_0506_0708;
const RECORDS: u32 = 1;
const EXCLUSIVE: u32 = 2;
/// Offset of the checksum, which covers everything before it.
const SUM: usize = 120;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub shape: Shape,
    /// Bytes of the whole file.
    pub len: u64,
    /// Id of the process that created the file.
    pub pid: u64,
    /// Start time of the process `pid`, in clock ticks since boot; distinguishes it from a later process with the same
    /// id.
    pub started: u64,
    /// Identifier of the boot during which the file was created.
    pub boot: [u8; 16],
    /// Checksum of the description of the keys.
    pub description_sum: u64,
    /// Inode number of the creator's PID namespace; 0 if unknown.
    pub pids: u32,
}

impl Header {
    pub(crate) fn encode(&self) -> [u8; BYTES] {
        let shape = &self.shape;
        let flags = u32::from(shape.records) * RECORDS + u32::from(shape.exclusive) * EXCLUSIVE;
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..16].copy_from_slice(&MARK.to_ne_bytes());
        put32(&mut bytes, 16, VERSION);
        put32(&mut bytes, 20, BYTES as u32);
        put32(&mut bytes, 24, shape.width);
        put32(&mut bytes, 28, flags);
        put64(&mut bytes, 32, shape.dense_objects);
        put64(&mut bytes, 40, shape.max_hashed);
        put32(&mut bytes, 48, shape.dense_keys);
        put32(&mut bytes, 52, shape.max_sparse_keys);
        put32(&mut bytes, 56, shape.min_level);
        put32(&mut bytes, 60, self.pids);
        put64(&mut bytes, 64, self.len);
        put64(&mut bytes, 72, self.pid);
        put64(&mut bytes, 80, self.started);
        bytes[88..104].copy_from_slice(&self.boot);
        put32(&mut bytes, 104, shape.region_bits);
        put32(&mut bytes, 108, shape.description_bytes);
        put64(&mut bytes, 112, self.description_sum);
        let sum = checksum(&bytes[..SUM]);
        put64(&mut bytes, SUM, sum);
        bytes
    }

    /// Decodes a header, or names the first error in it.
    pub(crate) fn decode(bytes: &[u8; BYTES], path: &Path) -> Result<Self, Error> {
        let damaged = |what| Error::NotATable { path: path.to_owned(), what };
        if bytes[..8] != MAGIC {
            return Err(damaged("its first bytes are not those of a table"));
        }
        if bytes[8..16] == MARK.swap_bytes().to_ne_bytes() {
            return Err(Error::ByteOrder { path: path.to_owned() });
        }
        if bytes[8..16] != MARK.to_ne_bytes() {
            return Err(damaged("its byte-order mark is damaged"));
        }
        let found = get32(bytes, 16);
        // The version is checked before the checksum, which another version may place elsewhere.
        if found != VERSION {
            return Err(Error::Version { path: path.to_owned(), found, known: VERSION });
        }
        if get64(bytes, SUM) != checksum(&bytes[..SUM]) {
            return Err(damaged("the checksum of its header is wrong"));
        }
        let flags = get32(bytes, 28);
        if get32(bytes, 20) as usize != BYTES || flags & !(RECORDS | EXCLUSIVE) != 0 {
            return Err(damaged("its header has fields of no known version"));
        }
        let shape = Shape {
            width: get32(bytes, 24),
            records: flags & RECORDS != 0,
            exclusive: flags & EXCLUSIVE != 0,
            dense_objects: get64(bytes, 32),
            max_hashed: get64(bytes, 40),
            dense_keys: get32(bytes, 48),
            max_sparse_keys: get32(bytes, 52),
            min_level: get32(bytes, 56),
            region_bits: get32(bytes, 104),
            description_bytes: get32(bytes, 108),
        };
        let mut boot = [0; 16];
        boot.copy_from_slice(&bytes[88..104]);
        Ok(Self {
            shape,
            len: get64(bytes, 64),
            pid: get64(bytes, 72),
            started: get64(bytes, 80),
            boot,
            description_sum: get64(bytes, 112),
            pids: get32(bytes, 60),
        })
    }
}

/// FNV-1a with 64 bits, which detects accidental damage. The checks of all bounds protect against a hostile header.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, step)
}

fn put32(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn put64(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}

fn get32(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn get64(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}
