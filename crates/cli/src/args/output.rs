//! Where results go.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fauxplat_report::Format;

// Where results go.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Results")]
pub(crate) struct OutputArgs {
    // What it may be is told by the formats themselves.
    #[arg(short, long, value_name = "FORMAT", default_value = "text", help = Format::HELP)]
    pub(crate) format: Format,
    /// File for the report instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Colour: auto (on a terminal, unless NO_COLOR is set), always, never
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) colour: When,
    /// Where results are stored: a file, or none [default: the user's data directory]
    #[arg(long, value_name = "PATH|none")]
    pub(crate) store: Option<PathBuf>,
    /// Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for
    /// standard output when the report goes elsewhere
    #[arg(long, value_name = "FILE|-")]
    pub(crate) events: Option<PathBuf>,
    /// No progress line
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}
