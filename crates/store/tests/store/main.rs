//! Tests of stores as users of the crate see them: records, processes, files. Shared stores are in `tests/server`.

mod away;
mod common;
mod evidence;
mod files;
mod pieces;
mod processes;
mod records;
mod versions;
