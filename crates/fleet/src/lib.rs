//! Fleets: an engine that the user already has (such as Slurm or Ansible) sends a plan to many machines, and their
//! answers are collected.
//!
//! Queues, retries, states of nodes and credentials are the engine's responsibility. A run is a folder in which every
//! answer is stored on arrival, so that the run can be resumed however it ended. The crate `analyze` draws the
//! conclusions.

mod ask;
mod check;
mod engine;
mod error;
mod fan;
mod files;
mod folder;
mod journal;
pub mod kubernetes;
mod local;
mod record;
mod run;
mod schedule;
mod site;
pub mod slurm;
mod spec;
mod take;
pub mod wire;

pub use check::{Refusal, checked};
pub use engine::{Engine, HandedOver, Listed, Said, Task, TaskState};
pub use error::FleetError;
pub use folder::{RunFolder, uuid};
pub use record::{Asked, AskedNode, evidence};
pub use run::{Counts, Limits, Run, Told};
pub use site::{EngineOptions, Site, joined, unpacked};
pub use spec::engine;
pub use take::{order_in, round_in, settle, take, take_round};

/// Creates a folder for the runs of a test, which no other user may write to, whatever the umask.
#[cfg(test)]
fn private() -> tempfile::TempDir {
    let owners_alone = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    tempfile::Builder::new().permissions(owners_alone).tempdir().unwrap()
}
