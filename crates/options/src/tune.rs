//! Options of `tune` and `restore`.

use std::path::PathBuf;

use clap::Args;
use fauxplat_units::Nanos;

use super::help::after;
use super::output::{Output, Seen};
use super::some_time;

const TUNE: &str = "\
  fauxplat tune --list
  fauxplat tune quiet --for ./benchmark
  fauxplat tune quiet --set turbo=off --max 30m";

const RESTORE: &str = "\
  fauxplat restore
  fauxplat restore --force";

#[derive(Debug, Args)]
#[command(after_help = after(TUNE))]
pub struct TuneArgs {
    /// Profiles: quiet, latency, throughput, or the path of a TOML file of your own
    #[arg(value_name = "PROFILE")]
    pub profiles: Vec<String>,
    /// Set one knob, for instance turbo=off; overrides a profile (repeatable)
    #[arg(short, long, value_name = "KNOB=VALUE")]
    pub set: Vec<String>,
    /// Tune, run this command, restore; everything after --for is the command
    #[arg(long = "for", value_name = "CMD", num_args = 1.., allow_hyphen_values = true)]
    pub command: Vec<String>,
    /// Restore after this time (30m, 2h), by a guardian that outlives fauxplat, but not its container or service
    #[arg(long, value_name = "TIME", value_parser = some_time)]
    pub max: Option<Nanos>,
    /// List profiles and knobs, with their values on this machine
    #[arg(long, conflicts_with_all = ["profiles", "set", "command", "dry_run", "status", "max", "all_or_nothing", "machine_wide", "wait", "journal"])]
    pub list: bool,
    /// Say what would be changed, and change nothing
    #[arg(long, conflicts_with_all = ["status", "max", "all_or_nothing", "wait"])]
    pub dry_run: bool,
    /// Say which values are changed at this moment, and by whom
    #[arg(long, conflicts_with_all = ["profiles", "set", "command", "max", "all_or_nothing", "machine_wide", "wait"])]
    pub status: bool,
    /// If one change fails, take all of them back
    #[arg(long)]
    pub all_or_nothing: bool,
    /// Set knobs for the whole machine even where they could be set for the command alone (aslr, thp)
    #[arg(long)]
    pub machine_wide: bool,
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub output: Output<Seen>,
}

#[derive(Debug, Args)]
#[command(after_help = after(RESTORE))]
pub struct RestoreArgs {
    /// Put back also values that somebody else changed meanwhile, and follow also a journal that is cut off at its end
    /// or may be from an earlier boot
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub output: Output<Seen>,
}

// Options for the machine to tune and the journal of its changes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Journal")]
pub struct PlaceArgs {
    /// Wait while another fauxplat is tuning, instead of naming it and giving up
    #[arg(long)]
    pub wait: bool,
    /// Journal of changes [default: $FAUXPLAT_JOURNAL, else one that is there, else
    /// /run/fauxplat/journal, or /var/lib/fauxplat/journal where that cannot be]
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Read and write the machine below this folder
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub sysroot: PathBuf,
}
