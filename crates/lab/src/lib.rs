//! Labs: published claims, tested on this machine. The crate finds labs, runs their experiments in a temporary
//! directory, and judges each claim.
//!
//! A lab is data: command lines of fauxplat, and pointers into their documents to the figures that are compared with
//! the claims. Running a lab runs those lines, and the caller provides the function that runs a line.

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

/// Describes a lab without running it, so that every outcome is `None`.
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
        course: lab.definition.course.clone(),
        expected_s: lab.definition.seconds,
        outcome: None,
        claim: lab.definition.claims[0].published.clone(),
        measured: None,
        reason: None,
        claims: lab.definition.claims.iter().map(claim).collect(),
        complete: true,
        story: page::story(&lab.readme),
        page: None,
        found_in: lab.found_in(),
        digest: None,
        experiments: Vec::new(),
    }
}

/// A function that runs a command line of fauxplat, given as its words with the program's name first.
pub type Perform<'a> = dyn Fn(&[String]) -> Result<(), Failure> + 'a;

/// A function that receives progress messages of one line: each experiment or round that begins, and the outcome of
/// each claim.
pub type Tell<'a> = dyn Fn(&str) + 'a;

/// Settings that all labs of a run share: a directory for documents, options, and functions that run a command line and
/// report progress.
pub struct Bench<'a> {
    /// Directory in which documents are kept; `None` if they are removed with the copy of the lab.
    keep: Option<PathBuf>,
    /// Current directory before the run, which is restored after each lab.
    home: PathBuf,
    /// Options that are added to every command line of fauxplat; their paths are absolute.
    options: Vec<String>,
    perform: &'a Perform<'a>,
    tell: &'a Tell<'a>,
}

impl<'a> Bench<'a> {
    /// Creates a bench that keeps documents in the directory `keep`, if one is named, and adds `options` to every
    /// command line of fauxplat.
    ///
    /// # Errors
    /// Fails if the directory cannot be created or the current directory is unknown.
    pub fn new(
        keep: Option<&Path>,
        options: Vec<String>,
        perform: &'a Perform<'a>,
        tell: &'a Tell<'a>,
    ) -> Result<Self, Failure> {
        let fail =
            |folder: &Path, error: std::io::Error| Failure::usage(format!("{}: {error}", folder.display()));
        let absolute = |path: &Path| std::path::absolute(path).map_err(|error| fail(path, error));
        let keep = keep.map(absolute).transpose()?;
        if let Some(folder) = &keep {
            fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
        }
        Ok(Bench { keep, home: std::env::current_dir().map_err(Failure::machine)?, options, perform, tell })
    }

    /// Runs a lab in a temporary directory, within its share of the time. `seed` draws the order of each round.
    ///
    /// # Errors
    /// Fails if the lab cannot be copied into a temporary directory, the user interrupts the run, or the disk is full.
    /// Errors of the lab itself are outcomes of its claims.
    pub fn run(&self, lab: &Lab, seed: u64, share: Share) -> Result<LabResult, Failure> {
        let folder = Workplace::make("lab", &std::env::temp_dir()).map_err(Failure::machine)?;
        let digest = Some(lab.digest()?);
        lab.unpack(folder.path())?;
        // Command lines of a lab name the lab's files relative to the current directory.
        std::env::set_current_dir(folder.path()).map_err(Failure::machine)?;
        let judged = Session { bench: self, lab, folder: folder.path(), share }.judged(seed);
        std::env::set_current_dir(&self.home).map_err(Failure::machine)?;
        Ok(LabResult { digest, ..judged? })
    }

    fn says(&self, lab: &Lab, what: &str) {
        (self.tell)(&format!("{}: {what}", lab.name));
    }

    /// Runs a command line of fauxplat and returns the JSON document that the line writes to `file`, or, as the inner
    /// error, the reason why this machine cannot run the line. A failed gate counts as success, since its document is
    /// complete.
    fn of_fauxplat(&self, mut line: Vec<String>, file: &Path) -> Result<Result<Value, String>, Failure> {
        let document = ["--format", "json", "--output", &file.display().to_string()].map(str::to_owned);
        // Words behind `--for` are another program's command line, so options go before `--for`.
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

    /// Path of an experiment's document. The name of an experiment may contain `/`, such as the path of an interpreter;
    /// the escape keeps different names apart.
    fn file(&self, lab: &Lab, one: &LabExperiment, folder: &Path, round: u32) -> PathBuf {
        let round = if lab.definition.rounds == 1 { String::new() } else { format!("-{}", round + 1) };
        let name = format!("{}{round}.json", one.name.replace('%', "%25").replace('/', "%2F"));
        match &self.keep {
            Some(keep) => keep.join(format!("{}-{name}", lab.name)),
            None => folder.join(name),
        }
    }
}
