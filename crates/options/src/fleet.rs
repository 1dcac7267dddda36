//! Options of `fleet` and `node`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use fauxplat_model::{Every, FleetGate, Metric, Runs};
use fauxplat_units::Nanos;

use super::compare::metric;
use super::help::{after, after_fleet};
use super::output::{Changed, Emitted, Kept, Listed, OfFleetPairs, OfFleets, Output, Watched};
use super::{CommandArgs, ConditionArgs, EndArgs, some_time};

const EXAMPLES: &str = "\
  fauxplat fleet run --on local:2 -r 5 'sha256sum access.log'
  fauxplat fleet run --on slurm:compute --licence meas './program input'
  fauxplat fleet run --on ssh:@rack7 './program input'
  fauxplat fleet run --on slurm --fail-if confirmed,missing,unreached './program input'
  fauxplat fleet report --format html --output fleet.html";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct FleetArgs {
    #[command(subcommand)]
    pub action: FleetAction,
}

#[derive(Debug, Subcommand)]
pub enum FleetAction {
    /// Measure one command on every machine, and suspected machines again
    Run(FleetRunArgs),
    /// Compare two commands on every machine; each machine counts once
    Compare(FleetCompareArgs),
    /// What a run found, in any format
    #[command(after_help = after_fleet("fauxplat fleet report\n  fauxplat fleet report 3f2a --format json"))]
    Report(FleetReportArgs),
    /// What changed over the stored runs, and how to repeat them on a schedule
    #[command(after_help = after_fleet("fauxplat fleet watch --fail-if changed\n  fauxplat fleet watch --every day"))]
    Watch(FleetWatchArgs),
    /// List the stored runs
    #[command(after_help = after("fauxplat fleet list"))]
    List {
        #[command(flatten)]
        place: FleetPlaceArgs,
        #[command(flatten)]
        output: Output<Listed>,
    },
    /// Facts in which machines of a run differ, and those that changed since the run before
    #[command(after_help = after("fauxplat fleet facts\n  fauxplat fleet facts 3f2a --format json"))]
    Facts {
        /// The run: its id, the beginning of it, or its folder [default: the latest]
        #[arg(value_name = "ID|FOLDER")]
        run: Option<String>,
        #[command(flatten)]
        place: FleetPlaceArgs,
        #[command(flatten)]
        output: Output<Listed>,
    },
    /// Remove stored runs
    #[command(after_help = after("fauxplat fleet rm 3f2a"))]
    Rm {
        /// The runs: their ids, the beginnings of them, or their folders
        #[arg(value_name = "ID|FOLDER", required = true)]
        runs: Vec<String>,
        #[command(flatten)]
        place: FleetPlaceArgs,
        #[command(flatten)]
        output: Output<Changed>,
    },
    /// Write files with which another system, such as Kubernetes, carries a run out
    #[command(after_help = after("fauxplat fleet emit kubernetes --image registry/fauxplat:1 --nodes 20 './program'\n  fauxplat fleet emit kubernetes --image registry/fauxplat:1 --round 1"))]
    Emit(FleetEmitArgs),
    /// Store answers that were collected in another way, such as logs of pods, as a run
    #[command(after_help = after_fleet("fauxplat fleet take manifest.json logs/*.log"))]
    Take(FleetTakeArgs),
}

