//! Report formats by name, and settings of text reports.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::ReportError;

/// Error for verbs whose reports have no OpenMetrics form.
pub(crate) const EXPOSED: &str = "it carries the values of a live table, of a process that is watched, or of a fleet; see \
                                  `fauxplat table`, `fauxplat counters --pid` and `fauxplat fleet`";

/// Error for formats that hold a single profile, if there are several.
pub(crate) const ONE_PROFILE: &str =
    "it holds one profile and there are several; profile one command, or take speedscope, html or json";
pub(crate) const TWO_PROFILES: &str =
    "it holds one profile or two, and there are more; take speedscope, html or json";
/// Error for formats whose figures are wall times, if the runs were simulated.
pub(crate) const UNTIMED: &str =
    "simulated runs are counted and not timed; take text, json, csv, markdown, html or junit";

/// A file format or layout in which a record can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Text for a terminal.
    Text,
    /// The whole record, see `docs/json.md`.
    Json,
    /// CSV with a row for each run and a column for each metric.
    Csv,
    /// CSV with a row for each command, in the form of hyperfine's `--export-csv`, in seconds.
    CsvSummary,
    /// Tables and sentences for pull-request comments.
    Markdown,
    AsciiDoc,
    Org,
    /// The `--export-json` of hyperfine 1, in seconds.
    HyperfineJson,
    /// The `--export-json` of hyperfine 2.
    HyperfineJson2,
    /// A benchmark suite that pyperf 2 can load.
    PyperfJson,
    /// The `customSmallerIsBetter` input of github-action-benchmark.
    GithubActionBenchmark,
    /// The JSON that Bencher reads (Bencher Metric Format).
    BencherBmf,
    /// The text format of Go's benchmarks, one line per run.
    GoBenchmark,
    /// The JSON of Google Benchmark, one repetition per run.
    GoogleBenchmark,
    /// The test report that most CI systems show: a case for each verdict.
    JUnit,
    /// An SVG drawing, for findings that have one.
    Svg,
    /// A report as a single HTML page that loads nothing from elsewhere.
    Html,
    /// A drawing of a topology in characters, for a terminal.
    Boxes,
    /// The output of `lscpu -p` of util-linux, for a topology.
    Lscpu,
    /// The text exposition that Prometheus and its text-file collector read; for live tables.
    OpenMetrics,
    /// Stacks, one per line with its samples, as Brendan Gregg's scripts fold them; for profiles.
    Folded,
    /// The file format of speedscope; for profiles.
    Speedscope,
    /// The processed profile that the Firefox Profiler reads; for profiles.
    Firefox,
    /// The protocol buffer that pprof reads; for profiles.
    Pprof,
    /// Commands that take confirmed machines out of a Slurm cluster, to be run by an administrator; for fleets.
    SlurmDrain,
}

impl Format {
    pub const ALL: [Format; 25] = [
        Format::Text,
        Format::Json,
        Format::Csv,
        Format::CsvSummary,
        Format::Markdown,
        Format::AsciiDoc,
        Format::Org,
        Format::HyperfineJson,
        Format::HyperfineJson2,
        Format::PyperfJson,
        Format::GithubActionBenchmark,
        Format::BencherBmf,
        Format::GoBenchmark,
        Format::GoogleBenchmark,
        Format::JUnit,
        Format::Svg,
        Format::Html,
        Format::Boxes,
        Format::Lscpu,
        Format::OpenMetrics,
        Format::Folded,
        Format::Speedscope,
        Format::Firefox,
        Format::Pprof,
        Format::SlurmDrain,
    ];

    /// The names of all formats, for a message.
    pub(crate) fn names() -> String {
        let [before @ .., last] = &Format::ALL.map(Format::name);
        format!("{} or {last}", before.join(", "))
    }

    /// Checks that the format can hold a report of so many commands, and of simulated runs if `is_simulated`.
    ///
    /// # Errors
    /// Fails with [`ReportError::NothingToExport`].
    pub fn holds(self, commands: usize, is_simulated: bool) -> Result<(), ReportError> {
        let reason = match self {
            Format::Pprof if commands > 1 => ONE_PROFILE,
            Format::Folded if commands > 2 => TWO_PROFILES,
            format if is_simulated && format.is_of_times() => UNTIMED,
            _ => return Ok(()),
        };
        Err(ReportError::NothingToExport { format: self.name(), reason })
    }

