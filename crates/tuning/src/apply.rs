//! Applies settings: makes the changes of the machine, each announced in the journal before it is made.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use fauxplat_model::{KnobChange, KnobOutcome, KnobScope};
use fauxplat_sys::{process, signal, timer};
use fauxplat_units::Nanos;

use crate::changes::{Action, Snapshot};
use crate::error::Back;
use crate::guardian::Guardian;
use crate::journal::{self, Journal, Story};
use crate::knob::{Form, Group, KnobLocation, Own};
use crate::knobs::KNOBS;
use crate::lock::Lock;
use crate::plan::{Plan, Reach, Step, plan};
use crate::profile::Settings;
use crate::remainder::remainder;
use crate::restore::{Cut, recover};
use crate::told::{StepState, first_failure, made, outcome_of, value_change};
use crate::tuned::{Given, Tuned};
use crate::undo::why;
use crate::{Root, TuneError, place};

#[derive(Debug)]
pub struct Tuning<'a> {
    pub root: Root,
    /// Path of the journal, in which changes are announced.
    pub journal: PathBuf,
    pub settings: Settings,
    /// Whether the caller runs a command, to which settings of a single process can be applied.
    pub command: bool,
    /// Whether knobs are turned for the whole machine even if a setting of the command's process would have the same
    /// effect.
    pub machine_wide: bool,
    /// Whether one failed change undoes all others.
    pub all_or_nothing: bool,
    /// Whether to wait while another process that tunes the machine holds the lock.
    pub wait: bool,
    /// Whether a machine that is deliberately kept tuned is restored first; otherwise tuning that machine is refused.
    pub replace: bool,
    /// Time limit after which the guardian process restores everything, even if this process still runs; `None` for no
    /// limit.
    pub max: Option<Nanos>,
    /// Command line of this process, for the journal and the lock file.
    pub argv: &'a [String],
    /// Hidden subcommand with which this binary becomes the guardian process.
    pub guardian_verb: &'a str,
}

