//! A tuned machine: what was changed, and the resources on which the changes depend.

use std::fs::File;
use std::path::{Path, PathBuf};

use fauxplat_model::{KnobChange, Restoration};
use fauxplat_sys::{process, timer};

use crate::error::Back;
use crate::guardian::Guardian;
use crate::journal::Journal;
use crate::lock::Lock;
use crate::remainder::remainder;
use crate::restore::{Cut, recover};
use crate::{Root, TuneError};

/// Settings that the caller has to apply to the command that it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessScope {
    /// Whether to start the command without address space layout randomisation, which takes effect at exec.
    pub aslr_off: bool,
}

/// A machine that was tuned. Dropping the value restores everything, unless [`Tuned::keep`] was called.
#[derive(Debug)]
pub struct Tuned {
    /// Reports of changes that were made, and of changes that could not be made.
    pub changes: Vec<KnobChange>,
    /// Notes about conditions that may spoil the effect of the settings.
    pub notes: Vec<String>,
    /// Report of the restoration of changes that an earlier process had left; `None` if there were none.
    pub recovered: Option<Restoration>,
    pub process: ProcessScope,
    pub(crate) root: Root,
    pub(crate) journal: PathBuf,
    /// Whether a journal written by this process exists.
    pub(crate) open: bool,
    /// Open descriptors on which settings depend.
    pub(crate) held: Vec<File>,
    /// Settings of fauxplat's own process, which the commands that it starts inherit.
    pub(crate) given: Vec<Given>,
    // Field order matters: the guardian is dropped before the lock, so that no other process tunes before the guardian
    // has ended.
    pub(crate) guardian: Option<Guardian>,
    pub(crate) lock: Option<Lock>,
}

impl Tuned {
    pub(crate) fn untouched(root: &Root, journal: &Path) -> Self {
        Tuned {
            changes: Vec::new(),
            notes: Vec::new(),
            recovered: None,
            process: ProcessScope::default(),
            root: root.clone(),
            journal: journal.to_owned(),
            open: false,
            held: Vec::new(),
            given: Vec::new(),
            guardian: None,
            lock: None,
        }
    }

    pub fn journal(&self) -> &Path {
        &self.journal
    }

    /// Restores everything, and returns a report; `None` if nothing was changed, or another process has restored it.
    ///
    /// # Errors
    /// Fails where the journal cannot be read or written. The journal then remains, and the guardian tries to restore
    /// once more.
    pub fn restore(mut self) -> Result<Option<Restoration>, TuneError> {
        self.put_back()
    }

    /// Restores everything after a failed change, and returns what remains.
    pub(crate) fn give_up(mut self) -> Back {
        let (done, journal) = (self.put_back(), self.journal.clone());
        // Dropping the value waits for the guardian, which tries to restore as well: only then does the journal show
        // what remains.
        drop(self);
        Back(match done {
            _ if !journal.exists() => None,
            Ok(done) => done.and_then(|done| remainder(&done, &journal)),
            Err(error) => Some(format!("the machine was not put back ({error}): run `fauxplat restore`")),
        })
    }

    fn put_back(&mut self) -> Result<Option<Restoration>, TuneError> {
        self.held.clear();
        self.given.drain(..).for_each(Given::take_back);
        match std::mem::take(&mut self.open) {
            true => recover(&self.root, &self.journal, false, Cut::Refuse),
            false => Ok(None),
        }
    }

    /// Returns whether this process holds the lock, so that no other one can tune, and changes may have been made.
    pub fn holds_machine(&self) -> bool {
        self.lock.is_some()
    }

    /// Lets the machine stay tuned until a user restores it, or the guardian does at the time limit if there is one
    /// (`limited`). Returns whether the machine is still tuned, since a short limit may have passed already.
    ///
    /// # Errors
    /// Fails where the journal cannot be written; everything is restored then.
    pub fn keep(&mut self, limited: bool) -> Result<bool, TuneError> {
        if !self.open {
            return Ok(false);
        }
        if let Some(mut journal) = Journal::reopen(&self.journal)? {
            let keeper = self.guardian.as_ref().filter(|_| limited).and_then(Guardian::keeper);
            journal.keep(keeper)?;
        }
        self.open = false;
        if let Some(guardian) = self.guardian.take() {
            guardian.keep(limited);
        }
        Ok(self.journal.exists())
    }
}

impl Drop for Tuned {
    fn drop(&mut self) {
        // On failure the guardian tries once more; if the guardian fails too, the journal stays for the next fauxplat.
        let _left_to_the_guardian = self.put_back();
    }
}

/// A setting of fauxplat's own process that the commands started from it inherit. Undone before the next experiment of
/// the process.
#[derive(Debug)]
pub(crate) enum Given {
    NoHugePages,
    TimerSlack,
}

impl Given {
    fn take_back(self) {
        // A process may always change its own settings of this kind.
        let _never_refused = match self {
            Given::NoHugePages => process::disable_huge_pages(false),
            // Zero restores the slack that the thread was created with.
            Given::TimerSlack => timer::set_slack_ns(0),
        };
    }
}
