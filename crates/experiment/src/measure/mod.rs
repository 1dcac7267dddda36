//! The experiments of the verbs: from a driver that is ready to what was found.

pub mod aa;
pub mod baseline;
pub mod capacity;
pub mod compare;
pub mod contend;
pub mod counters;
pub mod explain;
pub mod index;
pub mod latency;
pub mod layouts;
pub mod limit;
pub mod load;
pub mod node;
pub mod profile;
pub mod replay;
pub mod run;
mod session;
mod sessions;
pub mod sweep;
mod threads;
mod workers;

use fauxplat_plan::{Layout, Plan};

use crate::Driver;

pub use workers::{cells_plan, cpus_of};

/// A plan of all commands of an experiment under its condition, each once in a block.
fn plan_of(driver: &Driver) -> Plan {
    let condition = &driver.header.condition;
    Plan {
        commands: driver.commands.len() as u16,
        placement: condition.cpu.clone(),
        env_pad: condition.env_pad,
        heap: condition.heap,
        layout: Layout::Single,
        seed: driver.header.seed,
    }
}