impl Tuning<'_> {
    /// Applies the settings as far as the machine permits.
    ///
    /// # Errors
    /// Fails where another process is tuning, where the journal cannot be used, or where a change failed and
    /// `all_or_nothing` is set. In each case the machine is restored, or the error names the changes that remain.
    pub fn apply(&self) -> Result<Tuned, TuneError> {
        let mut tuned = Tuned::untouched(&self.root, &self.journal);
        match self.change(&mut tuned) {
            Ok(()) => Ok(tuned),
            Err(error) => Err(error.after(tuned.give_up())),
        }
    }

    fn change(&self, tuned: &mut Tuned) -> Result<(), TuneError> {
        let reach = Reach { command: self.command, machine_wide: self.machine_wide };
        let look = || plan(&self.root, &self.settings, reach);
        let is_to_do = |step: &Step| matches!(StepState::of(&self.root, step), StepState::ToDo(_));
        // A snapshot of CPU affinities by itself changes nothing: it only matters together with steps that take CPUs
        // away from tasks.
        let changes = |step: &&Step| !matches!(step.action, Action::Snapshot(_));
        let needs_journal = |plan: &Plan| plan.steps.iter().filter(changes).any(is_to_do);
        let mut plan = look();
        if self.journal.exists() || needs_journal(&plan) {
            self.enter(tuned)?;
            // Changes that an earlier process left are restored by now, so the machine is read again.
            plan = look();
        }
        tuned.notes.clone_from(&plan.notes);
        tuned.changes.clone_from(&plan.told);
        if let Some(lock) = tuned.lock.as_ref().filter(|_| needs_journal(&plan)) {
            let limit_ms = self.max.map(|limit| limit.0.div_ceil(1_000_000));
            let guardian = Guardian::start(self.guardian_verb, &self.root, &self.journal, lock, limit_ms)?;
            tuned.guardian = Some(guardian);
            let mut journal = Journal::create(&self.journal, &self.root, self.argv)?;
            tuned.open = true;
            let done = self.take_steps(&plan.steps, &mut journal, &mut tuned.changes);
            journal.close();
            done?;
        } else {
            let told = plan.steps.iter().filter_map(|step| StepState::of(&self.root, step).told(step));
            tuned.changes.extend(told);
        }
        for (knob, own, value) in &plan.own {
            let change = self.set_own(knob, *own, value, tuned);
            tuned.changes.push(change);
        }
        match self.all_or_nothing.then(|| self.first_failure(&tuned.changes)).flatten() {
            Some(failed) => Err(TuneError::NotAll { failed, back: Back::default() }),
            None => Ok(()),
        }
    }

    /// Takes the lock, and restores the changes that an earlier process left.
    fn enter(&self, tuned: &mut Tuned) -> Result<(), TuneError> {
        tuned.lock = Some(Lock::take(&self.root, &self.journal, self.wait, &self.argv.join(" "))?);
        // While another journal announces changes that are not undone, present values are not the original ones, and a
        // new journal would record them as such.
        for other in place::others(&self.root, &self.journal) {
            // A journal of another path that cannot be read or trusted does not block tuning, since anybody may have
            // put it there.
            let story = journal::read(&other).ok().flatten();
            self.refuse_if(story, &other, |story| !story.entries.is_empty())?;
        }
        let story = journal::read(&self.journal)?;
        self.refuse_if(story, &self.journal, |story| story.kept && !self.replace)?;
        tuned.recovered = recover(&self.root, &self.journal, false, Cut::Refuse)?;
        let unfinished = tuned.recovered.as_ref().filter(|done| !done.complete);
        if let Some(done) = unfinished {
            if done.changes.iter().any(|change| change.outcome == KnobOutcome::Refused) {
                let left = remainder(done, &self.journal).unwrap_or_default();
                return Err(TuneError::Stuck { by: done.tuned_by.join(" "), left });
            }
            // The remaining entries concern values that another program has set; `recover` left these values alone and
            // reported them.
            if let Some(journal) = Journal::reopen(&self.journal)? {
                journal.remove()?;
            }
        }
        place::note(&self.root, &self.journal)
    }

    /// Returns an error if `story`, the content of `journal`, was written since the last boot and `is_in_the_way`
    /// returns true for it.
    fn refuse_if(
        &self,
        story: Option<Story>,
        journal: &Path,
        is_in_the_way: impl Fn(&Story) -> bool,
    ) -> Result<(), TuneError> {
        let boot_id = journal::boot_id(journal, &self.root);
        match story.filter(|story| is_in_the_way(story)) {
            Some(story) if story.opening.boot_id == boot_id? => {
                let (by, since) = (story.opening.argv.join(" "), story.opening.time);
                Err(TuneError::AlreadyTuned { journal: journal.to_owned(), by, since })
            }
            _ => Ok(()),
        }
    }

    /// Announces and makes every change. After each group of steps, the values are read back and recorded.
    fn take_steps(
        &self,
        steps: &[Step],
        journal: &mut Journal,
        changes: &mut Vec<KnobChange>,
    ) -> Result<(), TuneError> {
        for group in steps.chunk_by(|a, b| a.group == b.group) {
            let (made, failed, noted) = (Vec::new(), Vec::new(), Vec::new());
            let mut writer = Writer { root: &self.root, journal, made, failed, noted };
            writer.note_group(group)?;
            for step in group {
                if signal::stop_requested() {
                    return Err(TuneError::Interrupted(Back::default()));
                }
                let change = writer.step(step)?;
                changes.extend(change);
            }
            writer.settle_group(group, changes)?;
        }
        Ok(())
    }

    /// Applies a setting of the command's process, or one that lasts as long as a descriptor is open.
    fn set_own(&self, knob: &str, own: Own, value: &str, tuned: &mut Tuned) -> KnobChange {
        let mut before = None;
        let done: io::Result<()> = match own {
            Own::Aslr => {
                tuned.process.aslr_off = true;
                Ok(())
            }
            Own::HugePages if process::huge_pages_are_disabled() => Ok(()),
            Own::HugePages => process::disable_huge_pages(true)
                .map(|()| tuned.given.push(Given::NoHugePages))
                .map_err(|error| error.source),
            Own::TimerSlack => {
                before = self.root.value("proc/self/timerslack_ns");
                let slack_ns = value.parse().unwrap_or(1);
                timer::set_slack_ns(slack_ns)
                    .map(|()| tuned.given.push(Given::TimerSlack))
                    .map_err(|error| error.source)
            }
            Own::DmaLatency => self.hold_latency(value).map(|file| tuned.held.push(file)),
        };
        let scope = if own == Own::DmaLatency { KnobScope::Held } else { KnobScope::Process };
        let (outcome, reason) = match &done {
            Ok(()) => (KnobOutcome::Changed, None),
            Err(error) => (outcome_of(error), Some(why(error))),
        };
        let after = done.is_ok().then(|| value.to_owned());
        let (knob, target, wanted) = (knob.to_owned(), own.call().to_owned(), value.to_owned());
        KnobChange { knob, target, scope, before, wanted, after, outcome, reason }
    }

    /// Requests a latency limit, by writing it as a number of 32 bits, in microseconds. The kernel keeps the request as
    /// long as the file is open, see `Documentation/power/pm_qos_interface.rst`.
    fn hold_latency(&self, value: &str) -> io::Result<File> {
        let latency_us: i32 = value.parse().unwrap_or(0);
        let mut file = File::options().write(true).open(self.root.join("dev/cpu_dma_latency"))?;
        file.write_all(&latency_us.to_ne_bytes())?;
        Ok(file)
    }

    /// Describes the first change that was not made as requested; `None` if there is none. A knob that the machine does
    /// not have is a failure only if the user named it, since a profile may contain knobs of other machines.
    fn first_failure(&self, changes: &[KnobChange]) -> Option<String> {
        let named = self.settings.by_name();
        let failed = |change: &KnobChange| match change.outcome {
            KnobOutcome::Refused | KnobOutcome::Denied | KnobOutcome::Clamped => true,
            KnobOutcome::Absent => named.contains(&change.knob),
            _ => false,
        };
        let change = first_failure(changes, failed)?;
        let otherwise = match change.outcome {
            KnobOutcome::Absent => "this machine does not have it",
            _ => "the kernel holds another value",
        };
        let why = change.reason.clone().unwrap_or_else(|| otherwise.to_owned());
        Some(format!("{}={} ({}): {why}", change.knob, change.wanted, change.target))
    }
}

