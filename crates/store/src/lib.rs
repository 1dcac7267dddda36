//! Results in SQLite, each sample as it lands.
//!
//! One experiment is one row of `experiment`, a row of `command` per command and a row of `sample` per run. Metrics
//! that not every run has are rows of `reading`; evidence that is no run has a table per kind, and what is large is
//! compressed in `artifact`. Each sample and each piece of evidence is a transaction of its own, so whatever kills the
//! process costs at most the unit in progress.
//!
//! The calls are synchronous, through rusqlite, and not an asynchronous pool: an append must fit in a few
//! microseconds between two runs, without another thread that would disturb them, and the whole tool must stay
//! below 32 MiB. Every statement in `sql` is written with `$1` parameters and without dialect, so that the same
//! text can be sent to PostgreSQL later; only `schema` speaks SQLite's own.

mod access;
mod artifact;
mod error;
mod evidence;
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
mod readings;
mod row;
mod schema;
mod sessions;
mod sql;
mod state;
mod store;
mod uuid;

pub use access::Access;
pub use artifact::Artifact;
pub use error::StoreError;
pub use experiment::Experiment;
pub use housekeeping::Size;
pub use list::{ExperimentRow, Filter};
pub use load::StoredExperiment;
pub use path::default_path;
pub use schema::VERSION;
pub use sessions::{SessionPairs, SessionReadings};
pub use state::State;
pub use store::Store;
