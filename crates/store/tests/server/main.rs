//! Shared stores, in servers of PostgreSQL that are started here. `cargo xtask postgres` asks for them by name, since a
//! machine need not have a server.
#![expect(clippy::disallowed_methods, reason = "a server is started")]

mod cluster;
#[path = "../store/common.rs"]
mod common;
#[path = "../store/pieces.rs"]
mod pieces;
mod shared;
mod writers;
