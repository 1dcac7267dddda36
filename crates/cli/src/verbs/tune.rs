//! `fauxplat tune`: changes settings of the machine for measurements, during one command or until they are restored.

use std::path::PathBuf;

use fauxplat_experiment::Failure;
use fauxplat_experiment::hidden::GUARDIAN_VERB;
use fauxplat_experiment::surroundings::tuning::recovered;
use fauxplat_launch::{plain, words};
use fauxplat_model::document::{Findings, Header};
use fauxplat_model::{KnobChange, KnobOutcome, TuneAction, TuneFindings};
use fauxplat_report::Format;
use fauxplat_sys::signal;
use fauxplat_tuning::{Root, Settings, Tuned, Tuning, ends_with, first_failure, remainder};

use super::put_back::all_back;
use crate::{inspection, output};
use fauxplat_options::{OutputArgs, PlaceArgs, TuneArgs};

/// Changes settings of the machine: until `fauxplat restore` restores them, or during one command.
pub(crate) fn tune(args: &TuneArgs, invocation: &[String]) -> Result<(), Failure> {
    // Destinations of reports are tried before the machine is changed, since the report says what was changed.
    output::try_files(&args.output)?;
    let root = Root::new(&args.place.sysroot);
    let header = inspection::header(&args.place.sysroot, invocation);
    if args.list {
        let catalog = Findings::TuneList(fauxplat_tuning::catalog(&root));
        return inspection::report(&header, &catalog, &args.output);
    }
    if args.status {
        return status(args, header, &root);
    }
    let asked: Vec<String> = args.profiles.iter().chain(&args.set).cloned().collect();
    if asked.is_empty() {
        return Err(Failure::usage(
            "tune takes a profile or --set KNOB=VALUE; `fauxplat tune --list` shows all",
        ));
    }
    let settings = fauxplat_tuning::settings(&asked)?;
    let told = TuneFindings { asked, ..blank(TuneAction::Applied, &args.place) };
    match (args.dry_run, args.command.is_empty()) {
        (true, _) => dry_run(args, header, &root, &settings, told),
        (false, true) => until_restored(args, header, root, settings, told, invocation),
        (false, false) => for_a_command(args, header, root, settings, told, invocation),
    }
}

/// The journal that the options name, or the default one.
pub(crate) fn journal(place: &PlaceArgs) -> PathBuf {
    place.journal.clone().unwrap_or_else(fauxplat_tuning::default_journal)
}

fn blank(action: TuneAction, place: &PlaceArgs) -> TuneFindings {
    TuneFindings {
        action,
        asked: Vec::new(),
        changes: Vec::new(),
        recovered: None,
        restored: None,
        journal: journal(place).display().to_string(),
        tuned: false,
        tuner: None,
        exit_status: None,
    }
}

fn status(args: &TuneArgs, mut header: Header, root: &Root) -> Result<(), Failure> {
    let status = fauxplat_tuning::status(root, &journal(&args.place))?;
    let mut told = blank(TuneAction::Status, &args.place);
    told.tuned = status.tuned_by.is_some() && !status.rebooted;
    (told.tuner, told.changes) = (status.tuner, status.changes);
    if let Some((by, since)) = status.tuned_by {
        let by = by.join(" ");
        header.warnings.push(match (status.rebooted, status.kept, &told.tuner) {
            (true, ..) => format!(
                "`{by}` tuned before the machine was started anew; `fauxplat restore` drops its journal"
            ),
            (_, true, _) if status.guardian_gone => format!(
                "the guardian of --max is gone: run `fauxplat restore`, since nobody else puts back what was tuned \
                 since {since} by `{by}`"
            ),
            (_, true, _) => format!("tuned since {since} by `{by}`; `fauxplat restore` puts it back"),
            (_, _, Some(_)) => format!("being tuned since {since} by `{by}`"),
            _ => format!("`{by}` of {since} ended without restoring; `fauxplat restore` puts it back"),
        });
    }
    inspection::report(&header, &Findings::Tune(Box::new(told)), &args.output)
}

fn dry_run(
    args: &TuneArgs,
    mut header: Header,
    root: &Root,
    settings: &Settings,
    mut told: TuneFindings,
) -> Result<(), Failure> {
    let command = !args.command.is_empty();
    (told.changes, header.warnings) = fauxplat_tuning::preview(root, settings, command, args.machine_wide);
    told.action = TuneAction::DryRun;
    inspection::report(&header, &Findings::Tune(Box::new(told)), &args.output)
}

