//! Findings of a suite: the document `fauxplat.suite/1`.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Name of the document's schema.
pub const SCHEMA: &str = "fauxplat.suite/1";

/// The error that is at most the level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// The probability that any benchmark is called changed and is not.
    #[default]
    Family,
    /// The expected share of those called changed that are not.
    Discovery,
}

/// State of knowledge about a benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// B takes longer than A, or does less in a time.
    Slower,
    /// B takes less time than A, or does more in a time.
    Faster,
    /// A and B differ by less than the margin.
    Unchanged,
    /// A change was not shown, and its absence neither.
    Undecided,
    /// No pair of readings came of it.
    NotMeasured,
}

/// A finding that fails a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum FailIf {
    /// B is slower by more than the margin.
    Slower,
    /// B is faster by more than the margin.
    Faster,
    /// Either.
    Changed,
    /// A change beyond the margin is neither shown nor excluded.
    Undecided,
}

impl FailIf {
    /// The word of the command line.
    pub fn word(self) -> &'static str {
        match self {
            FailIf::Slower => "slower",
            FailIf::Faster => "faster",
            FailIf::Changed => "changed",
            FailIf::Undecided => "undecided",
        }
    }
}

/// Answer to the question of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// Worse by more than the margin.
    Beyond,
    /// Not worse by more than the margin.
    Within,
    /// The question is not decided.
    Undecided,
}

/// A ratio B over A with an interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// The estimate.
    pub ratio: f64,
    /// Low end; `None` where nothing is excluded.
    pub low: Option<f64>,
    /// High end of the same interval.
    pub high: Option<f64>,
}

impl Ratio {
    /// Whether the interval holds a ratio.
    pub fn holds(self, ratio: f64) -> bool {
        self.low.is_none_or(|low| low <= ratio) && self.high.is_none_or(|high| ratio <= high)
    }
}

/// A benchmark of both programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Name, as the harness has it.
    pub name: String,
    /// The part of the name before its first parameter.
    pub group: String,
    /// Unit of the readings.
    pub unit: String,
    /// State of knowledge.
    pub state: State,
    /// B over A, with an interval that holds for all benchmarks of the suite at once; `None` without a pair. Of a unit of
    /// which more is better the ratio is that of the times behind it, so that more than one is always worse.
    pub effect: Option<Ratio>,
    /// The largest change that counts as none, where it is another than that of the suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Whether the whole interval lies within the margin.
    pub is_within_margin: bool,
    /// Answer of the gate; `None` where none was asked for.
    pub gate: Option<Gate>,
    /// Logarithm of the evidence that A and B differ.
    pub ln_evidence: f64,
    /// Error level of the whole suite from which on it would be called changed.
    pub p_adjusted: f64,
    /// Median reading of A.
    pub a: Option<f64>,
    /// Median reading of B.
    pub b: Option<f64>,
    /// Pairs of processes that gave both readings.
    pub pairs: u32,
    /// Pairs that it probably takes in all until it is decided; `None` where it is, or where nobody knows.
    pub pairs_to_decide: Option<u32>,
    /// Seconds that one of its processes takes for it.
    pub cost_s: f64,
    /// Why readings are missing, if any are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Whether the benchmark was given up because its processes failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_failed: bool,
    /// Readings of each pair, A and B.
    pub readings: Vec<(f64, f64)>,
}

/// Benchmarks whose names begin alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The beginning of their names.
    pub name: String,
    /// Number of benchmarks with a reading.
    pub benchmarks: u32,
    /// Of these, slower ones.
    pub slower: u32,
    /// Of these, faster ones.
    pub faster: u32,
    /// Geometric mean of their ratios, with that of the ends of their intervals.
    pub mean: Ratio,
}

/// How the measurement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    /// Everything was decided.
    Decided,
    /// The time was over.
    Time,
    /// The user interrupted.
    User,
    /// Nothing was run: the results came from files.
    Files,
}

/// Findings of a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuiteFindings {
    /// Name of the harness.
    pub harness: String,
    /// The two programs, with their arguments.
    pub programs: [String; 2],
    /// Whether the files of both programs are equal; `None` if one was not read.
    pub are_same_file: Option<bool>,
    /// The error that is controlled.
    pub control: Control,
    /// The error level.
    pub level: f64,
    /// The margin as a share.
    pub margin: f64,
    /// The gates that were asked for, by their words on the command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fail_if: Vec<FailIf>,
    /// Seed of the coin.
    pub seed: u64,
    /// Whether results were stored before and not measured in turns, so that the machine may have changed between them.
    pub is_weaker: bool,
    /// Benchmarks of both programs, in the order of the harness.
    pub benchmarks: Vec<Benchmark>,
    /// Benchmarks of B alone.
    pub new: Vec<String>,
    /// Benchmarks of A alone.
    pub gone: Vec<String>,
    /// Geometric mean of the ratios of all benchmarks, with that of the ends of their intervals, which hold together at the
    /// level; `None` without any pair.
    pub mean: Option<Ratio>,
    /// A factor that nearly all benchmarks share, where there is one.
    pub common: Option<Ratio>,
    /// Groups with more than one benchmark, the worst first.
    pub groups: Vec<Group>,
    /// Processes that were run.
    pub processes: u32,
    /// Time of the measurement in seconds.
    pub elapsed_s: f64,
    /// End of the measurement.
    pub stopped_by: StoppedBy,
}

impl SuiteFindings {
    /// Number of benchmarks in this state.
    pub fn count(&self, state: State) -> usize {
        self.benchmarks.iter().filter(|it| it.state == state).count()
    }

    /// Benchmarks that were given up because their processes failed.
    pub fn failed(&self) -> impl Iterator<Item = &Benchmark> {
        self.benchmarks.iter().filter(|it| it.has_failed)
    }

    /// Number of benchmarks of which the gate says this.
    pub fn gated(&self, gate: Gate) -> usize {
        self.benchmarks.iter().filter(|it| it.gate == Some(gate)).count()
    }

    /// Number of benchmarks whose question the gate leaves open: of those that were measured, and of the others.
    pub fn left_open(&self) -> [usize; 2] {
        let open = || self.benchmarks.iter().filter(|it| it.gate == Some(Gate::Undecided));
        let missing = open().filter(|it| it.state == State::NotMeasured).count();
        [open().count() - missing, missing]
    }

    /// Whether a gate that was asked for fails.
    pub fn fails(&self) -> bool {
        let (beyond, open) = (self.gated(Gate::Beyond), self.gated(Gate::Undecided));
        !self.fail_if.is_empty() && (beyond > 0 || open > 0 && self.fail_if.contains(&FailIf::Undecided))
    }

    /// The words of the gates as on the command line.
    pub fn gates(&self) -> String {
        self.fail_if.iter().map(|gate| gate.word()).collect::<Vec<_>>().join(",")
    }
}
