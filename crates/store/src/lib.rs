//! Results in SQLite, each sample as it lands.
//!
//! One experiment is one row of `experiment`, a row of `command` per command and a row of `sample` per run. Metrics
//! that not every run has are rows of `reading`; evidence that is no run has a table per kind, and what is large is
//! compressed in `artifact`. Each sample and each piece of evidence is a transaction of its own, so whatever kills the
//! process costs at most the unit in progress.
//!
//! The calls are synchronous, through rusqlite, and not an asynchronous pool: an append must fit in a few
//! microseconds between two runs, without another thread that would disturb them, and the whole tool must stay
//! below 32 MiB.
//!
//! A shared store is a database of PostgreSQL with the same tables. Nobody measures into it: experiments are recorded
//! in a file, and carried there when they are over (`spool`, `transfer`). To be read, an experiment is copied into a file
//! that is gone afterwards, so everything that reads a file reads a shared store. Every statement in `sql` is written
//! with `$1` parameters and without dialect, so that both engines take it; `sqlite`, `access` and `schema` have what is
//! SQLite's own, `postgres` what is PostgreSQL's.

mod access;
mod artifact;
mod engine;
mod error;
mod evidence;
mod exchange;
mod experiment;
mod findings;
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