fn apply(args: &TuneArgs, root: Root, settings: Settings, invocation: &[String]) -> Result<Tuned, Failure> {
    let tuning = Tuning {
        root,
        journal: journal(&args.place),
        settings,
        command: !args.command.is_empty(),
        machine_wide: args.machine_wide,
        all_or_nothing: args.all_or_nothing,
        wait: args.place.wait,
        replace: true,
        max: args.max,
        argv: invocation,
        guardian_verb: GUARDIAN_VERB,
    };
    Ok(tuning.apply()?)
}

/// Changes settings of the machine and leaves them changed; the journal contains the earlier values for `fauxplat
/// restore`.
fn until_restored(
    args: &TuneArgs,
    mut header: Header,
    root: Root,
    settings: Settings,
    mut told: TuneFindings,
    invocation: &[String],
) -> Result<(), Failure> {
    signal::stop_on_interrupt().map_err(Failure::machine)?;
    let named = settings.by_name();
    let mut tuned = apply(args, root, settings, invocation)?;
    told.tuned = tuned.keep(args.max.is_some())?;
    note(&mut header, &mut told, &mut tuned);
    header.warnings.extend(args.max.filter(|_| told.tuned).and_then(|_| ends_with()));
    inspection::report(&header, &Findings::Tune(Box::new(told.clone())), &args.output)?;
    verdict(&told.changes, &named)
}

/// Adds the changes that were made, and notes about them, to the findings and the header, for all forms of the verb.
fn note(header: &mut Header, told: &mut TuneFindings, tuned: &mut Tuned) {
    header.warnings.append(&mut tuned.notes);
    header.warnings.extend(tuned.recovered.as_ref().map(recovered));
    told.recovered = tuned.recovered.take();
    told.changes.clone_from(&tuned.changes);
}

/// The error where a setting that the user named could not be changed, or where missing permissions prevented every
/// change of a profile.
fn verdict(changes: &[KnobChange], named: &[String]) -> Result<(), Failure> {
    let is = |outcome| move |change: &&KnobChange| change.outcome == outcome;
    let failed = first_failure(changes, |change| {
        named.contains(&change.knob)
            && matches!(change.outcome, KnobOutcome::Refused | KnobOutcome::Denied | KnobOutcome::Absent)
    });
    let denied = changes.iter().find(is(KnobOutcome::Denied));
    let nothing =
        changes.iter().all(|change| matches!(change.outcome, KnobOutcome::Denied | KnobOutcome::Absent));
    match failed.or(denied.filter(|_| nothing)) {
        None => Ok(()),
        Some(change) => {
            let why = change.reason.as_deref().unwrap_or("refused");
            Err(Failure::machine(format!("{}={} ({}): {why}", change.knob, change.wanted, change.target)))
        }
    }
}

fn for_a_command(
    args: &TuneArgs,
    mut header: Header,
    root: Root,
    settings: Settings,
    mut told: TuneFindings,
    invocation: &[String],
) -> Result<(), Failure> {
    let argv = match args.command.as_slice() {
        [line] => words::split(line)?,
        words => words.to_vec(),
    };
    let program = plain::find(&argv)?;
    signal::stop_on_interrupt_repeatedly().map_err(Failure::machine)?;
    let named = settings.by_name();
    let mut tuned = apply(args, root, settings, invocation)?;
    note(&mut header, &mut told, &mut tuned);
    // The command is run only if all settings that were named on the command line could be made.
    let ended = match verdict(&told.changes, &named) {
        Ok(()) => plain::run(&program, &argv, tuned.process.aslr_off).map(Ok),
        Err(refused) => Ok(Err(refused)),
    };
    told.restored = tuned.restore()?;
    let left = told.restored.as_ref().and_then(|restored| remainder(restored, &journal(&args.place)));
    header.warnings.extend(left);
    let back = all_back(told.restored.as_ref(), &journal(&args.place));
    told.action = TuneAction::Held;
    let ended = ended?;
    told.exit_status = ended.as_ref().ok().copied();
    report_beside(&header, &Findings::Tune(Box::new(told)), &args.output)?;
    match ended? {
        0 => back,
        status => Err(Failure::command(format!("`{}` ended with status {status}", argv.join(" ")))),
    }
}

/// Reports beside the command, which has standard output to itself unless the report has a format for programs or goes
/// to a file.
fn report_beside(header: &Header, findings: &Findings, args: &OutputArgs) -> Result<(), Failure> {
    match args.format == Format::Text && args.output.is_none() {
        true => output::beside(&inspection::record(header, findings), args),
        false => inspection::report(header, findings, args),
    }
}
