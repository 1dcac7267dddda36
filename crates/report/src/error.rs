//! Errors of writing a report and of reading a baseline.

use std::io;

/// Why a report could not be written, or a baseline not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The word names no format.
    #[error("`{word}` is not a format: {known}")]
    UnknownFormat {
        /// The word.
        word: String,
        /// The formats that there are.
        known: String,
    },
    /// A verb writes nothing in this form.
    #[error("{subject} has no such form as {format}{}; take one of: {known}", whose(verbs))]
    NoForm {
        /// Name of the format.
        format: &'static str,
        /// Words for what the verb writes.
        subject: String,
        /// The formats that there are.
        known: String,
        /// The verbs that have the format.
        verbs: Vec<&'static str>,
    },
    /// The output could not be written.
    #[error("the report could not be written: {0}")]
    Io(#[from] io::Error),
    /// The record holds nothing that the format can carry.
    #[error("nothing to write as {format}: {reason}")]
    NothingToExport {
        /// Name of the format.
        format: &'static str,
        /// The missing part.
        reason: &'static str,
    },
    /// A name that an exposition of metrics cannot carry.
    #[error("`{name}` cannot be written as openmetrics: {reason}")]
    NotAMetric {
        /// The name.
        name: String,
        /// Why the name is refused.
        reason: &'static str,
    },
    /// The format has no form for successive readings.
    #[error("{0} has no form for a table that is followed; take text, json, csv or openmetrics")]
    NotFollowed(&'static str),
    /// A file that is no record with runs.
    #[error("this is no JSON document of `fauxplat aa` or `fauxplat compare` with its runs: {}", .0.to_string().replace('\n', " "))]
    NoRuns(serde_json::Error),
    /// The baseline is not JSON, or is cut short.
    #[error("the baseline is not valid JSON (line {line}, column {column}): {message}")]
    BaselineSyntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The parser's message.
        message: String,
    },
    /// The baseline is JSON of a known kind, but not in its shape.
    #[error("the baseline is not {expected} (line {line}, column {column}): {message}")]
    BaselineShape {
        /// The shape that the file announced.
        expected: &'static str,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// The parser's message: the value that it met.
        message: String,
    },
    /// The baseline is JSON of no known kind.
    #[error(
        "the baseline is none of the known kinds: expected fauxplat's own JSON (`\"schema\": \"fauxplat.run/1\"` \
         or `\"fauxplat.compare/1\"`), hyperfine's (`\"results\": […]`) or pyperf's (`\"benchmarks\": […]`); {found}"
    )]
    BaselineKind {
        /// Description of the JSON that was found.
        found: String,
    },
    /// The baseline is well-formed and holds no run that can be compared.
    #[error("the baseline ({format}) holds no successful run of any command")]
    BaselineEmpty {
        /// The kind of file.
        format: &'static str,
    },
}

impl From<serde_json::Error> for ReportError {
    /// The conversion is for writing alone: values are always representable, so only the output can fail.
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

/// The verbs that have a form, behind its name; nothing where every verb has it.
fn whose(verbs: &[&str]) -> String {
    if verbs.is_empty() { String::new() } else { format!(", which is for {}", verbs.join(", ")) }
}
