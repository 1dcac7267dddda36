//! Stores the samples and the evidence of an experiment, in memory and in the store.
//!
//! A store that refuses something while the experiment goes on neither ends nor delays it. No attempt waits for a lock:
//! the samples stay in memory, and the next samples are the next occasion. After any other refusal nothing more is
//! stored until the end, when everything that is missing is stored in its order, if possible.

use fauxplat_model::document::{Findings, Header};
use fauxplat_model::{Command, Evidence, Sample};
use fauxplat_store::{Experiment, State, Store, StoreError, without_waiting};

use serde_json::Value;

use crate::Failure;

/// Maximum number of samples that are stored in one transaction.
const AT_ONCE: usize = 1000;

#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) samples: Vec<Sample>,
    pub(crate) evidence: Vec<Evidence>,
    store: Option<Store>,
    experiment: Option<Experiment>,
    plans: Vec<Value>,
    /// Number of samples that [`Recorder::land`] has handed to the store and returned for the listeners.
    landed: usize,
    /// For each piece of evidence, the value of `landed` when the evidence came.
    landed_before: Vec<usize>,
    stored: Stored,
    /// Why the store refused something; `None` as long as it took everything.
    refused: Option<StoreError>,
    /// Whether the experiment goes on even if it cannot be begun in the store.
    is_store_optional: bool,
    /// Whether a command has been run, so that the experiment goes on where the disk has become full since then.
    has_run: bool,
}

/// Numbers of plans, pieces of evidence and samples in the store.
#[derive(Debug, Default)]
struct Stored {
    plans: usize,
    evidence: usize,
    samples: usize,
}

impl Recorder {
    pub(crate) fn new(store: Option<Store>) -> Self {
        Recorder { store, ..Recorder::default() }
    }

    pub(crate) fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// Lets the experiment go on even if it cannot be begun in the store.
    pub(crate) fn do_without_store(&mut self) {
        self.is_store_optional = true;
    }

    /// Notes that a command has been run before the experiment is begun in the store: traced, or held.
    pub(crate) fn note_run(&mut self) {
        self.has_run = true;
    }

