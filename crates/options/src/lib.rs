//! The command line of fauxplat: verbs and options, defined once for parsing, help, manual pages and completions, and
//! advice for options as other tools spell them.

mod aa;
mod advice;
mod build;
mod commands;
mod commits;
mod compare;
mod completions;
mod condition;
mod config;
mod contend;
mod counters;
pub mod define;
mod durations;
mod end;
mod environment;
mod explain;
mod explained;
mod fleet;
mod foreign;
mod help;
mod index;
mod inputs;
mod joined;
mod lab;
mod limit;
mod load;
mod looks;
mod man;
mod misuse;
mod output;
mod overwritten;
mod profile;
mod quoting;
mod reading;
mod requirements;
mod run;
mod spoken;
mod surroundings;
mod sweep;
mod table;
mod tools;
mod translation;
mod tune;
mod unseen;
mod values;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use fauxplat_units::Nanos;

pub use aa::AaArgs;
pub use advice::{with_commands, with_dashes};
pub use build::BuildArgs;
pub use commands::CommandArgs;
pub use commits::{CommitsArgs, TreeBuildArgs};
pub use compare::{CompareArgs, RuleArgs, fail_if, fail_if_of_suite, metric, order};
pub use completions::{Completed, completion_script};
pub use condition::{ConditionArgs, OnOff};
pub use config::{ConfigError, Configured, is_verbose, with_defaults};
pub use contend::{ContendArgs, from_to};
pub use counters::CountersArgs;
pub use end::EndArgs;
pub use environment::store_of_environment;
pub use explain::{DesignArgs, ExplainArgs, Varied};
pub use explained::{ExplainedArgs, words_given};
pub use fleet::{
    EngineArgs, FleetAction, FleetArgs, FleetCompareArgs, FleetEmitArgs, FleetPlaceArgs, FleetReportArgs,
    FleetRunArgs, FleetTakeArgs, FleetWatchArgs, NodeArgs,
};
pub use help::{MEASURING, Parsed, after, definition, parse, short_help, takes};
pub use index::IndexArgs;
pub use inputs::{spare_folder, spare_inputs};
pub use joined::{Group, JoinedVerb, join};
pub use lab::{LabAction, LabArgs, LabRunArgs};
pub use limit::LimitArgs;
pub use load::LoadArgs;
pub use man::{page, verb_page, write_pages};
pub use misuse::misuse;
pub use output::{
    Changed, Drawn, Emitted, Export, Gated, HyperfineExports, Listed, ListedAll, Look, Looked, Made,
    Measured, Output, OutputArgs, Picked, Shown, Trended, When,
};
pub use overwritten::{is_stderr, is_stdout};
pub use profile::{Method, ProfileArgs, RATE_HZ, STACK_BYTES};
pub use run::RunArgs;
pub use spoken::{doubt, understood, unquoted};
pub use surroundings::SurroundingsArgs;
pub use sweep::SweepArgs;
pub use table::TableArgs;
pub use tune::{PlaceArgs, RestoreArgs, TuneArgs};

/// A performance laboratory: is it really faster, and what moved the number?
#[derive(Debug, Parser)]
#[command(name = "fauxplat", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

