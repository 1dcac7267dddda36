//! The reports of `tune`, `tune --list` and `restore`: changed and restored settings.

use fauxplat_model::document::Header;
use fauxplat_model::{
    KnobChange, KnobOutcome, KnobScope, Repairs, Restoration, RestoreFindings, TuneAction, TuneCatalog,
    TuneFindings,
};

use crate::parts::spans::code;
use crate::parts::{Grid, Piece, Rank, Tone};
use crate::words::{counted, visible};

/// Pieces of the report of `tune`, without condition and repetition, since nothing was measured.
pub(crate) fn parts(header: &Header, found: &TuneFindings) -> Vec<Piece> {
    let mut parts = vec![Piece::answer(Tone::Title, title(header, found))];
    let dry = found.action == TuneAction::DryRun;
    parts.extend(table(&found.changes, if dry { "wanted" } else { "now" }));
    parts.extend(found.restored.as_ref().map(|done| Piece::plain(restoration(done))));
    parts.extend(warnings(header));
    parts
}

pub(crate) fn parts_of_restore(header: &Header, found: &RestoreFindings) -> Vec<Piece> {
    let mut parts = vec![Piece::answer(Tone::Title, restored(found))];
    parts.extend(table(found.restored.as_ref().map_or(&[], |done| &done.changes), "now"));
    parts.extend(warnings(header));
    parts
}

pub(crate) fn parts_of_list(found: &TuneCatalog) -> Vec<Piece> {
    let mut parts = Vec::new();
    for profile in &found.profiles {
        let name = format!("{}: {}", visible(&profile.name), visible(&profile.purpose));
        parts.push(Piece::sentence(Rank::Title, Tone::Title, name));
        parts.push(Piece::plain(visible(&profile.set.join(", "))));
    }
    for knob in &found.knobs {
        let here =
            knob.current.as_deref().map_or(String::new(), |value| format!("; here {}", visible(value)));
        let alone =
            knob.process.as_deref().map_or(String::new(), |call| format!("; for one command by {call}"));
        parts.push(Piece::plain(format!("{}={}: {}{here}{alone}", knob.name, knob.values, knob.purpose)));
    }
    parts
}

/// A table of the changes, and a sentence with the reasons for requests that could not be fulfilled.
fn table(changes: &[KnobChange], verb: &str) -> Vec<Piece> {
    if changes.is_empty() {
        return Vec::new();
    }
    let reasons = reasons(changes);
    let why = (!reasons.is_empty()).then(|| Piece::said(Tone::Faint, reasons.join("; ")));
    std::iter::once(Piece::table(grid(changes, verb))).chain(why).collect()
}

fn warnings(header: &Header) -> impl Iterator<Item = Piece> + '_ {
    header.warnings.iter().map(|text| Piece::warning(text))
}

#[derive(serde::Serialize)]
pub(crate) struct TuneRow<'a> {
    knob: &'a str,
    target: &'a str,
    scope: KnobScope,
    before: Option<&'a str>,
    wanted: &'a str,
    after: Option<&'a str>,
    outcome: KnobOutcome,
    reason: Option<&'a str>,
}

/// Rows of CSV for changed values, in the order in which the values were written.
pub(crate) fn rows(changes: &[KnobChange]) -> impl Iterator<Item = TuneRow<'_>> {
    changes.iter().map(|change| TuneRow {
        knob: &change.knob,
        target: &change.target,
        scope: change.scope,
        before: change.before.as_deref(),
        wanted: &change.wanted,
        after: change.after.as_deref(),
        outcome: change.outcome,
        reason: change.reason.as_deref(),
    })
}

fn word(outcome: KnobOutcome) -> &'static str {
    match outcome {
        KnobOutcome::Changed => "changed",
        KnobOutcome::Already => "already so",
        KnobOutcome::Clamped => "clamped",
        KnobOutcome::Refused => "refused",
        KnobOutcome::Denied => "denied",
        KnobOutcome::Absent => "absent",
        KnobOutcome::Planned => "would change",
        KnobOutcome::Restored => "restored",
        KnobOutcome::Left => "left alone",
    }
}

fn tone(outcome: KnobOutcome) -> Tone {
    match outcome {
        KnobOutcome::Changed | KnobOutcome::Restored => Tone::Good,
        KnobOutcome::Already | KnobOutcome::Absent => Tone::Faint,
        KnobOutcome::Planned => Tone::Neutral,
        KnobOutcome::Clamped | KnobOutcome::Left => Tone::Doubt,
        KnobOutcome::Refused | KnobOutcome::Denied => Tone::Bad,
    }
}

fn title(header: &Header, found: &TuneFindings) -> String {
    let asked = visible(&found.asked.join(" "));
    let count = |outcome| found.changes.iter().filter(|change| change.outcome == outcome).count();
    let values = |outcome| counted(count(outcome), "value", "values");
    // Changes of settings of the machine (not of the command's process), which the journal records.
    let is_machines =
        |change: &KnobChange| change.outcome == KnobOutcome::Changed && change.scope == KnobScope::Machine;
    let was_changed = found.changes.iter().any(is_machines);
    match found.action {
        TuneAction::DryRun => {
            format!("{asked}: {} would be changed; nothing was written.", values(KnobOutcome::Planned))
        }
        TuneAction::Applied if found.tuned => {
            let until = code("fauxplat restore");
            format!("{asked}: {} changed, until {until}.", values(KnobOutcome::Changed))
        }
        // If changed values are no longer in effect when `tune` returns, they were restored because the time limit had
        // passed.
        TuneAction::Applied if was_changed => {
            format!(
                "{asked}: {} changed, and put back since: the time was over.",
                values(KnobOutcome::Changed)
            )
        }
        TuneAction::Applied => format!("{asked}: nothing was changed."),
        TuneAction::Held if was_changed && found.restored.is_none() => format!(
            "{asked}: {} changed, and the machine was put back before the command ended.",
            values(KnobOutcome::Changed)
        ),
        TuneAction::Held => {
            format!("{asked}: {} changed while the command ran.", values(KnobOutcome::Changed))
        }
        TuneAction::Status => status(header, found),
    }
}

