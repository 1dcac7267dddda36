//! Undoes every change that a journal announces, and removes the journal when nothing is left to undo.

use std::path::Path;
use std::time::Duration;

use fauxplat_model::{KnobOutcome, Repairs, Restoration};

use crate::changes::{Action, Snapshot};
use crate::hurry::Hurry;
use crate::journal::{self, Entry, Journal, Story};
use crate::lock::Lock;
use crate::repair::Repairer;
use crate::{Root, TuneError, undo};

#[derive(Clone, Copy, Debug, Default)]
pub struct Restore {
    /// Whether to restore also values that another program has changed meanwhile, and to use a journal whose last
    /// record is incomplete or that was written in another PID namespace.
    pub force: bool,
    /// Whether to wait while another process holds the lock.
    pub wait: bool,
}

/// Undoes the changes that the journal announces, and returns a report; `None` if there is no journal.
///
/// # Errors
/// Fails where another process holds the lock, or where the journal is damaged, incomplete, of a newer version or owned
/// by another user. Nothing is written to the machine then.
pub fn restore(
    root: &Root,
    journal: &Path,
    how: Restore,
    command: &str,
) -> Result<Option<Restoration>, TuneError> {
    // Without a journal there is nothing to restore, so no lock file is created.
    if journal::read(journal)?.is_none() && crate::lock::holder(root, journal).is_none() {
        return Ok(None);
    }
    let _lock = Lock::take_to_restore(root, journal, how.wait, command)?;
    let cut = if how.force { Cut::Accept } else { Cut::Refuse };
    recover(root, journal, how.force, cut)
}

/// How to treat an incomplete last record of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The record is an error: the file may have been truncated, so that further records may be missing.
    Refuse,
    /// The record is ignored: its writer was killed before it was complete, so the change was not made.
    Accept,
}

/// Undoes the changes that the journal announces, and returns a report; `None` if there is no journal. The caller holds
/// the lock.
pub(crate) fn recover(
    root: &Root,
    path: &Path,
    force: bool,
    cut: Cut,
) -> Result<Option<Restoration>, TuneError> {
    let Some(mut journal) = Journal::reopen(path)? else { return Ok(None) };
    let story = journal.story()?;
    let mut told = Restoration {
        tuned_by: story.opening.argv.clone(),
        tuned_at: story.opening.time.clone(),
        ..Restoration::default()
    };
    if is_of_another_boot(path, &story, root, force)? {
        // A reboot has undone the changes, and values recorded before it need not be correct now.
        told.rebooted = true;
    } else {
        check(path, &story, root, force, cut)?;
        // Values are restored before the journal records that they are: if this process is killed between the two, the
        // next one restores the same values again.
        let mut repairer = snapshot(&story, root).map(|snapshot| Repairer::new(root, snapshot));
        let hurry = Hurry::begin(root, &mut journal, &story);
        let settled = put_back(root, &story, force, &mut repairer, &mut told);
        let stays = hurry.and_then(|hurry| hurry.end(root, &mut journal));
        if let Some(repairer) = repairer {
            // The machine is restored. Only the snapshot is still announced, so that a later process can repair tasks
            // if this one is killed.
            let _said_below = journal.settle(without_snapshots(&story, &settled));
            told.repairs = second_look(repairer);
        }
        if settled.len() < story.entries.len() || stays.is_some() {
            told.changes.extend(stays);
            told.journal_error = journal.settle(settled).err().map(in_words);
            return Ok(Some(told));
        }
    }
    if let Err(error) = journal.remove() {
        // The folder of the journal may be read-only while the file is writable: the journal then at least records that
        // nothing is left to undo.
        let _said_below = journal.settle(story.entries.iter().map(|entry| entry.seq).collect());
        told.journal_error = Some(in_words(error));
        return Ok(Some(told));
    }
    if let Some(keeper) = story.keeper.filter(|_| !told.rebooted) {
        keeper.end();
    }
    told.complete = true;
    Ok(Some(told))
}

/// Returns the words of an error without the path of the journal.
fn in_words(error: TuneError) -> String {
    match error {
        TuneError::Journal { source, .. } => source.to_string(),
        other => other.to_string(),
    }
}

/// Returns whether the changes were made before the last reboot. If the boot of the journal is unknown, the answer is
/// no with `force`, and an error without it.
fn is_of_another_boot(path: &Path, story: &Story, root: &Root, force: bool) -> Result<bool, TuneError> {
    match journal::boot_id(path, root) {
        Ok(id) if !story.opening.boot_id.is_empty() => Ok(id != story.opening.boot_id),
        _ if force => Ok(false),
        Ok(_) => Err(TuneError::Damaged {
            path: path.to_owned(),
            record: 1,
            reason: "the journal does not say in which boot it was written".to_owned(),
        }),
        Err(error) => Err(error),
    }
}

fn check(path: &Path, story: &Story, root: &Root, force: bool, cut: Cut) -> Result<(), TuneError> {
    let path = path.to_owned();
    match story.cut {
        Some(record) if cut == Cut::Refuse => {
            return Err(TuneError::Truncated { path, record, complete: story.entries.len() });
        }
        _ => {}
    }
    if story.opening.pid_namespace != journal::pid_namespace(root) && !force {
        return Err(TuneError::OtherNamespace { path });
    }
    Ok(())
}

/// Time until the second pass over tasks: a task that slept while its CPU was offline loses its mask only when it
/// wakes.
const SECOND_LOOK: Duration = Duration::from_millis(100);

/// Repairs tasks that lost their masks only after the first pass, and returns all repairs.
fn second_look(mut repairer: Repairer<'_>) -> Repairs {
    std::thread::sleep(SECOND_LOOK);
    repairer.tasks();
    repairer.ask_the_log();
    repairer.done
}

/// Undoes all changes, the groups in the reverse order. Returns the numbers of the changes that are undone, or of which
/// nothing is left to undo.
fn put_back(
    root: &Root,
    story: &Story,
    force: bool,
    repairer: &mut Option<Repairer<'_>>,
    told: &mut Restoration,
) -> Vec<usize> {
    let mut groups: Vec<_> = story.entries.iter().map(|entry| entry.group).collect();
    groups.sort();
    groups.dedup();
    let mut left = Vec::new();
    for group in groups.into_iter().rev() {
        let entries: Vec<&Entry> = story.entries.iter().filter(|entry| entry.group == group).collect();
        for (seq, change) in undo::group(root, &entries, force, repairer) {
            if matches!(change.outcome, KnobOutcome::Left | KnobOutcome::Refused) {
                left.push(seq);
            }
            told.changes.push(change);
        }
    }
    story.entries.iter().map(|entry| entry.seq).filter(|seq| !left.contains(seq)).collect()
}

fn without_snapshots(story: &Story, seqs: &[usize]) -> Vec<usize> {
    let snapshot = |entry: &&Entry| matches!(entry.action, Action::Snapshot(_));
    let snapshots: Vec<usize> = story.entries.iter().filter(snapshot).map(|entry| entry.seq).collect();
    seqs.iter().copied().filter(|seq| !snapshots.contains(seq)).collect()
}

/// Returns the snapshot of affinities in the journal; `None` without one, or if its task ids are those of another PID
/// namespace.
fn snapshot<'a>(story: &'a Story, root: &Root) -> Option<&'a Snapshot> {
    let ours = story.opening.pid_namespace == journal::pid_namespace(root);
    story.entries.iter().filter(|_| ours).find_map(|entry| match &entry.action {
        Action::Snapshot(snapshot) => Some(snapshot),
        _ => None,
    })
}
