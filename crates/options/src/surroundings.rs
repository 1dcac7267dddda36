//! Options for the surroundings of runs, for every measuring verb.

use clap::Args;
use fauxplat_model::{Condition, Definition, EnvPad, Limit, LoadSpec, Placement};
use fauxplat_units::CpuSet;

// Options for the surroundings of runs, for every measuring verb.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Surroundings")]
pub struct SurroundingsArgs {
    /// Hold a load beside the whole measurement, such as llc@1 or integer:30%@1 (repeatable; see load --help)
    #[arg(long, value_name = "KIND[:INTENSITY][@CPUS]")]
    pub load: Vec<LoadSpec>,
    /// Tune the machine for the whole experiment and restore it at its end: a profile (quiet, latency, throughput), a
    /// TOML file, or KNOB=VALUE (repeatable; see `fauxplat tune --list`)
    #[arg(long, value_name = "PROFILE|KNOB=VALUE")]
    pub tune: Vec<String>,
    /// Measure within the limits of a control group, joined by +: cpu:50% (of one CPU), weight:100, cpus:2-3, mems:0,
    /// memory:64MiB, swap:0 (none unless stated, where memory is), pids:64, io:/dev/sda:wbps=1MiB
    #[arg(long, value_name = "LIMIT")]
    pub limit: Option<Limit>,
}

impl SurroundingsArgs {
    /// The definition of an experiment that measures with fauxplat's own threads, and not with commands, on these CPUs.
    pub fn of_workers(&self, cpus: CpuSet, seed: Option<u64>) -> Definition {
        let mut condition =
            Condition { cpu: Placement::Set(cpus), env_pad: EnvPad::None, ..Condition::default() };
        self.apply(&mut condition);
        Definition { condition, seed, ..Definition::default() }
    }

    /// Puts the given options into a condition, where they replace the settings of a saved definition.
    pub fn apply(&self, condition: &mut Condition) {
        if !self.load.is_empty() {
            condition.load.clone_from(&self.load);
        }
        if !self.tune.is_empty() {
            condition.tune.clone_from(&self.tune);
        }
        if let Some(limit) = &self.limit {
            condition.limit = limit.clone();
        }
    }
}
