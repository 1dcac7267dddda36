//! How verbs begin an experiment from their options, and report it at its end.

use std::path::Path;

use fauxplat_experiment::{
    Beginning, Failure, Finished, Kind, Launch, Listeners, Machine, check_store_name, open_record, open_store,
};
use fauxplat_model::document::Findings;
use fauxplat_model::{Definition, Evidence, Origin};
use fauxplat_report::Format;
use fauxplat_revisions::checkout;
use fauxplat_store::{Store, Url};

use crate::events::Events;
use crate::first_sentence::first_sentence;
use crate::output;
use crate::progress::Progress;
use fauxplat_options::{EndArgs, OutputArgs, spare_inputs};

/// Returns what a verb's experiment needs to begin, such as store and listeners, after checking that the reports can be
/// written.
///
/// # Errors
/// Fails where the store cannot be opened or a report could not be written.
pub(crate) fn beginning<'a>(
    kind: &'static str,
    definition: Definition,
    machine: Machine,
    (output, end): (&OutputArgs, &EndArgs),
    invocation: &'a [String],
) -> Result<Beginning<'a>, Failure> {
    check_reports(kind, &definition, output)?;
    spare_inputs(&definition, output)?.iter().for_each(|line| output::complain(line));
    let origin = origin(&machine, end);
    Ok(Beginning {
        kind,
        definition,
        machine,
        origin,
        store: open_record(output.store.as_ref())?,
        invocation,
        programs: None,
        listeners: listeners(output, end)?,
        launch: Launch::spawner(),
    })
}

/// Origin of an experiment: the working directory and the checkout there, the label that the user gave, and the machine.
/// Commands of `--commits` have commits of their own, which are not read here.
fn origin(machine: &Machine, end: &EndArgs) -> Origin {
    let checkout = if machine.is_live() { checkout(Path::new(".")) } else { None };
    let folder = if machine.is_live() { std::fs::canonicalize(".").ok() } else { None };
    let folder = folder.and_then(|folder| folder.to_str().map(str::to_owned));
    Origin { checkout, folder, label: end.label.clone(), ..fauxplat_topology::origin(machine.root()) }
}

/// Checks every format and destination of the verb's reports before anything is measured.
///
/// # Errors
/// Fails where a format has no form for this kind of experiment, or where a file cannot be written.
pub(crate) fn check_reports(
    kind: &'static str,
    definition: &Definition,
    output: &OutputArgs,
) -> Result<(), Failure> {
    let (is_simulated, commands) = (definition.condition.simulate.is_some(), definition.commands.len());
    for format in output.exports().into_iter().map(|export| export.format).chain([output.format]) {
        let suits = format.suits(kind).and_then(|()| format.holds(commands, is_simulated));
        suits.map_err(Failure::usage)?;
    }
    spare_inputs(definition, output)?;
    output::try_files(output)
}

/// Opens the store of the options, or the default one, to read earlier results. No file is created: a named store that
/// does not exist is an error, whether an option or the environment names it; a missing default store counts as empty.
///
/// # Errors
/// Returns the store's error, or a usage error for `--store none`.
pub(crate) fn history(output: &OutputArgs) -> Result<Store, Failure> {
    match output.store.as_deref().filter(|path| *path != Path::new("none")) {
        Some(named) => has_been_made(named)?,
        None if output.store.is_none() => {
            let usual = fauxplat_store::default_path()?;
            if !usual.exists() {
                return Ok(Store::nothing(&usual)?);
            }
        }
        None => {}
    }
    store(output)
}

/// Checks that a store that was named exists. A URL passes, since only opening it shows whether there is a database.
///
/// # Errors
/// Fails where the file does not exist, or where its name cannot be a store's.
pub(crate) fn has_been_made(path: &Path) -> Result<(), Failure> {
    check_store_name(path)?;
    match path.to_str().is_some_and(Url::is_one) || path.exists() {
        true => Ok(()),
        false => Err(Failure::usage(format!("{}: there is no such store", path.display()))),
    }
}

/// Opens the store of the options, or the default one, and creates it if it is missing.
///
/// # Errors
/// Returns the store's error, or a usage error for `--store none`.
pub(crate) fn store(output: &OutputArgs) -> Result<Store, Failure> {
    open_store(output.store.as_ref())?.ok_or_else(|| Failure::usage("--store none has no history"))
}

fn listeners(output: &OutputArgs, end: &EndArgs) -> Result<Listeners, Failure> {
    let mut listeners = Listeners::default();
    if end.notify.is_some() {
        listeners.add(end.ending.in_words(first_sentence));
    }
    if let Some(events) = Events::open(output)? {
        listeners.add(events);
    }
    if let Some(progress) = Progress::new(output) {
        listeners.add(progress);
    }
    Ok(listeners)
}

/// Reports a finished experiment. `answer` is the result of its gates, if it has some. Where nothing was measured, text
/// reports are left out, since an empty report is useless to a person; documents for programs are still written.
///
/// # Errors
/// Returns the error that ended the experiment early, else the one of the answer, else the first error of the report or
/// of storing.
pub(crate) fn conclude(
    finished: Finished,
    output: &OutputArgs,
    answer: Result<(), Failure>,
) -> Result<(), Failure> {
    let wanted = |format| finished.has_measured() || format != Format::Text;
    let written = output::report(&finished.record(), &|format| apart(&finished, format), &wanted, output);
    // Work that remains for the user is a warning in every report. A brief text report shortens its warnings, and other
    // reports are not shown on the terminal: in these cases the warnings are printed on standard error too.
    if !output::is_read_whole(output) || !wanted(output.format) {
        finished.waiting.iter().for_each(|line| output::complain(line));
    }
    // If the experiment failed, a format that cannot show the empty result is no further error.
    let is_empty = finished.failed.is_some() && written.as_ref().is_err_and(|it| it.kind() == Kind::Usage);
    let written = if is_empty { Ok(()) } else { written };
    Failure::answer_first(Failure::both(written, finished.stored), finished.failed.map_or(answer, Err))
}

/// Evidence of an experiment that the JSON document lists beside the runs. Other formats list none, since what they
/// show is part of the findings.
fn apart(finished: &Finished, format: Format) -> Vec<Evidence> {
    let is_apart = |evidence: &&Evidence| !matches!(evidence, Evidence::Series(_) | Evidence::Tree(_));
    let all = finished.evidence().iter().filter(|_| format == Format::Json);
    all.filter(is_apart).cloned().collect()
}

/// Finishes and reports an experiment with its findings, or with summaries of its runs if it failed. `answer` is the
/// result of its gates.
///
/// # Errors
/// Returns the errors of [`conclude`].
pub(crate) fn finish(
    driver: fauxplat_experiment::Driver,
    found: Result<Findings, Failure>,
    output: &OutputArgs,
    answer: Result<(), Failure>,
) -> Result<(), Failure> {
    conclude(
        match found {
            Ok(findings) => driver.finish(findings, None),
            Err(failure) => driver.give_up(failure),
        },
        output,
        answer,
    )
}
