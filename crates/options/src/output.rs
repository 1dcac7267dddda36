//! Options for reports and their destinations.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use fauxplat_report::{Detail, Format, HISTORY, LIST_OF_EXPERIMENTS, LISTS, ReportError, TimeUnit, View};

use crate::environment::or_default;
pub use crate::looks::{Look, When};
use crate::looks::{Order, Unit};

/// Options about the destination and appearance of results: all that any verb accepts.
#[derive(Clone, Debug)]
pub struct OutputArgs {
    pub format: Format,
    /// File for the report of `--format`; standard output if `None` or `-`.
    pub output: Option<PathBuf>,
    pub export: Vec<Export>,
    /// Further reports that hyperfine's options request, in addition to `export`.
    pub hyperfine: HyperfineExports,
    pub colour: When,
    /// Choice of colour and progress line by hyperfine's option `--style`.
    pub style: Look,
    pub time_unit: Option<Unit>,
    pub sort: Order,
    /// Whether the text report is complete, instead of the brief one that is the default.
    pub verbose: bool,
    /// Whether the text report has only one line for each comparison or command.
    pub brief: bool,
    pub ascii: bool,
    /// Path or URL of the store for results, or `none`; `None` for the default store.
    pub store: Option<PathBuf>,
    /// File for one JSON line per event.
    pub events: Option<PathBuf>,
    pub quiet: bool,
    /// Whether the calls of a profile are shown as a tree, an option of `profile` only.
    pub tree: bool,
}

impl Default for OutputArgs {
    fn default() -> Self {
        OutputArgs {
            format: Format::Text,
            output: None,
            export: Vec::new(),
            hyperfine: HyperfineExports::default(),
            colour: When::Auto,
            style: Look::Auto,
            time_unit: None,
            sort: Order::Auto,
            verbose: false,
            brief: false,
            ascii: false,
            store: None,
            events: None,
            quiet: false,
            tree: false,
        }
    }
}

// Options for the report and its destination.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
struct Document {
    // `of_verb` adds the formats of the verb to the help, and takes no others.
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// File for the report instead of standard output, which is - here
    #[arg(short, long, value_name = "FILE", value_parser = report_file)]
    output: Option<PathBuf>,
}

// Further reports.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
struct Exports {
    /// A further report in a file, such as json=FILE, beside the one of --format (repeatable). With - for FILE it goes to
    /// standard output, and the report of --format to standard error
    #[arg(long, value_name = "FORMAT=FILE")]
    export: Vec<Export>,
}

// Options for the appearance of text.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
struct Colour {
    /// Colour: auto (on a terminal unless NO_COLOR is set, or where CLICOLOR_FORCE is), always, never
    #[arg(long, visible_alias = "color", value_name = "WHEN", default_value = "auto")]
    colour: When,
    /// Only ASCII characters, and no drawing made of block characters
    #[arg(long)]
    ascii: bool,
}

// The option for the complete report as text.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
struct Whole {
    /// The full report as text: what the answer rests upon, every metric, what was not measured, condition and machine.
    /// Other formats are always full
    #[arg(short, long)]
    verbose: bool,
}

// The option for reports of one line per comparison or command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
struct InBrief {
    /// A line for each comparison or command, and no more
    #[arg(long, conflicts_with = "verbose")]
    brief: bool,
}

// hyperfine's options about reports.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
struct Hyperfine {
    #[command(flatten)]
    exports: HyperfineExports,
    /// hyperfine's word for colours and the progress line: auto, basic (neither), full, nocolor, color (no progress line),
    /// none (no report but those of --export and of hyperfine's --export-json, --export-csv, --export-markdown,
    /// --export-asciidoc and --export-orgmode FILE, which do here what they do there)
    #[arg(
        long,
        value_name = "TYPE",
        default_value = "auto",
        hide_default_value = true,
        conflicts_with = "colour"
    )]
    style: Look,
}

// Options for the tables of `run`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
struct Times {
    /// Unit of the times in the tables of `run`: microsecond, millisecond, second [default: what suits each]
    #[arg(short = 'u', long, value_name = "UNIT")]
    time_unit: Option<Unit>,
    /// Order of the table of several commands: auto and command (as they were given), mean-time (the fastest first)
    #[arg(long, value_name = "ORDER", default_value = "auto", hide_default_value = true)]
    sort: Order,
}

// The option for the store.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
struct Stored {
    /// Where results are stored: a file, none, or a shared store, postgres://USER@HOST/DATABASE, that they are carried to at
    /// the end [default: what FAUXPLAT_STORE in the environment names, else the user's data directory]
    #[arg(long, value_name = "PATH|URL|none")]
    store: Option<PathBuf>,
}

