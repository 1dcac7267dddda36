//! Options of `load`, and of loads beside other measurements.

use clap::Args;
use fauxplat_model::LoadSpec;
use fauxplat_units::Nanos;

use super::EndArgs;
use super::help::after_text;
use super::output::{Measured, Output};

const AFTER: &str = "\
Kinds, each at an intensity of 1 to 100 % of the time, held by a feedback loop on the CPU time that is really used:
  integer     all integer ports
  float       the units for doubles
  branch      branches that cannot be predicted
  l1, l2, llc the lines of that cache of that CPU, written again and again
  memory      the way to memory, with twice the last cache
  tlb         a page walk for nearly every access
  faults      minor page faults
  forks       processes that are created and end
  switches    two threads that wake each other
  timers      timer interrupts with signals, and packets to oneself (softirqs)
  files       a file without a name in TMPDIR that is written and forced to its device; by wall time
  realtime    integer work as SCHED_FIFO, with a watchdog that frees the CPU when fauxplat stands still

CPUS is a list such as 0-3 or a relation such as sibling-of:3 (see topo pick --help); one generator runs on each.
Without @CPUS: every CPU that is allowed.";

const EXAMPLES: &str = "\
  fauxplat load llc@1 --time 1m
  fauxplat load integer:30%@sibling-of:0 memory@2";

#[derive(Debug, Args)]
#[command(after_help = after_text(AFTER, EXAMPLES))]
pub struct LoadArgs {
    /// What disturbs, how much of the time, and where: llc, integer:30%@1, memory@sibling-of:0
    #[arg(value_name = "KIND[:INTENSITY][@CPUS]", required = true)]
    pub loads: Vec<LoadSpec>,
    /// Hold the loads for this time [default: until Ctrl-C]
    #[arg(short, long, value_name = "TIME", value_parser = super::time_with_unit)]
    pub time: Option<Nanos>,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<Measured>,
}
