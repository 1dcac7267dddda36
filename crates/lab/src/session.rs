//! Execution of a lab, from its experiments to the judgement of its claims.

use std::path::Path;

use fauxplat_analyze::judge_lab;
use fauxplat_experiment::measure::cells_plan;
use fauxplat_experiment::{Failure, Kind};
use fauxplat_launch::words;
use fauxplat_model::{ClaimResult, LabClaim, LabDefinition, LabExperiment, LabOutcome, LabResult, Phase};
use fauxplat_plan::{asked, consulted};
use fauxplat_sys::signal;

use crate::experiment::INTERRUPTED;
use crate::share::ROUNDS_MIN;
use crate::trials::{Gap, Trials};
use crate::{Bench, Lab, Share, experiment, listed, needs};

pub(crate) struct Session<'a> {
    pub(crate) bench: &'a Bench<'a>,
    pub(crate) lab: &'a Lab,
    pub(crate) folder: &'a Path,
    pub(crate) share: Share,
}

impl Session<'_> {
    pub(crate) fn judged(&self, seed: u64) -> Result<LabResult, Failure> {
        let definition = &self.lab.definition;
        let gaps = self.gaps()?;
        let trials = self.trials(&wanted(definition, &gaps), seed)?;
        let results: Vec<ClaimResult> =
            definition.claims.iter().zip(gaps).map(|(claim, gap)| trials.judge(claim, gap)).collect();
        for one in &results {
            let words = one.outcome.map_or("not run", LabOutcome::words);
            self.bench.says(self.lab, &format!("{}: {words}", one.name));
        }
        let (outcome, reason, deciding) = judge_lab(&results);
        Ok(LabResult {
            outcome: Some(outcome),
            reason: Some(reason),
            claim: results[deciding].claim.clone(),
            measured: results[deciding].measured,
            claims: results,
            complete: !trials.is_late(),
            experiments: trials.runs,
            ..listed(self.lab)
        })
    }

    /// For each claim the reason why it cannot be judged, if that is known before any experiment runs: a missing
    /// requirement, or a measured program that cannot be built. `None` otherwise.
    fn gaps(&self) -> Result<Vec<Option<Gap>>, Failure> {
        let missing = claims_missing(&self.lab.definition);
        let gaps = missing.into_iter().map(|why| why.map(Gap::Missing)).collect::<Vec<_>>();
        if gaps.iter().all(Option::is_some) {
            return Ok(gaps);
        }
        let gap = match experiment::prepare(self.lab) {
            Ok(None) => return Ok(gaps),
            Ok(Some(reason)) => Gap::Missing(reason),
            Err(failure) => broken(failure)?,
        };
        Ok(vec![Some(gap); gaps.len()])
    }

    /// Runs the experiments of `wanted`, round by round, and returns their documents.
    fn trials(&self, wanted: &[&LabExperiment], seed: u64) -> Result<Trials, Failure> {
        let mut trials = Trials::default();
        let rounds = self.lab.definition.rounds;
        for round in 0..rounds {
            if self.share.ends_before(round) {
                break;
            }
            if rounds > 1 {
                self.bench.says(self.lab, &format!("round {} of {rounds} …", round + 1));
            }
            let order = order(wanted, rounds, round, seed);
            for (at, one) in order.iter().enumerate() {
                if !trials.has_gap(one) {
                    self.visit(one, round, order.len() - at, &mut trials)?;
                }
            }
        }
        // Reports show experiments in the order of the lab, not in the drawn order of the rounds.
        trials.runs.sort_by_key(|run| wanted.iter().position(|one| one.name == run.name));
        Ok(trials)
    }

    /// Runs an experiment. `to_run` experiments of the round are still to be run, the present experiment included.
    fn visit(
        &self,
        one: &LabExperiment,
        round: u32,
        to_run: usize,
        trials: &mut Trials,
    ) -> Result<(), Failure> {
        // Rounds beyond those that suffice for an interval have no time limit: [`Share::ends_before`] begins none that
        // would be late, and a round must be whole, since figures are paired within it.
        let share = if round < ROUNDS_MIN { self.share.for_one_of(to_run) } else { Share::unlimited() };
        let interrupted = || signal::stop_requested().then(|| INTERRUPTED.to_owned());
        if let Some(why) = interrupted().or(share.over()) {
            trials.lack(one, Gap::Late(why));
            return Ok(());
        }
        let file = self.bench.file(self.lab, one, self.folder, round);
        if self.lab.definition.rounds == 1 {
            self.bench.says(self.lab, &format!("experiment `{}` …", one.name));
        }
        let of_fauxplat = |line: &str| {
            let mut line = words::split(line)?;
            share.limit(&mut line);
            self.bench.of_fauxplat(line, &file)
        };
        match experiment::perform(self.lab, one, &file, share, &of_fauxplat) {
            Ok(Ok(document)) => trials.add(one, document),
            // An experiment that cannot run after its time ended or after an interrupt counts as late: the time limit
            // or the interrupt is the cause.
            Ok(Err(reason)) if share.over().is_some() || signal::stop_requested() => {
                trials.lack(one, Gap::Late(reason))
            }
            Ok(Err(reason)) => trials.lack(one, Gap::Missing(reason)),
            Err(failure) => trials.lack(one, broken(failure)?),
        }
        Ok(())
    }
}

/// Makes an error of the lab of a failure, with the first line of the program's output.
///
/// # Errors
/// Returns the failure if the lab is not at fault: the user interrupted it, or the disk is full.
fn broken(failure: Failure) -> Result<Gap, Failure> {
    match failure.kind() {
        Kind::Machine => Err(failure),
        _ => {
            let said = failure.output().iter().find(|line| !line.trim().is_empty());
            let said = said.map_or_else(String::new, |line| format!(": {}", line.trim()));
            Ok(Gap::Broken(format!("{failure}{said}")))
        }
    }
}

/// The missing requirement of each claim before anything is run; `None` if all requirements are met.
fn claims_missing(lab: &LabDefinition) -> Vec<Option<String>> {
    let all = needs::missing(&lab.needs);
    let of_experiment = |name: &str| {
        lab.experiments.iter().find(|one| one.name == name).and_then(|one| needs::missing(&one.needs))
    };
    let of_claim = |claim: &LabClaim| {
        needs::missing(&claim.needs).or_else(|| asked(claim).into_iter().find_map(of_experiment))
    };
    lab.claims.iter().map(|claim| all.clone().or_else(|| of_claim(claim))).collect()
}

/// The experiments that claims without missing requirements need. An experiment with a missing requirement is left out:
/// claims need it only to explain their outcome.
fn wanted<'l>(lab: &'l LabDefinition, gaps: &[Option<Gap>]) -> Vec<&'l LabExperiment> {
    let open = || lab.claims.iter().zip(gaps).filter(|(_, gap)| gap.is_none());
    lab.experiments
        .iter()
        .filter(|one| open().any(|(claim, _)| consulted(claim).contains(&one.name.as_str())))
        .filter(|one| needs::missing(&one.needs).is_none())
        .collect()
}

/// The order of the experiments in a round: random, unless there is a single round.
fn order<'l>(wanted: &[&'l LabExperiment], rounds: u32, round: u32, seed: u64) -> Vec<&'l LabExperiment> {
    if rounds == 1 {
        return wanted.to_vec();
    }
    let all: Vec<u16> = (0..wanted.len() as u16).collect();
    let visit = cells_plan(wanted.len(), seed).visit(round, &all, Phase::Measured);
    visit.into_iter().map(|trial| wanted[usize::from(trial.command)]).collect()
}