fn status(header: &Header, found: &TuneFindings) -> String {
    match (&found.tuner, found.tuned) {
        (Some(tuner), _) => {
            let command = visible(&tuner.command);
            format!("Process {} of user {} is tuning: {command}", tuner.pid, tuner.uid)
        }
        (None, true) => {
            format!("The machine is tuned: {}.", counted(found.changes.len(), "value", "values"))
        }
        // A journal from before a reboot is reported by the warnings below.
        (None, false) if !found.changes.is_empty() || !header.warnings.is_empty() => {
            "The machine is not tuned.".to_owned()
        }
        (None, false) => "The machine is not tuned: there is no journal.".to_owned(),
    }
}

/// Table of the changes. Values of one setting with the same result share a row: a machine of 200 CPUs has 200 files
/// for its governor.
fn grid(changes: &[KnobChange], verb: &str) -> Grid {
    let mut grid = Grid::named(&["knob", "where", "before", verb, "outcome"], &[1]);
    for (first, others) in alike(changes) {
        let place = match others {
            0 => visible(&first.target),
            more => format!("{} and {more} more", visible(&first.target)),
        };
        let value = |value: &Option<String>| value.as_deref().map_or("–".to_owned(), visible);
        let now = first.after.as_ref().or(Some(&first.wanted)).cloned();
        let scope = match first.scope {
            KnobScope::Machine => "",
            KnobScope::Process => " for the command",
            KnobScope::Held => " while held",
        };
        let outcome = format!("{}{scope}", word(first.outcome));
        let cells = vec![first.knob.clone(), place, value(&first.before), value(&now), outcome];
        grid.push(tone(first.outcome), cells);
    }
    grid
}

/// The first of each group of changes with the same result, with the number of other changes in the group.
fn alike(changes: &[KnobChange]) -> Vec<(&KnobChange, usize)> {
    let fate = |change: &KnobChange| {
        let KnobChange { knob, before, after, outcome, reason, .. } = change.clone();
        (knob, before, after, outcome, reason)
    };
    let mut groups: Vec<(&KnobChange, usize)> = Vec::new();
    for change in changes {
        match groups.iter_mut().find(|(first, _)| fate(first) == fate(change)) {
            Some((_, others)) => *others += 1,
            None => groups.push((change, 0)),
        }
    }
    groups
}

/// Reasons why settings were not changed as requested, each once, with the names of the settings.
fn reasons(changes: &[KnobChange]) -> Vec<String> {
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    for change in changes {
        let silent = matches!(change.outcome, KnobOutcome::Changed | KnobOutcome::Restored);
        let Some(reason) = change.reason.as_deref().filter(|_| !silent).map(visible) else { continue };
        match told.iter_mut().find(|(known, _)| *known == *reason) {
            Some((_, knobs)) if knobs.contains(&change.knob.as_str()) => {}
            Some((_, knobs)) => knobs.push(&change.knob),
            None => told.push((reason.to_string(), vec![&change.knob])),
        }
    }
    told.iter().map(|(reason, knobs)| format!("{}: {reason}", knobs.join(", "))).collect()
}

fn restored(found: &RestoreFindings) -> String {
    match &found.restored {
        None => "Nothing to restore: there is no journal.".to_owned(),
        Some(done) => restoration(done),
    }
}

fn restoration(done: &Restoration) -> String {
    if done.rebooted {
        let at = visible(&done.tuned_at);
        return format!(
            "The machine was restarted since it was tuned ({at}), so no tuned value is left: nothing was written, and \
             the journal is dropped."
        );
    }
    let count = |outcome| done.changes.iter().filter(|change| change.outcome == outcome).count();
    let mut parts = vec![format!("{} put back", counted(count(KnobOutcome::Restored), "value", "values"))];
    let already = count(KnobOutcome::Already);
    parts.extend((already > 0).then(|| format!("{already} had the earlier value already")));
    let left = count(KnobOutcome::Left);
    parts
        .extend((left > 0).then(|| format!("{left} left alone, since somebody else changed them meanwhile")));
    let refused = count(KnobOutcome::Refused);
    parts.extend((refused > 0).then(|| format!("{refused} refused by the kernel")));
    parts.extend(repairs(&done.repairs));
    let end = match &done.journal_error {
        Some(why) => format!("; the journal is kept, and could not be updated ({})", visible(why)),
        None if done.complete => String::new(),
        None => "; the journal keeps what is left".to_owned(),
    };
    format!("{}{end}.", parts.join(", "))
}

fn repairs(done: &Repairs) -> Vec<String> {
    let parts = [
        (done.tasks, "affinity of a task", "affinities of tasks"),
        (done.children, "child born meanwhile", "children born meanwhile"),
        (done.memberships, "task moved back into its cpuset", "tasks moved back into their cpusets"),
        (done.cpusets, "cpuset", "cpusets"),
        (done.interrupts, "interrupt", "interrupts"),
    ];
    let repaired = parts.into_iter().filter(|part| part.0 > 0).map(|(n, one, many)| counted(n, one, many));
    repaired.chain(done.left.iter().map(|left| format!("left: {}", visible(left)))).collect()
}
