//! Reports of findings whose type is private to the crate of their verb: the verb defines the parts of the report, and
//! every renderer can show them.

use std::io::Write;
use std::sync::OnceLock;

use fauxplat_model::document::{Findings, OwnFindings, Record};
use serde_json::{Error, Value};

use crate::ReportError;
use crate::format::{Format, Style};
use crate::parts::{Piece, Tone};

/// Reports of documents whose type is private to a verb.
pub trait OwnReport: Sync {
    /// Name and version of the documents, such as `fauxplat.suite/1`. The name contains the verb.
    fn schema(&self) -> &'static str;

    /// Names and versions of earlier documents whose fields this version reads, too.
    fn earlier(&self) -> &'static [&'static str] {
        &[]
    }

    /// The formats that the documents support, besides those that every verb supports.
    fn formats(&self) -> &'static [Format] {
        &[Format::JUnit, Format::Svg]
    }

    /// Whether the record is that of an experiment, whose condition the report states, with the command line that
    /// repeats it. Otherwise earlier results or the machine were looked at.
    fn has_condition(&self, record: &Record) -> bool {
        !record.commands.is_empty()
    }

    /// The document of an experiment that ended before it had findings; `None` if the runs of its commands are
    /// summarised in its place.
    fn unfinished(&self) -> Option<Value> {
        None
    }

    /// The pieces of the report, with the answer first. The common frame (condition, machine, warnings) is added later.
    ///
    /// # Errors
    /// Fails if the document does not have the form of its schema.
    fn pieces(&self, record: &Record, document: &Value) -> Result<Vec<Piece>, Error>;

    /// The rows of the document for spreadsheets.
    ///
    /// # Errors
    /// Fails if the document does not have the form of its schema.
    fn rows(&self, document: &Value) -> Result<Rows, Error>;

    /// The test cases that the document becomes for CI systems.
    ///
    /// # Errors
    /// Fails if the document does not have the form of its schema.
    fn cases(&self, document: &Value) -> Result<Vec<Case>, Error>;

    /// The single readings of the document, for tools that judge them independently; empty if the document has none.
    ///
    /// # Errors
    /// Fails if the document does not have the form of its schema.
    fn readings(&self, document: &Value) -> Result<Vec<OwnReading>, Error> {
        let _has_none = document;
        Ok(Vec::new())
    }

    /// The figures of the document for collectors of metrics; empty if it does not support [`Format::OpenMetrics`].
    ///
    /// # Errors
    /// Fails if the document does not have the form of its schema.
    fn gauges(&self, document: &Value) -> Result<Vec<Gauges>, Error> {
        let _has_none = document;
        Ok(Vec::new())
    }

    /// The fields that programs read in JSON; `None` if they are those of the document.
    ///
    /// # Errors
    /// Fails if the document does not have the form of its schema.
    fn json(&self, document: &Value) -> Result<Option<Value>, Error> {
        let _is_read_as_it_is = document;
        Ok(None)
    }

    /// Writes the document in a format of [`OwnReport::formats`] that no other verb has, such as the output of another
    /// tool.
    ///
    /// # Errors
    /// Fails if `out` fails, or if the document does not have the form of its schema.
    fn export(
        &self,
        document: &Value,
        format: Format,
        style: &Style,
        out: &mut dyn Write,
    ) -> Result<(), ReportError> {
        let _has_none = (document, style, out);
        Err(no_form(format))
    }
}

/// A family of gauges for collectors of metrics: one quantity with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Gauges {
    /// Name of the family: letters, digits and `_`, with the unit at the end.
    pub name: &'static str,
    pub help: &'static str,
    pub values: Vec<(Vec<(&'static str, String)>, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct OwnReading {
    pub benchmark: String,
    /// Name of the side of a comparison on which the reading was made, such as `A`.
    pub side: &'static str,
    pub value: f64,
    /// Unit of `value`; `ns` for times.
    pub unit: String,
    pub more_is_better: bool,
}

/// Rows for spreadsheets, with their headings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Headings of the columns. A unit is the end of its heading, as in `low_ratio`.
    pub headings: Vec<String>,
    /// The fields of each row, as many as there are headings. An empty field is a missing value.
    pub rows: Vec<Vec<String>>,
}