/// Makes the changes of one group of steps.
struct Writer<'a> {
    root: &'a Root,
    journal: &'a mut Journal,
    /// Steps whose values were written, with the numbers of their journal records. [`Writer::settle_group`] reads these
    /// values again.
    made: Vec<(usize, Step)>,
    /// Steps whose values the kernel refused, perhaps because of another value of the group; they are tried once more
    /// after the whole group.
    failed: Vec<Step>,
    /// Contents of the files of the frequency group before the first of them was written; empty for other groups.
    noted: Vec<Noted>,
}

/// Content of a file before its group was written, with the number of its record in the journal.
#[derive(Clone, Debug)]
struct Noted {
    seq: usize,
    file: String,
    form: Form,
    old: String,
}

impl Writer<'_> {
    /// Announces all values of the frequency group before the first one is written: writing a governor resets other
    /// settings of its group, including settings that were not requested.
    fn note_group(&mut self, steps: &[Step]) -> Result<(), TuneError> {
        let is_to_do = |step: &Step| matches!(StepState::of(self.root, step), StepState::ToDo(_));
        if steps.first().is_none_or(|step| step.group != Group::Frequency) || !steps.iter().any(is_to_do) {
            return Ok(());
        }
        let (mut knobs, mut actions) = (Vec::new(), Vec::new());
        for knob in KNOBS.iter().filter(|knob| knob.group == Group::Frequency) {
            let files = |place: &'static KnobLocation| {
                place.files(self.root).into_iter().map(move |file| (place, file))
            };
            for (place, file) in knob.places.iter().flat_map(files) {
                // A value that cannot be read cannot be journaled, and so is not written either.
                let Ok(old) = self.root.read(&file) else { continue };
                let asked = steps.iter().find_map(|step| match &step.action {
                    Action::Write { file: other, want, .. } if *other == file => Some(want.clone()),
                    _ => None,
                });
                let want = asked.unwrap_or_else(|| place.form.value(&old));
                knobs.push(knob.name);
                actions.push(Action::Write { file, form: place.form, old, want });
            }
        }
        let seqs = self.journal.announce_all(Group::Frequency, knobs.into_iter().zip(&actions))?;
        self.noted = seqs
            .into_iter()
            .zip(actions)
            .filter_map(|(seq, action)| match action {
                Action::Write { file, form, old, .. } => Some(Noted { seq, file, form, old }),
                _ => None,
            })
            .collect();
        Ok(())
    }

    /// Makes one change, which is announced in the journal before and read back after, and returns its report. `None`
    /// for a snapshot of affinities, which changes nothing.
    fn step(&mut self, step: &Step) -> Result<Option<KnobChange>, TuneError> {
        let old = match StepState::of(self.root, step) {
            StepState::ToDo(old) => old,
            StepState::Already(value) => return self.already(step, value).map(Some),
            standing => return Ok(standing.told(step)),
        };
        match &step.action {
            Action::Write { file, form, want, .. } => {
                self.write(step, file, *form, want, old.unwrap_or_default()).map(Some)
            }
            Action::Folder { path, settings } => {
                let seq = self.announce(step, step.action.clone())?;
                let done = self.make_folder(path, settings);
                self.journal.got(seq, None)?;
                Ok(Some(made(step, done)))
            }
            Action::Move { from, to, only } => {
                let seq = self.announce(step, step.action.clone())?;
                let done = self.move_tasks(from, to, *only);
                self.journal.got(seq, None)?;
                Ok(Some(made(step, done)))
            }
            Action::Snapshot(planned) => {
                let snapshot = Snapshot::take(self.root, &planned.removed);
                self.announce(step, Action::Snapshot(snapshot))?;
                Ok(None)
            }
        }
    }

    fn announce(&mut self, step: &Step, action: Action) -> Result<usize, TuneError> {
        self.journal.announce(&step.knob, step.group, &action)
    }

    /// Reports a value that already was as requested, or became so when another value of its group was written.
    fn already(&mut self, step: &Step, value: String) -> Result<KnobChange, TuneError> {
        let noted = self.noted_of(step).map(|noted| (noted.seq, noted.form.value(&noted.old)));
        Ok(match noted.filter(|(_, before)| *before != value) {
            Some((seq, before)) => {
                self.made.push((seq, step.clone()));
                value_change(step, before, Some(value), KnobOutcome::Changed, None)
            }
            None => value_change(step, value.clone(), Some(value), KnobOutcome::Already, None),
        })
    }

    fn noted_of(&self, step: &Step) -> Option<&Noted> {
        let Action::Write { file, .. } = &step.action else { return None };
        self.noted.iter().find(|noted| noted.file == *file)
    }

    fn write(
        &mut self,
        step: &Step,
        file: &str,
        form: Form,
        want: &str,
        old: String,
    ) -> Result<KnobChange, TuneError> {
        let now = form.value(&old);
        let (seq, before) = match self.noted_of(step) {
            Some(noted) => (noted.seq, form.value(&noted.old)),
            None => {
                let action = Action::Write { file: file.to_owned(), form, old, want: want.to_owned() };
                (self.announce(step, action)?, now.clone())
            }
        };
        let written = self.root.write(file, want);
        let got = self.root.read(file).ok().map(|text| form.value(&text));
        // If the value cannot be read back, the journal gets no reading; a restoration then takes any value but the
        // original one for one that fauxplat wrote, and overwrites it.
        if got.is_some() {
            self.journal.got(seq, got.clone())?;
        }
        if written.is_err() && got.as_deref() == Some(now.as_str()) {
            // A value that was announced with its group stays in the journal until the whole group is restored.
            if self.noted_of(step).is_none() {
                self.journal.settle(vec![seq])?;
            }
            self.failed.push(step.clone());
        } else {
            self.made.push((seq, step.clone()));
        }
        let (outcome, reason) = match written {
            Err(error) => (outcome_of(&error), Some(why(&error))),
            Ok(()) if got.as_deref() == Some(want) => (KnobOutcome::Changed, None),
            Ok(()) => {
                (KnobOutcome::Clamped, Some("the kernel holds another value than was written".to_owned()))
            }
        };
        Ok(value_change(step, before, got, outcome, reason))
    }

    /// Retries the failed writes of a group and reads all its values again. Values of a group may depend on each other,
    /// so a refused value may be accepted now, and a later write may have changed an earlier value.
    fn settle_group(&mut self, steps: &[Step], changes: &mut [KnobChange]) -> Result<(), TuneError> {
        if steps.first().is_some_and(|step| step.group == Group::Frequency) {
            for step in std::mem::take(&mut self.failed) {
                if let Some(change) = self.step(&step)?
                    && let Some(told) = find(changes, &step)
                {
                    *told = change;
                }
            }
        }
        for (seq, step) in &self.made {
            let Action::Write { file, form, want, .. } = &step.action else { continue };
            let now = self.root.read(file).ok().map(|text| form.value(&text));
            let Some(told) = find(changes, step).filter(|told| told.after != now) else { continue };
            self.journal.got(*seq, now.clone())?;
            let holds = now.as_deref() == Some(want);
            told.outcome = if holds { KnobOutcome::Changed } else { KnobOutcome::Clamped };
            told.reason = (!holds).then(|| "another setting of the group changed it again".to_owned());
            told.after = now;
        }
        // Records how the writes affected values of the group that were announced but not written themselves.
        for Noted { seq, file, form, .. } in &self.noted {
            let now = self.root.read(file).ok().map(|text| form.value(&text));
            if now.is_some() && !self.made.iter().any(|(made, _)| made == seq) {
                self.journal.got(*seq, now)?;
            }
        }
        Ok(())
    }

    /// Creates a control group and its settings. A setting that the kernel ignores is found by reading it back.
    fn make_folder(&self, path: &str, settings: &[(String, String)]) -> io::Result<()> {
        std::fs::create_dir(self.root.join(path))?;
        for (name, value) in settings {
            let file = format!("{path}/{name}");
            self.root.write(&file, value)?;
            let got = self.root.value(&file).unwrap_or_default();
            if got != *value {
                return Err(io::Error::other(format!("{name} is `{got}` instead of `{value}`")));
            }
        }
        Ok(())
    }

    /// Moves the process `only` from one control group to another, or without `only` all tasks. All tasks are moved in
    /// several passes, since tasks may fork meanwhile; kernel threads, and tasks that the kernel refuses to move, stay.
    fn move_tasks(&self, from: &str, to: &str, only: Option<u32>) -> io::Result<()> {
        if let Some(pid) = only {
            return self.root.write(to, &pid.to_string());
        }
        let mut stay: Vec<String> = Vec::new();
        for _ in 0..ROUNDS {
            let listed = self.root.read_list(from);
            let movable = listed.split_whitespace().filter(|tid| !stay.iter().any(|other| other == tid));
            let movable: Vec<&str> = movable.collect();
            if movable.is_empty() {
                break;
            }
            for tid in movable {
                if is_kernels(self.root, tid) || self.root.write(to, tid).is_err() {
                    stay.push(tid.to_owned());
                }
            }
        }
        Ok(())
    }
}

/// Maximum number of passes over a list of tasks, which may grow while it is read.
const ROUNDS: usize = 10;

/// Returns whether a task is a kernel thread, which has no executable.
fn is_kernels(root: &Root, tid: &str) -> bool {
    root.join(&format!("proc/{tid}/exe")).read_link().is_err()
}

fn find<'a>(changes: &'a mut [KnobChange], step: &Step) -> Option<&'a mut KnobChange> {
    let target = step.action.target();
    changes.iter_mut().rev().find(|change| change.target == target && change.knob == step.knob)
}
