//! Labs: published claims, tried here. Where they are found, and where they are run: their experiments in a folder of its
//! own, then the judgement of each claim.
//!
//! A lab is data: command lines of fauxplat, and where in their documents the figures stand that are held against the
//! claims. Running one is running those lines, so whoever runs one says how a line is performed.

pub mod catalog;
mod experiment;
mod figures;
mod needs;
mod pointer;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_analyze::{judge_claim, judge_lab};
use fauxplat_experiment::measure::cells_plan;
use fauxplat_experiment::{Failure, Kind};
use fauxplat_launch::words;
use fauxplat_model::{
    ClaimResult, LabClaim, LabDefinition, LabExperiment, LabOutcome, LabResult, LabRun, LabTable, Phase,
};
use fauxplat_plan::asked;
use serde_json::Value;

pub use catalog::Lab;
use figures::Mistake;

/// A lab as it is before it was run.
pub fn listed(lab: &Lab) -> LabResult {
    let claim = |claim: &LabClaim| ClaimResult {
        name: claim.name.clone(),
        outcome: None,
        claim: claim.published.clone(),
        measured: None,
        reason: None,
    };
    LabResult {
        name: lab.name.clone(),
        question: lab.definition.question.clone(),
        outcome: None,
        claim: lab.definition.claims[0].published.clone(),
        measured: None,
        reason: None,
        claims: lab.definition.claims.iter().map(claim).collect(),
        found_in: lab.found_in(),
        experiments: Vec::new(),
    }
}

/// How a line of fauxplat is performed: all its words, the program's name first.
pub type Perform<'a> = dyn Fn(&[String]) -> Result<(), Failure> + 'a;

/// Where labs are run.
pub struct Bench<'a> {
    keep: Option<PathBuf>,
    home: PathBuf,
    /// Options that every line gets; their paths hold in every folder.
    options: Vec<String>,
    perform: &'a Perform<'a>,
}

/// What the experiments of a lab came to, by their names.
#[derive(Default)]
struct Trials {
    runs: Vec<LabRun>,
    /// One document per round.
    documents: BTreeMap<String, Vec<Value>>,
    /// Why one of them is impossible here.
    missing: BTreeMap<String, String>,
}

impl<'a> Bench<'a> {
    /// A bench that keeps documents in a folder, if one is named, and gives these options to every line of fauxplat.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn new(keep: Option<&Path>, options: Vec<String>, perform: &'a Perform<'a>) -> Result<Self, Failure> {
        let fail =
            |folder: &Path, error: std::io::Error| Failure::usage(format!("{}: {error}", folder.display()));
        let absolute = |path: &Path| std::path::absolute(path).map_err(|error| fail(path, error));
        let keep = keep.map(absolute).transpose()?;
        if let Some(folder) = &keep {
            fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
        }
        Ok(Bench { keep, home: std::env::current_dir().map_err(Failure::machine)?, options, perform })
    }

    /// Runs one lab in a folder of its own, with a seed for the order of its rounds.
    ///
    /// # Errors
    /// An experiment failed for another reason than the machine's, or the user interrupted it.
    pub fn run(&self, lab: &Lab, seed: u64) -> Result<LabResult, Failure> {
        let folder = tempfile::Builder::new().prefix("fauxplat-lab-").tempdir().map_err(Failure::machine)?;
        lab.unpack(folder.path())?;
        // Builds and programs of the lab name its files without a path.
        std::env::set_current_dir(folder.path()).map_err(Failure::machine)?;
        let judged = self.judged(lab, folder.path(), seed);
        std::env::set_current_dir(&self.home).map_err(Failure::machine)?;
        judged
    }

    fn judged(&self, lab: &Lab, folder: &Path, seed: u64) -> Result<LabResult, Failure> {
        let claims = &lab.definition.claims;
        let mut missing = claims_missing(&lab.definition);
        if missing.iter().any(Option::is_none)
            && let Some(reason) = experiment::prepare(lab)?
        {
            missing = vec![Some(reason); claims.len()];
        }
        let wanted = wanted(&lab.definition, &missing);
        let trials = self.trials(lab, &wanted, folder, seed)?;
        let judge = |(claim, missing): (&LabClaim, Option<String>)| {
            let mistake = |why| Failure::command(format!("lab {}, claim {}: {why}", lab.name, claim.name));
            trials.judge(claim, missing).map_err(mistake)
        };
        let results = claims.iter().zip(missing).map(judge).collect::<Result<Vec<ClaimResult>, Failure>>()?;
        let (outcome, reason, deciding) = judge_lab(&results);
        Ok(LabResult {
            outcome: Some(outcome),
            reason: Some(reason),
            claim: results[deciding].claim.clone(),
            measured: results[deciding].measured,
            claims: results,
            experiments: trials.runs,
            ..listed(lab)
        })
    }

    /// Runs the experiments that some claim waits for, in rounds.
    fn trials(
        &self,
        lab: &Lab,
        wanted: &[&LabExperiment],
        folder: &Path,
        seed: u64,
    ) -> Result<Trials, Failure> {
        let mut trials = Trials::default();
        for round in 0..lab.definition.rounds {
            for one in order(wanted, lab.definition.rounds, round, seed) {
                if trials.missing.contains_key(&one.name) {
                    continue;
                }
                let file = self.file(lab, one, folder, round);
                match self.document(lab, one, &file)? {
                    Ok(document) => trials.add(one, document),
                    Err(reason) => drop(trials.missing.insert(one.name.clone(), reason)),
                }
            }
        }
        // As the lab has them, however the rounds were drawn.
        trials.runs.sort_by_key(|run| wanted.iter().position(|one| one.name == run.name));
        Ok(trials)
    }

    /// The document of an experiment, or what is missing for it.
    fn document(
        &self,
        lab: &Lab,
        one: &LabExperiment,
        file: &Path,
    ) -> Result<Result<Value, String>, Failure> {
        experiment::perform(lab, one, file, &|line| self.of_fauxplat(line, file))
    }

    /// One command line of fauxplat, whose document goes to a file.
    fn of_fauxplat(&self, line: &str, file: &Path) -> Result<Result<Value, String>, Failure> {
        let mut line = words::split(line)?;
        let document = ["--format", "json", "--output", &file.display().to_string()].map(str::to_owned);
        // Everything behind `--for` is the command of `tune`.
        let end = line.iter().position(|word| word == "--for").unwrap_or(line.len());
        line.splice(end..end, document.into_iter().chain(self.options.iter().cloned()));
        line.insert(0, "fauxplat".to_owned());
        match (self.perform)(&line) {
            Err(failure) if failure.kind() == Kind::Machine => return Ok(Err(failure.to_string())),
            Err(failure) if failure.kind() != Kind::Gate => return Err(failure),
            _ => {}
        }
        let fail = |error: &dyn std::fmt::Display| Failure::machine(format!("{}: {error}", file.display()));
        let text = fs::read_to_string(file).map_err(|error| fail(&error))?;
        serde_json::from_str(&text).map(Ok).map_err(|error| fail(&error))
    }

    /// Where the document of an experiment goes. A name may hold the path of an interpreter, and two names have two files.
    fn file(&self, lab: &Lab, one: &LabExperiment, folder: &Path, round: u32) -> PathBuf {
        let round = if lab.definition.rounds == 1 { String::new() } else { format!("-{}", round + 1) };
        let name = format!("{}{round}.json", one.name.replace('%', "%25").replace('/', "%2F"));
        match &self.keep {
            Some(keep) => keep.join(format!("{}-{name}", lab.name)),
            None => folder.join(name),
        }
    }
}

