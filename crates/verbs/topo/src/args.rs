//! Options of `topo`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use fauxplat_model::Relation;
use fauxplat_options::{Drawn, Output, Picked, after, time_with_unit};
use fauxplat_units::Nanos;

const EXAMPLES: &str = "\
  fauxplat topo --draw                               nested boxes
  fauxplat topo --format svg --output machine.svg    the same as a drawing
  fauxplat topo --format lscpu                       what lscpu -p prints
  fauxplat topo pick 'one-per-core&node:0'           CPUs by their relation to each other";

const RELATIONS: &str = "\
Relations:
  all  isolated  nohz-full  p-cores  e-cores         CPUs of a kind
  0-3,8                                              these CPUs
  sibling-of:3                                       the other hardware threads of CPU 3's core
  same-PART:3  other-PART:3                          in the same part as CPU 3, in a different one
  other-core-same-l3:3                               any two parts: another core that shares CPU 3's L3
  node:0  package:0,1  l3:2                          in the parts with these numbers
  one-per-PART                                       the lowest CPU of each part
  quietest:2                                         those that lose the least time to other programs
PART is cpu, core, cluster, l1, l2, l3, l4, die, package, book, drawer, node or kind.
A & B is both, A | B is either, !A is not, and brackets group. one-per-… and quietest choose among what the
other parts of an & leave over. The same words stand wherever a verb takes CPUs (--cpu).

Examples:
  fauxplat topo pick sibling-of:3
  fauxplat topo pick 'other-core-same-l3:0 & quietest:1'
  taskset -c \"$(fauxplat topo pick --quiet 'one-per-core&!isolated')\" make -j8

Exit codes:
  2   the CPU does not exist
  3   nothing on this machine answers the relation";

#[derive(Debug, Args)]
#[command(
    about = "How are CPUs and caches related? Choose CPUs by relation",
    after_help = after(EXAMPLES),
    args_conflicts_with_subcommands = true
)]
pub(crate) struct TopoArgs {
    #[command(subcommand)]
    pub action: Option<TopoAction>,
    #[command(flatten)]
    pub look: TopoLook,
}

// Options for the form in which the parts of a machine, such as cores and caches, are shown.
#[derive(Debug, Args)]
pub(crate) struct TopoLook {
    /// Nested boxes, in characters (the same as --format boxes)
    #[arg(long)]
    pub draw: bool,
    #[command(flatten)]
    pub machine: TopoMachine,
    #[command(flatten)]
    pub output: Output<Drawn>,
}

// Options for the machine whose parts are shown.
#[derive(Debug, Args)]
pub(crate) struct TopoMachine {
    /// Read sys and proc below this folder: the captured tree of another machine
    #[arg(long, value_name = "DIR")]
    pub sysroot: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TopoAction {
    /// Choose CPUs by their relation to each other, and say why each is chosen
    #[command(after_help = RELATIONS)]
    Pick(PickArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PickArgs {
    /// The relation; quote it, since & | ! and brackets mean something to a shell
    #[arg(value_name = "RELATION")]
    pub relation: Relation,
    /// How long the CPUs are watched for interrupts, steal and load; with 0s they are not watched
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = time_with_unit)]
    pub watch: Nanos,
    #[command(flatten)]
    pub machine: TopoMachine,
    #[command(flatten)]
    pub output: Output<Picked>,
}
