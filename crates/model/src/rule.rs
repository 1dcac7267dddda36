//! The rule by which a comparison is decided.

use serde::{Deserialize, Serialize};

use crate::{FailIf, GateQuestion, Metric};

/// The settings by which a comparison is decided; METHODOLOGY.md explains them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// The metric that decides, or the first of several that do.
    pub metric: Metric,
    /// Allowed probability that identical programs are called *different* at any look at the data, for instance 0.01.
    pub level: f64,
    /// Differences within plus or minus this share count as none, for instance 0.01.
    pub margin: f64,
    /// Margin of the first metric as an amount in the unit in which the metric is stored; `None` uses `margin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin_absolute: Option<f64>,
    /// Number of pairs after which the comparison ends as inconclusive.
    pub max_pairs: u32,
    /// Seconds for which an undecided comparison continues at least, even beyond `max_pairs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least_s: Option<f64>,
    /// Margin of slow runs: the share of pairs in which one command is much slower, minus the share in which the other
    /// is. If this difference is at most the margin, the commands can be equivalent as a whole.
    #[serde(skip_serializing_if = "is_usual_tail_margin")]
    pub tail_margin: f64,
    /// Seconds after which the comparison ends as inconclusive.
    pub max_time_s: Option<f64>,
    /// Whether the verdict must be valid whenever the comparison stops (by an e-process), at the cost of more pairs.
    pub anytime: bool,
    /// Whether the two commands of a pair run at the same moment, on two CPUs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub duet: bool,
    /// Metrics that decide in addition to the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<AlsoDecided>,
    /// Sessions of the comparison, if each session counts as one value; `None` if the pairs do. The sessions share the
    /// limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Sessions>,
    /// Whether the typical pair or the ratio of the means decides.
    #[serde(skip_serializing_if = "is_default")]
    pub estimand: Estimand,
    /// The question of a gate, which the measurement has to answer in addition to whether the programs differ; `None`
    /// without a gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateQuestion>,
    /// The findings that make the comparison fail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fail_if: Vec<FailIf>,
    /// In documents of earlier versions: whether the gate also fails if its question remains unanswered.
    #[serde(skip_serializing_if = "is_default")]
    pub gate_is_strict: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub order: Order,
    /// Minimum seconds of measuring before the first look at the data, so that a momentary state of the machine is not
    /// taken for a property of a program.
    #[serde(skip_serializing_if = "is_usual_span")]
    pub least_span_s: f64,
}

/// The quantity that is compared between two programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Estimand {
    /// The typical pair: the median ratio of two runs side by side.
    #[default]
    Typical,
    /// The ratio of the means, which is the ratio of the costs of many runs.
    Mean,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Each command twice in a row; which command begins is drawn for each block. Effects of a run on the next one then
    /// become visible.
    #[default]
    Aabb,
    /// Each command once; which command begins is drawn for each block.
    Ab,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Default of [`Rule::least_span_s`].
pub const LEAST_SPAN_S: f64 = 1.0;

fn is_usual_span(span_s: &f64) -> bool {
    *span_s == LEAST_SPAN_S
}

/// Sessions of a comparison: parts of a measurement, before each of which everything possible is set up anew.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sessions {
    /// Number of sessions.
    pub count: u32,
    /// Pause before each session but the first, in seconds.
    #[serde(default)]
    pub gap_s: f64,
}

/// Default of [`Rule::tail_margin`]: three percentage points.
const TAIL_MARGIN: f64 = 0.03;

fn is_usual_tail_margin(margin: &f64) -> bool {
    *margin == TAIL_MARGIN
}

impl Rule {
    /// The findings that make the comparison fail. Definitions of earlier versions contain the question, from which the
    /// findings are derived here.
    pub fn gates(&self) -> Vec<FailIf> {
        let asked = self.gate.map(|question| match question {
            GateQuestion::Slower => FailIf::Slower,
            GateQuestion::Faster => FailIf::Faster,
            GateQuestion::Different => FailIf::Different,
        });
        let strict = self.gate_is_strict.then_some(FailIf::Undecided);
        match self.fail_if.is_empty() {
            true => asked.into_iter().chain(strict).collect(),
            false => self.fail_if.clone(),
        }
    }
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
            sessions: None,
            estimand: Estimand::default(),
            gate: None,
            fail_if: Vec::new(),
            gate_is_strict: false,
            order: Order::default(),
            least_span_s: LEAST_SPAN_S,
        }
    }
}

/// A metric that decides in addition to the first metric of a [`Rule`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlsoDecided {
    pub metric: Metric,
    /// Differences within plus or minus this share count as none; `None` uses the margin of the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Margin as an amount in the unit in which the metric is stored; replaces `margin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin_absolute: Option<f64>,
}