    /// Whether the figures of the format are the wall times of runs.
    pub(crate) fn is_of_times(self) -> bool {
        matches!(
            self,
            Format::CsvSummary
                | Format::HyperfineJson
                | Format::HyperfineJson2
                | Format::PyperfJson
                | Format::GithubActionBenchmark
                | Format::BencherBmf
                | Format::GoBenchmark
                | Format::GoogleBenchmark
        )
    }

    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Json => "json",
            Format::Csv => "csv",
            Format::CsvSummary => "csv-summary",
            Format::Markdown => "markdown",
            Format::AsciiDoc => "asciidoc",
            Format::Org => "org",
            Format::HyperfineJson => "hyperfine-json",
            Format::HyperfineJson2 => "hyperfine-json-2",
            Format::PyperfJson => "pyperf-json",
            Format::GithubActionBenchmark => "github-action-benchmark",
            Format::BencherBmf => "bencher-bmf",
            Format::GoBenchmark => "go-benchmark",
            Format::GoogleBenchmark => "google-benchmark",
            Format::JUnit => "junit",
            Format::Svg => "svg",
            Format::Html => "html",
            Format::Boxes => "boxes",
            Format::Lscpu => "lscpu",
            Format::OpenMetrics => "openmetrics",
            Format::Folded => "folded",
            Format::Speedscope => "speedscope",
            Format::Firefox => "firefox",
            Format::Pprof => "pprof",
            Format::SlurmDrain => "slurm-drain",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = ReportError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unknown = || ReportError::UnknownFormat { word: text.to_owned(), known: Format::names() };
        Format::ALL.into_iter().find(|format| format.name() == text).ok_or_else(unknown)
    }
}

/// Properties of the place where a text report is shown. The application sets them, since it alone knows the terminal
/// and the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether ANSI colours may be used.
    pub colour: bool,
    /// Width of the terminal in columns; values outside of 40 to 200 are replaced by the nearer of these.
    pub width: usize,
    /// Whether characters outside ASCII may be used.
    pub unicode: bool,
}

impl Style {
    /// The narrowest and the widest supported page, in columns.
    const WIDTHS: RangeInclusive<usize> = 40..=200;

    /// Width of a page in this terminal, in columns.
    pub fn columns(&self) -> usize {
        self.width.clamp(*Self::WIDTHS.start(), *Self::WIDTHS.end())
    }
}

impl Default for Style {
    /// The style for a pipe: 80 columns without colour.
    fn default() -> Self {
        Style { colour: false, width: 80, unicode: true }
    }
}

/// The user's choice of units, order and amount of detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Unit of all times in the tables of `run`; `None` chooses a suitable unit for each row.
    pub unit: Option<TimeUnit>,
    /// Whether the table of several commands begins with the fastest command, and not with the first on the command
    /// line.
    pub by_mean: bool,
    /// Amount of detail in a text report; other formats are always complete.
    pub detail: Detail,
    /// Whether a terminal also shows the call tree of a profile.
    pub tree: bool,
}

/// The amount of detail in a text report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    Line,
    /// The answer with its table and drawing, circumstances that may spoil it in a line each, and how to repeat the
    /// measurement.
    Brief,
    /// All of the brief report, the evidence behind the answer, and the conditions.
    #[default]
    Full,
}

impl Detail {
    /// All amounts of detail, the smallest first.
    pub const ALL: [Detail; 3] = [Detail::Line, Detail::Brief, Detail::Full];
    pub const FROM_BRIEF: [Detail; 2] = [Detail::Brief, Detail::Full];
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Millionths of a second.
    Microsecond,
    /// Thousandths of a second.
    Millisecond,
    /// Seconds.
    Second,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_read_what_they_print() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        let message = "yaml".parse::<Format>().unwrap_err().to_string();
        assert!(message.contains("`yaml`") && message.contains("hyperfine-json"), "{message}");
    }
}
