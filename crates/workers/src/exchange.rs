//! Data that two workers exchange, to measure how far apart their CPUs are.

use std::sync::Arc;

use fauxplat_model::CacheTransfer;
use fauxplat_threads::{Side, Turn};

use crate::cache_transfer::Parcel;

/// Time after which a worker stops waiting for the other, in nanoseconds: far longer than one walk through the parcel.
const PATIENCE_NS: u64 = 200_000_000;

/// State that two workers share for a shift.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    pub(crate) at_the_beginning: Turn,
    pub(crate) at_the_end: Turn,
    /// Turn by which the second worker reads the parcel after the first has written it.
    turn: Turn,
    /// Memory that the first worker writes and the second reads; `None` in shifts that do not measure a transfer.
    parcel: Option<Arc<Parcel>>,
}

impl Exchange {
    pub(crate) fn with(parcel: Option<Arc<Parcel>>) -> Self {
        Exchange { parcel, ..Exchange::default() }
    }

    /// The first side writes, the second side reads and measures; only the second side returns a result.
    pub(crate) fn cache_transfer(&self, side: Side) -> Option<CacheTransfer> {
        let parcel = self.parcel.as_ref()?;
        self.turn.one_after_the_other(side, PATIENCE_NS, || parcel.write(), || parcel.read())?
    }
}
