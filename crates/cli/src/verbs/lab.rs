//! `fauxplat lab`: published claims, tried here.
//!
//! A lab is data: command lines of fauxplat, and where in their documents the figure stands that is held against the claim.
//! Running one is running those lines.

use std::fs;
use std::path::{Path, PathBuf};

use fauxplat_analyze::{Found, judge_lab};
use fauxplat_launch::{Capture, words};
use fauxplat_model::document::Findings;
use fauxplat_model::{
    Condition, LabDefinition, LabExperiment, LabFindings, LabMeasured, LabOutcome, LabResult, LabRun, Plain,
};
use fauxplat_report::Format;
use fauxplat_sys::signal;
use serde_json::Value;

use crate::args::{LabAction, LabArgs, OutputArgs};
use crate::failure::{self, Failure};
use crate::shelf::{self, Lab};
use crate::workshop::Workshop;
use crate::{inspection, output};

/// Lists, shows or runs labs.
pub(crate) fn lab(args: &LabArgs, invocation: &[String]) -> Result<(), Failure> {
    match &args.action {
        LabAction::List { output } => list(output, invocation),
        LabAction::Show { name, output } => show(name, output, invocation),
        LabAction::Run { names, all, strict, keep, output } => {
            let names = if *all { shelf::names() } else { names.clone() };
            run(&names, *strict, keep.as_deref(), output, invocation)
        }
    }
}

fn list(output: &OutputArgs, invocation: &[String]) -> Result<(), Failure> {
    let labs: Vec<LabResult> =
        shelf::names().iter().map(|name| Ok(listed(&shelf::find(name)?))).collect::<Result<_, Failure>>()?;
    if output.format != Format::Text {
        return report(LabFindings { labs, elapsed_s: 0.0 }, output, invocation);
    }
    let row = |lab: &LabResult| {
        let published = format!("{} … {} {}", lab.claim.low, lab.claim.high, lab.claim.unit);
        vec![lab.name.clone(), lab.question.clone(), published, lab.found_in.clone()]
    };
    let rows: Vec<Vec<String>> = labs.iter().map(row).collect();
    output::table(&["lab", "question", "published", "found in"], &rows, output)
}

fn show(name: &str, output: &OutputArgs, invocation: &[String]) -> Result<(), Failure> {
    let lab = shelf::find(name)?;
    if output.format != Format::Text {
        return report(LabFindings { labs: vec![listed(&lab)], elapsed_s: 0.0 }, output, invocation);
    }
    let lines: Vec<String> =
        lab.definition.experiments.iter().map(|it| format!("    fauxplat {}\n", it.line)).collect();
    let text =
        format!("{}\n## What it runs\n\n{}\nFound in: {}\n", lab.readme, lines.concat(), lab.found_in());
    output::lines(&text, output)
}

/// A lab as it is before it was run.
fn listed(lab: &Lab) -> LabResult {
    LabResult {
        name: lab.name.clone(),
        question: lab.definition.question.clone(),
        outcome: None,
        claim: lab.definition.claim.clone(),
        measured: None,
        reason: None,
        found_in: lab.found_in(),
        experiments: Vec::new(),
    }
}

fn report(found: LabFindings, output: &OutputArgs, invocation: &[String]) -> Result<(), Failure> {
    inspection::report(&inspection::header(Path::new("/"), invocation), &Findings::Lab(found), output)
}

fn run(
    names: &[String],
    strict: bool,
    keep: Option<&Path>,
    output: &OutputArgs,
    invocation: &[String],
) -> Result<(), Failure> {
    // Before the first lab, so that a mistake in the last name costs nothing.
    let labs: Vec<Lab> = names.iter().map(|name| shelf::find(name)).collect::<Result<_, _>>()?;
    let bench = Bench::new(keep, output)?;
    let workshop = Workshop::begin("lab", Condition::default(), None, &bench.output, invocation)?;
    let mut results = Vec::new();
    for lab in &labs {
        results.push(bench.run(lab)?);
    }
    let missed = results.iter().find(|lab| lab.outcome != Some(LabOutcome::Reproduced));
    let gate = missed.filter(|_| strict).map(|lab| {
        let words = lab.outcome.map_or("not run", LabOutcome::words);
        Failure::gate(format!("--strict: {}: {words}", lab.name))
    });
    let elapsed_s = workshop.elapsed_s();
    workshop.finish(&Findings::Lab(LabFindings { labs: results, elapsed_s }))?;
    gate.map_or(Ok(()), Err)
}

/// Where labs are run.
struct Bench {
    /// The options with paths that hold in every folder.
    output: OutputArgs,
    keep: Option<PathBuf>,
    home: PathBuf,
}

/// What the experiments of a lab came to.
struct Trials {
    runs: Vec<LabRun>,
    documents: Vec<Value>,
    /// Why one of them is impossible here.
    missing: Option<String>,
}

