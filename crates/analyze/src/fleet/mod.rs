//! Machines of a fleet, which should be alike: which machines are odd, which facts are associated with that, how two
//! programs compare on all machines, and which machines changed over time.

mod again;
mod answers;
mod beside;
mod compare;
mod estimate;
mod explained;
mod few;
mod findings;
mod group;
mod hardware;
mod machine;
mod notices;
mod two_programs;
mod watch;
mod whole;

use fauxplat_model::Metric;

pub use compare::fleet_compare;
pub use findings::fleet_findings;
pub use machine::first_records;
pub use watch::{fleet_watch, visit};

#[derive(Clone, Debug)]
pub struct FleetQuestion {
    pub metric: Metric,
    /// Index of the command whose readings are compared over the machines.
    pub command: u16,
    /// Slowdown, as a ratio minus one, up to which machines are not reported; also the margin of a comparison of
    /// programs.
    pub least_effect: f64,
    /// Expected number of machines that are flagged falsely if none is odd.
    pub false_flags: f64,
    /// Seed of the random permutations of the tests.
    pub seed: u64,
}

impl FleetQuestion {
    /// The defaults: slowdowns of the first command by more than 3 %, with an expected number of 0.1 false flags.
    pub fn of(metric: Metric, seed: u64) -> Self {
        FleetQuestion { metric, command: 0, least_effect: 0.03, false_flags: 0.1, seed }
    }
}
