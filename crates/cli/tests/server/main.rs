//! Tests of the whole binary with a shared store, in a PostgreSQL server that they start; see `tests/server` of the
//! store.
#![expect(clippy::disallowed_methods, reason = "a server and the binary are started")]

#[path = "../../../store/tests/server/cluster.rs"]
#[expect(dead_code, reason = "a server that only recovers is the tests' of the store")]
mod cluster;
#[path = "../cli/common.rs"]
#[expect(dead_code, reason = "some of it is the tests' of other verbs")]
mod common;
mod shared;
