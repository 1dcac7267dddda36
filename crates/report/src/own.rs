//! Reports of findings whose type a verb keeps in its own crate: the verb says how they are shown, every renderer shows
//! them.

use std::sync::OnceLock;

use fauxplat_model::document::{OwnFindings, Record};
use serde_json::{Error, Value};

use crate::format::Format;
use crate::parts::{Piece, Tone};

/// The way in which a verb shows its own documents.
pub trait OwnReport: Sync {
    /// Name and version of the document, such as `fauxplat.suite/1`, in which the verb has its name.
    fn schema(&self) -> &'static str;

    /// The formats that the document has a form for, besides those of every verb.
    fn formats(&self) -> &'static [Format] {
        &[Format::JUnit, Format::Svg]
    }

    /// The report, the answer first. The frame of all reports (condition, machine, warnings) is added to it.
    ///
    /// # Errors
    /// The document does not have the form of its schema.
    fn pieces(&self, record: &Record, document: &Value) -> Result<Vec<Piece>, Error>;

    /// The rows for spreadsheets.
    ///
    /// # Errors
    /// The document does not have the form of its schema.
    fn rows(&self, document: &Value) -> Result<Rows, Error>;

    /// The test cases for CI systems.
    ///
    /// # Errors
    /// The document does not have the form of its schema.
    fn cases(&self, document: &Value) -> Result<Vec<Case>, Error>;

    /// The single readings, for tools that judge them by themselves; none where the document has none.
    ///
    /// # Errors
    /// The document does not have the form of its schema.
    fn readings(&self, document: &Value) -> Result<Vec<OwnReading>, Error> {
        let _has_none = document;
        Ok(Vec::new())
    }

    /// The figures for collectors of metrics, where the document has [`Format::OpenMetrics`].
    ///
    /// # Errors
    /// The document does not have the form of its schema.
    fn gauges(&self, document: &Value) -> Result<Vec<Gauges>, Error> {
        let _has_none = document;
        Ok(Vec::new())
    }
}

/// A family of gauges for collectors of metrics: one quantity with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Gauges {
    /// Name of the family: letters, digits and `_`, the unit at its end.
    pub name: &'static str,
    /// A sentence about the quantity.
    pub help: &'static str,
    /// Labels and value of each gauge.
    pub values: Vec<(Vec<(&'static str, String)>, f64)>,
}

/// A reading of a benchmark on one side.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnReading {
    /// Name of the benchmark.
    pub benchmark: String,
    /// Name of the side, such as `A`.
    pub side: &'static str,
    /// The number.
    pub value: f64,
    /// Unit of the number; `ns` for times.
    pub unit: String,
    /// Whether more of it is better.
    pub more_is_better: bool,
}

/// Rows for spreadsheets, with their headings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// The headings; a unit is the end of its heading, as in `low_ratio`.
    pub headings: Vec<String>,
    /// The fields of each row, as many as there are headings; an empty field is a missing value.
    pub rows: Vec<Vec<String>>,
}

/// A test case of the report for CI systems.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The name of the case, unique in its report.
    pub name: String,
    /// The time of the case in seconds; `None` where it has no time.
    pub time_s: Option<f64>,
    /// The outcome, with the sentence that explains it.
    pub outcome: CaseOutcome,
}

/// The outcome of a test case.
#[derive(Clone, Debug, PartialEq)]
pub enum CaseOutcome {
    /// The question was answered, and nothing is wrong.
    Passed(String),
    /// A gate failed.
    Failed(String),
    /// There is no answer.
    Skipped(String),
}

static REPORTS: OnceLock<Vec<&'static dyn OwnReport>> = OnceLock::new();

/// Makes the reports of verbs known, once, before anything is reported. A later call changes nothing.
pub fn know_reports(reports: Vec<&'static dyn OwnReport>) {
    let _known_already = REPORTS.set(reports);
}

fn report_of(found: &OwnFindings) -> Option<&'static dyn OwnReport> {
    let all = REPORTS.get()?;
    all.iter().copied().find(|report| report.schema() == found.schema)
}

/// The verbs whose own documents have a form of this format.
pub(crate) fn verbs_with(format: Format) -> impl Iterator<Item = &'static str> {
    let all = REPORTS.get().into_iter().flatten();
    all.filter(move |report| report.formats().contains(&format)).map(|report| verb(report.schema()))
}

/// The verb in the name of a document.
fn verb(schema: &'static str) -> &'static str {
    schema.split(['.', '/']).nth(1).unwrap_or(schema)
}

/// The report of a document, or the sentence that this version has none for it.
pub(crate) fn pieces(record: &Record, found: &OwnFindings) -> Vec<Piece> {
    let Some(report) = report_of(found) else {
        let name = crate::words::visible(&found.schema);
        let sentence = format!(
            "This version of fauxplat cannot show documents of {name}: take the version that measured, or --format json."
        );
        return vec![Piece::answer(Tone::Doubt, sentence)];
    };
    report.pieces(record, &found.document).unwrap_or_else(|error| {
        let name = crate::words::visible(&found.schema);
        vec![Piece::answer(Tone::Bad, format!("The document does not have the form of {name}: {error}."))]
    })
}

/// The rows of a document; `None` where this version cannot read it.
pub(crate) fn rows(found: &OwnFindings) -> Option<Rows> {
    report_of(found)?.rows(&found.document).ok()
}

/// The test cases of a document; `None` where this version cannot read it.
pub(crate) fn cases(found: &OwnFindings) -> Option<Vec<Case>> {
    report_of(found)?.cases(&found.document).ok()
}

/// The figures of a document for collectors of metrics; `None` where this version cannot read it.
pub(crate) fn gauges(found: &OwnFindings) -> Option<Vec<Gauges>> {
    report_of(found)?.gauges(&found.document).ok()
}

/// The single readings of a document; `None` where this version cannot read it.
pub fn readings(found: &OwnFindings) -> Option<Vec<OwnReading>> {
    report_of(found)?.readings(&found.document).ok()
}
