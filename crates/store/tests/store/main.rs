//! The store as its users see it: records, processes, files.

mod cluster;
mod common;
mod evidence;
mod files;
mod processes;
mod records;
mod shared;
mod versions;
mod writers;
