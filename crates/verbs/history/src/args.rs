//! Options of `history`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use fauxplat_model::FailIf;
use fauxplat_options::{
    Changed, Emitted, Gated, ListedAll, Made, Output, Shown, Trended, after, fail_if, percent,
};

const EXAMPLES: &str = "\
  fauxplat history list --kind compare --limit 20
  fauxplat history show last
  fauxplat history trend
  fauxplat history trend 'sort access.log'
  fauxplat history gate 'sort access.log' --fail-if slower,undecided
  fauxplat history pages public
  fauxplat history export 17 --format hyperfine-json --output result.json
  fauxplat history list --store postgres://ada@db.example/lab";

/// List, show and follow what was measured: since when is it slower?
#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct HistoryArgs {
    #[command(subcommand)]
    pub action: HistoryAction,
}

#[derive(Debug, Subcommand)]
pub enum HistoryAction {
    /// One line per experiment, newest last
    #[command(after_help = after("fauxplat history list --kind compare --since 2026-11"))]
    List {
        /// Only this verb, such as run or compare
        #[arg(long)]
        kind: Option<String>,
        /// Only experiments with a command that contains this text
        #[arg(long)]
        name: Option<String>,
        /// Only experiments since this time, for instance 2026-11
        #[arg(long, value_parser = since)]
        since: Option<String>,
        /// At most so many experiments, the newest ones
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
        #[command(flatten)]
        output: Output<ListedAll>,
    },
    /// The report of an experiment, as it was
    #[command(after_help = after("fauxplat history show last\n  fauxplat history show 17 --format html --output report.html"))]
    Show {
        /// Its number, or `last`
        id: String,
        #[command(flatten)]
        output: Output<Shown>,
    },
    /// An experiment with all its samples, as JSON unless --format says otherwise
    #[command(after_help = after("fauxplat history export 17 --format hyperfine-json --output result.json"))]
    Export {
        /// Its number, or `last`
        id: String,
        #[command(flatten)]
        output: Output<Shown>,
    },
    /// Carry experiments to another store: those that wait for it, unless others are named. What is there already, by its
    /// UUID, stays as it is
    #[command(after_help = after("fauxplat history push postgres://ada@db.example/lab\n  fauxplat history push --all archive.sqlite"))]
    Push {
        /// Where to: a file, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "STORE")]
        to: PathBuf,
        /// Their numbers or UUIDs, or `last`
        ids: Vec<String>,
        /// All that are over
        #[arg(long, conflicts_with = "ids")]
        all: bool,
        #[command(flatten)]
        output: Output<Emitted>,
    },
    /// Carry experiments here from another store. What is here already, by its UUID, stays as it is
    #[command(after_help = after("fauxplat history pull postgres://ada@db.example/lab 17\n  fauxplat history pull --all archive.sqlite"))]
    Pull {
        /// Where from: a file, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "STORE")]
        from: PathBuf,
        /// Their numbers there or UUIDs, or `last`
        #[arg(required_unless_present = "all")]
        ids: Vec<String>,
        /// All that are over
        #[arg(long, conflicts_with = "ids")]
        all: bool,
        #[command(flatten)]
        output: Output<Emitted>,
    },
    /// Remove experiments
    #[command(after_help = after("fauxplat history rm 3 4"))]
    Rm {
        /// Their numbers
        #[arg(required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        output: Output<Changed>,
    },
    /// Make the file of the store as small as what it holds. Takes as much free space as the store, and removes nothing
    #[command(after_help = after("fauxplat history vacuum"))]
    Vacuum {
        #[command(flatten)]
        output: Output<Changed>,
    },
    /// Write a note on an experiment, such as what changed then; trends show it
    #[command(after_help = after("fauxplat history note last 'new compiler'"))]
    Note {
        /// Its number, or `last`
        id: String,
        /// The note, a line
        text: String,
        #[command(flatten)]
        output: Output<Changed>,
    },
    /// Every benchmark over its sessions: where its level changed, by how much, and between which commits
    #[command(after_help = after("fauxplat history trend\n  fauxplat history trend 'sort access.log' --metric peak-memory\n  fauxplat history trend parse --by commit --format html --output parse.html"))]
    Trend(TrendArgs),
    /// The newest session of a benchmark against its own past, with an error that is stated
    #[command(after_help = after("fauxplat history gate 'sort access.log'\n  fauxplat history gate parse --margin 5% --fail-if slower,undecided --export junit=gate.xml"))]
    Gate(GateArgs),
    /// A folder of pages about all benchmarks, for any web server or none: what is there already is made anew only where it
    /// changed
    #[command(after_help = after("fauxplat history pages public"))]
    Pages(PagesArgs),
}

