//! Findings of a suite: the document `fauxplat.suite/1`.

use fauxplat_model::{FailIf, GateAnswer, GateQuestion, GateState, Order};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::processes::{Processes, SIDES, none_missed};

pub const SCHEMA: &str = "fauxplat.suite/1";

/// Kind of error that the error level of a suite limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// The family-wise error: the probability that any unchanged benchmark is called changed.
    #[default]
    Family,
    /// The false discovery rate: the expected share of unchanged ones among the benchmarks called changed.
    Discovery,
}

/// Reads the gates of a stored suite. Earlier versions stored the word `changed` for `different`.
fn gates<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<FailIf>, D::Error> {
    let gate = |word: String| match word.as_str() {
        "changed" => Ok(FailIf::Different),
        word => FailIf::from_word(word).ok_or_else(|| D::Error::custom(format!("there is no gate `{word}`"))),
    };
    Vec::<String>::deserialize(from)?.into_iter().map(gate).collect()
}

/// State of knowledge about the change of a benchmark from A to B.
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
    /// No pair has readings of A and B.
    NotMeasured,
}

/// Ratio B over A with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    pub ratio: f64,
    /// Low end of the interval; `None` where there is no lower bound.
    pub low: Option<f64>,
    /// High end of the interval; `None` where there is no upper bound.
    pub high: Option<f64>,
}

impl Ratio {
    /// Whether the interval contains this ratio.
    pub fn holds(self, ratio: f64) -> bool {
        self.low.is_none_or(|low| low <= ratio) && self.high.is_none_or(|high| ratio <= high)
    }
}

/// Ratio B over A without and with carry-over, the influence of a run on the next one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CarriedOver {
    /// Ratio over the runs that follow a run of their own side.
    pub after_itself: f64,
    /// Ratio over all runs, half of which follow a run of the other side.
    pub all_runs: f64,
}

