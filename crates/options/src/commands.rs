//! Options that name the commands to run.

use std::path::PathBuf;

use clap::Args;
use fauxplat_model::{Control, PrintedSource, TableSource};

// Options that name the commands to run. (A plain comment, since clap would print a doc comment as help.)
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Commands")]
pub struct CommandArgs {
    /// The commands, each as one word of the shell: fauxplat run 'sort big.txt'
    #[arg(value_name = "CMD")]
    pub commands: Vec<String>,
    /// Name of a command in reports (repeatable: once for each, in their order)
    #[arg(short = 'n', long, value_name = "NAME")]
    pub command_name: Vec<String>,
    /// Names of all commands: --names before,after
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', conflicts_with = "command_name")]
    pub names: Vec<String>,
    /// Parameter list: -L size=1,10,100 (or -L size 1,10,100, or -L size=1..8:2) with {size} in the command; `\,` is a
    /// comma within a value; every combination is run (repeatable)
    #[arg(short = 'L', long = "parameter-list", value_name = "NAME=V,V,…")]
    pub parameters: Vec<String>,
    /// Parameter scan: -P delay 0.3 0.7 -D 0.2 runs {delay} with 0.3, 0.5 and 0.7
    #[arg(short = 'P', long = "parameter-scan", num_args = 3, value_names = ["NAME", "MIN", "MAX"],
        allow_negative_numbers = true)]
    pub scan: Vec<String>,
    /// Step of -P [default: 1]
    #[arg(short = 'D', long = "parameter-step-size", value_name = "STEP", requires = "scan")]
    pub step: Option<String>,
    /// Shell command that is run once at the beginning, before programs are looked for (repeatable: once for each
    /// command; since the commands take turns, all are run before the first run)
    #[arg(short, long, value_name = "CMD")]
    pub setup: Vec<String>,
    /// Shell command that is run before each run, unmeasured (repeatable: once for each command)
    #[arg(short, long, value_name = "CMD")]
    pub prepare: Vec<String>,
    /// Shell command that is run after each run, unmeasured (repeatable: once for each command)
    #[arg(short = 'C', long, value_name = "CMD")]
    pub conclude: Vec<String>,
    /// Shell command that is run once at the end, however it ends (repeatable: once for each command)
    #[arg(short, long, value_name = "CMD")]
    pub cleanup: Vec<String>,
    /// Runs of each command before the first measured one that do not count; compare (of times), aa, sweep and explain make
    /// one at least [default: 0]
    #[arg(short, long, value_name = "N")]
    pub warmup: Option<u32>,
    /// Counters that the commands publish in a live table (see `fauxplat table`): their rise over a run is the metric
    /// `rate`, and with long runs a series in JSON. OBJECT or KEY may be `*`; without them all count as their sum
    /// (repeatable: each is the metric table:NAME too, and the first is `rate`)
    #[arg(long = "table", value_name = "NAME=FILE[:OBJECT[.KEY]]")]
    pub tables: Vec<TableSource>,
    /// A number that the commands write to standard output, which goes to a file then: the first group of a regular
    /// expression's last match, or what a JSON pointer leads to. It is the metric printed:NAME; with `+` before NAME more is
    /// better (repeatable)
    #[arg(long, value_name = "[+]NAME[[UNIT]]=REGEX|/POINTER")]
    pub metric_from: Vec<PrintedSource>,
    /// Count in each run what the kernel and the processor can, the whole process tree: names such as cycles, instructions:u,
    /// l1d-misses, page-faults, rNNN or cpu/event=0x3c/, or default, cache, branch, topdown, kernel (see `fauxplat counters`). Each is
    /// a metric: pmu:instructions, software:page-faults (repeatable)
    #[arg(short = 'e', long, alias = "event", value_name = "COUNTER,…")]
    pub counters: Vec<String>,
    /// A region that the commands mark (see docs/regions.md): its calls, its time, and what -e counts of it, as metrics
    /// region.NAME:calls, region.NAME:wall, region.NAME:instructions (repeatable)
    #[arg(long = "region", value_name = "NAME")]
    pub regions: Vec<String>,
    /// Pipes with names, made where they are missing, in which a command says `enable` and `disable`, as for perf stat: its time
    /// and its -e counters meanwhile are the metrics control:wall, control:times and control:COUNTER
    #[arg(long, value_name = "fifo:CTL[,ACK]")]
    pub control: Option<Control>,
    /// Saved definition; options on the command line override it
    #[arg(long, alias = "input", value_name = "FILE.toml")]
    pub definition: Option<PathBuf>,
    /// Seed of everything that is drawn [default: drawn, and reported]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl CommandArgs {
    /// Whether the options name more than one command, counting each value of a parameter as a command.
    pub fn is_several(&self) -> bool {
        self.commands.len() > 1 || !self.parameters.is_empty() || !self.scan.is_empty()
    }
}
