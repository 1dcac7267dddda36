//! Metrics that every run has. Each is a constant and has a column of its own in the table of runs in the store.

use std::borrow::Cow;

use super::spec::Unit::{Bytes, Count, MicroPerSecond, Nanos};
use super::{Better, Coverage, Interned, Metric, MetricId, MetricSpec, Unit};

/// The built-in metrics in the order of their columns in the store. A new metric needs the next number, a constant
/// below, and an entry in [`Metric::BUILT_IN`].
const TABLE: &[Interned] = &[
    row(0, "wall", "wall_ns", "wall time", Nanos, "CLOCK_MONOTONIC"),
    row(1, "user", "user_ns", "user CPU time", Nanos, "taskstats or wait4(2)"),
    row(2, "system", "system_ns", "system CPU time", Nanos, "taskstats or wait4(2)"),
    row(3, "cpu", "cpu_ns", "CPU time", Nanos, "taskstats or wait4(2)"),
    row(4, "run-delay", "run_delay_ns", "run-queue wait", Nanos, "taskstats or schedstat"),
    row(5, "peak-memory", "peak_memory_bytes", "peak memory", Bytes, "taskstats or wait4(2)"),
    row(6, "voluntary-switches", "voluntary_switches", "voluntary switches", Count, "wait4(2)"),
    row(7, "involuntary-switches", "involuntary_switches", "involuntary switches", Count, "wait4(2)"),
    row(8, "migrations", "migrations", "migrations", Count, "perf_event_open(2) or /proc/PID/sched"),
    row(9, "minor-faults", "minor_faults", "minor page faults", Count, "wait4(2)"),
    row(10, "major-faults", "major_faults", "major page faults", Count, "wait4(2)"),
    row(11, "block-input", "block_input_bytes", "block input", Bytes, "wait4(2)"),
    row(12, "block-output", "block_output_bytes", "block output", Bytes, "wait4(2)"),
    STEAL,
    RATE,
];

const STEAL: Interned = with(row(13, "steal", "steal_ns", "steal", Nanos, "/proc/stat"), Coverage::Machine);

const RATE: Interned =
    with(row(14, "rate", "rate_micro_per_s", "rate", MicroPerSecond, "live table"), Coverage::Published);

/// A built-in metric: its number, command-line word, document field, title, unit and source. More is better for a rate,
/// less for every other metric.
const fn row(
    number: u16,
    word: &'static str,
    field: &'static str,
    title: &'static str,
    unit: Unit,
    source: &'static str,
) -> Interned {
    let better = if matches!(unit, MicroPerSecond) { Better::More } else { Better::Less };
    let (field, title, source) = (Cow::Borrowed(field), Cow::Borrowed(title), Cow::Borrowed(source));
    let spec = MetricSpec {
        id: MetricId::built_in(word),
        field,
        title,
        unit,
        better,
        source,
        coverage: Coverage::Tree,
    };
    Interned { number, spec }
}

/// The metric with another coverage than the process tree.
const fn with(mut row: Interned, coverage: Coverage) -> Interned {
    row.spec.coverage = coverage;
    row
}

pub(crate) fn find(word: &str) -> Option<Metric> {
    Metric::BUILT_IN.iter().copied().find(|metric| metric.name() == word)
}

impl Metric {
    /// Wall time from just before the process is created until its end is seen.
    pub const WALL: Metric = Metric(&TABLE[0]);
    pub const USER: Metric = Metric(&TABLE[1]);
    pub const SYSTEM: Metric = Metric(&TABLE[2]);
    /// User and kernel CPU time together. The sum is exact even if the kernel samples the split by ticks.
    pub const CPU: Metric = Metric(&TABLE[3]);
    /// Time spent runnable but without a CPU (`sched_info.run_delay`).
    pub const RUN_DELAY: Metric = Metric(&TABLE[4]);
    /// Largest resident set of any process of the tree.
    pub const PEAK_MEMORY: Metric = Metric(&TABLE[5]);
    /// Context switches of tasks that had to wait.
    pub const VOLUNTARY_SWITCHES: Metric = Metric(&TABLE[6]);
    /// Context switches forced by the scheduler.
    pub const INVOLUNTARY_SWITCHES: Metric = Metric(&TABLE[7]);
    pub const MIGRATIONS: Metric = Metric(&TABLE[8]);
    /// Page faults served without input or output.
    pub const MINOR_FAULTS: Metric = Metric(&TABLE[9]);
    /// Page faults that waited for input.
    pub const MAJOR_FAULTS: Metric = Metric(&TABLE[10]);
    pub const BLOCK_INPUT: Metric = Metric(&TABLE[11]);
    pub const BLOCK_OUTPUT: Metric = Metric(&TABLE[12]);
    /// Time that the hypervisor took from all CPUs together during the run, counted in ticks of 10 ms.
    pub const STEAL: Metric = Metric(&TABLE[13]);
    /// Rise of the first published counter over the run, divided by the wall time of the run; see
    /// [`crate::TableSource`].
    pub const RATE: Metric = Metric(&TABLE[14]);

    /// The metrics that every run has, in the order of their columns in the store.
    pub const BUILT_IN: &[Metric] = &[
        Metric::WALL,
        Metric::USER,
        Metric::SYSTEM,
        Metric::CPU,
        Metric::RUN_DELAY,
        Metric::PEAK_MEMORY,
        Metric::VOLUNTARY_SWITCHES,
        Metric::INVOLUNTARY_SWITCHES,
        Metric::MIGRATIONS,
        Metric::MINOR_FAULTS,
        Metric::MAJOR_FAULTS,
        Metric::BLOCK_INPUT,
        Metric::BLOCK_OUTPUT,
        Metric::STEAL,
        Metric::RATE,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_columns() {
        assert_eq!(TABLE.len(), Metric::BUILT_IN.len());
        for (index, &metric) in Metric::BUILT_IN.iter().enumerate() {
            assert_eq!(metric.number(), index);
            assert_eq!(metric.name(), TABLE[index].spec.id.as_str());
            assert_eq!(Metric::from_name(metric.name()), Some(metric));
            assert_eq!(Metric::from_field(metric.field()), Some(metric));
            assert!(metric.field().ends_with(metric.unit().suffix()), "{}", metric.field());
        }
        assert_eq!(Metric::from_name("sys"), Some(Metric::SYSTEM));
        assert_eq!(Metric::from_name("speed"), None);
        assert!(Metric::BUILT_IN.is_sorted());
    }
}
