//! `fauxplat lab`: published claims, tried here.
//!
//! A lab is data: command lines of fauxplat, and where in their documents the figures stand that are held against the
//! claims. Running one is running those lines.

use std::path::Path;

use fauxplat_experiment::{Driver, Failure, Machine};
use fauxplat_lab::{Bench, Lab, catalog, listed};
use fauxplat_model::document::Findings;
use fauxplat_model::{Definition, LabFindings, LabOutcome, LabResult};
use fauxplat_plan::LabSettings;
use fauxplat_report::Format;
use fauxplat_store::Url;

use crate::args::{Export, HyperfineExports, LabAction, LabArgs, LabRunArgs, OutputArgs};
use crate::begin::{beginning, conclude};
use crate::{inspection, output};

/// Lists, shows or runs labs.
pub(crate) fn lab(args: &LabArgs, invocation: &[String]) -> Result<(), Failure> {
    match &args.action {
        LabAction::List { output } => list(output, invocation),
        LabAction::Show { name, output } => show(name, output, invocation),
        LabAction::Run(args) => run(args, invocation),
    }
}

fn list(output: &OutputArgs, invocation: &[String]) -> Result<(), Failure> {
    let find = |name: &String| Ok(listed(&catalog::find(name, &LabSettings::new())?));
    let labs: Vec<LabResult> = catalog::names().iter().map(find).collect::<Result<_, Failure>>()?;
    if output.format != Format::Text {
        return report(LabFindings { labs, elapsed_s: 0.0 }, output, invocation);
    }
    let row = |lab: &LabResult| {
        vec![lab.name.clone(), lab.claims.len().to_string(), lab.found_in.clone(), lab.question.clone()]
    };
    let rows: Vec<Vec<String>> = labs.iter().map(row).collect();
    output::wide_table(&["lab", "claims", "found in", "question"], &rows, output)
}

fn show(name: &str, output: &OutputArgs, invocation: &[String]) -> Result<(), Failure> {
    let lab = catalog::find(name, &LabSettings::new())?;
    if output.format != Format::Text {
        return report(LabFindings { labs: vec![listed(&lab)], elapsed_s: 0.0 }, output, invocation);
    }
    output::lines(&shown(&lab), output)
}

/// What people are told about a lab.
fn shown(lab: &Lab) -> String {
    let definition = &lab.definition;
    let claims: Vec<String> =
        definition.claims.iter().map(|it| format!("- {}: {}\n", it.name, it.published.statement)).collect();
    let lines = definition.experiments.iter().map(|it| match (&it.line, &it.run) {
        (Some(line), _) => format!("    fauxplat {line}\n"),
        (None, run) => format!("    {}\n", run.as_deref().unwrap_or_default()),
    });
    let lines: Vec<String> = lines.collect();
    let options = definition.options.iter();
    let options: Vec<String> =
        options.map(|(name, it)| format!("    --set {name}={}   {}\n", it.default, it.about)).collect();
    let options = match options.is_empty() {
        true => String::new(),
        false => format!("\n## What may be set\n\n{}", options.concat()),
    };
    format!(
        "{}\n## What it claims\n\n{}\n## What it runs\n\n{}{options}\nFound in: {}\n",
        lab.readme,
        claims.concat(),
        lines.concat(),
        lab.found_in()
    )
}

fn report(found: LabFindings, output: &OutputArgs, invocation: &[String]) -> Result<(), Failure> {
    inspection::report(&inspection::header(Path::new("/"), invocation), &Findings::Lab(found), output)
}

fn run(args: &LabRunArgs, invocation: &[String]) -> Result<(), Failure> {
    let names = if args.all { catalog::names() } else { args.names.clone() };
    let settings = settings(&args.set)?;
    // Before the first lab, so that a mistake in the last name costs nothing.
    let labs: Vec<Lab> = names.iter().map(|name| catalog::find(name, &settings)).collect::<Result<_, _>>()?;
    known(&labs, &settings)?;
    let output = absolute(&args.output)?;
    let bench = Bench::new(args.keep.as_deref(), passed_on(&output), &crate::perform)?;
    let definition = Definition { seed: args.seed, ..Definition::default() };
    let beginning = beginning("lab", definition, Machine::here(), (&output, &args.end), invocation)?;
    let driver = Driver::of_workers(beginning)?;
    let mut results = Vec::new();
    let mut failed = None;
    for lab in &labs {
        match bench.run(lab, driver.header.seed) {
            Ok(result) => results.push(result),
            Err(failure) => {
                failed = Some(failure);
                break;
            }
        }
    }
    let gate = results.iter().find_map(missed).filter(|_| args.strict).map(Failure::gate);
    let elapsed_s = driver.elapsed_s();
    conclude(driver.finish(Findings::Lab(LabFindings { labs: results, elapsed_s }), failed), &output)?;
    gate.map_or(Ok(()), Err)
}

/// The options with paths that hold in every folder.
fn absolute(output: &OutputArgs) -> Result<OutputArgs, Failure> {
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
    };
    let mut output = output.clone();
    output.output = output.output.as_deref().map(absolute).transpose()?;
    let exports = output.exports().into_iter();
    output.export = exports
        .map(|export| Ok(Export { file: absolute(&export.file)?, ..export }))
        .collect::<Result<_, Failure>>()?;
    output.hyperfine = HyperfineExports::default();
    let is_path = |store: &Path| store.as_os_str() != "none" && !store.to_str().is_some_and(Url::is_one);
    if output.store.as_deref().is_some_and(is_path) {
        output.store = output.store.as_deref().map(absolute).transpose()?;
    }
    Ok(output)
}

/// The options that every line of a lab gets.
fn passed_on(output: &OutputArgs) -> Vec<String> {
    let store = output.store.iter().flat_map(|store| ["--store".to_owned(), store.display().to_string()]);
    store.chain(output.quiet.then(|| "--quiet".to_owned())).collect()
}

/// What `--strict` says of a lab of which a claim was not reproduced.
fn missed(lab: &LabResult) -> Option<String> {
    let claim = lab.claims.iter().find(|claim| claim.outcome != Some(LabOutcome::Reproduced))?;
    let words = claim.outcome.map_or("not run", LabOutcome::words);
    Some(format!("--strict: {}: {}: {words}", lab.name, claim.name))
}

/// `NAME=VALUE,VALUE…`, as often as it is given.
fn settings(given: &[String]) -> Result<LabSettings, Failure> {
    let one = |text: &String| {
        let (name, values) = text.split_once('=').unwrap_or((text, ""));
        let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
        match name.is_empty() || values.iter().any(String::is_empty) {
            true => Err(Failure::usage(format!("--set {text}: it takes NAME=VALUE, or NAME=VALUE,VALUE…"))),
            false => Ok((name.to_owned(), values)),
        }
    };
    given.iter().map(one).collect()
}

/// A setting that no lab knows is a mistake.
fn known(labs: &[Lab], settings: &LabSettings) -> Result<(), Failure> {
    let options = || labs.iter().flat_map(|lab| lab.definition.options.keys());
    let Some(name) = settings.keys().find(|name| !options().any(|known| known == *name)) else {
        return Ok(());
    };
    let known: Vec<&str> = options().map(String::as_str).collect();
    let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
    Err(Failure::usage(format!("--set {name}: what may be set here is {known}")))
}
