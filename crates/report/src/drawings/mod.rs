//! Drawings of findings whose report is sentences and tables.

pub(crate) mod heat;
pub(crate) mod percentiles;
