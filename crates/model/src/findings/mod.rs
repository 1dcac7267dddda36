//! What follows from the samples: a file per verb.

mod aa;
mod compare;
mod explain;
mod run;
mod sweep;
mod table;

pub use aa::{AaFindings, AaStratum, PowerResult, RivalCount};
pub use compare::{
    CompareFindings, Comparison, Dropped, DroppedReason, Grade, Scope, Secondary, StoppedBy, VarianceBudget,
    Verdict,
};
pub use explain::{Component, ExplainFindings, LevelEffect};
pub use run::{CounterRates, Process, RateSeries, RunFindings, Summary};
pub use sweep::{
    FailingLevel, LevelFindings, Peak, Period, SweepAnswer, SweepFinding, SweepFindings, SweepPart,
    SweepStage,
};
pub use table::{TableFindings, TableValue};
