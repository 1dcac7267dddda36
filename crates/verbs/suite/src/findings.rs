//! Findings of a suite: the document `fauxplat.suite/1`.

use fauxplat_model::{FailIf, GateAnswer, GateQuestion, GateState, Order};
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "fauxplat.suite/1";

/// The kind of error that the level limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// The family-wise error: the probability that any unchanged benchmark is called changed.
    #[default]
    Family,
    /// The false discovery rate: the expected share of unchanged ones among the benchmarks called changed.
    Discovery,
}

/// State of knowledge about a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// B takes longer than A, or its rate is lower.
    Slower,
    /// B takes less time than A, or its rate is higher.
    Faster,
    /// A and B differ by less than the margin.
    Unchanged,
    Undecided,
    /// No pair has two readings.
    NotMeasured,
}

/// A ratio B over A with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    pub ratio: f64,
    /// Low end of the interval; `None` where the interval is open.
    pub low: Option<f64>,
    /// High end of the interval; `None` where the interval is open.
    pub high: Option<f64>,
}

impl Ratio {
    /// Whether the interval holds a ratio.
    pub fn holds(self, ratio: f64) -> bool {
        self.low.is_none_or(|low| low <= ratio) && self.high.is_none_or(|high| ratio <= high)
    }
}

/// The ratio B over A with and without what one side leaves to the next run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CarriedOver {
    /// Of runs that follow a run of their own side.
    pub after_itself: f64,
    /// Of all runs, half of which follow a run of the other side.
    pub all_runs: f64,
}

/// The findings of a benchmark that both programs have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Name, as the harness writes it.
    pub name: String,
    /// The part of the name before its first parameter.
    pub group: String,
    pub unit: String,
    pub state: State,
    /// B over A, with an interval that is simultaneous over all benchmarks of the suite; `None` without a pair. For
    /// rates this is the ratio of the times per operation, so that a ratio above one is always worse.
    pub effect: Option<Ratio>,
    /// The largest change that counts as none, as a share; `None` for the margin of the suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Whether the whole interval lies within the margin.
    pub is_within_margin: bool,
    pub gate: Option<GateState>,
    /// Natural logarithm of the evidence that A and B differ.
    pub ln_evidence: f64,
    /// Smallest error level of the suite at which the benchmark would be called changed.
    pub p_adjusted: f64,
    pub a: Option<f64>,
    pub b: Option<f64>,
    /// Pairs of processes with both readings.
    pub pairs: u32,
    /// Estimate of the total number of pairs until a decision; `None` where decided or unknown.
    pub pairs_to_decide: Option<u32>,
    /// Seconds that one process takes for this benchmark.
    pub cost_s: f64,
    /// Why readings are missing; `None` where none are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_failed: bool,
    /// The ratio with and without what one side leaves to the next run; `None` unless runs after themselves alone decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried_over: Option<CarriedOver>,
    /// Command lines of A and of B that run this benchmark alone, for the same number of rounds; `None` where the
    /// harness decides the number of rounds itself. `fauxplat why --stored ID --benchmark NAME` compares them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<[String; 2]>,
    /// Readings of each pair: (A, B), in `unit`.
    pub readings: Vec<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    pub name: String,
    /// Number of benchmarks with a reading.
    pub benchmarks: u32,
    /// Number of slower benchmarks.
    pub slower: u32,
    /// Number of faster benchmarks.
    pub faster: u32,
    /// Geometric mean of the ratios, between the geometric means of the ends of their intervals.
    pub mean: Ratio,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    /// Every benchmark was decided.
    Decided,
    /// The time limit was reached.
    Time,
    /// The user interrupted the measurement.
    User,
    Files,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteFindings {
    pub harness: String,
    pub programs: [String; 2],
    /// Whether the files of both programs are equal; `None` if a file could not be read.
    pub are_same_file: Option<bool>,
    /// The kind of error that `level` limits.
    pub control: Control,
    /// Error level over the whole suite.
    pub level: f64,
    pub margin: f64,
    /// The requested gates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fail_if: Vec<FailIf>,
    pub seed: u64,
    /// Order of the runs at the start; `None` for results from files and those of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Whether results came from files instead of interleaved runs, so that the machine may have changed between them.
    pub is_weaker: bool,
    /// Benchmarks of both programs, in the order of the harness.
    pub benchmarks: Vec<Benchmark>,
    /// Benchmarks that only B has.
    pub new: Vec<String>,
    /// Benchmarks that only A has.
    pub gone: Vec<String>,
    /// Geometric mean of all ratios, between the geometric means of the ends of their intervals, which are simultaneous
    /// at the level; `None` without any pair.
    pub mean: Option<Ratio>,
    /// A factor that nearly all benchmarks share; `None` where there is none.
    pub common: Option<Ratio>,
    /// Groups of at least two benchmarks, worst first.
    pub groups: Vec<Group>,
    /// Number of processes that ran.
    pub processes: u32,
    /// Duration of the measurement in seconds.
    pub elapsed_s: f64,
    /// Why the measurement ended.
    pub stopped_by: StoppedBy,
}

impl SuiteFindings {
    pub fn count(&self, state: State) -> usize {
        self.benchmarks.iter().filter(|it| it.state == state).count()
    }

    pub fn failed(&self) -> impl Iterator<Item = &Benchmark> {
        self.benchmarks.iter().filter(|it| it.has_failed)
    }

    /// The benchmark with the largest change: of those that are slower if there are some, else of those that are faster.
    pub fn largest_change(&self) -> Option<&Benchmark> {
        let of = |state: State| {
            let size = |it: &Benchmark| it.effect.map_or(0.0, |effect| effect.ratio.ln().abs());
            let those = self.benchmarks.iter().filter(move |it| it.state == state);
            those.max_by(|a, b| size(a).total_cmp(&size(b)))
        };
        of(State::Slower).or_else(|| of(State::Faster))
    }

    pub fn gated(&self, gate: GateState) -> usize {
        self.benchmarks.iter().filter(|it| it.gate == Some(gate)).count()
    }

    /// Number of benchmarks without a verdict.
    pub fn inconclusive(&self) -> usize {
        self.count(State::Undecided) + self.count(State::NotMeasured)
    }

    /// Numbers of benchmarks with an undecided gate: measured ones, and ones without a reading.
    pub fn left_open(&self) -> [usize; 2] {
        let open = || self.benchmarks.iter().filter(|it| it.gate == Some(GateState::Undecided));
        let missing = open().filter(|it| it.state == State::NotMeasured).count();
        [open().count() - missing, missing]
    }

    /// Whether a requested gate fails.
    pub fn fails(&self) -> bool {
        self.benchmarks.iter().any(|it| self.is_failed(it))
    }

    /// Whether a benchmark fails a requested gate.
    pub fn is_failed(&self, benchmark: &Benchmark) -> bool {
        self.failed_gate(benchmark).is_some()
    }

    /// The first requested gate that a benchmark fails.
    pub fn failed_gate(&self, benchmark: &Benchmark) -> Option<FailIf> {
        let answer = GateAnswer {
            question: FailIf::question(&self.fail_if).unwrap_or(GateQuestion::Different),
            // Without a question about the margin no answer was sought, and none fails.
            state: benchmark.gate.unwrap_or(GateState::Within),
            is_better: benchmark.state == State::Faster,
            is_concluded: !matches!(benchmark.state, State::Undecided | State::NotMeasured),
        };
        answer.failed(&self.fail_if)
    }

    pub fn gates(&self) -> String {
        self.fail_if.iter().map(|gate| gate.word()).collect::<Vec<_>>().join(",")
    }
}