// The option for a file of events.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
struct Followed {
    /// Where to write, while the experiment goes on, a line of JSON for each thing that happens: a file, or - for
    /// standard output when the report goes elsewhere
    #[arg(long, value_name = "FILE|-")]
    events: Option<PathBuf>,
}

// The option for the progress line.
#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
struct Told {
    /// No progress line
    #[arg(short, long)]
    quiet: bool,
}

/// Groups of options: a verb has all options of a group or none.
#[derive(Clone, Copy, Debug)]
enum Group {
    Document,
    Exports,
    Colour,
    Whole,
    InBrief,
    Hyperfine,
    Times,
    Stored,
    Followed,
    Told,
}

impl Group {
    fn augment(self, command: Command) -> Command {
        match self {
            Group::Document => Document::augment_args(command),
            Group::Exports => Exports::augment_args(command),
            Group::Colour => Colour::augment_args(command),
            Group::Whole => Whole::augment_args(command),
            Group::InBrief => InBrief::augment_args(command),
            Group::Hyperfine => Hyperfine::augment_args(command),
            Group::Times => Times::augment_args(command),
            Group::Stored => Stored::augment_args(command),
            Group::Followed => Followed::augment_args(command),
            Group::Told => Told::augment_args(command),
        }
    }

    fn read(self, found: &ArgMatches, into: &mut OutputArgs) -> Result<(), clap::Error> {
        match self {
            Group::Document => {
                Document { format: into.format, output: into.output } = Document::from_arg_matches(found)?;
            }
            Group::Exports => Exports { export: into.export } = Exports::from_arg_matches(found)?,
            Group::Colour => {
                Colour { colour: into.colour, ascii: into.ascii } = Colour::from_arg_matches(found)?;
            }
            Group::Whole => Whole { verbose: into.verbose } = Whole::from_arg_matches(found)?,
            Group::InBrief => InBrief { brief: into.brief } = InBrief::from_arg_matches(found)?,
            Group::Hyperfine => {
                Hyperfine { exports: into.hyperfine, style: into.style } =
                    Hyperfine::from_arg_matches(found)?;
            }
            Group::Times => {
                Times { time_unit: into.time_unit, sort: into.sort } = Times::from_arg_matches(found)?;
            }
            Group::Stored => into.store = or_default(Stored::from_arg_matches(found)?.store),
            Group::Followed => Followed { events: into.events } = Followed::from_arg_matches(found)?,
            Group::Told => Told { quiet: into.quiet } = Told::from_arg_matches(found)?,
        }
        Ok(())
    }
}

/// Choice of the groups of output options that a verb accepts. The parser refuses the options of all other groups,
/// which would have no effect.
pub trait Taken: Clone + fmt::Debug + Send + Sync + 'static {
    #[doc(hidden)]
    const GROUPS: Groups;
    /// The kind of the verb's document, if it differs from the verb's name; see [`Format::suits`].
    #[doc(hidden)]
    const KIND: Option<&'static str> = None;
}

