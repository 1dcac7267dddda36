//! Catalog of knobs and profiles, and a preview of the changes that settings would make.

use fauxplat_model::{KnobChange, KnobEntry, KnobOutcome, KnobScope, ProfileEntry, TuneCatalog};

use crate::Root;
use crate::changes::Action;
use crate::knob::Knob;
use crate::knobs::KNOBS;
use crate::plan::{Reach, plan};
use crate::profile::{Settings, builtin};
use crate::told::{StepState, told, value_change};

/// Returns all profiles, and all knobs with their present values on this machine.
pub fn catalog(root: &Root) -> TuneCatalog {
    let profiles = builtin().into_iter().map(|(name, profile)| ProfileEntry {
        name,
        purpose: profile.purpose,
        set: profile.set,
    });
    let knobs = KNOBS.iter().map(|knob| KnobEntry {
        name: if knob.name.ends_with(':') { format!("{}N", knob.name) } else { knob.name.to_owned() },
        values: knob.values_in_words(),
        purpose: knob.purpose.to_owned(),
        current: current(root, knob),
        process: knob.own.map(|(own, only)| match only {
            "" => own.call().to_owned(),
            only => format!("{only}: {}", own.call()),
        }),
    });
    TuneCatalog { profiles: profiles.collect(), knobs: knobs.collect() }
}

/// Returns the present value of the knob, in the words that the knob accepts. If the knob's files differ, their values
/// are separated by commas; `None` if there is no file, or one cannot be read.
fn current(root: &Root, knob: &Knob) -> Option<String> {
    let found = knob.places.iter().map(|place| (place, place.files(root)));
    let (place, files) = found.into_iter().find(|(_, files)| !files.is_empty())?;
    let mut values: Vec<String> = Vec::new();
    for file in files {
        let text = place.form.value(&root.read(&file).ok()?);
        let word = place.words.iter().find(|(_, meaning)| *meaning == text);
        let value = word.map_or(text, |(word, _)| (*word).to_owned());
        if !values.contains(&value) {
            values.push(value);
        }
    }
    (!values.is_empty()).then(|| values.join(", "))
}

/// Returns the changes that these settings would make, without making them, and notes about conditions that may spoil
/// the effect of the settings.
pub fn preview(
    root: &Root,
    settings: &Settings,
    command: bool,
    machine_wide: bool,
) -> (Vec<KnobChange>, Vec<String>) {
    let plan = plan(root, settings, Reach { command, machine_wide });
    let mut changes = plan.told.clone();
    for step in &plan.steps {
        changes.push(match (StepState::of(root, step), &step.action) {
            (_, Action::Snapshot(_)) => continue,
            (StepState::ToDo(Some(text)), Action::Write { form, .. }) => {
                value_change(step, form.value(&text), None, KnobOutcome::Planned, None)
            }
            (standing, _) => standing.told(step).unwrap_or_else(|| KnobChange {
                reason: None,
                ..told(step, (KnobOutcome::Planned, String::new()))
            }),
        });
    }
    changes.extend(plan.own.iter().map(|(knob, own, value)| KnobChange {
        knob: knob.clone(),
        target: own.call().to_owned(),
        scope: KnobScope::Process,
        wanted: value.clone(),
        outcome: KnobOutcome::Planned,
        ..KnobChange::default()
    }));
    (changes, plan.notes)
}
