//! A machine that was changed, and what ends with it.

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

/// What the command inherits from this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessScope {
    /// The command is to be started without address space layout randomisation, which takes effect at exec.
    pub aslr_off: bool,
}

/// A machine that was changed. Dropping it puts everything back, unless it was told to [`Tuned::keep`].
#[derive(Debug)]
pub struct Tuned {
    /// What was changed, and what could not be.
    pub changes: Vec<KnobChange>,
    /// What may spoil it.
    pub notes: Vec<String>,
    /// What an earlier tuner had left behind, and was put back first.
    pub recovered: Option<Restoration>,
    /// What the caller has to give to its command.
    pub process: ProcessScope,
    pub(crate) root: Root,
    pub(crate) journal: PathBuf,
    /// Whether there is a journal of ours.
    pub(crate) open: bool,
    /// Descriptors that hold a setting for as long as they are open.
    pub(crate) held: Vec<File>,
    /// What fauxplat itself was given, so that its commands inherit it.
    pub(crate) given: Vec<Given>,
    // The guardian goes before the lock, so that nobody tunes before it has ended.
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

    /// Where the changes are announced.
    pub fn journal(&self) -> &Path {
        &self.journal
    }

    /// Puts everything back; `None` when nothing was changed, or somebody else has put it back.
    ///
    /// # Errors
    /// The journal cannot be read or written; it stays, and so does the guardian's try.
    pub fn restore(mut self) -> Result<Option<Restoration>, TuneError> {
        self.put_back()
    }

    /// Puts everything back after a change that failed, and says whether that could be done.
    pub(crate) fn give_up(mut self) -> Back {
        let (done, journal) = (self.put_back(), self.journal.clone());
        // The guardian has tried once more when this returns, so the journal has the last word.
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

    /// Whether it keeps others from tuning the machine: it may have changed something.
    pub fn holds_machine(&self) -> bool {
        self.lock.is_some()
    }

    /// Lets the machine stay as it is until somebody restores it, or until the limit of time; whether there is
    /// anything left to restore, which a short limit may have done already.
    ///
    /// # Errors
    /// The journal cannot be written; everything is put back then.
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
        // The guardian tries once more when this fails, and the journal stays if that fails too.
        let _left_to_the_guardian = self.put_back();
    }
}

/// What a process was given and its commands inherit. The next experiment in it begins without.
#[derive(Debug)]
pub(crate) enum Given {
    NoHugePages,
    TimerSlack,
}

impl Given {
    fn take_back(self) {
        // A process may always ask for these of itself.
        let _never_refused = match self {
            Given::NoHugePages => process::disable_huge_pages(false),
            // The default, which it was created with.
            Given::TimerSlack => timer::set_slack_ns(0),
        };
    }
}
