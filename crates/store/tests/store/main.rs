//! The store as its users see it: records, processes, files.

mod common;
mod files;
mod processes;
mod records;
