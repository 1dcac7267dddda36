//! Errors, each with the file or the call at which it occurred.

use std::io;
use std::path::PathBuf;

/// Reason why a table could not be created, opened, grown or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A kernel call on the table's file failed.
    #[error("{call} of {path}: {source}", path = path.display())]
    Io {
        /// The call that failed.
        call: &'static str,
        /// The table's file.
        path: PathBuf,
        /// The error of the kernel.
        source: io::Error,
    },
    /// The file is not a table, or its header is damaged.
    #[error("{path} is not a usable table: {what}", path = path.display())]
    NotATable {
        /// The file that was examined.
        path: PathBuf,
        /// The first error that was found in the file.
        what: &'static str,
    },
    /// The contents of the file contradict each other: another program wrote into it.
    #[error("the table's file is damaged: {what}; create it anew")]
    Damaged {
        /// The contradiction that was found.
        what: &'static str,
    },
    /// The file was written by another version of this library.
    #[error("{path} has format version {found}, this library reads version {known}: create it anew, or use the library that \
             wrote it", path = path.display())]
    Version {
        /// The file that was examined.
        path: PathBuf,
        /// The version in the file.
        found: u32,
        /// The version that this library reads.
        known: u32,
    },
    /// The file was written on a machine with the other byte order.
    #[error("{path} was written on a machine of the opposite byte order", path = path.display())]
    ByteOrder {
        /// The file that was examined.
        path: PathBuf,
    },
    /// The file is shorter or longer than its header says, or it shrank after it was opened.
    #[error("the table's file has {found} bytes instead of {expected}: it was truncated or extended")]
    Length {
        /// Bytes according to the header.
        expected: u64,
        /// Bytes that the file has now.
        found: u64,
    },
    /// The values in the file have another width than the caller requested.
    #[error("{path} holds {found}-byte values, not {asked}-byte values", path = path.display())]
    Width {
        /// The file that was examined.
        path: PathBuf,
        /// Bytes of a value in the file.
        found: u32,
        /// Bytes of a value that the caller requested.
        asked: u32,
    },
    /// The table exists, and was created with different options.
    #[error("{path} was created with other sizes ({what}): open it as it is, or remove it", path = path.display())]
    Different {
        /// The file that exists.
        path: PathBuf,
        /// The first option that differs.
        what: &'static str,
    },
    /// The table exists in a directory that is writable for all users, and belongs to another user.
    #[error("{path} belongs to user {owner}, who may change all that is published in it: remove it, use a folder of your own, \
             or allow it with Options::of_others", path = path.display())]
    Stranger {
        /// The file that exists.
        path: PathBuf,
        /// User id of the owner.
        owner: u32,
    },
    /// The requested sizes do not fit into a file or into this format.
    #[error("impossible table: {what}")]
    Shape {
        /// The limit that was exceeded.
        what: &'static str,
    },
    /// The file would be on a disk, whose write-back can stop a writer for a long time.
    #[error("{path} is on a disk-backed file system: use /dev/shm, or allow it with Options::on_disk", path = path.display())]
    OnDisk {
        /// The file that was to be created.
        path: PathBuf,
    },
    /// Every row for hashed objects is in use.
    #[error("the table is full: it holds at most {max} hashed objects")]
    ObjectsFull {
        /// Number of rows for hashed objects with which the table was created.
        max: u64,
    },
    /// Every column for sparse keys is in use.
    #[error("the table is full: it holds at most {max} keys beyond the dense ones")]
    KeysFull {
        /// Number of columns for sparse keys with which the table was created.
        max: u64,
    },
    /// The file system has no room for more rows. The table is not damaged.
    #[error("no room to grow the table: {source}")]
    NoSpace {
        /// The error of the kernel.
        source: io::Error,
    },
    /// The value, or the sum, exceeds the range of a cell of this table.
    #[error("{value} does not fit into a cell of this table")]
    Range {
        /// The value that was to be stored; the sum saturates at the ends of `i64`.
        value: i64,
    },
    /// The table was opened for reading only.
    #[error("the table was opened for reading only")]
    ReadOnly,
    /// Single cells of a record table cannot be written, and whole rows of a plain table cannot be published.
    #[error("this call does not fit the kind of table: {what}")]
    Kind {
        /// The call to use instead.
        what: &'static str,
    },
    /// The values of the object changed in each of the attempts to read them together.
    #[error("the object changed during each of {attempts} attempts to read it as a whole")]
    Unstable {
        /// Number of attempts to read them that were made.
        attempts: u32,
    },
}