impl Bench {
    fn new(keep: Option<&Path>, output: &OutputArgs) -> Result<Self, Failure> {
        let absolute = |path: &Path| {
            std::path::absolute(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
        };
        let mut output = output.clone();
        output.output = output.output.as_deref().map(absolute).transpose()?;
        if output.store.as_deref().is_some_and(|store| store.as_os_str() != "none") {
            output.store = output.store.as_deref().map(absolute).transpose()?;
        }
        let keep = keep.map(absolute).transpose()?;
        if let Some(folder) = &keep {
            fs::create_dir_all(folder)
                .map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))?;
        }
        Ok(Bench { output, keep, home: std::env::current_dir().map_err(Failure::machine)? })
    }

    /// Runs one lab in a folder of its own.
    fn run(&self, lab: &Lab) -> Result<LabResult, Failure> {
        if let Some(reason) = missing(&lab.definition) {
            return Ok(LabResult {
                outcome: Some(LabOutcome::CannotRunHere),
                reason: Some(reason),
                ..listed(lab)
            });
        }
        let folder = tempfile::Builder::new().prefix("fauxplat-lab-").tempdir().map_err(Failure::machine)?;
        lab.unpack(folder.path())?;
        // Builds and programs of the lab name its files without a path.
        std::env::set_current_dir(folder.path()).map_err(Failure::machine)?;
        let trials = self.trials(lab, folder.path());
        std::env::set_current_dir(&self.home).map_err(Failure::machine)?;
        let trials = trials?;
        let result = LabResult { experiments: trials.runs.clone(), ..listed(lab) };
        if let Some(reason) = trials.missing {
            return Ok(LabResult {
                outcome: Some(LabOutcome::CannotRunHere),
                reason: Some(reason),
                ..result
            });
        }
        let document = |name: &str| {
            lab.definition.experiments.iter().position(|it| it.name == name).map(|at| &trials.documents[at])
        };
        let measured = measured(&lab.definition, document);
        let found: Vec<Found> = lab
            .definition
            .checks
            .iter()
            .map(|check| plain(document(&check.experiment)?.pointer(&check.pointer)?))
            .collect();
        let (outcome, reason) = judge_lab(&lab.definition, measured, &found);
        Ok(LabResult { outcome: Some(outcome), measured, reason: Some(reason), ..result })
    }

    fn trials(&self, lab: &Lab, folder: &Path) -> Result<Trials, Failure> {
        let mut trials = Trials { runs: Vec::new(), documents: Vec::new(), missing: prepare(lab)? };
        if trials.missing.is_some() {
            return Ok(trials);
        }
        for experiment in &lab.definition.experiments {
            let file = match &self.keep {
                Some(keep) => keep.join(format!("{}-{}.json", lab.name, experiment.name)),
                None => folder.join(format!("{}.json", experiment.name)),
            };
            match self.experiment(experiment, &file) {
                Err(failure) if failure.code() == failure::MACHINE && !signal::stop_requested() => {
                    trials.missing = Some(failure.to_string());
                    break;
                }
                Err(failure) if failure.code() != failure::GATE => return Err(failure),
                _ => {}
            }
            if signal::stop_requested() {
                return Err(Failure::machine(format!("lab {}: interrupted", lab.name)));
            }
            let document = document(&file)?;
            let id = document["id"].as_i64();
            trials.runs.push(LabRun { name: experiment.name.clone(), line: experiment.line.clone(), id });
            trials.documents.push(document);
        }
        Ok(trials)
    }

    /// One command line of fauxplat, whose document goes to a file.
    fn experiment(&self, experiment: &LabExperiment, file: &Path) -> Result<(), Failure> {
        let mut line = vec!["fauxplat".to_owned()];
        line.extend(words::split(&experiment.line)?);
        let file = file.display().to_string();
        line.extend(["--format", "json", "--output", &file].map(str::to_owned));
        if let Some(store) = &self.output.store {
            line.extend(["--store".to_owned(), store.display().to_string()]);
        }
        if self.output.quiet {
            line.push("--quiet".to_owned());
        }
        crate::perform(&line)
    }
}

/// What the lab needs and this machine does not have.
fn missing(definition: &LabDefinition) -> Option<String> {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/bin:/usr/bin".to_owned());
    let absent = |program: &&String| words::find_program(program, Path::new("/"), &path).is_err();
    let program = definition.needs.iter().find(absent)?;
    Some(format!("it needs the program `{program}`, which is not in PATH"))
}

/// A line of `prepare` that ends with this status has found that the lab cannot run here, and its last line says why.
const CANNOT_RUN_HERE: i32 = 77;

/// Makes the subject, in a shell that finds the original folder of the lab in `LAB_FOLDER`; empty for a built-in one.
/// What is missing for it, if anything is.
fn prepare(lab: &Lab) -> Result<Option<String>, Failure> {
    let folder = lab.folder().map_or_else(String::new, |folder| folder.display().to_string());
    for line in &lab.definition.prepare {
        let env_set = vec![("LAB_FOLDER".to_owned(), folder.clone())];
        let done = Capture { env_set, ..Capture::shell(line) }.run()?;
        let said = String::from_utf8_lossy(&done.output);
        match done.outcome.exit_status() {
            0 => {}
            CANNOT_RUN_HERE => {
                let reason = said.lines().next_back().unwrap_or("its preparation did not say why");
                return Ok(Some(reason.to_owned()));
            }
            status => {
                said.lines().for_each(output::quote);
                return Err(Failure::command(format!(
                    "lab {}: `{line}` ended with status {status}",
                    lab.name
                )));
            }
        }
    }
    Ok(None)
}

fn document(file: &Path) -> Result<Value, Failure> {
    let fail = |error: &dyn std::fmt::Display| Failure::machine(format!("{}: {error}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| fail(&error))?;
    serde_json::from_str(&text).map_err(|error| fail(&error))
}

/// The figure of a lab, where its document has it.
fn measured<'a>(
    definition: &LabDefinition,
    document: impl Fn(&str) -> Option<&'a Value>,
) -> Option<LabMeasured> {
    let measure = &definition.measured;
    let document = document(&measure.experiment)?;
    let number = |pointer: &str| document.pointer(pointer)?.as_f64();
    Some(LabMeasured {
        value: number(&measure.value)?,
        low: number(&measure.low)?,
        high: number(&measure.high)?,
    })
}

/// A value of a document, if it is a plain one.
fn plain(value: &Value) -> Found {
    match value {
        Value::Bool(truth) => Some(Plain::Truth(*truth)),
        Value::Number(number) => number.as_f64().map(Plain::Number),
        Value::String(text) => Some(Plain::Text(text.clone())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
