//! Tunes the machine for an experiment: settings are changed before its first run, and restored after its last.

use std::path::Path;

use fauxplat_model::{Aslr, Command, Definition, KnobOutcome, Restoration};
use fauxplat_tuning::{Root, Tuned, Tuning, remainder};

use crate::hidden::GUARDIAN_VERB;
use crate::{Failure, Kind};

/// Tunes the machine according to the condition of a definition; `None` if the condition has no tuning.
///
/// # Errors
/// Fails if the settings are invalid, another process is tuning, or the journal cannot be used.
pub(crate) fn tune(definition: &mut Definition, invocation: &[String]) -> Result<Option<Tuned>, Failure> {
    if definition.condition.tune.is_empty() {
        return Ok(None);
    }
    let tuning = Tuning {
        root: Root::new(Path::new("/")),
        journal: fauxplat_tuning::default_journal(),
        settings: fauxplat_tuning::settings(&definition.condition.tune)?,
        command: true,
        machine_wide: false,
        all_or_nothing: false,
        wait: false,
        replace: false,
        max: None,
        argv: invocation,
        guardian_verb: GUARDIAN_VERB,
    };
    let tuned = tuning.apply().map_err(|error| match error.is_stopped() {
        true => Failure::new(Kind::Interrupted, error),
        false => error.into(),
    })?;
    // An explicit ASLR setting in the condition of the commands has precedence over the tuning.
    if tuned.process.aslr_off && definition.condition.aslr == Aslr::Inherit {
        definition.condition.aslr = Aslr::Off;
    }
    Ok(Some(tuned))
}

/// Refuses a definition that would wait for itself: a command's frequency is fixed by a further tuning of the machine,
/// and there can be only one tuning at a time.
///
/// # Errors
/// Fails if the machine is tuned for the whole experiment and a command requires a frequency.
pub(crate) fn leaves_clocks_alone(tuned: Option<&Tuned>, commands: &[Command]) -> Result<(), Failure> {
    let khz = commands.iter().find_map(|command| command.condition.frequency_khz);
    match (khz, tuned.is_some_and(Tuned::holds_machine)) {
        (Some(khz), true) => Err(Failure::usage(format!(
            "--tune: the machine is held for the whole experiment, and cannot be for the frequency of {khz} kHz as well: leave \
             it out, or give one frequency by --tune min-freq={khz} --tune max-freq={khz}"
        ))),
        _ => Ok(()),
    }
}

/// Warnings about settings that could not be changed although the machine has them, and about the restoration of an
/// earlier tuning.
pub(crate) fn warnings(tuned: &Tuned) -> Vec<String> {
    let mut warnings = tuned.notes.clone();
    warnings.extend(tuned.recovered.as_ref().map(recovered));
    let failed = tuned.changes.iter().filter(|change| {
        matches!(change.outcome, KnobOutcome::Refused | KnobOutcome::Denied | KnobOutcome::Clamped)
    });
    let failed: Vec<String> = failed
        .map(|change| {
            let why = change.reason.as_deref().unwrap_or("refused");
            format!("{}={} ({}: {why})", change.knob, change.wanted, change.target)
        })
        .collect();
    if !failed.is_empty() {
        warnings.push(format!("not tuned as asked: {}", failed.join("; ")));
    }
    warnings
}

pub(crate) fn restore(tuned: Tuned) -> Option<String> {
    let journal = tuned.journal().to_owned();
    match tuned.restore() {
        Ok(done) => done.and_then(|done| remainder(&done, &journal)),
        Err(error) => Some(format!("the machine was not restored: {error}")),
    }
}

/// A sentence about the restoration of settings that an earlier tuning had changed and left behind.
pub fn recovered(done: &Restoration) -> String {
    let by = done.tuned_by.join(" ");
    let values = done.changes.iter().filter(|change| change.outcome == KnobOutcome::Restored).count();
    let left = done.changes.iter().filter(|change| change.outcome == KnobOutcome::Left);
    let left: Vec<String> = left
        .map(|change| {
            let now = change.after.as_deref().unwrap_or("gone");
            format!(
                "{} is {now} and was {}, somebody else changed it meanwhile",
                change.target, change.wanted
            )
        })
        .collect();
    let first = match done.rebooted {
        true => {
            format!("the journal of `{by}` was dropped: the machine was started anew since {}", done.tuned_at)
        }
        false => format!("put back first what `{by}` of {} had left: {values} values", done.tuned_at),
    };
    std::iter::once(first).chain(left).collect::<Vec<_>>().join("; ")
}