// Options for the folder that holds runs.
#[derive(Clone, Debug, Default, Args)]
pub struct FleetPlaceArgs {
    /// The folder that holds a folder for each run; for Slurm one that nodes share, if there is one [default: `fleet` beside
    /// the store]
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

// Gates of the verbs of fleets.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Fleet")]
pub struct FleetGateArgs {
    /// Fail with exit code 1 if some machine is confirmed, suspect, wrong-answer, missing (asked, and no figure came),
    /// unreached (it could not be asked), uncompared (none has its hardware), changed (over the runs of this definition that
    /// are kept), or if there is a notice (too fast, runs that scatter, a number of runs, a fact) or a setting by which
    /// slowness is explained
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub fail_if: Vec<FleetGate>,
}

/// Options that are fixed when a run begins and are therefore refused together with `--resume`.
const SETTLED: &str = "\
    on licence shared at_once job_minutes program program_there no_answers commands command_name names \
    parameters scan step setup prepare conclude cleanup warmup tables metric_from counters regions \
    control definition seed cpu pin_threads policy nice aslr env env_pad heap memory_policy interleave \
    stdin stdout cwd timeout keep_background show_output shell ignore_failure skip_failures simulated simulate_machine \
    load tune limit runs metric";

// Options for the engine and the machines.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Fleet")]
pub struct EngineArgs {
    /// Who carries it to the machines: slurm or slurm:PARTITION (a job per node), ssh:INVENTORY (clush, pdsh or ansible,
    /// whichever is installed; their names may stand in the place of ssh), local:N (N processes here, to try it out).
    /// INVENTORY is names such as n[1-9], a group such as @all, or a file
    #[arg(long, value_name = "ENGINE", required_unless_present = "resume")]
    pub on: Option<String>,
    /// Go on with an interrupted run under its first options, and ask machines without an answer once more (see fleet
    /// list)
    #[arg(long, value_name = "ID", conflicts_with_all = SETTLED.split_whitespace())]
    pub resume: Option<String>,
    /// A licence of Slurm that every measurement takes, so that machines with a shared resource take turns (NAME or
    /// NAME:COUNT)
    #[arg(long, value_name = "NAME")]
    pub licence: Option<String>,
    /// Let Slurm run other jobs on a node beside a measurement
    #[arg(long)]
    pub shared: bool,
    /// Most machines that measure at the same time [default: 1 for local, 64 for ssh]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub at_once: Option<u32>,
    /// How long a job of Slurm may take, in minutes [default: the partition's own]
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u32).range(1..))]
    pub job_minutes: Option<u32>,
    /// The fauxplat program for machines of another architecture, as uname -m names it (repeatable)
    #[arg(long, value_name = "ARCH=PATH", value_parser = program)]
    pub program: Vec<(String, PathBuf)>,
    /// Path of fauxplat that every machine has already, so that no program is shipped
    #[arg(long, value_name = "PATH")]
    pub program_there: Option<String>,
    /// Give up a machine that runs its measurement and does not answer for this long
    #[arg(long, value_name = "TIME", value_parser = some_time)]
    pub patience: Option<Nanos>,
    /// End the whole after this time, with what came until then; it can be resumed
    #[arg(long, value_name = "TIME", value_parser = some_time)]
    pub max_time: Option<Nanos>,
    /// Leave out the extra run of each command for a checksum of its answer
    #[arg(long)]
    pub no_answers: bool,
    #[command(flatten)]
    pub place: FleetPlaceArgs,
}

#[derive(Debug, Args)]
#[command(after_help = after_fleet(EXAMPLES))]
pub struct FleetRunArgs {
    #[command(flatten)]
    pub commands: CommandArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Measured runs on each machine: a number, or auto (at least 10, for about 3 s, at most 500)
    #[arg(short, long, value_name = "N")]
    pub runs: Option<Runs>,
    /// What is judged: wall, cpu, printed:NAME or another metric [default: the first of --metric-from, else wall]
    #[arg(long, value_name = "METRIC", value_parser = metric)]
    pub metric: Option<Metric>,
    /// Do not measure suspects again
    #[arg(long)]
    pub no_confirm: bool,
    #[command(flatten)]
    pub gate: FleetGateArgs,
    #[command(flatten)]
    pub condition: ConditionArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<OfFleets>,
}

#[derive(Debug, Args)]
#[command(after_help = after_fleet("fauxplat fleet compare --on slurm --names old,new './old input' './new input'"))]
pub struct FleetCompareArgs {
    #[command(flatten)]
    pub commands: CommandArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Pairs of runs on each machine: a number, or auto (at least 10, for about 6 s, at most 500)
    #[arg(short, long, value_name = "N")]
    pub runs: Option<Runs>,
    /// What is judged [default: the first of --metric-from, else wall]
    #[arg(long, value_name = "METRIC", value_parser = metric)]
    pub metric: Option<Metric>,
    #[command(flatten)]
    pub condition: ConditionArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<OfFleetPairs>,
}

#[derive(Debug, Args)]
pub struct FleetReportArgs {
    /// The run: its id, the beginning of it, or its folder [default: the latest]
    #[arg(value_name = "ID|FOLDER")]
    pub run: Option<String>,
    #[command(flatten)]
    pub gate: FleetGateArgs,
    #[command(flatten)]
    pub place: FleetPlaceArgs,
    #[command(flatten)]
    pub output: Output<Kept>,
}

#[derive(Debug, Args)]
pub struct FleetWatchArgs {
    /// A run of what is watched: its id, the beginning of it, or its folder [default: the latest]
    #[arg(value_name = "ID|FOLDER")]
    pub run: Option<String>,
    /// Print how to repeat the run each hour, day, week or month with its engine, such as a line of crontab; nothing is
    /// installed
    #[arg(long, value_name = "TIME")]
    pub every: Option<Every>,
    #[command(flatten)]
    pub gate: FleetGateArgs,
    #[command(flatten)]
    pub place: FleetPlaceArgs,
    #[command(flatten)]
    pub output: Output<Watched>,
}