/// A list of groups of options; the groups themselves are private to this module.
#[derive(Clone, Copy, Debug)]
pub struct Groups(&'static [Group]);

macro_rules! taken {
    ($($(#[$doc:meta])* $name:ident $(as $kind:tt)?: $($group:ident)+;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Taken for $name {
            const GROUPS: Groups = Groups(&[$(Group::$group),+]);
            $(const KIND: Option<&'static str> = Some($kind);)?
        }
    )+};
}

taken! {
    /// Output options of `run`.
    OfRuns: Document Exports Colour Whole InBrief Hyperfine Times Stored Followed Told;
    /// Output options of a verb that measures and has tables of its own kind.
    Measured: Document Exports Colour Whole InBrief Hyperfine Stored Followed Told;
    /// Output options of `lab run`.
    OfLabs as "lab": Document Exports Colour Whole InBrief Hyperfine Stored Followed Told;
    /// Output options of `fleet run`.
    OfFleets as "fleet": Document Exports Colour Whole InBrief Hyperfine Stored Followed Told;
    /// Output options of `fleet compare`.
    OfFleetPairs as "fleet-compare": Document Exports Colour Whole InBrief Hyperfine Stored Followed Told;
    /// Output options for the report of a stored experiment.
    Shown as HISTORY: Document Exports Colour Whole InBrief Hyperfine Times Stored;
    /// Output options for the report of a stored run over a fleet.
    Kept as "fleet": Document Exports Colour Whole InBrief Stored;
    /// Output options for the changes over several stored runs over a fleet.
    Watched as "fleet-watch": Document Exports Colour Whole InBrief Stored;
    /// Output options for a list of stored things, such as runs over fleets.
    Listed as LISTS: Document Colour Stored;
    /// Output options for the list of all stored experiments.
    ListedAll as LIST_OF_EXPERIMENTS: Document Colour Stored;
    /// Output options for the series of a command's results over stored sessions.
    Trended as "history-trend": Document Exports Colour Whole InBrief Stored;
    /// Output options for the comparison of a session with earlier ones of the same command.
    Gated as "history-gate": Document Exports Colour Whole InBrief Stored;
    /// Output options of verbs that write files of their own and no report.
    Made: Stored Told;
    /// Output options for text without colours and drawings, such as a manifest.
    Emitted as LISTS: Document Stored;
    /// Output options of verbs that change a store and have no report.
    Changed: Stored;
    /// Output options of verbs that measure nothing and have a brief and a full report.
    Looked: Document Exports Colour Whole InBrief;
    /// Output options for the comparison of two records of labs.
    LookedAtLabs as "lab-compare": Document Exports Colour Whole InBrief;
    /// Output options of verbs that measure nothing and have no brief report.
    Drawn: Document Exports Colour Whole;
    /// Output options of `topo pick`, whose result scripts can use (`--quiet`).
    Picked as "topo": Document Exports Colour Whole Told;
    /// Output options of verbs that measure nothing and whose report is always the full one.
    Seen: Document Exports Colour;
    /// Output options for descriptions of labs, in every format that a run of labs has.
    Plain as "lab": Document Colour;
}

/// The output options that a verb of the type `T` accepts. All other fields of the arguments have their defaults.
#[derive(Clone, Debug)]
pub struct Output<T: Taken> {
    args: OutputArgs,
    taken: PhantomData<T>,
}

impl<T: Taken> Deref for Output<T> {
    type Target = OutputArgs;

    fn deref(&self) -> &OutputArgs {
        &self.args
    }
}

/// Restricts the output options of a command to the formats that this kind of document supports, so that an impossible
/// report is refused before the measurement.
fn of_verb(command: Command, kind: &str) -> Command {
    let (of_format, of_export) = (kind.to_owned(), kind.to_owned());
    let format = move |word: &str| {
        let unknown = |error| match error {
            ReportError::UnknownFormat { word, .. } => {
                ReportError::UnknownFormat { word, known: Format::names_of(&of_format) }
            }
            other => other,
        };
        let format: Format = word.parse().map_err(unknown)?;
        format.suits(&of_format).map(|()| format)
    };
    let export = move |text: &str| {
        let export: Export = text.parse()?;
        export.format.suits(&of_export).map(|()| export).map_err(|error| error.to_string())
    };
    let has_exports = command.get_arguments().any(|arg| arg.get_id() == "export");
    if !command.get_arguments().any(|arg| arg.get_id() == "format") {
        return command;
    }
    let command = command.mut_arg("format", |arg| arg.help(Format::names_of(kind)).value_parser(format));
    match has_exports {
        true => command.mut_arg("export", |arg| arg.value_parser(export)),
        false => command,
    }
}

impl<T: Taken> Args for Output<T> {
    fn augment_args(command: Command) -> Command {
        let kind = T::KIND.unwrap_or(command.get_name()).to_owned();
        of_verb(T::GROUPS.0.iter().fold(command, |command, group| group.augment(command)), &kind)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Taken> FromArgMatches for Output<T> {
    fn from_arg_matches(found: &ArgMatches) -> Result<Self, clap::Error> {
        let mut args = OutputArgs::default();
        T::GROUPS.0.iter().try_for_each(|group| group.read(found, &mut args))?;
        Ok(Output { args, taken: PhantomData })
    }

    fn update_from_arg_matches(&mut self, found: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(found)?;
        Ok(())
    }
}

impl<T: Taken> From<OutputArgs> for Output<T> {
    fn from(args: OutputArgs) -> Self {
        Output { args, taken: PhantomData }
    }
}

/// Parses the file name of `--output`. In other tools `--output` controls the output of the commands, and the values
/// that those tools accept are refused.
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
    /// JSON of hyperfine, with the fields of its versions 1 and 2
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
    /// All further reports in files, by options of fauxplat and of hyperfine, besides the report of `--format`.
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

    pub fn view(&self) -> View {
        let unit = self.time_unit.map(|unit| match unit {
            Unit::Microsecond => TimeUnit::Microsecond,
            Unit::Millisecond => TimeUnit::Millisecond,
            Unit::Second => TimeUnit::Second,
        });
        View { unit, by_mean: self.sort == Order::MeanTime, detail: self.detail(), tree: self.tree }
    }

    fn detail(&self) -> Detail {
        match (self.brief, self.verbose) {
            (true, _) => Detail::Line,
            (false, true) => Detail::Full,
            (false, false) => Detail::Brief,
        }
    }

    pub fn is_quiet(&self) -> bool {
        self.quiet || matches!(self.style, Look::Basic | Look::Color | Look::None)
    }
}