/// What each claim lacks before anything was run.
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

/// The experiments that claims ask for of which nothing is missing.
fn wanted<'l>(lab: &'l LabDefinition, missing: &[Option<String>]) -> Vec<&'l LabExperiment> {
    let open = || lab.claims.iter().zip(missing).filter(|(_, missing)| missing.is_none());
    lab.experiments
        .iter()
        .filter(|one| open().any(|(claim, _)| asked(claim).contains(&one.name.as_str())))
        .collect()
}

/// The order of a round: drawn, unless there is only one.
fn order<'l>(wanted: &[&'l LabExperiment], rounds: u32, round: u32, seed: u64) -> Vec<&'l LabExperiment> {
    if rounds == 1 {
        return wanted.to_vec();
    }
    let all: Vec<u16> = (0..wanted.len() as u16).collect();
    let visit = cells_plan(wanted.len(), seed).visit(round, &all, Phase::Measured);
    visit.into_iter().map(|trial| wanted[usize::from(trial.command)]).collect()
}

impl Trials {
    fn add(&mut self, one: &LabExperiment, document: Value) {
        let id = document["id"].as_i64().filter(|_| one.line.is_some());
        let table = serde_json::from_value::<LabTable>(document["table"].clone()).ok();
        match self.runs.iter_mut().find(|run| run.name == one.name) {
            Some(run) => run.ids.extend(id),
            None => self.runs.push(LabRun {
                name: one.name.clone(),
                line: one.line.as_ref().or(one.run.as_ref()).cloned().unwrap_or_default(),
                shell: one.run.is_some(),
                id,
                ids: id.into_iter().collect(),
                table: table.filter(|_| one.run.is_some()),
            }),
        }
        self.documents.entry(one.name.clone()).or_default().push(document);
    }

    /// What comes of a claim, of which something may be missing from the start.
    ///
    /// # Errors
    /// It looks where no document of its experiments has anything: that says nothing about this machine.
    fn judge(&self, claim: &LabClaim, missing: Option<String>) -> Result<ClaimResult, Mistake> {
        let gone = || asked(claim).into_iter().find_map(|name| self.missing.get(name).cloned());
        let result = ClaimResult {
            name: claim.name.clone(),
            outcome: Some(LabOutcome::CannotRunHere),
            claim: claim.published.clone(),
            measured: None,
            reason: missing.or_else(gone),
        };
        if result.reason.is_some() {
            return Ok(result);
        }
        let documents = |name: &str| self.documents.get(name).map_or(&[][..], Vec::as_slice);
        let figure =
            claim.measured.as_ref().map(|measure| figures::figure(measure, &documents)).transpose()?;
        let (outcome, reason) = judge_claim(claim, figure.as_ref(), &figures::found(claim, &documents)?);
        let measured = figure.and_then(Result::ok);
        Ok(ClaimResult { outcome: Some(outcome), measured, reason: Some(reason), ..result })
    }
}
