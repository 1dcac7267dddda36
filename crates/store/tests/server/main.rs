//! Shared stores, in PostgreSQL servers that the tests start. `cargo xtask postgres` runs them by name, since a machine
//! need not have PostgreSQL.
#![expect(clippy::disallowed_methods, reason = "a server is started")]

mod cluster;
#[path = "../store/common.rs"]
mod common;
#[path = "../store/pieces.rs"]
mod pieces;
mod shared;
mod writers;
