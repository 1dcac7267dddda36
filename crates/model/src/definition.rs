//! What somebody asks for: the saved form of a command line.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{AlsoDecided, Build, Condition, Metric, PrintedSource, TableSource, Way};

/// One command line of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandLine {
    /// The command as a person writes it, possibly with `{parameter}` places.
    pub command: String,
    /// What reports call it; the command itself when absent.
    pub name: Option<String>,
    /// Variables for this command alone, as `NAME=VALUE`, after those of the condition.
    #[serde(default)]
    pub env: Vec<String>,
    /// Run once before the whole, in the place of what all commands share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
    /// Run before each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepare: Option<String>,
    /// Run after each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conclude: Option<String>,
    /// Run once after the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cleanup: Option<String>,
    /// How the program that `{program}` names in the command is built; absent when it is there already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    /// The one layout that is built; absent when each block draws one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_seed: Option<u64>,
}

/// A parameter and the values that it takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// The name that stands in braces in commands.
    pub name: String,
    /// The values, in the order in which they are run.
    pub values: Vec<String>,
}

/// How many runs of each command: `auto`, a number, or a precision such as `1%`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Runs {
    /// At least ten, for about three seconds.
    #[default]
    Auto,
    /// Exactly this many.
    Count(u32),
    /// Until the 95 % interval of the median is within plus or minus this ratio of it (0.01 for 1 %).
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

/// The shortest number of per cent that is read as this ratio: 7 % are 0.07, and a hundred times that is not 7.
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

/// The rule by which a comparison is decided; METHODOLOGY.md explains it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// The metric that decides, or the first of several.
    pub metric: Metric,
    /// Probability of a false *different* that is allowed over all looks, for instance 0.01.
    pub level: f64,
    /// Differences within plus or minus this ratio count as none, for instance 0.01.
    pub margin: f64,
    /// What takes the place of the margin of the first metric, in the unit in which that is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin_absolute: Option<f64>,
    /// The comparison ends as inconclusive after this many pairs.
    pub max_pairs: u32,
    /// It goes on beyond them, undecided, until this many seconds have passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least_s: Option<f64>,
    /// One command may be much slower than the other in this share of the pairs more than the other way round, and both
    /// still be equivalent as a whole.
    #[serde(skip_serializing_if = "is_usual_tail_margin")]
    pub tail_margin: f64,
    /// The comparison ends as inconclusive after this many seconds.
    pub max_time_s: Option<f64>,
    /// Whether the verdict must be valid at every moment, at the price of more pairs.
    pub anytime: bool,
    /// Whether both commands run at the same moment, on two CPUs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub duet: bool,
    /// Metrics that are decided beside the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<AlsoDecided>,
}

/// The usual margin of the tail: three points of share.
const TAIL_MARGIN: f64 = 0.03;

fn is_usual_tail_margin(margin: &f64) -> bool {
    *margin == TAIL_MARGIN
}

impl Default for Rule {
    fn default() -> Self {
        Rule {
            metric: Metric::WALL,
            level: 0.01,
            margin: 0.01,
            margin_absolute: None,
            max_pairs: 128,
            at_least_s: None,
            tail_margin: TAIL_MARGIN,
            max_time_s: None,
            anytime: false,
            duet: false,
            also: Vec::new(),
        }
    }
}

/// What somebody asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Definition {
    /// The commands; the first is the reference of a comparison.
    #[serde(rename = "command")]
    pub commands: Vec<CommandLine>,
    /// Parameters; every combination is run.
    #[serde(rename = "parameter")]
    pub parameters: Vec<Parameter>,
    /// The condition of every run.
    pub condition: Condition,
    /// Unmeasured runs of each command before the first measured one.
    pub warmup: u32,
    /// How many measured runs.
    pub runs: Runs,
    /// Where that is left to fauxplat: at least so many of each command.
    pub min_runs: Option<u32>,
    /// At most so many.
    pub max_runs: Option<u32>,
    /// Run once before the whole, by a shell like the three that follow; unmeasured.
    pub setup: Option<String>,
    /// Run before each run, unmeasured.
    pub prepare: Option<String>,
    /// Run after each run, unmeasured.
    pub conclude: Option<String>,
    /// Run once after the whole, unmeasured.
    pub cleanup: Option<String>,
    /// Counters that the programs publish; the first gives the metric `rate`.
    #[serde(rename = "table", skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableSource>,
    /// Numbers that the programs print, each a metric.
    #[serde(rename = "metric_from", skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<PrintedSource>,
    /// How a comparison is decided.
    pub rule: Rule,
    /// What a sweep varies, as it was written: `env-size=0..4096:64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// Whether a sweep visits every level in every block, those included that must be equal, and stops for no answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exhaustive: bool,
    /// Seed of everything that is drawn; drawn itself, and reported, when absent.
    pub seed: Option<u64>,
    /// Ways in which layouts of built programs differ; none for all that work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vary: Vec<Way>,
    /// How built programs are checked: a command with `{program}` that ends with status 0, or `none`; when absent, their
    /// exit status and output must be those of the program as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
}
