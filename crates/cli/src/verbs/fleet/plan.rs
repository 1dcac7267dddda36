//! Turns the command line of `fleet` into the order that each machine carries out.

use std::path::PathBuf;

use fauxplat_experiment::Failure;
use fauxplat_fleet::{Asked, EngineOptions};
use fauxplat_model::{Definition, Metric, NodeOrder, NodePlan, Output, PrintedSource, Runs, Shell};
use fauxplat_sys::clock;

use fauxplat_options::define;
use fauxplat_options::{CommandArgs, ConditionArgs, EngineArgs};

/// The definition that the options describe. It contains nothing that depends on this machine: relations between CPUs,
/// programs and files are resolved on each node.
pub(super) fn definition(
    commands: &CommandArgs,
    condition: &ConditionArgs,
    runs: Option<Runs>,
    metric: Option<Metric>,
) -> Result<Definition, Failure> {
    let lab = of_lab(commands)?;
    let mut definition = define::unresolved(lab.as_ref().unwrap_or(commands), condition)?;
    let default = if lab.is_some() { Runs::Count(RUNS_OF_LAB) } else { definition.runs };
    definition.runs = runs.unwrap_or(default);
    let printed = definition.printed.first().map(|source| source.name.clone());
    let decides = || match (&commands.definition, printed) {
        // The metric of a saved definition is kept.
        (Some(_), _) | (None, None) => definition.rule.metric,
        (None, Some(name)) => Metric::from_id(&format!("printed:{name}")).unwrap_or(definition.rule.metric),
    };
    definition.rule.metric = metric.unwrap_or_else(decides);
    definition.rule.renew();
    if definition.condition.output == Output::Inherit {
        return Err(Failure::usage(
            "machines of a fleet send figures and no output: --stdout FILE keeps it on each of them, in the place of \
             --show-output or --stdout inherit",
        ));
    }
    for line in fauxplat_plan::expand(&definition).map_err(Failure::usage)? {
        if definition.condition.shell == Shell::None {
            // A line that no shell reads can be checked before it goes to a thousand machines.
            fauxplat_launch::words::split(&line.command)?;
        }
    }
    Ok(definition)
}

/// Number of runs of a lab on each node: few, since a lab repeats its measurements itself and takes long.
const RUNS_OF_LAB: u32 = 3;

/// The command line for `lab:NAME`, which makes the measuring program on the node run the lab itself. The metric is the
/// lab's figure for its deciding claim.
fn of_lab(commands: &CommandArgs) -> Result<Option<CommandArgs>, Failure> {
    let [only] = commands.commands.as_slice() else { return Ok(None) };
    let Some(name) = only.strip_prefix("lab:") else { return Ok(None) };
    // An unknown lab is refused here, before a thousand machines would refuse it.
    fauxplat_lab::catalog::find(name, &fauxplat_plan::LabSettings::new())?;
    let line = format!("/proc/self/exe lab run {name} --quiet --store none --format json");
    let metric = "lab=/labs/0/measured/value".parse::<PrintedSource>().map_err(Failure::usage)?;
    let metric_from =
        if commands.metric_from.is_empty() { vec![metric] } else { commands.metric_from.clone() };
    let command_name = vec![commands.command_name.first().unwrap_or(only).clone()];
    Ok(Some(CommandArgs { commands: vec![line], metric_from, command_name, ..commands.clone() }))
}

/// Names of the commands, with parameters filled in.
pub(super) fn names(definition: &Definition) -> Result<Vec<String>, Failure> {
    let expanded = fauxplat_plan::expand(definition).map_err(Failure::usage)?;
    Ok(expanded.into_iter().map(|line| line.name).collect())
}

pub(super) fn order(definition: Definition, no_answers: bool, id: &str) -> Result<NodeOrder, Failure> {
    let seed = definition.seed.unwrap_or_else(clock::fresh_seed);
    // The hash that identifies a definition does not include the seed, so that runs of one definition are recognised.
    let asked = Definition { seed: None, ..definition };
    let text = serde_json::to_string(&asked).map_err(Failure::usage)?;
    // Output that contains a number to be measured differs from run to run, so it has no checksum to compare.
    let answers = !no_answers && asked.printed.is_empty();
    Ok(NodeOrder {
        schema: NodeOrder::SCHEMA.to_owned(),
        fauxplat_version: env!("CARGO_PKG_VERSION").to_owned(),
        fleet: id.to_owned(),
        plan: NodePlan { definition_sha256: fauxplat_model::sha256(&text), seed },
        definition: asked,
        answers,
        ..NodeOrder::default()
    })
}

/// The description of a new run over the fleet, as the folder of the run stores it.
pub(super) fn asked(
    order: NodeOrder,
    on: &str,
    options: EngineOptions,
    compares: bool,
    invocation: &[String],
) -> Result<Asked, Failure> {
    Ok(Asked {
        schema: Asked::SCHEMA.to_owned(),
        started: clock::now_rfc3339(),
        on: on.to_owned(),
        options,
        commands: names(&order.definition)?,
        order,
        compares,
        invocation: invocation.to_vec(),
        // A path that is not UTF-8 cannot be written into a schedule for later runs.
        cwd: std::env::current_dir().ok().and_then(|folder| Some(folder.to_str()?.to_owned())),
        ..Asked::default()
    })
}

/// Options for the engine that starts jobs on the machines. Refuses options that the engine named by `--on` does not
/// have.
pub(super) fn options(args: &EngineArgs) -> Result<EngineOptions, Failure> {
    let on = args.on.as_deref().unwrap_or_default();
    let of_slurm = [
        (args.licence.is_some(), "--licence"),
        (args.shared, "--shared"),
        (args.job_minutes.is_some(), "--job-minutes"),
    ];
    let is_slurm = on == "slurm" || on.starts_with("slurm:");
    if let Some((_, option)) = of_slurm.iter().find(|(is_given, _)| *is_given && !is_slurm) {
        return Err(Failure::usage(format!("{option} is for --on slurm, and {on} has nothing like it")));
    }
    if is_slurm && args.at_once.is_some() {
        return Err(Failure::usage(
            "--at-once: Slurm decides when a job begins; a licence (--licence NAME:COUNT) limits it",
        ));
    }
    if on.starts_with("local:") && args.program_there.is_some() {
        return Err(Failure::usage(format!(
            "--program-there: the nodes of {on} are processes of this very program; leave it out"
        )));
    }
    // A run may be resumed from another folder, so paths are absolute.
    let absolute = |(arch, path): &(String, PathBuf)| Ok((arch.clone(), std::path::absolute(path)?));
    let programs: std::io::Result<_> = args.program.iter().map(absolute).collect();
    Ok(EngineOptions {
        licence: args.licence.clone(),
        shared: args.shared,
        at_once: args.at_once,
        limit_minutes: args.job_minutes,
        programs: programs.map_err(Failure::machine)?,
        program_there: args.program_there.clone(),
    })
}
