//! Descriptions of machines and programs: data that determines everything a simulated launcher does.

use fauxplat_model::{Metric, Source, Sources};

use crate::ring::RunEnd;

#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Seed of all random draws; equal descriptions give equal runs.
    pub seed: u64,
    pub cpus: u16,
    /// Time from the end of a run to the start of the next run that waits.
    pub between_runs_ns: u64,
    /// Drift per second: the increase in the logarithm of every run's time.
    pub drift_per_s: f64,
    pub neighbour: Option<Neighbour>,
    /// Metrics that this machine does not provide.
    pub absent: Vec<Metric>,
    /// Sources that the simulated launcher gives for its readings.
    pub sources: Sources,
    /// Number, from 0, of the run in which the process that starts the programs dies.
    pub dies_at_run: Option<u64>,
    /// Number, from 0, of the run during which the user pauses fauxplat with Ctrl-Z.
    pub paused_at_run: Option<u64>,
    /// Number of runs of which more tasks ended than the kernel had room to report.
    pub lossy_runs: u64,
    /// Time at which the user stops the experiment, by the machine's own clock, which begins at zero.
    pub stopped_at_ns: Option<u64>,
    pub programs: Vec<Behaviour>,
}

impl Machine {
    pub fn quiet(seed: u64, programs: Vec<Behaviour>) -> Self {
        let sources = Sources {
            cpu_time: Source::Taskstats,
            peak_memory: Source::Taskstats,
            peak_memory_floor_bytes: 0,
            run_delay: Source::Taskstats,
            migrations: Source::PerfEvent,
            counter_floors: Vec::new(),
        };
        Machine {
            seed,
            cpus: 2,
            between_runs_ns: 10_000,
            drift_per_s: 0.0,
            neighbour: None,
            absent: Vec::new(),
            sources,
            dies_at_run: None,
            paused_at_run: None,
            lossy_runs: 0,
            stopped_at_ns: None,
            programs,
        }
    }
}

/// Other work on the machine that slows runs down at times. Time is divided into stays of equal length, in each of
/// which the neighbour is present or absent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    pub stay_ns: u64,
    /// Share of the stays in which the neighbour is present.
    pub share: f64,
    /// Factor by which runs take longer beside the neighbour: 2 is twice as long.
    pub slowdown: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Behaviour {
    /// Command line of the program to which the behaviour applies: its words joined by blanks, or its first word alone.
    pub name: String,
    /// Undisturbed wall time.
    pub wall: Times,
    /// CPU time. `None` means that the program never waits: its CPU time is the undisturbed wall time.
    pub cpu: Option<Times>,
    /// Carry-over to the next run: the increase in the logarithm of its time.
    pub carry_over: f64,
    /// Rules for runs that do not end with status 0. The first rule that applies is used.
    pub failures: Vec<Failure>,
    pub left_behind: u16,
    /// Readings of each run other than times; metrics that are not listed are zero.
    pub readings: Vec<(Metric, u64)>,
}

impl Behaviour {
    pub fn new(name: &str, wall: Times) -> Self {
        Behaviour {
            name: name.to_owned(),
            wall,
            cpu: None,
            carry_over: 0.0,
            failures: Vec::new(),
            left_behind: 0,
            readings: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// Median of the first mode, in nanoseconds.
    pub median_ns: f64,
    /// Standard deviation of the logarithm of the times, which is normally distributed.
    pub noise: f64,
    /// Second mode, if the distribution of the times has one.
    pub mode: Option<Mode>,
    /// Drift per second: the increase in the logarithm of the times.
    pub drift_per_s: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    pub ratio: f64,
    /// Share of the runs whose times are in this mode.
    pub share: f64,
}

impl Times {
    pub fn constant(median_ns: f64) -> Self {
        Times { median_ns, noise: 0.0, mode: None, drift_per_s: 0.0 }
    }

    /// Log-normal times with this standard deviation of the logarithm.
    pub fn noisy(median_ns: f64, noise: f64) -> Self {
        Times { noise, ..Times::constant(median_ns) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure {
    pub when: When,
    pub end: RunEnd,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// The run with this number, from 0.
    Run(u64),
    /// Every n-th run: with 3 the third, the sixth and so on.
    Every(u64),
    /// Any run, with this probability.
    Share(f64),
}
