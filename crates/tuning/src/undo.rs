//! Undoes changes of values by three rules: a value that fauxplat wrote becomes the original value, an original value
//! stays, and any other value belongs to another program and stays.

use std::fs;
use std::io;
use std::time::Duration;

use fauxplat_model::{KnobChange, KnobOutcome, KnobScope};
use fauxplat_sys::process;

use crate::Root;
use crate::changes::Action;
use crate::journal::Entry;
use crate::knob::{Form, Group};
use crate::repair::Repairer;

/// Number of times that the values of a group are written, since writing a governor may reset a value that was just
/// restored.
const PASSES: usize = 4;

pub(crate) fn group(
    root: &Root,
    entries: &[&Entry],
    force: bool,
    repairer: &mut Option<Repairer<'_>>,
) -> Vec<(usize, KnobChange)> {
    match entries.first().map(|entry| entry.group) {
        None => Vec::new(),
        Some(Group::Tasks) => {
            let back = entries.iter().rev();
            back.filter_map(|entry| one(root, entry, force, repairer).map(|change| (entry.seq, change)))
                .collect()
        }
        // Frequency settings are undone in the order in which they were made, since they depend on it; all other groups
        // are undone newest first.
        Some(Group::Frequency) => values(root, entries, force),
        Some(_) => values(root, &entries.iter().rev().copied().collect::<Vec<_>>(), force),
    }
}

/// The present value of a file, compared with the original one and the one that fauxplat wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// The original value.
    Old,
    /// The value that fauxplat wrote, or any value but the original if no reading was recorded after the write.
    Ours,
    /// A third value: another program wrote it.
    Theirs,
    Gone,
    /// The value cannot be read, so it may still be the value that fauxplat wrote.
    Unread,
}

/// Compares a present value with the original one and with `got`, the value read back after the write. Without such a
/// reading, any value but the original counts as written by fauxplat.
fn side(now: io::Result<String>, old: &str, got: Option<&Option<String>>, form: Form) -> Side {
    let now = match now {
        Ok(now) => now,
        Err(error) if is_gone(&error) => return Side::Gone,
        Err(_) => return Side::Unread,
    };
    match got {
        _ if now == form.value(old) => Side::Old,
        None | Some(None) => Side::Ours,
        Some(Some(got)) if now == *got => Side::Ours,
        Some(Some(_)) => Side::Theirs,
    }
}

/// Returns whether the error means that the file, or the device behind it, is gone. Any other error concerns a file
/// that exists.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || error.raw_os_error() == Some(19)
}

/// Restores values of files, and returns their reports. All values are compared before the first one is written, since
/// writing one may change another.
fn values(root: &Root, entries: &[&Entry], force: bool) -> Vec<(usize, KnobChange)> {
    let judged: Vec<(usize, Side)> = entries
        .iter()
        .enumerate()
        .filter_map(|(index, entry)| Some((index, judge(root, entry)?)))
        // With `force`, values of other programs are overwritten too, unless fauxplat announced but never wrote the
        // value.
        .map(|(index, side)| match side {
            Side::Theirs if force && !entries[index].is_untouched() => (index, Side::Ours),
            side => (index, side),
        })
        .collect();
    let errors = write_back(root, entries, &judged);
    let report = |(&(index, side), error): (&(usize, Side), Option<io::Error>)| {
        let (entry, change) = (entries[index], report(root, entries[index], side, error));
        // A value that was announced but never written is reported only if restoring other values has changed it.
        let is_told = !entry.is_untouched() || (side == Side::Old && change.outcome == KnobOutcome::Refused);
        is_told.then_some((entry.seq, change))
    };
    judged.iter().zip(errors).filter_map(report).collect()
}

/// Compares the present value of a file with those in its journal entry; `None` for an entry that writes no file.
fn judge(root: &Root, entry: &Entry) -> Option<Side> {
    let Action::Write { file, form, old, .. } = &entry.action else { return None };
    let now = root.read(file).map(|text| form.value(&text));
    // A plain file is truncated before it is written, so a process killed between the two leaves it empty. Files of the
    // kernel cannot be in that state.
    let cut = !root.is_real() && now.as_deref().is_ok_and(str::is_empty);
    let got = if cut { None } else { entry.got.as_ref() };
    Some(side(now, old, got, *form))
}

