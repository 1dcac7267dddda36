//! Documents of a lab's experiments, and the outcomes of its claims.

use std::collections::BTreeMap;

use fauxplat_analyze::judge_claim;
use fauxplat_model::{ClaimResult, LabClaim, LabDrawing, LabExperiment, LabOutcome, LabRun, LabTable};
use fauxplat_plan::asked;
use serde_json::Value;

use crate::figures::{self, Mistake};

/// Why a claim cannot be judged, or an experiment has no document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// A requirement is missing on this machine.
    Missing(String),
    /// The lab's share of the time ended, or the user interrupted the run, before the experiment was measured.
    Late(String),
    /// The lab itself has an error, such as a program that does not compile.
    Broken(String),
}

#[derive(Default)]
pub(crate) struct Trials {
    pub(crate) runs: Vec<LabRun>,
    /// Documents of each experiment by name, one per round.
    documents: BTreeMap<String, Vec<Value>>,
    /// Reasons why experiments have no documents, by name of the experiment.
    gaps: BTreeMap<String, Gap>,
}

impl Trials {
    pub(crate) fn add(&mut self, one: &LabExperiment, document: Value) {
        let id = document["id"].as_i64().filter(|_| one.line.is_some());
        let table = serde_json::from_value::<LabTable>(document["table"].clone()).ok();
        let drawing = serde_json::from_value::<LabDrawing>(document["drawing"].clone()).ok();
        match self.runs.iter_mut().find(|run| run.name == one.name) {
            Some(run) => run.ids.extend(id),
            None => self.runs.push(LabRun {
                name: one.name.clone(),
                line: one.line.as_ref().or(one.run.as_ref()).cloned().unwrap_or_default(),
                shell: one.run.is_some(),
                id,
                ids: id.into_iter().collect(),
                table: table.filter(|_| one.run.is_some()),
                drawing: drawing.filter(|_| one.run.is_some()),
            }),
        }
        self.documents.entry(one.name.clone()).or_default().push(document);
    }

    /// Supplies the documents of an experiment that is not run: those of a made-up machine.
    pub(crate) fn give(&mut self, experiment: &str, documents: Vec<Value>) {
        self.documents.insert(experiment.to_owned(), documents);
    }

    pub(crate) fn lack(&mut self, one: &LabExperiment, gap: Gap) {
        self.gaps.insert(one.name.clone(), gap);
    }

    pub(crate) fn has_gap(&self, one: &LabExperiment) -> bool {
        self.gaps.contains_key(&one.name)
    }

    pub(crate) fn is_late(&self) -> bool {
        self.gaps.values().any(|gap| matches!(gap, Gap::Late(_)))
    }

    /// Judges a claim. `gap` is a requirement that was missing before any experiment ran.
    pub(crate) fn judge(&self, claim: &LabClaim, gap: Option<Gap>) -> ClaimResult {
        let result = ClaimResult {
            name: claim.name.clone(),
            outcome: None,
            claim: claim.published.clone(),
            measured: None,
            reason: None,
        };
        let gap = gap.or_else(|| asked(claim).into_iter().find_map(|name| self.gaps.get(name).cloned()));
        let with = |outcome, reason, measured| ClaimResult {
            outcome: Some(outcome),
            reason: Some(reason),
            measured,
            ..result
        };
        match gap.map_or_else(|| self.judged(claim).map_err(Gap::Broken), Err) {
            Ok((outcome, reason, measured)) => with(outcome, reason, measured),
            Err(Gap::Missing(why) | Gap::Late(why)) => with(LabOutcome::CannotRunHere, why, None),
            Err(Gap::Broken(why)) => with(LabOutcome::Error, why, None),
        }
    }

    /// Returns the outcome of a claim, the reason for the outcome, and the figure that was measured, if there is one.
    ///
    /// # Errors
    /// Fails if a pointer of the claim names a place that no document of its experiments can have, so that nothing is
    /// known about this machine.
    fn judged(
        &self,
        claim: &LabClaim,
    ) -> Result<(LabOutcome, String, Option<fauxplat_model::LabMeasured>), Mistake> {
        let documents = |name: &str| self.documents.get(name).map_or(&[][..], Vec::as_slice);
        let figure =
            claim.measured.as_ref().map(|measure| figures::figure(measure, &documents)).transpose()?;
        let (found, grounds) = (figures::found(claim, &documents)?, figures::grounds(claim, &documents)?);
        let disturbed = figures::disturbed(claim, &documents)?;
        let (outcome, reason) = judge_claim(claim, figure.as_ref(), &found, [&grounds, &disturbed]);
        Ok((outcome, reason, figure.and_then(Result::ok)))
    }
}
