//! Options of `lab`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use fauxplat_units::Nanos;

use super::help::after;
use super::output::{LookedAtLabs, OfLabs, Output, Plain};
use super::{EndArgs, time_with_unit};

const EXAMPLES: &str = "\
  fauxplat lab list
  fauxplat lab run env-size
  fauxplat lab run all --max-time 10m --record this-machine.json --pages pages
  fauxplat lab compare this-machine.json that-machine.json
  fauxplat lab new my-lab && fauxplat lab check ./my-lab";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct LabArgs {
    #[command(subcommand)]
    pub action: LabAction,
}

#[derive(Debug, Subcommand)]
pub enum LabAction {
    /// The labs that there are, with their questions
    #[command(after_help = after("fauxplat lab list\n  fauxplat lab list --course"))]
    List {
        /// As a course: what each lab teaches, after which others, in how many minutes
        #[arg(long)]
        course: bool,
        #[command(flatten)]
        output: Output<Plain>,
    },
    /// What a lab asks, claims and runs
    #[command(after_help = after("fauxplat lab show env-size"))]
    Show {
        /// Its name, or the path of its folder (with a /)
        name: String,
        #[command(flatten)]
        output: Output<Plain>,
    },
    /// Run labs, and say of each published claim: reproduced, not here, undecided, or cannot run here
    Run(LabRunArgs),
    /// Compare the records of two machines, claim by claim
    #[command(after_help = after("fauxplat lab compare this-machine.json that-machine.json"))]
    Compare {
        /// The JSON document of `lab run` on one machine
        #[arg(value_name = "RECORD")]
        a: PathBuf,
        /// The JSON document of `lab run` on a second machine
        #[arg(value_name = "RECORD")]
        b: PathBuf,
        #[command(flatten)]
        output: Output<LookedAtLabs>,
    },
    /// Say what a lab lacks: its page, its claims, a made-up machine for each outcome. No experiment is run
    #[command(after_help = after("fauxplat lab check ./my-lab"))]
    Check {
        /// Names, paths (with a /), or all
        #[arg(value_name = "NAME", required = true)]
        names: Vec<String>,
    },
    /// Make a folder with a working lab in it, as a start for your own
    #[command(after_help = after("fauxplat lab new my-lab"))]
    New {
        /// Its name, or the path of its folder
        name: PathBuf,
    },
}

#[derive(Clone, Debug, Args)]
#[command(after_help = after("fauxplat lab run env-size\n  fauxplat lab run all --max-time 10m --record this-machine.json --pages pages"))]
pub struct LabRunArgs {
    /// Their names, paths (with a /) of folders that hold a lab.toml, or all
    #[arg(value_name = "NAME", required_unless_present = "all")]
    pub names: Vec<String>,
    /// Every lab that is listed
    #[arg(long, conflicts_with = "names")]
    pub all: bool,
    /// Time limit for all labs: each has a share in proportion to its usual time, and leaves to the others what it does
    /// not need
    #[arg(long, value_name = "TIME", value_parser = time_with_unit)]
    pub max_time: Option<Nanos>,
    /// A record of this machine, in JSON, written after each lab; labs that it has already are not run again
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Folder for an HTML page for each lab: the published figures beside those of this machine, and the lab's text
    #[arg(long, value_name = "DIR")]
    pub pages: Option<PathBuf>,
    /// Fail with exit code 1 unless every claim is reproduced
    #[arg(long)]
    pub strict: bool,
    /// Set an option of the lab, such as python=python3.11,python3.13t; with several values every experiment that
    /// depends on it is run and judged for each (repeatable; lab show lists the options)
    #[arg(long, value_name = "NAME=VALUE,…")]
    pub set: Vec<String>,
    /// Seed of the order within rounds [default: drawn, and reported]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Keep the JSON documents of the experiments in this folder
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<OfLabs>,
}