/// Orders of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// A point for each session, in the order of time.
    #[default]
    Time,
    /// A point for each commit, in the order in which the commits were made.
    Commit,
}

#[derive(Debug, Args)]
pub struct SeriesArgs {
    /// The metric: wall, user, sys, cpu, peak-memory, or one that a user named, such as printed:latency
    #[arg(long, value_name = "METRIC", default_value = "wall")]
    pub metric: String,
    /// Only sessions on this machine, by its host name or the beginning of its identity
    #[arg(long, value_name = "ID")]
    pub machine: Option<String>,
}

#[derive(Debug, Args)]
pub struct OfArgs {
    /// Only series of this program, harness, repository or folder, or with these arguments: the whole text or, where none
    /// has it, a part of it. May be repeated, and then all have to fit
    #[arg(long, value_name = "TEXT")]
    pub of: Vec<String>,
}

#[derive(Debug, Args)]
pub struct TrendArgs {
    /// The benchmark: the name of a command or of a benchmark of a suite, or a part of it that no other has [default: a line
    /// for each]
    pub name: Option<String>,
    #[command(flatten)]
    pub series: SeriesArgs,
    #[command(flatten)]
    pub of: OfArgs,
    /// Order of the sessions: time, or commit, where sessions of one commit are one point
    #[arg(long, value_name = "ORDER", default_value = "time")]
    pub by: By,
    /// Probability that a change is told of a series that does not change
    #[arg(long, value_name = "PERCENT", default_value = "1%", value_parser = percent)]
    pub level: f64,
    #[command(flatten)]
    pub output: Output<Trended>,
}

#[derive(Debug, Args)]
pub struct GateArgs {
    /// The benchmark, as for `trend`; where several series have it, --of says which
    pub name: String,
    #[command(flatten)]
    pub series: SeriesArgs,
    #[command(flatten)]
    pub of: OfArgs,
    /// The largest change that counts as none
    #[arg(long, value_name = "PERCENT", default_value = "3%", value_parser = percent, help_heading = "Decision")]
    pub margin: f64,
    /// Probability that the interval of the change misses it
    #[arg(long, value_name = "PERCENT", default_value = "1%", value_parser = percent, help_heading = "Decision")]
    pub level: f64,
    /// Fail with exit code 1 if the newest session is slower or faster than its past by more than the margin, or different
    /// either way; `undecided` fails too where neither that nor the contrary is shown
    #[arg(
        long,
        value_name = "WHAT",
        value_delimiter = ',',
        default_value = "slower",
        value_parser = fail_if(),
        help_heading = "Decision"
    )]
    pub fail_if: Vec<FailIf>,
    #[command(flatten)]
    pub output: Output<Gated>,
}

#[derive(Debug, Args)]
pub struct PagesArgs {
    /// The folder, which is made if need be
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub series: SeriesArgs,
    #[command(flatten)]
    pub output: Output<Made>,
}

/// Parses the beginning of a stored time, such as `2026-11` or `2026-11-03T14:30`.
fn since(text: &str) -> Result<String, String> {
    const SHAPE: &str = "0000-00-00T00:00:00";
    let time = text.strip_suffix('Z').unwrap_or(text);
    let fits = |(byte, shape): (u8, u8)| if shape == b'0' { byte.is_ascii_digit() } else { byte == shape };
    let is_shaped = [4, 7, 10, 13, 16, 19].contains(&time.len()) && time.bytes().zip(SHAPE.bytes()).all(fits);
    let within = |place: std::ops::Range<usize>, most: u8| {
        time.get(place).is_none_or(|number| (1..=most).contains(&number.parse().unwrap_or(0)))
    };
    match is_shaped && within(5..7, 12) && within(8..10, 31) {
        true => Ok(text.to_owned()),
        false => Err(format!("`{text}` is not the beginning of a time such as 2026-11 or 2026-11-03T14:30")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_named_from_its_year_on() {
        for text in ["2026", "2026-11", "2026-11-03", "2026-11-03T14:30", "2026-11-03T14:30:05Z"] {
            assert_eq!(since(text).unwrap(), text);
        }
        for text in [
            "",
            "yesterday",
            "2026-13",
            "2026-00",
            "2026-1",
            "2026-11-32",
            "2026/11",
            "26-11-03",
            "2026-11-03 1",
        ] {
            assert!(since(text).unwrap_err().contains("such as 2026-11"), "{text}");
        }
    }
}
