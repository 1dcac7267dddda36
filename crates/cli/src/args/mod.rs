//! The command line, once: parsing, help, man pages and completions all come from here.

mod aa;
mod build;
mod commands;
mod compare;
mod condition;
mod contend;
mod doctor;
mod explain;
mod history;
mod index;
mod lab;
mod latency;
mod load;
mod output;
mod run;
mod surroundings;
mod sweep;
mod table;
mod topo;
mod tune;

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use fauxplat_units::Nanos;

pub(crate) use aa::AaArgs;
pub(crate) use build::BuildArgs;
pub(crate) use commands::CommandArgs;
pub(crate) use compare::{CompareArgs, Gate, RuleArgs};
pub(crate) use condition::{ConditionArgs, OnOff};
pub(crate) use contend::ContendArgs;
pub(crate) use doctor::DoctorArgs;
pub(crate) use explain::{DesignArgs, ExplainArgs, Varied};
pub(crate) use history::{HistoryAction, HistoryArgs};
pub(crate) use index::IndexArgs;
pub(crate) use lab::{LabAction, LabArgs, LabRunArgs};
pub(crate) use latency::{LatencyArgs, LatencyKind};
pub(crate) use load::LoadArgs;
pub(crate) use output::{OutputArgs, When};
pub(crate) use run::RunArgs;
pub(crate) use surroundings::SurroundingsArgs;
pub(crate) use sweep::SweepArgs;
pub(crate) use table::TableArgs;
pub(crate) use topo::{PickArgs, TopoAction, TopoArgs, TopoLook, TopoMachine};
pub(crate) use tune::{PlaceArgs, RestoreArgs, TuneArgs};

const EXIT_CODES: &str = "Exit codes: 0 done; 1 a gate failed (--fail-if); 2 bad usage or input; \
3 the machine or its permissions do not allow it; 4 the measured command, or one that builds it, failed; 70 a bug in fauxplat.";

/// A performance laboratory: is it really faster, and what moved the number?
#[derive(Debug, Parser)]
#[command(name = "fauxplat", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

// The options of a verb are laid out when it is chosen: to lay out those of all takes as long as a look at the machine.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Verb {
    /// How long one or several commands take, and what they use, under a stated condition
    Run(RunArgs),
    /// Which command is faster, by how much, and how sure that is
    Compare(CompareArgs),
    /// Whether the verdict itself holds on this machine: comparisons of identical programs
    Aa(AaArgs),
    /// What measured programs publish into a live table, once or followed
    Table(TableArgs),
    /// What two threads cost each other on each pair of CPUs, and what is left of a busy machine
    Contend(ContendArgs),
    /// How late timers, messages and signals are, and what takes the CPU away
    Latency(LatencyArgs),
    /// Disturb chosen CPUs by a known amount: caches, memory, ports, faults, forks, interrupts
    Load(LoadArgs),
    /// How fast a CPU is, in FauxPlats per second of CPU time
    Index(IndexArgs),
    /// Whether a factor that nobody looks at changes the time: where, by how much, and with which period
    Sweep(SweepArgs),
    /// Quiet the machine: until it is restored, or for one command
    Tune(TuneArgs),
    /// Put back exactly what was there before the machine was tuned
    Restore(RestoreArgs),
    /// Published claims, tried here: list, show and run small experiments, and judge what was claimed
    Lab(LabArgs),
    /// What on this machine will spoil a measurement, and what to do about it
    Doctor(DoctorArgs),
    /// Which CPU is what to which: packages, cores, caches, nodes; CPUs by relation
    Topo(TopoArgs),
    /// How much of the variation comes from which factor: stack, heap, CPU, order, time
    Explain(ExplainArgs),
    /// Earlier results: list, show, export, remove
    History(HistoryArgs),
    /// Write the manual pages into a folder
    #[command(name = "__man", hide = true)]
    Man {
        /// The folder
        folder: PathBuf,
    },
    /// Write the shell completions into a folder
    #[command(name = "__completions", hide = true)]
    Completions {
        /// The folder
        folder: PathBuf,
    },
}

/// Reads `1%`, or `0.01`.
fn percent(text: &str) -> Result<f64, String> {
    let (digits, scale) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    match digits.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number / scale < 1.0 => Ok(number / scale),
        _ => Err(format!("`{text}` is not a share or precision such as 1%, above 0 and below 100 %")),
    }
}

/// Reads a time that is more than none.
fn some_time(text: &str) -> Result<Nanos, String> {
    match text.parse::<Nanos>() {
        Ok(Nanos(0)) => Err("it has to be above 0, such as 30m or 2h".to_owned()),
        read => read.map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    /// A doc comment on a struct of options would become what its verb is about when the options are laid out; such structs
    /// have plain comments.
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
