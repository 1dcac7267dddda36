//! `fauxplat fleet`: makes the same measurement on many machines, and finds machines that differ.

mod emit;
mod facts;
mod found;
mod gate;
mod plan;
mod report;
mod run;

use std::path::PathBuf;

use fauxplat_experiment::Failure;
use fauxplat_fleet::RunFolder;

use fauxplat_options::{FleetAction, FleetArgs, FleetPlaceArgs, OutputArgs, spare_folder};

pub(crate) fn fleet(args: &FleetArgs, invocation: &[String]) -> Result<(), Failure> {
    match &args.action {
        FleetAction::Run(args) => run::run(args, invocation),
        FleetAction::Compare(args) => run::compare(args, invocation),
        FleetAction::Report(args) => report::report(args, invocation),
        FleetAction::Watch(args) => report::watch(args, invocation),
        FleetAction::List { place, output } => report::list(place, output),
        FleetAction::Facts { run, place, output } => facts::facts(run.as_ref(), place, output),
        FleetAction::Rm { runs, place, output } => facts::remove(runs, place, output),
        FleetAction::Emit(args) => emit::emit(args),
        FleetAction::Take(args) => emit::take(args, invocation),
    }
}

fn runs_folder(place: &FleetPlaceArgs, output: &OutputArgs) -> Result<PathBuf, Failure> {
    if let Some(folder) = &place.folder {
        return std::path::absolute(folder).map_err(Failure::machine);
    }
    if output.store.as_ref().is_some_and(|store| store.as_os_str() == "none") {
        return Err(Failure::usage(
            "--store none: answers of machines are kept in a folder as they come; name one with --folder DIR",
        ));
    }
    let store = fauxplat_store::local_path(output.store.as_deref());
    let store = store.map_err(|error| {
        Failure::from(error).advising("runs of a fleet can have a folder of their own: --folder DIR")
    })?;
    Ok(std::path::absolute(store).map_err(Failure::machine)?.with_file_name("fleet"))
}

/// The command line that reports a run again. It names the run by its id where these options lead to the folder of the
/// run, and else by its path.
fn report_line(run: &RunFolder, place: &FleetPlaceArgs, output: &OutputArgs) -> String {
    let is_there = runs_folder(place, output).is_ok_and(|runs| run.path().parent() == Some(&runs));
    let is_path =
        |store: &&PathBuf| fauxplat_store::local_path(Some(store)).is_ok_and(|path| path == **store);
    let from = match (&place.folder, output.store.as_ref().filter(is_path)) {
        _ if !is_there => Vec::new(),
        (Some(folder), _) => vec!["--folder".to_owned(), folder.display().to_string()],
        (None, Some(store)) => vec!["--store".to_owned(), store.display().to_string()],
        (None, None) => Vec::new(),
    };
    let name = if is_there { run.id()[..8].to_owned() } else { run.path().display().to_string() };
    let words = ["fauxplat", "fleet", "report", &name].map(str::to_owned);
    fauxplat_fleet::joined(&[&words[..], &from].concat())
}

/// The folder of runs, created if it is missing. Missing parent folders, which may also be those of the store, are
/// created as the store creates them: folders made by root get the owner of their parent.
fn made_runs_folder(place: &FleetPlaceArgs, output: &OutputArgs) -> Result<PathBuf, Failure> {
    let runs = runs_folder(place, output)?;
    let unmade = |error| Failure::machine(format!("{}: {error}", runs.display()));
    fauxplat_store::create_parents(&runs.join("run")).map_err(unmade)?;
    Ok(runs)
}

/// The run of this name, or the latest one. Refuses options that would write a report into the folder of the run.
fn chosen(name: Option<&String>, place: &FleetPlaceArgs, output: &OutputArgs) -> Result<RunFolder, Failure> {
    let runs = runs_folder(place, output)?;
    let run = match name {
        Some(name) => RunFolder::find(&runs, name)?,
        None => RunFolder::all(&runs)?.pop().ok_or_else(|| {
            Failure::usage(format!(
                "{}: no run over a fleet is kept there; fleet run makes one",
                runs.display()
            ))
        })?,
    };
    spare_folder(run.path(), "its folder keeps a run over a fleet", output)?;
    Ok(run)
}
