//! Stores results in SQLite, each sample as soon as it is taken.
//!
//! An experiment is a row of `experiment`, a row of `command` for each command and a row of `sample` for each run.
//! Metrics that only some runs have are rows of `reading`; evidence other than runs has a table for each kind, and
//! large data are compressed in `artifact`. Each sample and each piece of evidence is a separate transaction, so a
//! killed process loses at most the sample or piece that was being written.
//!
//! The calls are synchronous (rusqlite), without an asynchronous pool: an append has to fit in a few microseconds
//! between two runs, without another thread that would disturb them, and the whole tool has to stay below 32 MiB.
//!
//! A shared store is a PostgreSQL database with the same tables. Measurements never write to it directly: an experiment
//! is recorded in a file, and copied to the server when it has finished (`spool`, `transfer`). To be read, an
//! experiment is copied into a temporary file, so all code that reads a file can read a shared store. Every statement
//! in `sql` has `$1` parameters and no dialect, so that both databases accept it; `sqlite`, `access` and `schema` are
//! specific to SQLite, and `postgres` to PostgreSQL.

mod access;
mod artifact;
mod engine;
mod error;
mod evidence;
mod exchange;
mod experiment;
mod findings;
mod heed;
mod housekeeping;
mod known;
mod lenient;
mod list;
mod load;
mod machine;
mod owner;
mod path;
mod points;
mod postgres;
mod readings;
mod row;
mod schema;
mod sessions;
mod spool;
mod sql;
mod sqlite;
mod state;
mod store;
mod transfer;
mod uuid;

pub use access::{Access, create_parents};
pub use artifact::Artifact;
pub use error::StoreError;
pub use exchange::Exchanged;
pub use experiment::Experiment;
pub use heed::{heed, without_waiting};
pub use housekeeping::Size;
pub use list::{ExperimentRow, Filter};
pub use load::{SAMPLES_MAX, StoredExperiment};
pub use path::{default_path, local_path};
pub use points::{Note, Point, PointDigest, PointFilter};
pub use postgres::{Patience, Url, masked, typeable};
pub use schema::VERSION;
pub use sessions::{Measured, SessionPairs, SessionReadings};
pub use spool::Shipment;
pub use state::State;
pub use store::Store;
