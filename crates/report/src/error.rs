//! Errors of writing a report and of reading a baseline.

use std::io;

/// Why a report could not be written or a baseline could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("`{word}` is not a format: {known}")]
    UnknownFormat { word: String, known: String },
    /// The format does not exist for this verb.
    #[error("{subject} cannot be written as {format}{}; take one of: {known}", whose(verbs))]
    NoForm {
        format: &'static str,
        /// Description of the document that the verb writes.
        subject: String,
        known: String,
        /// The verbs that support the format.
        verbs: Vec<&'static str>,
    },
    #[error("the report could not be written: {0}")]
    Io(#[from] io::Error),
    /// The record contains nothing that the format can represent.
    #[error("nothing to write as {format}: {reason}")]
    NothingToExport { format: &'static str, reason: &'static str },
    /// A name cannot be represented in an exposition of metrics.
    #[error("`{name}` cannot be written as openmetrics: {reason}")]
    NotAMetric { name: String, reason: &'static str },
    /// The format has no form for successive readings.
    #[error("{0} cannot show a table that is followed (--watch); take text, json, csv or openmetrics")]
    NotFollowed(&'static str),
    /// The file is no record with runs.
    #[error("this is no JSON document of `fauxplat aa` or `fauxplat compare` with its runs: {}", .0.to_string().replace('\n', " "))]
    NoRuns(serde_json::Error),
    /// The baseline is not JSON, or is truncated.
    #[error("the baseline is not valid JSON (line {line}, column {column}): {message}")]
    BaselineSyntax {
        /// Line number, from 1.
        line: usize,
        /// Column number, from 1.
        column: usize,
        message: String,
    },
    /// The baseline is JSON of a known kind, but has a different shape.
    #[error("the baseline is not {expected} (line {line}, column {column}): {message}")]
    BaselineShape {
        /// The shape that the kind of file requires.
        expected: &'static str,
        /// Line number, from 1.
        line: usize,
        /// Column number, from 1.
        column: usize,
        /// Message of the JSON parser about the unexpected value.
        message: String,
    },
    /// The baseline is JSON of an unknown kind.
    #[error(
        "the baseline is none of the known kinds: expected fauxplat's own JSON (`\"schema\": \"fauxplat.run/2\"` \
         or `\"fauxplat.compare/2\"`), hyperfine's (`\"results\": […]`) or pyperf's (`\"benchmarks\": […]`); {found}"
    )]
    BaselineKind { found: String },
    /// The baseline is well-formed but holds no run that can be compared.
    #[error("the baseline ({format}) holds no successful run of any command")]
    BaselineEmpty { format: &'static str },
}

impl From<serde_json::Error> for ReportError {
    /// Converts an error of writing JSON: values are always representable, so only the output can fail.
    fn from(error: serde_json::Error) -> Self {
        ReportError::Io(error.into())
    }
}

impl From<csv::Error> for ReportError {
    fn from(error: csv::Error) -> Self {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => ReportError::Io(error),
            other => ReportError::Io(io::Error::other(format!("{other:?}"))),
        }
    }
}

/// Words to append to a format's name: the verbs that support it; empty if every verb does.
fn whose(verbs: &[&str]) -> String {
    if verbs.is_empty() { String::new() } else { format!(", which is for {}", verbs.join(", ")) }
}
