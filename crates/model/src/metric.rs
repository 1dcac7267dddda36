//! What is read of each run: one table of names, units and meanings that every stage shares.

use serde::{Deserialize, Serialize};

/// The unit in which a metric is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Nanos,
    /// Bytes.
    Bytes,
    /// A number of events.
    Count,
    /// Millionths of an event per second: whole numbers that keep the digits of one event in an hour.
    MicroPerSecond,
}

/// One quantity that is read of every run. The whole process tree is meant unless [`crate::Sources`] says less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Metric {
    /// From just before the process is created until its end is seen.
    Wall,
    /// CPU time in user mode.
    User,
    /// CPU time in kernel mode.
    System,
    /// User and kernel CPU time together, exact where the split is sampled by ticks.
    Cpu,
    /// Time spent runnable but waiting for a CPU (`sched_info.run_delay`).
    RunDelay,
    /// Largest resident set of any process of the tree.
    PeakMemory,
    /// Context switches because a task waited for something.
    VoluntarySwitches,
    /// Context switches because the scheduler took the CPU away.
    InvoluntarySwitches,
    /// Moves from one CPU to another.
    Migrations,
    /// Page faults served without input or output.
    MinorFaults,
    /// Page faults that waited for input.
    MajorFaults,
    /// Bytes read from block devices.
    BlockInput,
    /// Bytes written to block devices.
    BlockOutput,
    /// Time that the hypervisor took from all CPUs together during the run; it moves in ticks of 10 ms.
    Steal,
    /// Rise of a published counter over the run, by the wall time of the run; see [`crate::TableSource`].
    Rate,
}

impl Metric {
    /// How many metrics there are.
    pub const COUNT: usize = 15;

    /// All metrics, in the order of [`crate::Sample`]'s readings.
    pub const ALL: [Metric; Metric::COUNT] = [
        Metric::Wall,
        Metric::User,
        Metric::System,
        Metric::Cpu,
        Metric::RunDelay,
        Metric::PeakMemory,
        Metric::VoluntarySwitches,
        Metric::InvoluntarySwitches,
        Metric::Migrations,
        Metric::MinorFaults,
        Metric::MajorFaults,
        Metric::BlockInput,
        Metric::BlockOutput,
        Metric::Steal,
        Metric::Rate,
    ];

    /// The word that the command line uses: `peak-memory`.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// The field name in documents, with its unit: `peak_memory_bytes`.
    pub fn field(self) -> &'static str {
        self.row().1
    }

    /// What a person calls it: `peak memory`.
    pub fn title(self) -> &'static str {
        self.row().2
    }

    /// The unit of the stored number.
    pub fn unit(self) -> Unit {
        self.row().3
    }

    /// Whether more of it is better, as of a rate; of everything else less is.
    pub fn more_is_better(self) -> bool {
        self == Metric::Rate
    }

    /// Finds a metric by the word that the command line uses (`sys` is accepted for `system`).
    pub fn from_name(name: &str) -> Option<Metric> {
        let name = if name == "sys" { "system" } else { name };
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Command-line word, document field, title, unit.
    fn row(self) -> (&'static str, &'static str, &'static str, Unit) {
        use Unit::{Bytes, Count, MicroPerSecond, Nanos};
        match self {
            Metric::Wall => ("wall", "wall_ns", "wall time", Nanos),
            Metric::User => ("user", "user_ns", "user CPU time", Nanos),
            Metric::System => ("system", "system_ns", "system CPU time", Nanos),
            Metric::Cpu => ("cpu", "cpu_ns", "CPU time", Nanos),
            Metric::RunDelay => ("run-delay", "run_delay_ns", "run-queue wait", Nanos),
            Metric::PeakMemory => ("peak-memory", "peak_memory_bytes", "peak memory", Bytes),
            Metric::VoluntarySwitches => {
                ("voluntary-switches", "voluntary_switches", "voluntary switches", Count)
            }
            Metric::InvoluntarySwitches => {
                ("involuntary-switches", "involuntary_switches", "involuntary switches", Count)
            }
            Metric::Migrations => ("migrations", "migrations", "migrations", Count),
            Metric::MinorFaults => ("minor-faults", "minor_faults", "minor page faults", Count),
            Metric::MajorFaults => ("major-faults", "major_faults", "major page faults", Count),
            Metric::BlockInput => ("block-input", "block_input_bytes", "block input", Bytes),
            Metric::BlockOutput => ("block-output", "block_output_bytes", "block output", Bytes),
            Metric::Steal => ("steal", "steal_ns", "steal", Nanos),
            Metric::Rate => ("rate", "rate_micro_per_s", "rate", MicroPerSecond),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_readings() {
        for (index, metric) in Metric::ALL.into_iter().enumerate() {
            assert_eq!(metric as usize, index);
            assert_eq!(Metric::from_name(metric.name()), Some(metric));
        }
        assert_eq!(Metric::from_name("sys"), Some(Metric::System));
        assert_eq!(Metric::from_name("speed"), None);
    }
}
