//! Stores the samples and the evidence of an experiment, in memory and in the store.

use fauxplat_model::document::{Findings, Header};
use fauxplat_model::{Command, Evidence, Sample};
use fauxplat_store::{Experiment, State, Store};

use serde_json::Value;

use crate::Failure;

#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) samples: Vec<Sample>,
    pub(crate) evidence: Vec<Evidence>,
    store: Option<Store>,
    experiment: Option<Experiment>,
    plans: Vec<Value>,
    stored: usize,
}

impl Recorder {
    pub(crate) fn new(store: Option<Store>) -> Self {
        Recorder { store, ..Recorder::default() }
    }

    pub(crate) fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    /// Begins the experiment in the store, if there is one. Called when the first run is about to begin, so that an
    /// earlier error leaves nothing behind.
    pub(crate) fn open(
        &mut self,
        header: &mut Header,
        kind: &'static str,
        commands: &[Command],
    ) -> Result<(), Failure> {
        if let Some(store) = self.store.as_ref().filter(|_| self.experiment.is_none()) {
            let experiment = store.begin(header, kind, commands)?;
            header.id = Some(experiment.id());
            header.uuid = Some(experiment.uuid().to_owned());
            self.experiment = Some(experiment);
        }
        Ok(())
    }

    pub(crate) fn plan(&mut self, plan: Value) -> Result<(), Failure> {
        self.plans.push(plan);
        match &self.experiment {
            Some(experiment) => Ok(experiment.set_plan(&self.plans)?),
            None => Ok(()),
        }
    }

    pub(crate) fn record(&mut self, evidence: Evidence) -> Result<&Evidence, Failure> {
        if let Some(experiment) = &mut self.experiment {
            experiment.record(&evidence)?;
        }
        Ok(self.evidence.push_mut(evidence))
    }

    /// The plans from which all trials were drawn, as a JSON list; `None` before the first plan.
    pub(crate) fn plans(&self) -> Option<Value> {
        (!self.plans.is_empty()).then(|| Value::from(self.plans.clone()))
    }

    pub(crate) fn keep(&mut self, sample: Sample) {
        self.samples.push(sample);
    }

    /// Stores the samples that were added since the last call, and returns them.
    pub(crate) fn land(&mut self) -> Result<&[Sample], Failure> {
        let fresh = &self.samples[self.stored..];
        if let Some(experiment) = &mut self.experiment
            && !fresh.is_empty()
        {
            experiment.append_all(fresh)?;
        }
        self.stored = self.samples.len();
        Ok(fresh)
    }

    pub(crate) fn finish(
        &mut self,
        header: &Header,
        findings: &Findings,
        state: State,
    ) -> Result<(), Failure> {
        match self.experiment.take() {
            Some(experiment) => Ok(experiment.finish(header, Some(findings), state).map(drop)?),
            None => Ok(()),
        }
    }
}