#[derive(Debug, Args)]
#[command(mut_arg("folder", |arg| arg.requires("round")))]
pub struct FleetEmitArgs {
    /// For which engine
    #[arg(value_name = "ENGINE", value_parser = ["kubernetes"])]
    pub engine: String,
    #[command(flatten)]
    pub commands: CommandArgs,
    /// The image that holds fauxplat and what is measured
    #[arg(long, value_name = "IMAGE")]
    pub image: String,
    /// On how many nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(required_unless_present = "round")]
    pub nodes: Option<u32>,
    /// Write files for measuring the suspects of a taken run again, beside machines of their groups: this round, from 1
    /// on. The answers are taken like those of the first measurement
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(conflicts_with_all = ["nodes", "node_label", "commands", "runs"])]
    pub round: Option<u32>,
    /// The run of --round: its id, the beginning of it, or its folder [default: the latest]
    #[arg(long = "of", value_name = "ID|FOLDER", requires = "round")]
    pub of: Option<String>,
    #[command(flatten)]
    pub place: FleetPlaceArgs,
    /// What the job is called
    #[arg(long, value_name = "NAME", default_value = "fauxplat-fleet")]
    pub job_name: String,
    /// A label that nodes have to have, as NAME=VALUE (repeatable)
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub node_label: Vec<(String, String)>,
    /// Measured runs on each node: a number, or auto
    #[arg(short, long, value_name = "N")]
    pub runs: Option<Runs>,
    #[command(flatten)]
    pub condition: ConditionArgs,
    #[command(flatten)]
    pub output: Output<Emitted>,
}

#[derive(Debug, Args)]
pub struct FleetTakeArgs {
    /// The manifest with which the machines were asked
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// Answers of the machines, a file for each
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub gate: FleetGateArgs,
    #[command(flatten)]
    pub place: FleetPlaceArgs,
    #[command(flatten)]
    pub output: Output<Kept>,
}

#[derive(Debug, Args)]
#[command(after_help = after("fauxplat node order.json"))]
pub struct NodeArgs {
    /// The order, a document fauxplat.node-order/1; - for standard input
    #[arg(value_name = "FILE|-", required_unless_present = "order")]
    pub file: Option<PathBuf>,
    /// The order as one packed word, as engines pass it
    #[arg(long, value_name = "WORD", conflicts_with = "file")]
    pub order: Option<String>,
    /// Write the answer as lines that pass through any tool, with this token, and not as JSON
    #[arg(long, value_name = "TOKEN")]
    pub framed: Option<String>,
    /// What the engine calls this machine [default: FAUXPLAT_NODE of the environment]
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// Which round it is
    #[arg(long, value_name = "N")]
    pub round: Option<u32>,
    /// Which attempt of the round
    #[arg(long, value_name = "N")]
    pub attempt: Option<u32>,
    /// Take this program away at the end: it was shipped for this order alone
    #[arg(long)]
    pub shipped: bool,
}

/// Parses `ARCH=PATH`, the program for machines of an architecture.
fn program(text: &str) -> Result<(String, PathBuf), String> {
    let (arch, path) = pair(text)?;
    let is_word = arch.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match is_word {
        true => Ok((arch, PathBuf::from_str(&path).unwrap_or_default())),
        false => Err(format!("`{arch}` is no word of uname -m, such as aarch64")),
    }
}

/// Parses `NAME=VALUE`.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.to_owned(), value.to_owned()))
        }
        _ => Err(format!("`{text}` is not NAME=VALUE")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Measured;

    /// Options that are fixed when a run begins are refused with `--resume`, since silently ignoring them would mislead
    /// the user.
    #[test]
    fn whatever_is_settled_when_a_run_begins_is_refused_where_one_is_resumed() {
        const GOES_WITH: [&str; 6] = ["resume", "patience", "max_time", "folder", "no_confirm", "fail_if"];
        let ends = Output::<Measured>::augment_args(EndArgs::augment_args(clap::Command::new("ends")));
        for command in [
            FleetRunArgs::augment_args(clap::Command::new("run")),
            FleetCompareArgs::augment_args(clap::Command::new("compare")),
        ] {
            let resume = command.get_arguments().find(|arg| arg.get_id() == "resume").unwrap();
            let refused = command.get_arg_conflicts_with(resume);
            let goes_with = |id: &clap::Id| {
                GOES_WITH.iter().any(|name| id == name) || ends.get_arguments().any(|arg| arg.get_id() == id)
            };
            for arg in command.get_arguments() {
                let is_refused = refused.iter().any(|other| other.get_id() == arg.get_id());
                assert_eq!(is_refused, !goes_with(arg.get_id()), "{}", arg.get_id());
            }
        }
    }
}