    /// Begins the experiment in the store, if there is one. Called when the first trial is about to begin, so that an
    /// earlier error leaves nothing behind. A disk that untimed runs and what prepares them have filled ends nothing.
    pub(crate) fn open(
        &mut self,
        header: &mut Header,
        kind: &'static str,
        commands: &[Command],
    ) -> Result<(), Failure> {
        let is_open = self.experiment.is_some() || self.refused.is_some();
        if let Some(store) = self.store.as_ref().filter(|_| !is_open) {
            let experiment = match store.begin(header, kind, commands) {
                Ok(experiment) => experiment,
                Err(error) if self.is_store_optional || self.has_run && is_full(&error) => {
                    self.refused = Some(error);
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            };
            header.id = Some(experiment.id());
            header.uuid = Some(experiment.uuid().to_owned());
            self.experiment = Some(experiment);
        }
        Ok(())
    }

    pub(crate) fn plan(&mut self, plan: Value) {
        self.plans.push(plan);
        self.store_new();
    }

    pub(crate) fn record(&mut self, evidence: Evidence) -> &Evidence {
        self.landed_before.push(self.landed);
        self.evidence.push(evidence);
        self.store_new();
        &self.evidence[self.evidence.len() - 1]
    }

    /// The plans from which all trials were drawn, as a JSON list; `None` before the first plan.
    pub(crate) fn plans(&self) -> Option<Value> {
        (!self.plans.is_empty()).then(|| Value::from(self.plans.clone()))
    }

    pub(crate) fn keep(&mut self, sample: Sample) {
        self.samples.push(sample);
    }

    /// Stores the samples that were added since the last call, and returns them.
    pub(crate) fn land(&mut self) -> &[Sample] {
        let before = std::mem::replace(&mut self.landed, self.samples.len());
        self.store_new();
        &self.samples[before..]
    }

    /// Stores what the store lacks, without waiting for a lock, unless the store has refused something for another
    /// reason than a lock.
    fn store_new(&mut self) {
        if self.experiment.is_some() && self.refused.as_ref().is_none_or(is_lock) {
            self.refused = without_waiting(|| self.catch_up()).err();
        }
    }

    /// Stores everything that the store lacks, in the order in which it came.
    fn catch_up(&mut self) -> Result<(), StoreError> {
        let Some(experiment) = &mut self.experiment else { return Ok(()) };
        let (samples, stored) = (&self.samples, &mut self.stored);
        if stored.plans < self.plans.len() {
            experiment.set_plan(&self.plans)?;
            stored.plans = self.plans.len();
        }
        while let Some(evidence) = self.evidence.get(stored.evidence) {
            append(experiment, samples, &mut stored.samples, self.landed_before[stored.evidence])?;
            experiment.record(evidence)?;
            stored.evidence += 1;
        }
        append(experiment, samples, &mut stored.samples, self.landed)
    }

    /// Stores at the end what the store refused before.
    ///
    /// # Errors
    /// Returns the store's error if something is still missing in the store.
    pub(crate) fn complete(&mut self) -> Result<(), Failure> {
        let is_begun = self.experiment.is_some();
        if self.refused.is_some() && is_begun {
            self.refused = self.catch_up().err();
        }
        let Some(error) = &self.refused else { return Ok(()) };
        let kept = match (is_begun, self.evidence.len()) {
            (false, _) => "nothing".to_owned(),
            (true, 0) => format!("{} of {} runs", self.stored.samples, self.samples.len()),
            (true, pieces) => {
                let (kept, all) = (self.stored.samples + self.stored.evidence, self.samples.len() + pieces);
                format!("{kept} of {all} runs and other pieces of evidence")
            }
        };
        Err(Failure::not_stored(error, &kept))
    }

    /// Stores the findings. An experiment that lacks something because of a lock stays without them: each attempt would
    /// wait for the lock again.
    pub(crate) fn finish(
        &mut self,
        header: &Header,
        findings: &Findings,
        state: State,
    ) -> Result<(), Failure> {
        let is_locked = self.refused.as_ref().is_some_and(is_lock);
        match self.experiment.take() {
            Some(experiment) if !is_locked => {
                Ok(experiment.finish(header, Some(findings), state).map(drop)?)
            }
            _ => Ok(()),
        }
    }
}

/// Whether the store refused something because another process had locked it.
fn is_lock(error: &StoreError) -> bool {
    matches!(error, StoreError::Busy { .. } | StoreError::BusyAtStop { .. })
}

/// Whether the disk has no room for what was to be stored.
fn is_full(error: &StoreError) -> bool {
    matches!(error, StoreError::DiskFull { .. } | StoreError::Io { .. })
}

/// Appends samples to an experiment that has `stored` of them, until it has `until`.
fn append(
    experiment: &mut Experiment,
    samples: &[Sample],
    stored: &mut usize,
    until: usize,
) -> Result<(), StoreError> {
    while *stored < until {
        let next = until.min(*stored + AT_ONCE);
        experiment.append_all(&samples[*stored..next])?;
        *stored = next;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use fauxplat_model::Readings;

    use super::*;

    /// Another process that locks the store for a while costs no sample, and the store has all of them again before the
    /// experiment ends.
    #[test]
    fn a_locked_store_is_tried_again_with_the_next_samples() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.sqlite");
        let mut recorder = Recorder::new(Some(Store::open(&path).unwrap()));
        assert!(recorder.open(&mut Header::default(), "run", &[]).is_ok());
        let other = rusqlite::Connection::open(&path).unwrap();
        let mut land = |until: usize| {
            while recorder.samples.len() < until {
                recorder.keep(Sample::of(Readings::none()));
                assert_eq!(recorder.land().len(), 1);
            }
            (recorder.stored.samples, recorder.refused.is_some())
        };
        assert_eq!(land(1), (1, false));
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        assert_eq!(land(4), (1, true));
        other.execute_batch("ROLLBACK").unwrap();
        assert_eq!(land(5), (5, false));
    }
}
