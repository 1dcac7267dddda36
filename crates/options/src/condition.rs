//! The condition under which commands run.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fauxplat_model::{
    EnvPad, Heap, IgnoredFailures, MemoryPolicy, Placement, Policy, Shell, SimulatedMachine, ThreadPlaces,
    limit_list,
};
use fauxplat_units::{CpuSet, Nanos};

use super::{SurroundingsArgs, time_with_unit};

// The condition under which commands run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Condition")]
pub struct ConditionArgs {
    /// CPUs: a list such as 0-3 or a relation such as sibling-of:3 or quietest:1 (see topo pick --help), `free`
    /// (wherever the scheduler likes), `one-of:LIST` (each block draws one CPU),
    /// `idle-of:LIST` (each block stays on a CPU that is idle when it begins), `auto` (idle-of for commands of a
    /// single thread, else free) [default: free for run, profile and limit, auto elsewhere]
    #[arg(long, value_name = "LIST|free|auto|one-of:LIST|idle-of:LIST")]
    pub cpu: Option<Placement>,
    /// CPUs for the threads of a command, in the order in which it makes them, its first one included: 2,14 or
    /// 2,sibling-of:2. Further threads begin again at the first CPU; with `once:` before the list further threads are
    /// left alone, and the command is traced only until all CPUs have a thread. It takes ptrace: each thread and each
    /// signal stops for a moment, and a set-user-ID program runs without its privilege. What a command forks is not
    /// placed
    #[arg(long, value_name = "[once:]CPU,CPU,…", conflicts_with_all = ["cpu", "shell", "simulated", "simulate_machine"])]
    pub pin_threads: Option<ThreadPlaces>,
    /// Scheduling policy: other, fifo:N or rr:N [default: inherited]
    #[arg(long, value_name = "POLICY")]
    pub policy: Option<Policy>,
    /// Nice value, -20 to 19 [default: inherited]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = clap::value_parser!(i8).range(-20..=19))]
    pub nice: Option<i8>,
    /// Address space layout randomisation of the command [default: as the machine has it]
    #[arg(long, value_name = "on|off")]
    pub aslr: Option<OnOff>,
    /// Environment: `clean`, `inherit`, or NAME=VALUE (repeatable) [default: inherit]
    #[arg(long, value_name = "clean|inherit|NAME=VALUE")]
    pub env: Vec<String>,
    /// Environment padding: bytes, none, `level`: the arguments and environment of all commands end at the same place of a
    /// page, or `random`: each block draws that place, the same for all its commands [default: random; for profile and
    /// limit none, for run none unless ASLR is off; level where runs are simulated]
    #[arg(long, value_name = "BYTES|none|level|random")]
    pub env_pad: Option<EnvPad>,
    /// Place of the heap: displaced by so many bytes, or `random`: by 0 to 4080 bytes per block, the same for all its
    /// commands. It takes ptrace, some fifty microseconds a run, and a set-user-ID program runs without its privilege
    /// [default: inherit]
    #[arg(long, value_name = "BYTES|inherit|random")]
    pub heap: Option<Heap>,
    /// Memory nodes that pages come from: local (the node of the CPU that touches a page first), interleave:NODES (each in
    /// turn), bind:NODES (these alone), preferred:NODE (that one while it has some) [default: inherited, local as a rule]
    #[arg(long, value_name = "local|interleave:NODES|bind:NODES|preferred:NODE")]
    pub memory_policy: Option<MemoryPolicy>,
    /// The same as --memory-policy interleave:NODES
    #[arg(long, value_name = "NODES", value_parser = limit_list, conflicts_with = "memory_policy")]
    pub interleave: Option<CpuSet>,
    /// File for standard input, read from its beginning in each run [default: /dev/null]
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// Where the command's output goes: null, inherit, or a file that standard output is appended to [default: null]
    #[arg(long, value_name = "null|inherit|FILE")]
    pub stdout: Option<String>,
    /// Working directory of the commands
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
    /// End a run after this time (500ms, 2.5s, 1m); it counts as failed
    #[arg(long, value_name = "TIME", value_parser = time_with_unit)]
    pub timeout: Option<Nanos>,
    /// Processes that a command leaves behind go on, also when all is over, as a server that it starts for its next run does
    /// [default: they are ended after each run, and those of --prepare with the run that they were made for]
    #[arg(long)]
    pub keep_background: bool,
    /// The same as --stdout inherit
    #[arg(long, conflicts_with = "stdout")]
    pub show_output: bool,
    /// Run each command line by /bin/sh -c, or by the shell that is named; its start is measured too
    #[arg(short = 'S', long, value_name = "SHELL", num_args = 0..=1, require_equals = true,
        default_missing_value = "default")]
    pub shell: Option<Shell>,
    /// Keep and analyse runs that fail: all of them, or those with these exit statuses: -i=1,2
    #[arg(short, long, value_name = "STATUS,…", num_args = 0..=1, require_equals = true,
        default_missing_value = "all-non-zero")]
    pub ignore_failure: Option<IgnoredFailures>,
    /// Go on after runs that fail, count them, and leave them out of all figures; ten failed runs in a row end the
    /// measurement
    #[arg(long, conflicts_with = "ignore_failure")]
    pub skip_failures: bool,
    /// Count in a simulator in the place of timing: instructions, cache misses and branches of a stated machine, the same in
    /// each run where the program does the same (valgrind's cachegrind; some thirty times slower)
    #[arg(long)]
    pub simulated: bool,
    /// The machine that is simulated: classic (first-level caches of 32 KiB, last-level cache of 8 MiB), small
    /// (last-level cache of 1 MiB), here (this one), or its caches in bytes [default: classic]
    #[arg(long, value_name = "NAME|I1=SIZE,WAYS,LINE+D1=…+LL=…")]
    pub simulate_machine: Option<SimulatedMachine>,
    #[command(flatten)]
    pub surroundings: SurroundingsArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnOff {
    On,
    Off,
}
