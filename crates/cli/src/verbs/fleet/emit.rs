//! `fleet emit` and `fleet take`: what an engine needs that fauxplat does not talk to, and what came of it.

use fauxplat_experiment::Failure;
use fauxplat_fleet::kubernetes::{Manifest, is_label};
use fauxplat_fleet::{EngineOptions, RunFolder, Site, order_in, uuid};

use super::{plan, report, runs_folder};
use crate::output;
use fauxplat_options::{FleetEmitArgs, FleetTakeArgs};

/// The manifest of a job for Kubernetes.
pub(super) fn emit(args: &FleetEmitArgs) -> Result<(), Failure> {
    if !is_label(&args.job_name) {
        let why = "a name of Kubernetes has lower-case letters, digits and dashes, 63 at most";
        return Err(Failure::usage(format!("--job-name {:?}: {why}", args.job_name)));
    }
    let definition = plan::definition(&args.commands, &args.condition, args.runs, None)?;
    if plan::names(&definition)?.is_empty() {
        return Err(Failure::usage("there is no command to run"));
    }
    let order = plan::order(definition, false, &uuid()?)?;
    let words = ["node", "--framed", &args.job_name, "--order", &Site::packed(&order)?].map(str::to_owned);
    let manifest = Manifest {
        name: &args.job_name,
        image: &args.image,
        nodes: args.nodes,
        arguments: &words,
        selector: &args.node_label,
    };
    let text = serde_json::to_string_pretty(&manifest.document()).map_err(Failure::machine)?;
    output::lines(&(text + "\n"), &args.output)
}

/// Keeps the answers of such an engine as a run, and reports it.
pub(super) fn take(args: &FleetTakeArgs, invocation: &[String]) -> Result<(), Failure> {
    let order = order_in(&args.manifest)?;
    let compares = plan::names(&order.definition)?.len() == 2;
    let folder = RunFolder::make_of(&runs_folder(&args.place, &args.output)?, &order.fleet)?;
    let asked = plan::asked(order, "kubernetes", EngineOptions::default(), compares, invocation)?;
    fauxplat_fleet::take(&folder, asked, &args.files)?;
    report::of_folder(&folder, &args.output, invocation)
}
