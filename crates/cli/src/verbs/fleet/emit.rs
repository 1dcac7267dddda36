//! `fleet emit`: what an engine needs that fauxplat does not talk to.

use fauxplat_experiment::Failure;
use fauxplat_fleet::Site;
use fauxplat_fleet::kubernetes::{Manifest, is_label};

use super::plan;
use crate::args::FleetEmitArgs;
use crate::output;

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
    let order = plan::order(definition, false, &args.job_name)?;
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
