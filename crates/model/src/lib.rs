//! The types that describe an experiment, without behaviour: definitions, plans, samples, findings.
//!
//! Every stage of an experiment is a function from some of these types to others; the stages depend on these types and
//! never on each other. See ARCHITECTURE.md.

mod build;
mod command;
mod condition;
mod control;
mod decided;
mod definition;
mod digest;
pub mod document;
mod evidence;
mod factor;
mod facts;
mod fail_if;
mod findings;
mod fleet;
mod gate_question;
mod held;
mod ignored;
mod lab;
mod limit;
mod load;
mod memory_policy;
mod metric;
mod origin;
mod policy;
mod printed_source;
mod relation;
mod rule;
mod sample;
mod series_identity;
mod shell;
mod shift;
mod simulated;
mod surroundings;
mod table_source;
mod text;
mod thread_places;
mod topology;
mod trial;

pub use build::{Build, Padding, Variant, Variation, Way};
pub use command::{COMMIT, Command};
pub use condition::{Aslr, Condition, CpuChoice, EnvBase, EnvPad, Heap, Output, Placement, Spread};
pub use control::Control;
pub use decided::{COMPARISON_LEVEL_MIN, Margin, SWEEP_LEVEL_MIN, StatedMargin};
pub use definition::{CommandLine, Definition, Parameter, Runs};
pub use digest::{hex, sha256, sha256_of_parts, uuid};
pub use evidence::{Event, Evidence, Histogram, Series, Tree};
pub use factor::{Factor, Level, Priority, Setting};
pub use facts::{CpuFacts, MachineFacts};
pub use fail_if::{FailIf, GateAnswer};
pub use findings::*;
pub use fleet::*;
pub use gate_question::{GateQuestion, GateSide};
pub use held::HeldCondition;
pub use ignored::IgnoredFailures;
pub use lab::{
    Claim, Direction, LabCheck, LabClaim, LabCourse, LabDefinition, LabExperiment, LabGround, LabOption,
    Measure, Needs, Plain, Second,
};
pub use limit::{
    IoLimit, IoRate, Limit, list as limit_list, percent as limit_percent, weight as limit_weight,
};
pub use load::{LoadKind, LoadSpec};
pub use memory_policy::MemoryPolicy;
pub use metric::{
    Better, Coverage, Metric, MetricError, MetricId, MetricSet, MetricSpec, OPEN_MAX, Unit, check_region,
};
pub use origin::{Checkout, Origin};
pub use policy::Policy;
pub use printed_source::{PrintedPlace, PrintedSource};
pub use relation::{MachinePart, Relation};
pub use rule::{AlsoDecided, Estimand, LEAST_SPAN_S, Order, Rule, Sessions};
pub use sample::{
    Bound, Bounds, Counted, CounterFloor, Outcome, Phase, Reading, Readings, Sample, Source, Sources, Told,
    metrics_of,
};
pub use series_identity::{Ground, PLAIN_COMMANDS, SeriesIdentity};
pub use shell::Shell;
pub use shift::{CacheTransfer, ShiftCount, ShiftSample};
pub use simulated::{CacheShape, SimulatedCaches, SimulatedMachine};
pub use surroundings::{Background, Beside, HugePages, StackLimit};
pub use table_source::TableSource;
pub use thread_places::{ThreadPlace, ThreadPlaces};
pub use topology::{Cache, CacheKind, CpuKind, Group, GroupKind, LogicalCpu, NumaNode, Topology};
pub use trial::{Setup, Trial};
