//! What two workers pass to each other, so that the figures can say how far they are apart.

use std::sync::Arc;

use fauxplat_model::CacheTransfer;
use fauxplat_threads::{Side, Turn};

use crate::cache_transfer::Parcel;

/// Who does not come for so long is not waited for: writing and reading take a walk through memory.
const PATIENCE_NS: u64 = 200_000_000;

/// What two workers share for as long as a shift: one word for the beginning, one for the end.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    pub(crate) at_the_beginning: Turn,
    pub(crate) at_the_end: Turn,
    /// Whose turn it is with the parcel.
    turn: Turn,
    /// In shifts that ask for it.
    parcel: Option<Arc<Parcel>>,
}

impl Exchange {
    pub(crate) fn with(parcel: Option<Arc<Parcel>>) -> Self {
        Exchange { parcel, ..Exchange::default() }
    }

    /// The first side writes, the second reads and takes the time; for the reader alone.
    pub(crate) fn cache_transfer(&self, side: Side) -> Option<CacheTransfer> {
        let parcel = self.parcel.as_ref()?;
        self.turn.one_after_the_other(side, PATIENCE_NS, || parcel.write(), || parcel.read())?
    }
}
