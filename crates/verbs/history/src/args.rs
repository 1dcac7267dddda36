//! Options of `history`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::help::after;
use super::output::{Listed, Output, Shown};

const EXAMPLES: &str = "\
  fauxplat history list --kind compare --limit 20
  fauxplat history show last
  fauxplat history export 17 --format hyperfine-json --output result.json
  fauxplat history list --store postgres://ada@db.example/lab";

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
        /// Only those with a command that contains this
        #[arg(long)]
        name: Option<String>,
        /// Only those since this time, for instance 2026-11
        #[arg(long, value_parser = since)]
        since: Option<String>,
        /// At most so many, the newest
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
        #[command(flatten)]
        output: Output<Listed>,
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
        output: Output<Listed>,
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
        output: Output<Listed>,
    },
    /// Remove experiments
    #[command(after_help = after("fauxplat history rm 3 4"))]
    Rm {
        /// Their numbers
        #[arg(required = true)]
        ids: Vec<String>,
        #[command(flatten)]
        output: Output<Listed>,
    },
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
