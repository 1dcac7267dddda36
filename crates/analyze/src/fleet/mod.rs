//! Machines that should be the same: which of them are odd, what goes with it, one program against another on all of
//! them, and what changed over time.

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

/// Question about a fleet.
#[derive(Clone, Debug)]
pub struct FleetQuestion {
    /// Metric that is judged.
    pub metric: Metric,
    /// Command whose figures are judged, by its index.
    pub command: u16,
    /// Slowdowns up to this share are nobody's concern; in a comparison, differences up to it count as none.
    pub least_effect: f64,
    /// Machines that may be flagged on average where nobody is odd.
    pub false_flags: f64,
    /// Seed of the random orders of the tests.
    pub seed: u64,
}

impl FleetQuestion {
    /// A slowdown of 3 % and more, of the first command, with 0.1 false flags.
    pub fn of(metric: Metric, seed: u64) -> Self {
        FleetQuestion { metric, command: 0, least_effect: 0.03, false_flags: 0.1, seed }
    }
}
