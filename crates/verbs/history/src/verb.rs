//! The subcommand `history`.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use fauxplat_experiment::Failure;
use fauxplat_options::{EndArgs, Group, OutputArgs};
use fauxplat_report::{Format, OwnReport};
use fauxplat_store::Filter;
use fauxplat_sys::clock;
use fauxplat_units::Bytes;
use fauxplat_verb::{Host, Verb};

use crate::args::{HistoryAction, HistoryArgs};
use crate::report::{GateReport, ListReport, TrendReport};
use crate::{exchange, found, pages, shown};

#[derive(Debug)]
pub struct History;

impl Verb for History {
    fn group(&self) -> Group {
        Group::Results
    }

    fn command(&self) -> Command {
        HistoryArgs::augment_args(Command::new("history"))
    }

    fn measures(&self) -> bool {
        false
    }

    fn end(&self, _: &ArgMatches) -> Option<EndArgs> {
        None
    }

    fn run(&self, given: &ArgMatches, host: &dyn Host, invocation: &[String]) -> Result<(), Failure> {
        let args = HistoryArgs::from_arg_matches(given).map_err(Failure::usage)?;
        match args.action {
            HistoryAction::List { kind, name, since, limit, output } => {
                let filter = Filter { kind, name, since, limit, state: None };
                shown::list(&filter, host, &output, invocation)
            }
            HistoryAction::Show { id, output } => shown::show(&id, host, &output),
            HistoryAction::Export { id, output } => {
                let of_export = given.subcommand().map(|(_, export)| export.value_source("format"));
                let is_named = of_export == Some(Some(ValueSource::CommandLine));
                let format = if is_named { output.format } else { Format::Json };
                shown::show(&id, host, &OutputArgs { format, ..OutputArgs::clone(&output) })
            }
            HistoryAction::Push { to, ids, all, output } => exchange::push(&to, &ids, all, (host, &output)),
            HistoryAction::Pull { from, ids, output, .. } => exchange::pull(&from, &ids, (host, &output)),
            HistoryAction::Rm { ids, output } => shown::remove(&ids, host, &output),
            HistoryAction::Vacuum { output } => vacuum(host, &output),
            HistoryAction::Note { id, text, output } => note(&id, &text, host, &output),
            HistoryAction::Trend(args) => found::trend(&args, host, invocation),
            HistoryAction::Gate(args) => found::gate(&args, host, invocation),
            HistoryAction::Pages(args) => pages::write(&args, host),
        }
    }

    fn reports(&self) -> Vec<&'static dyn OwnReport> {
        vec![&TrendReport, &GateReport, &ListReport]
    }
}

/// Reduces the file of the store to the size of its content.
fn vacuum(host: &dyn Host, output: &OutputArgs) -> Result<(), Failure> {
    let store = host.history(output)?;
    if store.is_shared() {
        return Err(Failure::usage(
            "a server reclaims space by itself: `history vacuum` is for a store in a file",
        ));
    }
    let before = store.size()?.file_bytes;
    store.vacuum()?;
    let after = store.size()?.file_bytes;
    let line = format!("{}: {} before, {} now\n", store.path().display(), Bytes(before), Bytes(after));
    host.lines(&line, output)
}

/// Longest note on an experiment, in bytes.
const NOTE_MAX: usize = 500;

fn note(id: &str, text: &str, host: &dyn Host, output: &OutputArgs) -> Result<(), Failure> {
    let text = text.trim();
    if text.is_empty() || text.len() > NOTE_MAX || text.chars().any(char::is_control) {
        return Err(Failure::usage(format!("a note is one line of text, at most {NOTE_MAX} bytes")));
    }
    let store = host.history(output)?;
    Ok(store.add_note(store.resolve(id)?, &clock::now_rfc3339(), text)?)
}
