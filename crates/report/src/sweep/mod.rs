//! What every form of a sweep's report shares: its sentences, its tables, its plots.

pub(crate) mod grids;
pub(crate) mod html;
pub(crate) mod plot;
pub(crate) mod sentences;
pub(crate) mod svg;