// The options of a verb are built only when the verb is chosen: building the options of all verbs takes as long as
// examining the machine.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Verb {
    /// How long does it take, and what does it use?
    Run(RunArgs),
    /// Which is faster, by how much, and how sure is that?
    Compare(Box<CompareArgs>),
    /// Does the verdict hold here? Identical programs, compared often
    Aa(AaArgs),
    /// What does a program publish while it runs?
    Table(TableArgs),
    /// What do two threads cost each other, and what is left?
    Contend(ContendArgs),
    /// What can be counted here, by whom, and why not the rest?
    Counters(CountersArgs),
    /// Where does the time go, who calls it, and what changed?
    Profile(ProfileArgs),
    /// What happens to programs under limits of memory, CPU time, CPUs?
    Limit(Box<LimitArgs>),
    /// Disturb chosen CPUs by a known amount
    Load(LoadArgs),
    /// How fast is this CPU, in FauxPlats per second?
    Index(IndexArgs),
    /// Does something that nobody looks at move the number, and where?
    Sweep(SweepArgs),
    /// Quiet the machine, for one command or until it is put back
    Tune(TuneArgs),
    /// Put back exactly what was there before the machine was tuned
    Restore(RestoreArgs),
    /// Do published claims hold here? Small experiments, judged
    Lab(LabArgs),
    /// How much of the variation comes from which factor?
    Explain(ExplainArgs),
    /// Which of many machines that should be the same are not?
    Fleet(FleetArgs),
    /// What is done on a machine of a fleet
    #[command(hide = true)]
    Node(NodeArgs),
    /// Print a manual page: fauxplat man compare | man -l -
    #[command(name = "man", hide = true)]
    Man {
        /// The verb; the page of fauxplat itself when there is none
        verb: Vec<String>,
        /// Write the pages of all verbs into a folder
        #[arg(short, long, value_name = "FOLDER", conflicts_with = "verb")]
        output: Option<PathBuf>,
    },
    /// Names that completions offer
    #[command(name = "__words", hide = true)]
    Words {
        /// What they name
        kind: Candidates,
    },
    /// Print the completions of a shell: source <(fauxplat completions bash)
    #[command(name = "completions", hide = true)]
    Completions {
        /// The shell
        shell: Completed,
    },
}

impl Verb {
    /// The options that were given for the end of an experiment; `None` for verbs that do not measure.
    pub fn end(&self) -> Option<&EndArgs> {
        match self {
            Verb::Run(args) => Some(&args.end),
            Verb::Compare(args) => Some(&args.end),
            Verb::Aa(args) => Some(&args.end),
            Verb::Sweep(args) => Some(&args.end),
            Verb::Explain(args) => Some(&args.end),
            Verb::Contend(args) => Some(&args.end),
            Verb::Limit(args) => Some(&args.end),
            Verb::Load(args) => Some(&args.end),
            Verb::Index(args) => Some(&args.end),
            Verb::Profile(args) => Some(&args.end),
            Verb::Lab(LabArgs { action: LabAction::Run(args) }) => Some(&args.end),
            Verb::Fleet(FleetArgs { action: FleetAction::Run(args) }) => Some(&args.end),
            Verb::Fleet(FleetArgs { action: FleetAction::Compare(args) }) => Some(&args.end),
            _ => None,
        }
    }
}

/// Kinds of names that completions offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Candidates {
    Metrics,
    Formats,
    Hazards,
    Labs,
    Loads,
    Relations,
    Knobs,
    Runs,
}

/// Parses a share such as `1%` or `0.01`, above 0 and below 1, and returns it as a number.
pub fn percent(text: &str) -> Result<f64, String> {
    let (digits, scale) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    match digits.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number / scale < 1.0 => Ok(number / scale),
        _ => Err(format!("`{text}` is not a share or precision such as 1%, above 0 and below 100 %")),
    }
}

/// Parses a time with its unit. A number without unit is refused, since other tools use other units for the same
/// option.
pub fn time_with_unit(text: &str) -> Result<Nanos, String> {
    Nanos::with_unit(text)
}

/// Parses a time above zero, with its unit.
fn some_time(text: &str) -> Result<Nanos, String> {
    match time_with_unit(text) {
        Ok(Nanos(0)) => Err("the time has to be above 0, such as 30m or 2h".to_owned()),
        read => read,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    /// A doc comment on a struct of options would replace the description of its verb, so such structs have plain
    /// comments.
    #[test]
    fn options_do_not_change_what_a_verb_is_about() {
        let mut laid_out = Cli::command();
        laid_out.build();
        for verb in Cli::command().get_subcommands() {
            let with_options = laid_out.find_subcommand(verb.get_name()).unwrap();
            assert_eq!(verb.get_about(), with_options.get_about());
        }
    }
}
