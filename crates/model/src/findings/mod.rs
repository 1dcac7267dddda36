//! What follows from the samples: a file per verb.

mod aa;
mod compare;
mod run;

pub use aa::{AaFindings, AaStratum, PowerResult, RivalCount};
pub use compare::{
    CompareFindings, Comparison, Dropped, DroppedReason, Grade, Scope, Secondary, StoppedBy, VarianceBudget,
    Verdict,
};
pub use run::{Process, RunFindings, Summary};
