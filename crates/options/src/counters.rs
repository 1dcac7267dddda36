//! Options of `counters`.

use clap::Args;

use fauxplat_units::Nanos;

use super::help::after;
use super::output::{Looked, Output};
use super::run::interval;
use super::time_with_unit;

const EXAMPLES: &str = "\
  fauxplat counters
  fauxplat counters --format json
  fauxplat counters --pid 1234 -e page-faults,context-switches --max-time 10s
  fauxplat run -e page-faults,context-switches 'sort big.txt'";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct CountersArgs {
    /// Count what a process does that runs already, with all threads and processes that it makes from now on, until it ends,
    /// until --max-time or Ctrl-C
    #[arg(short, long, value_name = "PID")]
    pub pid: Option<u32>,
    /// What is counted of the process, as for `run` [default: default]
    #[arg(short = 'e', long, alias = "event", value_name = "COUNTER,…", requires = "pid")]
    pub counters: Vec<String>,
    /// The length of an interval, at the end of each of which the counters are read (1ms or more) [default: 1s]
    #[arg(long, value_name = "TIME", value_parser = interval, requires = "pid")]
    pub series: Option<Nanos>,
    /// Watch the process no longer than this
    #[arg(long, value_name = "TIME", value_parser = time_with_unit, requires = "pid")]
    pub max_time: Option<Nanos>,
    #[command(flatten)]
    pub output: Output<Looked>,
}