/// Writes original values until all files have them, as far as the kernel accepts them. Returns the error of the last
/// attempt at each value.
fn write_back(root: &Root, entries: &[&Entry], judged: &[(usize, Side)]) -> Vec<Option<io::Error>> {
    let mut errors: Vec<Option<io::Error>> = judged.iter().map(|_| None).collect();
    for _ in 0..PASSES {
        let mut all_hold = true;
        for (&(index, side), error) in judged.iter().zip(&mut errors) {
            let Action::Write { file, form, old, .. } = &entries[index].action else { continue };
            let holds = || root.read(file).is_ok_and(|text| form.value(&text) == form.value(old));
            if matches!(side, Side::Theirs | Side::Gone | Side::Unread) || holds() {
                continue;
            }
            *error = root.write(file, &text_to_write(root, *form, old)).err();
            all_hold = false;
        }
        if all_hold {
            break;
        }
    }
    errors
}

/// Returns the text to write so that a file has its original value again. Of a list of choices the kernel accepts the
/// chosen word; below another root the whole original list is written.
fn text_to_write(root: &Root, form: Form, old: &str) -> String {
    match form {
        Form::Plain => old.to_owned(),
        Form::Choice | Form::Controllers if !root.is_real() => old.to_owned(),
        Form::Choice | Form::Controllers => form.value(old),
    }
}

fn report(root: &Root, entry: &Entry, side: Side, error: Option<io::Error>) -> KnobChange {
    let Action::Write { file, form, old, .. } = &entry.action else { return KnobChange::default() };
    let read = root.read(file).map(|text| form.value(&text));
    let wanted = form.value(old);
    let holds = read.as_ref().is_ok_and(|now| *now == wanted);
    // The error of the reading comes first: it tells why the value is unknown.
    let error = read.as_ref().err().map(why).or(error.as_ref().map(why));
    let (outcome, reason) = match side {
        Side::Old if holds => (KnobOutcome::Already, None),
        Side::Gone => (KnobOutcome::Absent, Some("the file is gone".to_owned())),
        Side::Theirs => (KnobOutcome::Left, Some("somebody else changed it meanwhile".to_owned())),
        Side::Ours if holds => (KnobOutcome::Restored, None),
        // Restoring another value may have changed a value that was already the original one.
        Side::Old | Side::Ours | Side::Unread => {
            let why = error.unwrap_or_else(|| "the kernel holds another value".to_owned());
            (KnobOutcome::Refused, Some(why))
        }
    };
    let before = entry.got.clone().flatten();
    change(entry, before, wanted, read.ok(), outcome, reason)
}

fn change(
    entry: &Entry,
    before: Option<String>,
    wanted: String,
    after: Option<String>,
    outcome: KnobOutcome,
    reason: Option<String>,
) -> KnobChange {
    let (knob, target, scope) = (entry.knob.clone(), entry.action.target(), KnobScope::Machine);
    KnobChange { knob, target, scope, before, wanted, after, outcome, reason }
}

/// Undoes one change of the group of tasks, and returns a report; `None` if there was nothing to undo.
fn one(root: &Root, entry: &Entry, force: bool, repairer: &mut Option<Repairer<'_>>) -> Option<KnobChange> {
    let gone = |done: bool, wanted: &str| {
        let (outcome, reason) = match done {
            true => (KnobOutcome::Restored, None),
            false => (KnobOutcome::Refused, Some("it is still in use".to_owned())),
        };
        Some(change(entry, None, wanted.to_owned(), None, outcome, reason))
    };
    match &entry.action {
        Action::Write { .. } => values(root, &[entry], force).pop().map(|(_, change)| change),
        Action::Folder { path, .. } if !root.has(path) => None,
        Action::Folder { path, .. } => gone(remove_folder(root, path), "removed"),
        Action::Move { to, .. } if !root.has(to) => None,
        Action::Move { from, to, .. } => gone(move_back(root, from, to), "moved back"),
        Action::Snapshot(_) => {
            if let Some(repairer) = repairer {
                repairer.everything();
            }
            None
        }
    }
}

