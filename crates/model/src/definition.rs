//! The definition of an experiment: what is to be run and how, as it is saved in a file.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Build, Condition, Control, Metric, PrintedSource, Rule, TableSource, Way, check_region};

/// A command of a definition, with the settings that differ from those of other commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandLine {
    /// The command as the user writes it, possibly with `{parameter}` places.
    pub command: String,
    /// The name in reports; `None` uses the text of the command.
    pub name: Option<String>,
    /// Variables for this command alone, as `NAME=VALUE`, added after the variables of the condition.
    #[serde(default)]
    pub env: Vec<String>,
    /// Command run once, unmeasured, before all runs; replaces [`Definition::setup`] for this command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
    /// Command run before each run; replaces [`Definition::prepare`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare: Option<String>,
    /// Command run after each run; replaces [`Definition::conclude`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclude: Option<String>,
    /// Command run once after all runs; replaces [`Definition::cleanup`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleanup: Option<String>,
    /// How the program is built that `{program}` names in the command; `None` when the program exists already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    /// Link seed of the only layout that is built; `None` draws a layout for each block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_seed: Option<u64>,
    /// Working directory of this command alone, a work tree of a revision; replaces that of the condition. Not saved,
    /// since work trees are made anew for each experiment.
    #[serde(skip)]
    pub cwd: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// The name that stands in braces in commands.
    pub name: String,
    /// The values that replace the name, in the order in which they are run.
    pub values: Vec<String>,
}

/// Number of runs of each command: `auto`, a number, or a precision such as `1%`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Runs {
    /// At least 10 runs, about three seconds, at most 500 runs.
    #[default]
    Auto,
    Count(u32),
    /// Runs until the 95 % interval of the median is within plus or minus this ratio of the median (0.01 for 1 %).
    Until(f64),
}

impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Runs::Auto => f.write_str("auto"),
            Runs::Count(count) => count.fmt(f),
            Runs::Until(ratio) => write!(f, "{}%", percent(*ratio)),
        }
    }
}

/// The shortest percentage that is read back as exactly this ratio, which `ratio * 100.0` may not be: 0.07 times 100 is
/// not exactly 7.
fn percent(ratio: f64) -> f64 {
    let near = ratio * 100.0;
    let same =
        [near, near.next_down(), near.next_up()].into_iter().filter(|percent| percent / 100.0 == ratio);
    same.min_by_key(|percent| percent.to_string().len()).unwrap_or(near)
}

impl FromStr for Runs {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail =
            || format!("`{text}` is not a number of runs: auto, a number from 1, or a precision such as 1%");
        match text.strip_suffix('%') {
            None if text == "auto" => Ok(Runs::Auto),
            None => text.parse().ok().filter(|&count| count > 0).map(Runs::Count).ok_or_else(fail),
            Some(digits) => match digits.parse::<f64>() {
                Ok(percent) if percent > 0.0 && percent < 100.0 => Ok(Runs::Until(percent / 100.0)),
                _ => Err(fail()),
            },
        }
    }
}

crate::text::as_text!(Runs);

/// The definition of an experiment, independent of the machine that carries it out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Definition {
    /// The commands. A comparison compares all others with the first.
    #[serde(rename = "command")]
    pub commands: Vec<CommandLine>,
    /// Parameters of the commands; every combination of their values is run.
    #[serde(rename = "parameter")]
    pub parameters: Vec<Parameter>,
    pub condition: Condition,
    /// Number of unmeasured runs of each command before the first measured one.
    pub warmup: u32,
    pub runs: Runs,
    /// Least number of runs of each command, if fauxplat chooses the number.
    pub min_runs: Option<u32>,
    /// Greatest number of runs of each command, if fauxplat chooses the number.
    pub max_runs: Option<u32>,
    /// Command run once, unmeasured, before all runs; `sh -c` runs this command and the three that follow.
    pub setup: Option<String>,
    /// Command run before each run, unmeasured.
    pub prepare: Option<String>,
    /// Command run after each run, unmeasured.
    pub conclude: Option<String>,
    /// Command run once after all runs, unmeasured.
    pub cleanup: Option<String>,
    /// Counters that the programs publish; the first one gives the metric `rate`.
    #[serde(rename = "table", skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableSource>,
    /// Numbers that the programs print, each a metric.
    #[serde(rename = "metric_from", skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<PrintedSource>,
    /// Events of the kernel and the processor that are counted during each run, by name: `instructions:u`,
    /// `page-faults`, `cache`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<String>,
    /// Names of regions that are marked in the code of the programs.
    #[serde(rename = "region", skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<String>,
    /// Pipes by which the programs switch the counting of events on and off; `None` counts from the start of a program
    /// to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    pub rule: Rule,
    /// Factors that a sweep varies, as the user wrote them: `env-size=0..4096:64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// Whether a sweep visits every level in every block, even levels that cannot differ, and never stops early.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exhaustive: bool,
    /// Seed of all random choices. If absent, fauxplat draws a seed and reports it.
    pub seed: Option<u64>,
    /// Ways in which layouts of built programs differ. An empty list means every way that the toolchain supports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vary: Vec<Way>,
    /// How built programs are checked: a command with `{program}` that ends with status 0, or `none`. `None` requires
    /// the exit status and output that the program has without any variation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
}

impl Definition {
    /// The regions that the definition lists, and the regions of the metrics that its rule decides.
    pub fn all_regions(&self) -> BTreeSet<String> {
        let decided = self.rule.decided().into_iter().filter_map(|(metric, _)| metric.region());
        decided.map(str::to_owned).chain(self.regions.iter().cloned()).collect()
    }

    /// Registers the metrics that the commands print, with the stated units and directions.
    ///
    /// # Errors
    /// Returns a sentence if a name is invalid or stated twice.
    pub fn make_known(&mut self) -> Result<(), String> {
        for (at, source) in self.printed.iter().enumerate() {
            if self.printed[..at].iter().any(|earlier| earlier.name == source.name) {
                return Err(format!(
                    "--metric-from: `{}` is stated twice; give each its own name",
                    source.name
                ));
            }
            source
                .spec()
                .and_then(Metric::open)
                .map_err(|error| format!("--metric-from {source}: {error}"))?;
        }
        for (at, name) in self.regions.iter().enumerate() {
            check_region(name).map_err(|why| format!("--region {name}: {why}"))?;
            if self.regions[..at].contains(name) {
                return Err(format!("--region {name} is stated twice"));
            }
        }
        self.rule.renew();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stated_is_known_whoever_named_it_first() {
        let early = Metric::from_id("printed:known-early").unwrap();
        let source = "+known-early[MB/s]=(.*)".parse().unwrap();
        let mut definition = Definition { printed: vec![source], ..Definition::default() };
        definition.rule.metric = early;
        assert!(!definition.rule.metric.more_is_better());
        definition.make_known().unwrap();
        assert!(definition.rule.metric.more_is_better());
        assert_eq!(definition.rule.metric.title(), "known-early (MB/s)");
        assert_eq!(definition.rule.metric.field(), "printed:known-early_millionths");
        definition.printed.push("known-early=/x".parse().unwrap());
        assert!(definition.make_known().unwrap_err().contains("twice"));
    }
}
