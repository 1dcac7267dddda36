//! `lab`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::help::after;
use super::{EndArgs, OutputArgs};

const EXAMPLES: &str = "\
  fauxplat lab list
  fauxplat lab run env-size
  fauxplat lab run --all --strict";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub(crate) struct LabArgs {
    #[command(subcommand)]
    pub(crate) action: LabAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LabAction {
    /// The labs that there are, with their questions
    #[command(after_help = after("fauxplat lab list"))]
    List {
        #[command(flatten)]
        output: OutputArgs,
    },
    /// What a lab asks, claims and runs
    #[command(after_help = after("fauxplat lab show env-size"))]
    Show {
        /// Its name, or the path of its folder (with a /)
        name: String,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Run labs, and say of each published claim: reproduced, not here, or cannot run here
    Run(LabRunArgs),
}

#[derive(Debug, Args)]
#[command(after_help = after("fauxplat lab run env-size\n  fauxplat lab run --all --strict --keep documents"))]
pub(crate) struct LabRunArgs {
    /// Their names, or paths (with a /) of folders that hold a lab.toml
    #[arg(value_name = "NAME", required_unless_present = "all")]
    pub(crate) names: Vec<String>,
    /// Every lab that is listed
    #[arg(long, conflicts_with = "names")]
    pub(crate) all: bool,
    /// Fail with exit code 1 unless every claim is reproduced
    #[arg(long)]
    pub(crate) strict: bool,
    /// Something that the lab leaves open, such as python=python3.11,python3.13t; with several values whatever depends on
    /// it is run and judged for each (repeatable; lab show says what there is)
    #[arg(long, value_name = "NAME=VALUE,…")]
    pub(crate) set: Vec<String>,
    /// Seed of the order within rounds [default: drawn, and reported]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Keep the JSON documents of the experiments in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) end: EndArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
