//! The formats by name, and how text looks.

use std::fmt;
use std::str::FromStr;

use crate::ReportError;

/// What there is to be exposed.
pub(crate) const EXPOSED: &str = "it carries the values of a live table, of a process that is watched, or of a fleet; see \
                                  `fauxplat table`, `fauxplat counters --pid` and `fauxplat fleet`";

/// Why several profiles have no such form.
pub(crate) const ONE_PROFILE: &str =
    "it holds one profile and there are several; profile one command, or take speedscope, html or json";
pub(crate) const TWO_PROFILES: &str =
    "it holds one profile or two, and there are more; take speedscope, html or json";
/// Why simulated runs have none.
pub(crate) const UNTIMED: &str =
    "simulated runs are counted and not timed; take text, json, csv, markdown, html or junit";

/// What a record can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people at a terminal.
    Text,
    /// The whole record: see `docs/json.md`.
    Json,
    /// One row per run, every metric a column.
    Csv,
    /// One row per command: what `--export-csv` of hyperfine writes, in seconds.
    CsvSummary,
    /// Tables and sentences for pull-request comments.
    Markdown,
    /// The same in AsciiDoc.
    AsciiDoc,
    /// The same in Org.
    Org,
    /// The `--export-json` of hyperfine 1, in seconds.
    HyperfineJson,
    /// The `--export-json` of hyperfine 2.
    HyperfineJson2,
    /// A benchmark suite that pyperf 2 loads.
    PyperfJson,
    /// The `customSmallerIsBetter` input of github-action-benchmark.
    GithubActionBenchmark,
    /// Bencher Metric Format.
    BencherBmf,
    /// The text of Go's benchmarks, one line per run.
    GoBenchmark,
    /// The test report that most CI systems show: a case for each verdict.
    JUnit,
    /// A drawing, of findings that have one.
    Svg,
    /// One page from which nothing is loaded.
    Html,
    /// The same in characters, for a terminal.
    Boxes,
    /// What `lscpu -p` of util-linux prints, of a topology.
    Lscpu,
    /// The text exposition that Prometheus and its text-file collector read; for live tables.
    OpenMetrics,
    /// A line per stack with its samples, as Brendan Gregg's scripts fold them; for profiles.
    Folded,
    /// The file of speedscope; for profiles.
    Speedscope,
    /// The processed profile that the Firefox Profiler reads; for profiles.
    Firefox,
    /// The compressed protocol buffer that pprof reads; for profiles.
    Pprof,
    /// Lines that take confirmed machines out of a cluster of Slurm, for whoever decides to run them; for fleets.
    SlurmDrain,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 24] = [
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

    /// What a command line says of its option for formats.
    pub const HELP: &'static str = "text, json, csv, csv-summary, markdown, asciidoc, org, html, junit, \
        hyperfine-json, hyperfine-json-2, pyperf-json, github-action-benchmark, bencher-bmf, go-benchmark; svg where there is a drawing; boxes and lscpu for topo; \
        openmetrics for table, fleet and counters --pid; folded, speedscope, firefox and pprof for profiles; slurm-drain for fleet";

    /// The words of all formats, for a message.
    pub(crate) fn names() -> String {
        let [before @ .., last] = &Format::ALL.map(Format::name);
        format!("{} or {last}", before.join(", "))
    }

    /// Refuses a format that has no form for what a verb measures, whatever that will be. Not every refusal can be foreseen:
    /// some formats want something of which there may be none.
    ///
    /// # Errors
    /// [`ReportError::NothingToExport`].
    pub fn suits(self, verb: &str) -> Result<(), ReportError> {
        let verbs: &[&str] = match self {
            format if format.is_of_times() => &["run", "compare"],
            Format::Folded | Format::Speedscope | Format::Firefox | Format::Pprof => &["profile"],
            Format::OpenMetrics | Format::SlurmDrain => &["fleet"],
            Format::Boxes | Format::Lscpu => &[],
            Format::Svg if verb == "index" => &[],
            _ => return Ok(()),
        };
        let reason = match self {
            Format::OpenMetrics => EXPOSED,
            _ => "what this verb finds has no such form; take text, json, csv, markdown or html",
        };
        match verbs.contains(&verb) {
            true => Ok(()),
            false => Err(ReportError::NothingToExport { format: self.name(), reason }),
        }
    }

    /// Whether it has a place for what so many commands give.
    ///
    /// # Errors
    /// [`ReportError::NothingToExport`].
    pub fn holds(self, commands: usize, is_simulated: bool) -> Result<(), ReportError> {
        let reason = match self {
            Format::Pprof if commands > 1 => ONE_PROFILE,
            Format::Folded if commands > 2 => TWO_PROFILES,
            format if is_simulated && format.is_of_times() => UNTIMED,
            _ => return Ok(()),
        };
        Err(ReportError::NothingToExport { format: self.name(), reason })
    }

    /// Whether its figures are the wall times of runs.
    fn is_of_times(self) -> bool {
        matches!(
            self,
            Format::CsvSummary
                | Format::HyperfineJson
                | Format::HyperfineJson2
                | Format::PyperfJson
                | Format::GithubActionBenchmark
                | Format::BencherBmf
                | Format::GoBenchmark
        )
    }

    /// The word that the command line uses.
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

/// How text looks. The application decides, since it alone knows the terminal and the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether ANSI colours may be used.
    pub colour: bool,
    /// Columns of the terminal; fewer than 40 count as 40, and more than 200 as 200.
    pub width: usize,
    /// Whether characters outside ASCII may be used.
    pub unicode: bool,
}

impl Default for Style {
    /// For a pipe: 80 columns without colour.
    fn default() -> Self {
        Style { colour: false, width: 80, unicode: true }
    }
}

/// What of a report is shown, and in which order. The user decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The unit of all times in the tables of `run`; the one that suits each row when absent.
    pub unit: Option<TimeUnit>,
    /// Whether the table of several commands begins with the fastest, rather than in the order in which they were given.
    pub by_mean: bool,
    /// How much of it a terminal is shown; the other formats have all of it.
    pub detail: Detail,
    /// Whether a terminal is shown the tree of calls of a profile, too.
    pub tree: bool,
}

/// How much of a report somebody wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// A line for each comparison or command.
    Line,
    /// The answer, its table and drawing, what may spoil it in a line each, and how to repeat it.
    Brief,
    /// What the answer rests upon as well, and the conditions.
    #[default]
    Full,
}

impl Detail {
    /// From the shortest to all.
    pub const ALL: [Detail; 3] = [Detail::Line, Detail::Brief, Detail::Full];
    pub(crate) const FROM_BRIEF: [Detail; 2] = [Detail::Brief, Detail::Full];
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Millionths of a second.
    Microsecond,
    /// Thousandths.
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
            let words: Vec<&str> = Format::HELP.split([',', ';', ' ']).collect();
            assert!(words.contains(&format.name()), "the help leaves {format} out");
        }
        let message = "yaml".parse::<Format>().unwrap_err().to_string();
        assert!(message.contains("`yaml`") && message.contains("hyperfine-json"), "{message}");
    }
}
