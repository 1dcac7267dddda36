//! `fleet report`, `fleet watch` and `fleet list`: reports from stored runs.

use std::path::Path;

use fauxplat_experiment::Failure;
use fauxplat_fleet::{Asked, RunFolder, Site, engine};
use fauxplat_model::document::Findings;
use fauxplat_model::{Definition, FleetGate};
use fauxplat_report::Format;

use super::found::{asked, changes, findings, gathered, kept};
use super::{chosen, gate, runs_folder};
use crate::{inspection, output};
use fauxplat_options::{FleetPlaceArgs, FleetReportArgs, FleetWatchArgs, OutputArgs};

pub(super) fn report(args: &FleetReportArgs, invocation: &[String]) -> Result<(), Failure> {
    let folder = chosen(args.run.as_ref(), &args.place, &args.output)?;
    of_folder(&folder, &args.gate.fail_if, &args.output, invocation)
}

/// Reports the findings of the run in a folder, and fails if a gate does.
pub(super) fn of_folder(
    folder: &RunFolder,
    gates: &[FleetGate],
    output: &OutputArgs,
    invocation: &[String],
) -> Result<(), Failure> {
    let asked = asked(folder)?;
    let evidence = gathered(folder, &asked)?;
    let found = findings(&asked, &evidence);
    let shown = inspection::report(&header(&asked, invocation), &found, output);
    Failure::answer_first(shown, gate::of_stored(gates, (folder, &asked), &found, &evidence))
}

/// Reports how machines changed over the stored runs of one definition.
pub(super) fn watch(args: &FleetWatchArgs, invocation: &[String]) -> Result<(), Failure> {
    let folder = chosen(args.run.as_ref(), &args.place, &args.output)?;
    let latest = asked(&folder)?;
    if let Some(every) = args.every {
        return schedule(&folder, &latest, every, &args.output);
    }
    let found = changes(RunFolder::all(&runs_folder(&args.place, &args.output)?)?, &latest);
    let evidence = gathered(&folder, &latest)?;
    let of_latest = findings(&latest, &evidence);
    let all = Findings::FleetWatch(Box::new(found.clone()));
    let shown = inspection::report(&header(&latest, invocation), &all, &args.output);
    let answer = match found.nodes.is_empty() {
        true => Err(Failure::machine("no machine was measured in any run")),
        false => gate::passed(&args.gate.fail_if, &of_latest, || Ok(found)),
    };
    Failure::answer_first(shown, answer)
}

/// Prints how the engine of a run can repeat the run regularly: by the words of the original command line, in its
/// working directory.
fn schedule(
    folder: &RunFolder,
    asked: &Asked,
    every: fauxplat_model::Every,
    output: &OutputArgs,
) -> Result<(), Failure> {
    let mut words = asked.invocation.clone();
    if let Some(program) = words.first_mut() {
        *program = std::env::current_exe().map_err(Failure::machine)?.display().to_string();
    }
    let line = fauxplat_fleet::joined(&words);
    let to = asked.cwd.iter().map(|cwd| fauxplat_fleet::joined(&["cd".to_owned(), cwd.clone()]) + " && ");
    let line = to.collect::<String>() + &line;
    if line.contains(['\n', '\r']) {
        let why =
            "a line of crontab has no room for a command of several lines; put it into a file, and run that";
        return Err(Failure::usage(why));
    }
    let site = Site { folder: folder.clone(), order: String::new(), options: asked.options.clone() };
    let lines = engine(&asked.on, site)?.schedule(&line, every);
    output::lines(&(lines.join("\n") + "\n"), output)
}

pub(super) fn list(place: &FleetPlaceArgs, output: &OutputArgs) -> Result<(), Failure> {
    let folders = RunFolder::all(&runs_folder(place, output)?)?;
    let read = |folder: RunFolder| {
        let asked = kept(Asked::read(&folder).map_err(Failure::from))?;
        Some((folder, asked))
    };
    let runs: Vec<(RunFolder, Asked)> = folders.into_iter().filter_map(read).collect();
    match output.format {
        Format::Text if runs.is_empty() => output::lines("no runs over a fleet\n", output),
        Format::Text => {
            let rows: Vec<Vec<String>> = runs.iter().map(row).collect();
            output::wide_table(&["id", "started", "engine", "machines", "what"], &rows, output)
        }
        Format::Json => {
            let one = |(folder, asked): &(RunFolder, Asked)| {
                serde_json::json!({
                    "id": folder.id(), "started": asked.started, "on": asked.on, "machines": asked.nodes.len(),
                    "commands": asked.commands, "folder": folder.path(),
                })
            };
            let runs: Vec<_> = runs.iter().map(one).collect();
            let document = serde_json::json!({ "schema": "fauxplat.fleet-list/1", "runs": runs });
            let text = serde_json::to_string_pretty(&document).map_err(Failure::machine)?;
            output::lines(&(text + "\n"), output)
        }
        other => Err(Failure::usage(format!("fleet list is written as text or json, not as {other}"))),
    }
}

fn row((folder, asked): &(RunFolder, Asked)) -> Vec<String> {
    let id = folder.id().chars().take(8).collect();
    let machines = asked.nodes.len().to_string();
    vec![id, asked.started.clone(), asked.on.clone(), machines, what(asked)]
}

/// The commands of a run in words, each after the name that the user gave it.
fn what(asked: &Asked) -> String {
    let lines = fauxplat_plan::expand(&asked.order.definition).unwrap_or_default();
    let called = |(at, name): (usize, &String)| match lines.get(at).map(|line| line.command.as_str()) {
        // The command line of a lab was made by fauxplat, so only the lab's name is shown.
        Some(line) if line != name && !line.starts_with("/proc/self/exe") => format!("{name}: {line}"),
        _ => name.clone(),
    };
    asked.commands.iter().enumerate().map(called).collect::<Vec<_>>().join(" against ")
}

fn header(asked: &Asked, invocation: &[String]) -> fauxplat_model::document::Header {
    let mut header = inspection::header(Path::new("/"), invocation);
    header.started.clone_from(&asked.started);
    header.seed = asked.order.plan.seed;
    header.condition = asked.order.definition.condition.clone();
    header.definition = Definition { seed: Some(asked.order.plan.seed), ..asked.order.definition.clone() };
    header
}
