//! `fleet emit` and `fleet take`: writes files for engines that fauxplat cannot talk to, and imports the answers that
//! these collected.

use fauxplat_experiment::Failure;
use fauxplat_fleet::kubernetes::{Manifest, RoundManifest, is_label};
use fauxplat_fleet::{EngineOptions, RunFolder, Site, order_in, round_in, uuid};
use fauxplat_model::document::Findings;

use super::found::{findings, gathered};
use super::{chosen, found, made_runs_folder, plan, report};
use crate::output;
use fauxplat_options::{FleetEmitArgs, FleetTakeArgs};

/// Writes the manifest of a Kubernetes job that measures on the nodes of a cluster.
pub(super) fn emit(args: &FleetEmitArgs) -> Result<(), Failure> {
    if !is_label(&args.job_name) {
        let why = "a name of Kubernetes has lower-case letters, digits and dashes, 63 at most";
        return Err(Failure::usage(format!("--job-name {:?}: {why}", args.job_name)));
    }
    if let Some(round) = args.round {
        return emit_round(args, round);
    }
    let definition = plan::definition(&args.commands, &args.condition, args.runs, None)?;
    one_or_two(&plan::names(&definition)?)?;
    let order = plan::order(definition, false, &uuid()?)?;
    let words = ["node", "--framed", &args.job_name, "--order", &Site::packed(&order)?].map(str::to_owned);
    let manifest = Manifest {
        name: &args.job_name,
        image: &args.image,
        nodes: args.nodes.unwrap_or(1),
        arguments: &words,
        selector: &args.node_label,
    };
    let text = serde_json::to_string_pretty(&manifest.document()).map_err(Failure::machine)?;
    output::lines(&(text + "\n"), &args.output)
}

/// Writes the manifest of a Kubernetes job for one round in which suspects are measured again.
fn emit_round(args: &FleetEmitArgs, round: u32) -> Result<(), Failure> {
    let folder = chosen(args.of.as_ref(), &args.place, &args.output)?;
    let asked = found::asked(&folder)?;
    if asked.on != "kubernetes" {
        let why = format!(
            "the run {} was carried out by {}, not by kubernetes: resume it there (--resume)",
            folder.id(),
            asked.on
        );
        return Err(Failure::usage(why));
    }
    let evidence = gathered(&folder, &asked)?;
    let planned = match (&evidence.again, findings(&asked, &evidence)) {
        (Some(again), _) => Some(again.clone()),
        (None, Findings::Fleet(found)) => found.again,
        _ => None,
    };
    let again = planned.filter(|again| !again.rounds.is_empty());
    let again = again.ok_or_else(|| Failure::usage("no machine is to be measured again"))?;
    let nodes = again.rounds.get(round as usize - 1).ok_or_else(|| {
        Failure::usage(format!(
            "--round {round}: suspects are measured again in {} rounds only",
            again.rounds.len()
        ))
    })?;
    fauxplat_fleet::settle(&folder, &again)?;
    let order = Site::packed(&asked.order)?;
    let manifest = RoundManifest { name: &args.job_name, image: &args.image, round, nodes, order: &order };
    let text = serde_json::to_string_pretty(&manifest.document()).map_err(Failure::machine)?;
    output::lines(&(text + "\n"), &args.output)
}

/// Imports the answers that an engine without a connection to fauxplat has collected as a run, and reports the run.
pub(super) fn take(args: &FleetTakeArgs, invocation: &[String]) -> Result<(), Failure> {
    let (order, completions) = order_in(&args.manifest)?;
    let names = plan::names(&order.definition)?;
    one_or_two(&names)?;
    let round = round_in(&args.manifest)?;
    if round > 0 {
        let folder = chosen(Some(&order.fleet), &args.place, &args.output)?;
        fauxplat_fleet::take_round(&folder, &found::asked(&folder)?, round, &args.files)?;
        return report::of_folder(&folder, &args.gate.fail_if, &args.output, invocation);
    }
    let folder = RunFolder::make_of(&made_runs_folder(&args.place, &args.output)?, &order.fleet)?;
    let keep = || {
        let mut asked =
            plan::asked(order, "kubernetes", EngineOptions::default(), names.len() == 2, invocation)?;
        asked.completions = completions;
        Ok(fauxplat_fleet::take(&folder, asked, &args.files)?)
    };
    let kept: Result<_, Failure> = keep();
    if kept.is_err() {
        // The folder is removed, so that a second attempt with corrected file names makes the same run again.
        let _gone = std::fs::remove_dir_all(folder.path());
    }
    kept?;
    report::of_folder(&folder, &args.gate.fail_if, &args.output, invocation)
}

/// Refuses other numbers of commands than one or two: a report is about one command, or compares two.
fn one_or_two(names: &[String]) -> Result<(), Failure> {
    match names.len() {
        0 => Err(Failure::usage("there is no command to run")),
        1 | 2 => Ok(()),
        more => Err(Failure::usage(format!("a fleet runs one command or compares two, and here are {more}"))),
    }
}
