//! The store as its users see it: records, processes, files.

#[expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a server is started, or the test says why not"
)]
mod cluster;
mod common;
mod evidence;
mod files;
mod processes;
mod records;
mod shared;
mod versions;
mod writers;
