//! Options of `limit`.

use clap::{Args, ValueEnum};
use fauxplat_model::{IoLimit, Limit, OnOom, limit_list, limit_percent, limit_weight};
use fauxplat_units::{Bytes, CpuSet, Nanos};

use super::help::after;
use super::output::{Measured, Output};
use super::{CommandArgs, ConditionArgs, EndArgs, time_with_unit};

const EXAMPLES: &str = "\
  fauxplat limit --memory 64M --cpu-quota 50% 'sort big.txt'
  fauxplat limit --memory 20M --on-oom pause --max-time 10s --watch './program input'
  fauxplat limit --group high:cpus:1+weight:75 --group low:cpus:1+weight:25 \\
      --max-time 20s 'high=./burn' 'low=./burn'";

#[derive(Debug, Args)]
#[command(after_help = after(EXAMPLES))]
pub struct LimitArgs {
    #[command(flatten)]
    pub commands: CommandArgs,
    #[command(flatten)]
    pub limits: LimitWords,
    /// A group by a name of its own, with limits as --limit takes them (repeatable: commands of several groups run against
    /// each other). NAME=CMD runs a command in it; without names each command has the group in its place
    #[arg(long, value_name = "NAME:LIMIT", value_parser = group)]
    pub group: Vec<(String, Limit)>,
    /// What happens when memory is used up: the kernel kills a process, or all processes of the group wait until they
    /// are ended
    #[arg(long, value_name = "kill|pause", default_value = "kill")]
    pub on_oom: Oom,
    /// Show use and limits on standard error while the commands run, at this interval
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "1s",
        value_parser = time_with_unit)]
    pub watch: Option<Nanos>,
    /// End the commands after this time, which is no failure
    #[arg(long, value_name = "TIME", value_parser = time_with_unit)]
    pub max_time: Option<Nanos>,
    #[command(flatten)]
    pub condition: ConditionArgs,
    #[command(flatten)]
    pub end: EndArgs,
    #[command(flatten)]
    pub output: Output<Measured>,
}

// Options for the limits of a single group, and of all groups that state none.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Limits")]
pub struct LimitWords {
    /// Memory, pages of files included
    #[arg(long, value_name = "SIZE", value_parser = some_bytes)]
    pub memory: Option<Bytes>,
    /// Memory that may be swapped to a disk in addition [default: 0 with --memory]
    #[arg(long, value_name = "SIZE")]
    pub swap: Option<Bytes>,
    /// CPU time, in per cent of one CPU: 150% are one and a half
    #[arg(long, value_name = "PERCENT", value_parser = limit_percent)]
    pub cpu_quota: Option<u32>,
    /// CPUs on which the group may run
    #[arg(long, value_name = "LIST", value_parser = limit_list)]
    pub cpuset: Option<CpuSet>,
    /// Memory nodes from which the group gets memory
    #[arg(long, value_name = "LIST", value_parser = limit_list)]
    pub mems: Option<CpuSet>,
    /// Share of CPU time where other groups want it too, 1 to 10000; 100 is usual
    #[arg(long, value_name = "N", value_parser = limit_weight)]
    pub weight: Option<u16>,
    /// Processes and threads at the same time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub pids: Option<u32>,
    /// Traffic with a device, by its path or numbers: rbps, wbps (bytes a second), riops, wiops (operations) (repeatable)
    #[arg(long, value_name = "DEVICE:rbps=SIZE:…")]
    pub io: Vec<IoLimit>,
}

impl LimitWords {
    pub fn limit(&self) -> Limit {
        Limit {
            cpu_percent: self.cpu_quota,
            weight: self.weight,
            cpus: self.cpuset.clone(),
            mems: self.mems.clone(),
            memory: self.memory,
            swap: self.swap,
            pids: self.pids,
            io: self.io.clone(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Oom {
    Kill,
    Pause,
}

impl Oom {
    pub fn on_oom(self) -> OnOom {
        match self {
            Oom::Kill => OnOom::Kill,
            Oom::Pause => OnOom::Pause,
        }
    }
}

fn some_bytes(text: &str) -> Result<Bytes, String> {
    match text.parse::<Bytes>() {
        Ok(Bytes(0)) => Err("no program can run in 0 bytes".to_owned()),
        read => read.map_err(|error| error.to_string()),
    }
}

/// Parses `NAME:LIMIT`.
fn group(text: &str) -> Result<(String, Limit), String> {
    let (name, limit) = text.split_once(':').unwrap_or((text, "none"));
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(format!("`{name}` is no name of a group: letters, digits, - and _"));
    }
    Ok((name.to_owned(), limit.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_a_name_and_limits() {
        assert_eq!(
            group("high:cpus:3+weight:75").unwrap(),
            ("high".into(), "cpus:3+weight:75".parse().unwrap())
        );
        assert_eq!(group("rest").unwrap(), ("rest".into(), Limit::default()));
        for bad in ["", ":cpus:3", "a b:cpus:3", "high:", "high:fast"] {
            assert!(group(bad).is_err(), "{bad}");
        }
    }
}
