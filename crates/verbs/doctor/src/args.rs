//! Options of `doctor`.

use std::path::PathBuf;

use clap::Args;
use fauxplat_model::Relation;
use fauxplat_options::{Looked, Output, after, time_with_unit};
use fauxplat_units::Nanos;

const EXAMPLES: &str = "\
  fauxplat doctor
  fauxplat doctor --fail-if turbo=high
  fauxplat doctor --explain smt";

#[derive(Debug, Args)]
#[command(about = "What here will spoil a measurement, and what to do about it?", after_help = after(EXAMPLES))]
pub(crate) struct DoctorArgs {
    /// Show what is harmless, unknown or not applicable too
    #[arg(long)]
    pub all: bool,
    /// Look only at these CPUs, a list or a relation (see topo pick), on which you want to measure [default: all that
    /// are allowed]
    #[arg(long, value_name = "CPUS")]
    pub cpu: Option<Relation>,
    /// Time between the two readings of everything that counts
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = time_with_unit)]
    pub interval: Nanos,
    /// Fail with exit code 1 if a hazard is at this level or above: governor=medium, or any=high, which leaves out
    /// what fauxplat neutralises itself (repeatable; levels are low, medium, high); 3 if none of it could be read
    #[arg(long, value_name = "HAZARD=LEVEL", value_delimiter = ',')]
    pub fail_if: Vec<String>,
    /// Print all that is known about a hazard: what it costs, its levels, what to do; `all` for every one
    #[arg(long, value_name = "HAZARD", conflicts_with_all = ["all", "cpu", "interval", "fail_if", "sysroot", "export",
        "verbose", "brief"])]
    pub explain: Option<String>,
    /// Look at the tree of files below this folder instead of /: a capture of another machine, at one moment
    #[arg(long, value_name = "DIR")]
    pub sysroot: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output<Looked>,
}
