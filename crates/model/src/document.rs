//! The record of an experiment: all that is needed to repeat the experiment and to report it.

use serde::{Deserialize, Deserializer, Serialize};

use crate::*;

/// The part of the record that is alike for every kind of experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    pub fauxplat_version: String,
    /// Identifier of the experiment in the store; `None` if it was not stored.
    pub id: Option<i64>,
    /// UUID of the experiment, equal in every store that holds the experiment, while `id` belongs to a single store.
    #[serde(default)]
    pub uuid: Option<String>,
    /// Start of the experiment in RFC 3339 form, UTC.
    pub started: String,
    pub invocation: Vec<String>,
    pub seed: u64,
    pub machine: MachineFacts,
    /// Where and by whom the experiment was made: state of the code, person, identity of the machine. Empty in records
    /// of earlier versions.
    #[serde(default, skip_serializing_if = "Origin::is_empty")]
    pub origin: Origin,
    pub condition: Condition,
    pub definition: Definition,
    /// The plans from which the order of the runs was drawn, one after the other; `None` if nothing was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<serde_json::Value>,
    pub sources: Sources,
    /// Circumstances that may spoil the result, one sentence each.
    pub warnings: Vec<String>,
    /// Figures that could not be measured, each with the reason.
    pub not_measured: Vec<String>,
}

/// Defines [`Findings`] with the type of the findings of each verb, the name and version of its document, and behind
/// `or` an earlier version that is read, too.
macro_rules! findings {
    ($($(#[$doc:meta])* $variant:ident($noun:ty) = $schema:literal $(or $earlier:literal)?,)*) => {
        /// The findings of a verb of the command line.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum Findings {
            $($(#[$doc])* $variant($noun),)*
            /// Findings whose type is private to the crate of their verb, as JSON.
            Own(OwnFindings),
        }

        /// Names and versions of the documents of [`Findings`].
        const SCHEMAS: &[&str] = &[$($schema,)*];

        impl Findings {
            /// Name and version of the JSON document.
            pub fn schema(&self) -> &str {
                match self {
                    $(Findings::$variant(_) => $schema,)*
                    Findings::Own(own) => &own.schema,
                }
            }

            /// Reads findings of a schema back; `None` if this version does not know the schema.
            ///
            /// # Errors
            /// Fails if the input does not fit the schema.
            pub fn deserialize<'de, D: Deserializer<'de>>(schema: &str, from: D) -> Option<Result<Self, D::Error>> {
                match schema {
                    $($schema $(| $earlier)? => Some(<$noun>::deserialize(from).map(Findings::$variant)),)*
                    own if is_own(own) => Some(OwnFindings::deserialize(own, from).map(Findings::Own)),
                    _ => None,
                }
            }
        }
    };
}

findings! {
    /// Findings of `run`, one entry per command.
    Run(Vec<RunFindings>) = "fauxplat.run/2" or "fauxplat.run/1",
    Compare(CompareFindings) = "fauxplat.compare/2" or "fauxplat.compare/1",
    Aa(AaFindings) = "fauxplat.aa/1",
    /// Findings of `contend --capacity`.
    Capacity(CapacityFindings) = "fauxplat.capacity/1",
    Contend(ContendFindings) = "fauxplat.contend/1",
    Counters(CountersFindings) = "fauxplat.counters/1",
    Index(IndexFindings) = "fauxplat.index/1",
    Limit(Box<LimitFindings>) = "fauxplat.limit/1",
    Load(LoadFindings) = "fauxplat.load/1",
    Profile(Box<ProfileFindings>) = "fauxplat.profile/1",
    Table(TableFindings) = "fauxplat.table/1",
    Sweep(Box<SweepFindings>) = "fauxplat.sweep/2" or "fauxplat.sweep/1",
    Tune(Box<TuneFindings>) = "fauxplat.tune/1",
    /// Findings of `tune --list`.
    TuneList(TuneCatalog) = "fauxplat.tune-list/1",
    Restore(RestoreFindings) = "fauxplat.restore/1",
    Lab(LabFindings) = "fauxplat.lab/1",
    /// Findings of `lab compare`.
    LabCompare(Box<LabComparison>) = "fauxplat.lab-compare/1",
    Explain(ExplainFindings) = "fauxplat.explain/2" or "fauxplat.explain/1",
    /// Findings of `aa --replay` and `compare --plan`.
    Replay(ReplayFindings) = "fauxplat.replay/1",
    /// Findings of `fleet run` and `fleet report`.
    Fleet(Box<FleetFindings>) = "fauxplat.fleet/1",
    FleetCompare(Box<FleetCompareFindings>) = "fauxplat.fleet-compare/1",
    FleetWatch(Box<FleetWatchFindings>) = "fauxplat.fleet-watch/1",
}

/// Findings whose type is private to the crate of their verb. All other crates store, copy and show them without
/// interpreting them.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnFindings {
    /// Name and version of the document, such as `fauxplat.suite/1`.
    pub schema: String,
    /// The findings as the verb wrote them, a JSON object.
    pub document: serde_json::Value,
}

impl OwnFindings {
    /// Serialises the findings of a verb as a document.
    ///
    /// # Errors
    /// Fails if the findings have no form in JSON, such as a map whose keys are not strings.
    pub fn new(schema: &str, findings: &impl Serialize) -> serde_json::Result<Self> {
        Ok(OwnFindings { schema: schema.to_owned(), document: serde_json::to_value(findings)? })
    }

    /// The text in the field `summary` of the document, which lists of experiments show; empty if there is none.
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

/// Whether a schema belongs to a verb of fauxplat whose findings have no type in this crate. Another version of a
/// document that has a type here counts as unknown.
fn is_own(schema: &str) -> bool {
    let name = |schema: &str| schema.split('/').next().map(str::to_owned);
    schema.starts_with("fauxplat.") && !SCHEMAS.iter().any(|known| name(known) == name(schema))
}

/// A whole experiment. The samples are borrowed, since there may be a hundred thousand of them.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    pub header: &'a Header,
    /// The commands, in the order of their index.
    pub commands: &'a [Command],
    /// The samples in the order in which they were taken, warm-up runs included.
    pub samples: &'a [Sample],
    pub findings: &'a Findings,
}
