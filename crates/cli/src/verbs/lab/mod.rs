//! `fauxplat lab`: published claims, tried here.
//!
//! A lab is a file with command lines of fauxplat, the published claims, and the places of the measured figures in the
//! JSON documents that the command lines produce. To run a lab is to run its command lines.

mod course;
mod run;

use std::path::Path;

use fauxplat_analyze::lab_pairs;
use fauxplat_experiment::Failure;
use fauxplat_lab::{Lab, catalog, check, create, listed, record};
use fauxplat_model::document::Findings;
use fauxplat_model::{LabComparison, LabFindings, LabResult};
use fauxplat_plan::LabSettings;
use fauxplat_report::Format;

use crate::{inspection, output};
use fauxplat_options::{LabAction, LabArgs, OutputArgs};

pub(crate) fn lab(args: &LabArgs, invocation: &[String]) -> Result<(), Failure> {
    match &args.action {
        LabAction::List { course, output } => list(*course, output, invocation),
        LabAction::Show { name, output } => show(name, output, invocation),
        LabAction::Run(args) => run::run(args, invocation),
        LabAction::Compare { a, b, output } => compare(a, b, output, invocation),
        LabAction::Check { names } => checked(names),
        LabAction::New { name } => new(name),
    }
}

fn list(is_course: bool, output: &OutputArgs, invocation: &[String]) -> Result<(), Failure> {
    let find = |name: &String| Ok(listed(&catalog::find(name, &LabSettings::new())?));
    let labs: Vec<LabResult> = catalog::names().iter().map(find).collect::<Result<_, Failure>>()?;
    let labs = if is_course { course::in_order(labs) } else { labs };
    if output.format != Format::Text {
        return report(LabFindings { labs, elapsed_s: 0.0 }, output, invocation);
    }
    if is_course {
        return course::table(&labs, output);
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

fn compare(a: &Path, b: &Path, output: &OutputArgs, invocation: &[String]) -> Result<(), Failure> {
    let (first, second) = (record::read(a)?, record::read(b)?);
    let found = LabComparison {
        claims: lab_pairs(&first.findings.labs, &second.findings.labs),
        a: first.facts(a),
        b: second.facts(b),
    };
    inspection::report(
        &inspection::header(Path::new("/"), invocation),
        &Findings::LabCompare(Box::new(found)),
        output,
    )
}

/// The names of the requested labs, in which `all` stands for every listed lab.
fn meant(names: &[String]) -> Vec<String> {
    if names.iter().any(|name| name == "all") { catalog::names() } else { names.to_vec() }
}

/// Checks the files of labs without measuring anything, and lists what is missing in each of them.
fn checked(names: &[String]) -> Result<(), Failure> {
    let (mut lines, mut lacking) = (Vec::new(), 0);
    for name in meant(names) {
        let lab = catalog::find(&name, &LabSettings::new())?;
        let found = check(&lab);
        lacking += usize::from(!found.complaints.is_empty());
        let word = if found.complaints.is_empty() { "in order" } else { "incomplete" };
        let counts = format!("{} claims on {} made-up machines", found.claims, found.machines);
        lines.push(format!("{}: {word}: {counts}", lab.name));
        lines.extend(found.complaints.iter().map(|complaint| format!("  {complaint}")));
    }
    output::names(&lines)?;
    match lacking {
        0 => Ok(()),
        count => {
            Err(Failure::gate(format!("lab check: {count} of the labs above break rules of docs/labs.md")))
        }
    }
}

fn new(folder: &Path) -> Result<(), Failure> {
    create(folder)?;
    let path = if folder.components().count() > 1 { "" } else { "./" };
    let place = format!("{path}{}", folder.display());
    output::names(&[
        format!("{place}: lab.toml, outcomes.toml, README.md and a subject that runs"),
        format!("  fauxplat lab check {place}"),
        format!("  fauxplat lab run {place}"),
    ])
}
