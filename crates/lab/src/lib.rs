//! Labs: published claims, tried here. Where they are found, and where they are run: their experiments in a folder of its
//! own, then the judgement of each claim.
//!
//! A lab is data: command lines of fauxplat, and where in their documents the figures stand that are held against the
//! claims. Running one is running those lines, so whoever runs one says how a line is performed.

pub mod catalog;
mod check;
mod digest;
mod experiment;
mod figures;
mod made_up;
mod needs;
mod new;
mod page;
mod pointer;
pub mod record;
mod session;
mod share;
mod trials;

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_experiment::{Failure, Kind};
use fauxplat_model::{ClaimResult, LabClaim, LabExperiment, LabResult};
use fauxplat_sys::workplace::Workplace;
use serde_json::Value;

pub use catalog::Lab;
pub use check::{Checked, check};
pub use new::create;
use session::Session;
pub use share::Share;

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
        complete: true,
        story: page::story(&lab.readme),
        found_in: lab.found_in(),
        digest: None,
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

    /// Runs one lab in a folder of its own, with a seed for the order of its rounds, within its share of the time.
    ///
    /// # Errors
    /// There is no folder to run it in, or the user interrupted it. What is wrong with the lab is an outcome of its claims.
    pub fn run(&self, lab: &Lab, seed: u64, share: Share) -> Result<LabResult, Failure> {
        let folder = Workplace::make("lab", &std::env::temp_dir()).map_err(Failure::machine)?;
        let digest = Some(lab.digest()?);
        lab.unpack(folder.path())?;
        // Builds and programs of the lab name its files without a path.
        std::env::set_current_dir(folder.path()).map_err(Failure::machine)?;
        let judged = Session { bench: self, lab, folder: folder.path(), share }.judged(seed);
        std::env::set_current_dir(&self.home).map_err(Failure::machine)?;
        Ok(LabResult { digest, ..judged? })
    }

    /// One command line of fauxplat, whose document goes to a file.
    fn of_fauxplat(&self, mut line: Vec<String>, file: &Path) -> Result<Result<Value, String>, Failure> {
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
