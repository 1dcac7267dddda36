//! Plan and samples become findings: summaries, verdicts, calibrations; warnings are values.
//!
//! Nothing here reads a clock, draws from the operating system or prints: the same samples and the same seed give
//! the same findings on every machine. METHODOLOGY.md says in plain words how a comparison is decided.

mod aa;
mod analysed;
mod baseline;
mod budget;
mod capacity;
mod comparison;
mod contend;
mod counted;
mod derived;
mod disagreement;
mod exact;
mod explain;
pub mod fleet;
mod guard;
mod index;
mod judge;
mod lab;
mod lab_figure;
mod lab_pair;
mod level;
mod limit;
mod load;
mod machines;
mod pairing;
mod paths;
mod patience;
mod precision;
pub mod profile;
mod rates;
mod replay;
mod replication;
mod secondary;
mod series;
mod sessions;
mod standing;
mod summary;
mod sweep;
mod verdict;
mod winner;
mod worker_counts;

pub use aa::{Finished, aa_stratum, power_result, rival_verdicts, runs_for_rivals};
pub use baseline::{Baseline, SessionLevels, baseline_findings, stored_findings};
pub use capacity::{capacity_left, worth};
pub use contend::{ContendCell, ContendJudged, ContendPair, claimed, contend_findings, usable_cache};
pub use derived::doubts;
pub use explain::{ExplainFactor, ExplainJudged, ExplainPlaces, explain_findings};
pub use index::cpu_index;
pub use judge::{Decision, Judge, Judged, Progress, SessionCost, Stand};
pub use lab::{Found, NoFigure, judge_claim, judge_lab};
pub use lab_figure::{Combined, LabReading, lab_figure};
pub use lab_pair::lab_pairs;
pub use limit::{Standing as CpuStanding, shares as limit_shares};
pub use load::load_shortfalls;
pub use machines::facts_apart;
pub use patience::Patience;
pub use precision::precise_enough;
pub use rates::counter_rates;
pub use replay::{Replay, ReplayError};
pub use replication::replicate;
pub use summary::{run_findings, summarize, summarize_values};
pub use sweep::{SweepJudge, SweepJudged, SweepLevel, SweepPanel, SweepProgress, SweepSubject};
pub use worker_counts::worker_counts;
