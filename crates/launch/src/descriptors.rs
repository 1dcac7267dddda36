//! File descriptors that fauxplat and its spawner share.

use std::fs::File;
use std::os::fd::{AsRawFd, RawFd};

use fauxplat_sys::shared::{Doorbell, adopt, memory_file};
use fauxplat_sys::summons::Summons;

use crate::LaunchError;
use crate::ring::ring_words;

#[derive(Debug)]
pub(crate) struct Descriptors {
    pub(crate) ring: File,
    pub(crate) table: File,
    pub(crate) tree: File,
    /// Pipe that wakes the spawner. Only fauxplat holds the write end, so that the spawner notices when fauxplat ends.
    pub(crate) summons: Summons,
    pub(crate) to_client: Doorbell,
}

impl Descriptors {
    pub(crate) const COUNT: usize = 5;

    /// Creates the shared files. Each reply in the ring has room for `room` readings.
    pub(crate) fn new(summons: Summons, room: usize) -> Result<Self, LaunchError> {
        Ok(Descriptors {
            ring: memory_file(ring_words(room))?,
            table: memory_file(0)?,
            tree: memory_file(0)?,
            summons,
            to_client: Doorbell::new()?,
        })
    }

    pub(crate) fn fds(&self) -> [RawFd; Descriptors::COUNT] {
        let files = [&self.ring, &self.table, &self.tree].map(AsRawFd::as_raw_fd);
        [files[0], files[1], files[2], self.summons.fd(), self.to_client.fd()]
    }

    pub(crate) fn adopt(fds: [RawFd; Descriptors::COUNT]) -> Result<Self, LaunchError> {
        let [ring, table, tree, summons, to_client] = adopt(fds)?;
        Ok(Descriptors {
            ring: ring.into(),
            table: table.into(),
            tree: tree.into(),
            summons: summons.into(),
            to_client: to_client.into(),
        })
    }
}
