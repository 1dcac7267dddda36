//! Machines and programs as descriptions: pure data, from which everything that a twin does follows.

use fauxplat_model::{Metric, Source, Sources};

use crate::ring::RunEnd;

/// A machine that exists as a description alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Everything that is drawn is drawn from it: the same description behaves the same way again.
    pub seed: u64,
    /// How many CPUs it has.
    pub cpus: u16,
    /// Time from the end of a run to the start of the next one that waits.
    pub between_runs_ns: u64,
    /// By how much every run becomes longer in a second, on the scale of logarithms.
    pub drift_per_s: f64,
    /// Somebody else who takes a part of the CPUs now and then.
    pub neighbour: Option<Neighbour>,
    /// Metrics that this machine does not give.
    pub absent: Vec<Metric>,
    /// Where its figures are said to come from.
    pub sources: Sources,
    /// The run, counted from 0, in which whoever starts the programs dies.
    pub dies_at_run: Option<u64>,
    /// The run, counted from 0, during which the user stops fauxplat for a while, as Ctrl-Z does.
    pub paused_at_run: Option<u64>,
    /// Runs of which more tasks ended than the kernel had room to tell of.
    pub lossy_runs: u64,
    /// When the user stops the experiment, by the machine's own clock, which begins at zero.
    pub stopped_at_ns: Option<u64>,
    /// What the programs do.
    pub programs: Vec<Behaviour>,
}

impl Machine {
    /// A quiet machine of two CPUs with these programs.
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

/// Somebody who comes and goes: time is cut into stays, and each of them has the neighbour or has not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Length of a stay.
    pub stay_ns: u64,
    /// Share of the stays in which the neighbour is there.
    pub share: f64,
    /// How much longer everything takes beside it: 2 is twice as long.
    pub slowdown: f64,
}

/// What one program does.
#[derive(Clone, Debug, PartialEq)]
pub struct Behaviour {
    /// The program's words, joined by blanks, or the first of them alone.
    pub name: String,
    /// How long it takes where nobody disturbs it.
    pub wall: Times,
    /// CPU time. Without it the program never waits: CPU time is the undisturbed wall time.
    pub cpu: Option<Times>,
    /// By how much it makes the run after it longer, on the scale of logarithms.
    pub carry_over: f64,
    /// Runs that end otherwise than with status 0. The first that applies does.
    pub failures: Vec<Failure>,
    /// Processes that it leaves behind.
    pub left_behind: u16,
    /// Readings that are none of time; those that are not named are zero.
    pub readings: Vec<(Metric, u64)>,
}

impl Behaviour {
    /// A program that always ends with status 0.
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

/// A distribution of times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// The median of the first mode.
    pub median_ns: f64,
    /// Standard deviation of the logarithm, which is normal.
    pub noise: f64,
    /// A second mode.
    pub mode: Option<Mode>,
    /// By how much the times rise in a second, on the scale of logarithms.
    pub drift_per_s: f64,
}

/// A second mode of times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// How much longer than in the first mode.
    pub ratio: f64,
    /// Share of the runs.
    pub share: f64,
}

impl Times {
    /// Always the same time.
    pub fn constant(median_ns: f64) -> Self {
        Times { median_ns, noise: 0.0, mode: None, drift_per_s: 0.0 }
    }

    /// Times whose logarithm is normal, with this standard deviation.
    pub fn noisy(median_ns: f64, noise: f64) -> Self {
        Times { noise, ..Times::constant(median_ns) }
    }
}

/// Runs of one program that fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure {
    /// Which.
    pub when: When,
    /// How they end.
    pub end: RunEnd,
}

/// Which runs of a program are meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// This one, counted from 0.
    Run(u64),
    /// Every n-th: with 3 the third, the sixth and so on.
    Every(u64),
    /// This share of them, by chance.
    Share(f64),
}
