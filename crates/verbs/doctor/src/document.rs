//! The document `fauxplat.doctor/1`.

use fauxplat_hazards::{Examination, Severity};
use fauxplat_model::document::OwnFindings;
use serde::{Deserialize, Serialize};

pub(crate) const SCHEMA: &str = "fauxplat.doctor/1";

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The numbers of hazards that matter, for lists of experiments.
    #[serde(default)]
    pub summary: String,
    /// Whether reports list harmless hazards, too. The document contains every hazard in any case.
    #[serde(default)]
    pub lists_all: bool,
    #[serde(flatten)]
    pub examination: Examination,
}

impl Document {
    pub fn new(examination: Examination, lists_all: bool) -> Self {
        let count =
            |level: Severity| examination.hazards.iter().filter(|hazard| hazard.severity == level).count();
        let summary = format!("{} high, {} medium", count(Severity::High), count(Severity::Medium));
        Document { summary, lists_all, examination }
    }

    /// The document as findings of a record.
    ///
    /// # Errors
    /// Never fails in practice: every part of the document has a form in JSON.
    pub fn findings(&self) -> serde_json::Result<OwnFindings> {
        OwnFindings::new(SCHEMA, self)
    }
}
