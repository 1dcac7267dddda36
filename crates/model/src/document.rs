//! The record of an experiment: all that is needed to repeat it, and the input of the reports.

use serde::{Deserialize, Deserializer, Serialize};

use crate::*;

/// The part of the record that every experiment has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of fauxplat that made the record.
    pub fauxplat_version: String,
    /// Identifier of the experiment in the store, if it was stored.
    pub id: Option<i64>,
    /// UUID of the experiment, the same in every store that holds it; the number above belongs to one store.
    #[serde(default)]
    pub uuid: Option<String>,
    /// Start of the experiment in RFC 3339 form, UTC.
    pub started: String,
    /// The command line of fauxplat.
    pub invocation: Vec<String>,
    /// Seed of everything that was drawn.
    pub seed: u64,
    /// The machine that measured.
    pub machine: MachineFacts,
    /// Where it was measured: state of the code, person, identity of the machine. Records of earlier versions have none.
    #[serde(default, skip_serializing_if = "Origin::is_empty")]
    pub origin: Origin,
    /// The condition that all commands share.
    pub condition: Condition,
    /// The definition that was carried out.
    pub definition: Definition,
    /// The plans from which the trials were drawn, one after the other; `None` where nothing was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<serde_json::Value>,
    /// The kernel interfaces from which the figures come.
    pub sources: Sources,
    /// Conditions that may spoil the result, a sentence each.
    pub warnings: Vec<String>,
    /// Figures that could not be measured, each with the reason.
    pub not_measured: Vec<String>,
}

/// Defines [`Findings`]: for each verb the type of its findings, and the name and version of its document.
macro_rules! findings {
    ($($(#[$doc:meta])* $variant:ident($noun:ty) = $schema:literal,)*) => {
        /// The findings of one verb.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum Findings {
            $($(#[$doc])* $variant($noun),)*
            /// By a verb that keeps the type of its findings to itself.
            Own(OwnFindings),
        }

        /// Names and versions of the documents that are defined here.
        const SCHEMAS: &[&str] = &[$($schema,)*];

        impl Findings {
            /// Name and version of the JSON document.
            pub fn schema(&self) -> &str {
                match self {
                    $(Findings::$variant(_) => $schema,)*
                    Findings::Own(own) => &own.schema,
                }
            }

            /// Reads findings of a schema back; `None` when this version does not know the schema.
            ///
            /// # Errors
            /// The input does not fit the schema.
            pub fn deserialize<'de, D: Deserializer<'de>>(schema: &str, from: D) -> Option<Result<Self, D::Error>> {
                match schema {
                    $($schema => Some(<$noun>::deserialize(from).map(Findings::$variant)),)*
                    own if is_own(own) => Some(OwnFindings::deserialize(own, from).map(Findings::Own)),
                    _ => None,
                }
            }
        }
    };
}

findings! {
    /// By `run`: one entry per command.
    Run(Vec<RunFindings>) = "fauxplat.run/1",
    /// By `compare`.
    Compare(CompareFindings) = "fauxplat.compare/1",
    /// By `aa`.
    Aa(AaFindings) = "fauxplat.aa/1",
    /// By `doctor`.
    Doctor(DoctorFindings) = "fauxplat.doctor/1",
    /// By `contend --capacity`.
    Capacity(CapacityFindings) = "fauxplat.capacity/1",
    /// By `contend`.
    Contend(ContendFindings) = "fauxplat.contend/1",
    /// By `counters`.
    Counters(CountersFindings) = "fauxplat.counters/1",
    /// By `index`.
    Index(IndexFindings) = "fauxplat.index/1",
    /// By `latency`.
    Latency(LatencyFindings) = "fauxplat.latency/1",
    /// By `limit`.
    Limit(Box<LimitFindings>) = "fauxplat.limit/1",
    /// By `load`.
    Load(LoadFindings) = "fauxplat.load/1",
    /// By `profile`.
    Profile(Box<ProfileFindings>) = "fauxplat.profile/1",
    /// By `table`.
    Table(TableFindings) = "fauxplat.table/1",
    /// By `sweep`.
    Sweep(Box<SweepFindings>) = "fauxplat.sweep/1",
    /// By `tune`.
    Tune(Box<TuneFindings>) = "fauxplat.tune/1",
    /// By `tune --list`.
    TuneList(TuneCatalog) = "fauxplat.tune-list/1",
    /// By `restore`.
    Restore(RestoreFindings) = "fauxplat.restore/1",
    /// By `lab`.
    Lab(LabFindings) = "fauxplat.lab/1",
    /// By `lab compare`.
    LabCompare(Box<LabComparison>) = "fauxplat.lab-compare/1",
    /// By `topo`.
    Topo(Box<TopoFindings>) = "fauxplat.topo/1",
    /// By `explain`.
    Explain(ExplainFindings) = "fauxplat.explain/1",
    /// By `aa --replay` and `compare --plan`.
    Replay(ReplayFindings) = "fauxplat.replay/1",
    /// By `fleet run` and `fleet report`.
    Fleet(Box<FleetFindings>) = "fauxplat.fleet/1",
    /// By `fleet compare`.
    FleetCompare(Box<FleetCompareFindings>) = "fauxplat.fleet-compare/1",
    /// By `fleet watch`.
    FleetWatch(Box<FleetWatchFindings>) = "fauxplat.fleet-watch/1",
}

/// Findings of a verb that keeps their type in its own crate: everybody else stores, copies and shows them unread.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnFindings {
    /// Name and version of the document, such as `fauxplat.suite/1`.
    pub schema: String,
    /// The findings as the verb wrote them, a JSON object.
    pub document: serde_json::Value,
}

impl OwnFindings {
    /// The findings of a verb as a document.
    ///
    /// # Errors
    /// The findings have no form in JSON, such as a map whose keys are no text.
    pub fn new(schema: &str, findings: &impl Serialize) -> serde_json::Result<Self> {
        Ok(OwnFindings { schema: schema.to_owned(), document: serde_json::to_value(findings)? })
    }

    /// The field `summary` of the document: what stands in a list of experiments.
    pub fn summary(&self) -> &str {
        self.document.get("summary").and_then(serde_json::Value::as_str).unwrap_or_default()
    }

    fn deserialize<'de, D: Deserializer<'de>>(schema: &str, from: D) -> Result<Self, D::Error> {
        let document = serde_json::Value::deserialize(from)?;
        Ok(OwnFindings { schema: schema.to_owned(), document })
    }
}

impl Serialize for OwnFindings {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.document.serialize(serializer)
    }
}

/// Whether a schema is of this program and of a verb that is not defined here. Another version of a document that is
/// defined here is unknown instead.
fn is_own(schema: &str) -> bool {
    let name = |schema: &str| schema.split('/').next().map(str::to_owned);
    schema.starts_with("fauxplat.") && !SCHEMAS.iter().any(|known| name(known) == name(schema))
}

/// A whole experiment. It borrows the samples, since there may be a hundred thousand of them.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// The experiment's header.
    pub header: &'a Header,
    /// The commands, in the order of their index.
    pub commands: &'a [Command],
    /// The samples in the order in which they were taken, warm-up runs included.
    pub samples: &'a [Sample],
    /// The findings that were computed from the samples.
    pub findings: &'a Findings,
}