/// A test case of the report for CI systems.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The name of the case, unique within its report.
    pub name: String,
    /// The time of the case in seconds; `None` if it has none.
    pub time_s: Option<f64>,
    /// Outcome of the case, with a sentence that explains it.
    pub outcome: CaseOutcome,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CaseOutcome {
    /// The question was answered, and no gate failed. The text explains the outcome, as in the other variants.
    Passed(String),
    /// A gate failed. The text explains the outcome.
    Failed(String),
    Skipped(String),
}

static REPORTS: OnceLock<Vec<&'static dyn OwnReport>> = OnceLock::new();

/// Registers the types that make the reports of verbs. Has to be called once, before any report is written; later calls
/// have no effect.
pub fn know_reports(reports: Vec<&'static dyn OwnReport>) {
    let _known_already = REPORTS.set(reports);
}

fn report_of(found: &OwnFindings) -> Option<&'static dyn OwnReport> {
    let all = REPORTS.get()?;
    all.iter().copied().find(|report| reads(*report, &found.schema))
}

/// Whether a report shows documents of a schema.
fn reads(report: &dyn OwnReport, schema: &str) -> bool {
    report.schema() == schema || report.earlier().contains(&schema)
}

/// Names of the verbs whose documents have a private type and support a format.
pub(crate) fn verbs_with(format: Format) -> impl Iterator<Item = &'static str> {
    let all = REPORTS.get().into_iter().flatten();
    all.filter(move |report| report.formats().contains(&format)).map(|report| verb(report.schema()))
}

fn verb(schema: &'static str) -> &'static str {
    schema.split(['.', '/']).nth(1).unwrap_or(schema)
}

/// Whether the record of a document is that of an experiment with a condition.
pub(crate) fn has_condition(record: &Record, found: &OwnFindings) -> bool {
    report_of(found).map_or(!record.commands.is_empty(), |report| report.has_condition(record))
}

/// The findings of an experiment of a verb that ended before it had some; `None` if the verb is not known, or if the
/// runs of its commands are summarised in their place.
pub fn unfinished(name: &str) -> Option<OwnFindings> {
    let report = REPORTS.get()?.iter().find(|report| verb(report.schema()) == name)?;
    Some(OwnFindings { schema: report.schema().to_owned(), document: report.unfinished()? })
}

/// The pieces of a document's report, or a sentence that this version cannot show the document.
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

/// The rows of a document; `None` if this version cannot read it.
pub(crate) fn rows(found: &OwnFindings) -> Option<Rows> {
    report_of(found)?.rows(&found.document).ok()
}

/// Whether a document has a form in a format that only some verbs support. Of a document that this version does not
/// know that is not known either, and counts as true.
pub(crate) fn has_form(found: &OwnFindings, format: Format) -> bool {
    report_of(found).is_none_or(|report| report.formats().contains(&format))
}

/// The test cases of a document; `None` if this version cannot read it.
pub(crate) fn cases(found: &OwnFindings) -> Option<Vec<Case>> {
    report_of(found)?.cases(&found.document).ok()
}

/// The figures of a document for collectors of metrics; `None` if this version cannot read it.
pub(crate) fn gauges(found: &OwnFindings) -> Option<Vec<Gauges>> {
    report_of(found)?.gauges(&found.document).ok()
}

/// The fields of a document that programs read, if these are not those of the document itself.
pub(crate) fn json(found: &OwnFindings) -> Option<Value> {
    report_of(found)?.json(&found.document).ok()?
}

/// Writes a record in a format that a single verb has.
pub(crate) fn export(
    record: &Record,
    format: Format,
    style: &Style,
    out: &mut dyn Write,
) -> Result<(), ReportError> {
    let Findings::Own(found) = record.findings else { return Err(no_form(format)) };
    let report = report_of(found).filter(|report| report.formats().contains(&format));
    report.map_or(Err(no_form(format)), |report| report.export(&found.document, format, style, out))
}

fn no_form(format: Format) -> ReportError {
    let reason = "these findings have no such form; take text, json, csv, markdown or html";
    ReportError::NothingToExport { format: format.name(), reason }
}

/// The single readings of a document; `None` if this version cannot read it.
pub fn readings(found: &OwnFindings) -> Option<Vec<OwnReading>> {
    report_of(found)?.readings(&found.document).ok()
}