/// Maximum number of attempts to empty a control group: tasks may fork while they are moved, and a killed task stays in
/// its group until it has had CPU time to exit, which takes a while on a busy machine.
const ATTEMPTS: usize = 500;
const PAUSE: Duration = Duration::from_millis(2);

fn eventually(mut done: impl FnMut() -> bool) -> bool {
    (0..ATTEMPTS).any(|attempt| {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        done()
    })
}

/// Moves all tasks listed in `to` back to the group of `from`, including tasks created meanwhile. Returns whether no
/// task is left.
fn move_back(root: &Root, from: &str, to: &str) -> bool {
    eventually(|| {
        let listed = root.read_list(to);
        for task in listed.split_whitespace() {
            // A task that has ended cannot be moved, and need not be.
            let _ended = root.write(from, task);
        }
        root.read_list(to).trim().is_empty()
    })
}

/// Removes a control group, and returns whether it is gone; the kernel keeps its folder for a moment after its last
/// task has ended.
fn remove_folder(root: &Root, path: &str) -> bool {
    eventually(|| fs::remove_dir(root.join(path)).is_ok())
}

/// Returns words for the user about an error of the kernel, including what to do about it where something helps.
pub(crate) fn why(error: &io::Error) -> String {
    let words = match error.raw_os_error() {
        Some(13) if !process::is_root() => return "needs root".to_owned(),
        Some(1 | 13) => "not permitted here, even for root",
        Some(5) => "the kernel manages this one by itself",
        Some(16) => "in use, or locked by another setting",
        Some(22) => "the kernel does not take this value",
        Some(30) => "read-only here, as in a container: do it on the host",
        Some(19) => "the device does not have it",
        _ => return error.to_string(),
    };
    format!("{words} ({error})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_way_rule() {
        let got = |text: &str| Some(text.to_owned());
        let plain = |now: Option<&str>, got: Option<&Option<String>>| {
            let now = now.map(str::to_owned).ok_or_else(|| io::Error::from_raw_os_error(2));
            side(now, "1\n", got, Form::Plain)
        };
        assert_eq!(plain(Some("1"), Some(&got("0"))), Side::Old);
        assert_eq!(plain(Some("0"), Some(&got("0"))), Side::Ours);
        assert_eq!(plain(Some("7"), Some(&got("0"))), Side::Theirs);
        assert_eq!(plain(Some("7"), None), Side::Ours, "in flight, and clamped");
        assert_eq!(plain(Some("1"), None), Side::Old, "announced, and not made");
        assert_eq!(plain(Some("7"), Some(&None)), Side::Ours, "nothing could be read back");
        assert_eq!(plain(None, None), Side::Gone);
        for (errno, expected) in
            [(2, Side::Gone), (20, Side::Gone), (19, Side::Gone), (13, Side::Unread), (16, Side::Unread)]
        {
            let now = Err(io::Error::from_raw_os_error(errno));
            assert_eq!(side(now, "1\n", Some(&got("0")), Form::Plain), expected, "{errno}");
        }
        let choice =
            side(Ok("madvise".into()), "always [madvise] never\n", Some(&got("never")), Form::Choice);
        assert_eq!(choice, Side::Old);
    }

    #[test]
    fn reasons_are_the_kernels_in_words_that_help() {
        for (number, words) in [
            (1, "not permitted here"),
            (16, "in use, or locked by another setting"),
            (22, "does not take this value"),
            (30, "read-only here"),
        ] {
            let told = why(&io::Error::from_raw_os_error(number));
            assert!(told.contains(words), "{told}");
            assert!(told.ends_with(&format!("(os error {number}))")), "{told}");
        }
        assert_eq!(why(&io::Error::other("it is too long")), "it is too long");
    }
}
