//! Data that two workers exchange, to measure how far apart their CPUs are.

use std::sync::Arc;

use fauxplat_model::CacheTransfer;
use fauxplat_threads::{Side, Turn};

use crate::cache_transfer::Parcel;

/// Time after which a worker stops waiting for the other: writing and reading take a walk through memory.
const PATIENCE_NS: u64 = 200_000_000;

/// State that two workers share for a shift: one word for the beginning, one for the end.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    pub(crate) at_the_beginning: Turn,
    pub(crate) at_the_end: Turn,
    /// Order of the accesses to the parcel.
    turn: Turn,
    /// The memory to hand over; `None` in shifts without a handover.
    parcel: Option<Arc<Parcel>>,
}

impl Exchange {
    pub(crate) fn with(parcel: Option<Arc<Parcel>>) -> Self {
        Exchange { parcel, ..Exchange::default() }
    }

    /// The first side writes, the second reads and measures; returns a result for the reader alone.
    pub(crate) fn cache_transfer(&self, side: Side) -> Option<CacheTransfer> {
        let parcel = self.parcel.as_ref()?;
        self.turn.one_after_the_other(side, PATIENCE_NS, || parcel.write(), || parcel.read())?
    }
}
