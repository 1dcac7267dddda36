//! Expedites RCU grace periods while CPUs are brought back online.
//!
//! A CPU comes online through states that wait until every RCU reader has finished, which usually takes 25 ms and
//! sometimes 50. With `rcu_expedited` the kernel interrupts each CPU instead, which disturbs all CPUs during that time
//! and takes half as long (`rcupdate.rcu_expedited` in `Documentation/admin-guide/kernel-parameters.txt`). The setting
//! is a change of the machine like any other: announced in the journal first, and undone by the next fauxplat if this
//! process is killed. If it cannot be announced, it is not made, and CPUs come back at the usual speed.

use fauxplat_model::{KnobChange, KnobOutcome};

use crate::Root;
use crate::changes::Action;
use crate::journal::{Journal, Story};
use crate::knob::{Form, Group};
use crate::knobs::HURRY as FILE;
use crate::undo::why;

const KNOB: &str = "rcu-expedited";

/// The expedited state: original value of `rcu_expedited`, and the number of the change in the journal.
pub(crate) struct Hurry {
    seq: usize,
    old: String,
}

impl Hurry {
    /// Sets `rcu_expedited` if the restoration brings CPUs back online, the kernel has the setting, and the journal can
    /// record it; `None` otherwise.
    pub(crate) fn begin(root: &Root, journal: &mut Journal, story: &Story) -> Option<Self> {
        let old = root.read(FILE).unwrap_or_default();
        // `story.cut`: a record that is appended to an incomplete one would become a part of it.
        if !brings_cpus_back(story) || story.cut.is_some() || old.trim() != "0" {
            return None;
        }
        let action = Action::Write {
            file: FILE.to_owned(),
            form: Form::Plain,
            old: old.clone(),
            want: "1".to_owned(),
        };
        let seq = journal.note(KNOB, Group::Tasks, &action, story).ok()?;
        // Without permission, the setting stays off and the CPUs come back at the usual speed.
        let _without_right = root.write(FILE, "1");
        Some(Hurry { seq, old })
    }

    /// Writes the original value back. Returns a report if the kernel refuses that; the journal then still announces
    /// the change.
    pub(crate) fn end(self, root: &Root, journal: &mut Journal) -> Option<KnobChange> {
        let written = root.write(FILE, &self.old);
        let now = root.read(FILE).ok();
        if now.as_ref() == Some(&self.old) {
            // The original value is restored, whether or not this record can be written.
            let _unheard = journal.settle(vec![self.seq]);
            return None;
        }
        let reason =
            written.map_or_else(|error| why(&error), |()| "the kernel holds another value".to_owned());
        Some(KnobChange {
            knob: KNOB.to_owned(),
            target: format!("/{FILE}"),
            wanted: self.old.trim().to_owned(),
            after: now.map(|text| text.trim().to_owned()),
            outcome: KnobOutcome::Refused,
            reason: Some(reason),
            ..KnobChange::default()
        })
    }
}

fn brings_cpus_back(story: &Story) -> bool {
    story.entries.iter().any(|entry| match &entry.action {
        Action::Write { file, .. } => {
            entry.group == Group::Tasks && file.starts_with("sys/devices/system/cpu/")
        }
        _ => false,
    })
}
