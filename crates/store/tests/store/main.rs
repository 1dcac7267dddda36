//! The store as its users see it: records, processes, files.

mod common;
mod evidence;
mod files;
mod processes;
mod records;
mod versions;