/// Findings about a benchmark that both programs have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Name, as the harness writes it.
    pub name: String,
    /// Part of the name before its first parameter.
    pub group: String,
    pub unit: String,
    /// Name of the metric of a plain command; `None` for wall time, and for what a harness gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<String>,
    pub state: State,
    /// Ratio B over A, with an interval that holds simultaneously for all benchmarks of the suite; `None` without a
    /// pair. For rates this is the ratio of the times per operation, so that a ratio above one always means worse.
    pub effect: Option<Ratio>,
    /// Largest change that counts as none, as a share (0.03 is 3 %); `None` for the margin of the suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Whether the whole interval lies within the margin.
    pub is_within_margin: bool,
    pub gate: Option<GateState>,
    /// Natural logarithm of the largest evidence so far that A and B differ.
    pub ln_evidence: f64,
    /// Smallest error level of the suite at which the benchmark would be called changed.
    pub p_adjusted: f64,
    pub a: Option<f64>,
    pub b: Option<f64>,
    /// Number of pairs of processes in which both gave a reading.
    pub pairs: u32,
    /// Total number of pairs within which nine of ten such benchmarks are decided; `None` where it is decided or there
    /// are too few pairs to say. Documents without `pair_s` have the expected number.
    pub pairs_to_decide: Option<u32>,
    /// Seconds that a process takes for this benchmark.
    pub cost_s: f64,
    /// Seconds that a pair takes, with its share of the start of processes and of all that happens around them; zero
    /// without a pair, and in documents of earlier versions.
    #[serde(default)]
    pub pair_s: f64,
    /// Why readings are missing; `None` where none are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Processes of A and of B that ran the benchmark; absent in JSON where none failed and all gave readings. A failed
    /// process with several benchmarks counts for none of them, unless the harness always runs all.
    #[serde(default, skip_serializing_if = "none_missed")]
    pub processes: [Processes; 2],
    /// Whether processes of the benchmark failed and the failures are not left out, or so many that it was given up.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_failed: bool,
    /// Whether the benchmark was given up before its question was answered, since it had no readings several times in a
    /// row; `trouble` says why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_given_up: bool,
    /// Ratio without and with carry-over; `None` unless carry-over was shown, so that only runs that follow their own
    /// side decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried_over: Option<CarriedOver>,
    /// Command lines of A and of B that run this benchmark alone, for the same number of rounds; `None` where the
    /// harness decides the number of rounds itself. `fauxplat why --stored ID --benchmark NAME` compares these two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone: Option<[String; 2]>,
    /// Readings of A and of B in each pair, in `unit`.
    pub readings: Vec<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    pub name: String,
    /// Number of benchmarks of the group with a reading.
    pub benchmarks: u32,
    /// Number of benchmarks that were shown to be slower.
    pub slower: u32,
    /// Number of benchmarks that were shown to be faster.
    pub faster: u32,
    /// Geometric mean of the ratios of the group's benchmarks; the ends of its interval are the geometric means of the
    /// ends of their intervals.
    pub mean: Ratio,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    /// Every benchmark was decided.
    Decided,
    /// Every benchmark was decided or given up, and at least one was given up.
    GivenUp,
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
    /// Whether the files of both programs are equal; `None` where that is unknown.
    pub are_same_file: Option<bool>,
    /// The kind of error that `level` limits.
    pub control: Control,
    /// Error level over the whole suite.
    pub level: f64,
    pub margin: f64,
    /// Findings for which the user asked that the suite fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "gates")]
    pub fail_if: Vec<FailIf>,
    pub seed: u64,
    /// Order of the runs at the start; `None` for results from files, and in documents of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Whether results came from files and not from interleaved runs; the machine may have changed between the files.
    pub is_weaker: bool,
    /// Findings about the benchmarks that both programs have, in the order of the harness.
    pub benchmarks: Vec<Benchmark>,
    /// Names of benchmarks that only B has.
    pub new: Vec<String>,
    /// Names of benchmarks that only A has.
    pub gone: Vec<String>,
    /// Geometric mean of the ratios of all benchmarks; the ends of its interval are the geometric means of the ends of
    /// their simultaneous intervals. `None` if no benchmark has a ratio.
    pub mean: Option<Ratio>,
    /// Ratio that nearly all benchmarks share; `None` where there is none.
    pub common: Option<Ratio>,
    /// Groups of at least two benchmarks, slowest first.
    pub groups: Vec<Group>,
    /// Benchmarks that share the value of a parameter in their names, slowest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Group>,
    /// Number of processes that ran.
    pub processes: u32,
    /// Processes of A and of B; absent in JSON where none failed.
    #[serde(default, skip_serializing_if = "none_missed")]
    pub processes_by_side: [Processes; 2],
    /// Whether the user asked to leave failed processes out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skips_failures: bool,
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

    /// The benchmarks that were given up before their question was answered.
    pub fn given_up(&self) -> impl Iterator<Item = &Benchmark> {
        self.benchmarks.iter().filter(|it| it.is_given_up)
    }

    /// Sentence about the failed processes of the first side with some, without its full stop; `None` where none failed
    /// or the user asked to leave failures out.
    pub fn failure(&self) -> Option<String> {
        let mut both = SIDES.into_iter().zip(&self.processes_by_side).filter(|_| !self.skips_failures);
        both.find_map(|(name, side)| side.failure(name))
    }

    /// The benchmark with the largest change among the slower ones or, without a slower one, among the faster ones.
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

    /// Numbers of benchmarks for which the question of `--fail-if` is undecided: measured ones, and ones without a
    /// reading.
    pub fn left_open(&self) -> [usize; 2] {
        let open = || self.benchmarks.iter().filter(|it| it.gate == Some(GateState::Undecided));
        let missing = open().filter(|it| it.state == State::NotMeasured).count();
        [open().count() - missing, missing]
    }

    /// Whether the suite fails by `--fail-if`.
    pub fn fails(&self) -> bool {
        self.benchmarks.iter().any(|it| self.is_failed(it)) || self.misses_gone()
    }

    /// Whether the suite fails because some benchmarks are gone.
    pub fn misses_gone(&self) -> bool {
        self.asks_for_missing() && !self.gone.is_empty()
    }

    /// Whether benchmarks that are gone or not measured make the suite fail.
    pub fn asks_for_missing(&self) -> bool {
        self.fail_if.contains(&FailIf::Missing)
    }

    /// Whether a benchmark makes the suite fail by `--fail-if`.
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
        let is_missing = self.asks_for_missing() && benchmark.state == State::NotMeasured;
        answer.failed(&self.fail_if).or_else(|| is_missing.then_some(FailIf::Missing))
    }

    pub fn gates(&self) -> String {
        self.fail_if.iter().map(|gate| gate.word()).collect::<Vec<_>>().join(",")
    }
}
