//! The verbs, one file each.

pub(crate) mod aa;
mod baseline;
mod commits;
pub(crate) mod compare;
pub(crate) mod contend;
pub(crate) mod counters;
pub(crate) mod explain;
pub(crate) mod fleet;
mod gate;
pub(crate) mod index;
pub(crate) mod lab;
pub(crate) mod limit;
pub(crate) mod load;
pub(crate) mod node;
pub(crate) mod profile;
pub(crate) mod put_back;
pub(crate) mod restore;
pub(crate) mod run;
pub(crate) mod sweep;
pub(crate) mod table;
pub(crate) mod tune;
pub(crate) mod words;
