//! Options for reports and their destinations.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use fauxplat_report::{Detail, Format, ReportError, TimeUnit, View};

// Options for reports and their destinations.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Results")]
pub struct OutputArgs {
    // The help text lists the formats, so `Format` provides it.
    #[arg(short, long, value_name = "FORMAT", default_value = "text", help = Format::HELP)]
    pub format: Format,
    /// File for the report instead of standard output
    #[arg(short, long, value_name = "FILE", value_parser = report_file)]
    pub output: Option<PathBuf>,
    /// A further report in a file, such as json=FILE, beside the one of --format (repeatable); hyperfine's --export-json,
    /// --export-csv, --export-markdown, --export-asciidoc and --export-orgmode FILE do the same in its formats
    #[arg(long, value_name = "FORMAT=FILE")]
    pub export: Vec<Export>,
    #[command(flatten)]
    pub hyperfine: HyperfineExports,
    /// Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never
    #[arg(long, visible_alias = "color", value_name = "WHEN", default_value = "auto")]
    pub colour: When,
    /// hyperfine's word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line),
    /// none (no report but those of --export)
    #[arg(
        long,
        value_name = "TYPE",
        default_value = "auto",
        hide_default_value = true,
        conflicts_with = "colour"
    )]
    pub style: Look,
    /// Unit of the times in the tables of `run`: microsecond, millisecond, second [default: what suits each]
    #[arg(short = 'u', long, value_name = "UNIT")]
    pub time_unit: Option<Unit>,
    /// Order of the table of several commands: auto and command (as they were given), mean-time (the fastest first)
    #[arg(long, value_name = "ORDER", default_value = "auto", hide_default_value = true)]
    pub sort: Order,
    /// All of the report as text: what the answer rests upon, every metric, what was not measured, condition and machine.
    /// The other formats have all of it without
    #[arg(short, long)]
    pub verbose: bool,
    /// A line for each comparison or command, and no more
    #[arg(long, conflicts_with = "verbose")]
    pub brief: bool,
    /// Only characters of ASCII, and no drawing made of blocks
    #[arg(long)]
    pub ascii: bool,
    /// Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at
    /// the end [default: the user's data directory]
    #[arg(long, value_name = "PATH|URL|none")]
    pub store: Option<PathBuf>,
    /// Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for
    /// standard output when the report goes elsewhere
    #[arg(long, value_name = "FILE|-")]
    pub events: Option<PathBuf>,
    /// No progress line
    #[arg(short, long)]
    pub quiet: bool,
    /// Whether the calls of a profile are shown as a tree: an option of that verb alone.
    #[arg(skip)]
    pub tree: bool,
}

/// Parses the file name of `--output`. In other tools `--output` tells what becomes of the commands' output; such
/// values are refused.
fn report_file(text: &str) -> Result<PathBuf, String> {
    let ours = match text {
        "null" => "--stdout null, which is the default, discards what the commands write",
        "inherit" => "--show-output shows what the commands write",
        "pipe" => {
            "--stdout FILE keeps what the commands write; a pipe needs --shell and `CMD | cat >/dev/null`"
        }
        _ => return Ok(PathBuf::from(text)),
    };
    Err(format!("this is the file of the report (./{text} if that is its name); {ours}"))
}

/// A report in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    pub format: Format,
    pub file: PathBuf,
}

impl FromStr for Export {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (format, file) = text
            .split_once('=')
            .filter(|(_, file)| !file.is_empty())
            .ok_or_else(|| format!("`{text}` is not FORMAT=FILE, such as json=result.json"))?;
        Ok(Export {
            format: format.parse().map_err(|error: ReportError| error.to_string())?,
            file: file.into(),
        })
    }
}

// hyperfine's options for reports in files.
#[derive(Clone, Debug, Default, Args)]
pub struct HyperfineExports {
    /// JSON of hyperfine 2
    #[arg(long, value_name = "FILE", hide = true)]
    export_json: Option<PathBuf>,
    /// CSV of hyperfine: a row per command
    #[arg(long, value_name = "FILE", hide = true)]
    export_csv: Option<PathBuf>,
    /// Markdown
    #[arg(long, value_name = "FILE", hide = true)]
    export_markdown: Option<PathBuf>,
    /// AsciiDoc
    #[arg(long, value_name = "FILE", hide = true)]
    export_asciidoc: Option<PathBuf>,
    /// Org
    #[arg(long, value_name = "FILE", hide = true)]
    export_orgmode: Option<PathBuf>,
}

impl OutputArgs {
    /// Further reports in files, beside the report of `--format`.
    pub fn exports(&self) -> Vec<Export> {
        let words = &self.hyperfine;
        let named = [
            (Format::HyperfineJson2, &words.export_json),
            (Format::CsvSummary, &words.export_csv),
            (Format::Markdown, &words.export_markdown),
            (Format::AsciiDoc, &words.export_asciidoc),
            (Format::Org, &words.export_orgmode),
        ];
        let spoken =
            named.into_iter().filter_map(|(format, file)| Some(Export { format, file: file.clone()? }));
        self.export.iter().cloned().chain(spoken).collect()
    }

    /// The part of the report that is shown, its order and units.
    pub fn view(&self) -> View {
        let unit = self.time_unit.map(|unit| match unit {
            Unit::Microsecond => TimeUnit::Microsecond,
            Unit::Millisecond => TimeUnit::Millisecond,
            Unit::Second => TimeUnit::Second,
        });
        View { unit, by_mean: self.sort == Order::MeanTime, detail: self.detail(), tree: self.tree }
    }

    /// The amount of detail in the report.
    fn detail(&self) -> Detail {
        match (self.brief, self.verbose) {
            (true, _) => Detail::Line,
            (false, true) => Detail::Full,
            (false, false) => Detail::Brief,
        }
    }

    /// Whether the progress line is switched off.
    pub fn is_quiet(&self) -> bool {
        self.quiet || matches!(self.style, Look::Basic | Look::Color | Look::None)
    }
}

/// Units of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Unit {
    Microsecond,
    Millisecond,
    Second,
}

/// Orders of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    Auto,
    Command,
    MeanTime,
}

/// hyperfine's styles of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Look {
    Auto,
    Basic,
    Full,
    Nocolor,
    Color,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}
