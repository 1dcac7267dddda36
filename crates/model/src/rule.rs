//! The rule by which a comparison is decided.

use serde::{Deserialize, Serialize};

use crate::{FailIf, GateQuestion, Metric};

/// The rule by which a comparison is decided; METHODOLOGY.md explains it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// The metric that decides, or the first of several.
    pub metric: Metric,
    /// Allowed probability of a false *different* over all looks, for instance 0.01.
    pub level: f64,
    /// Differences within plus or minus this ratio count as none, for instance 0.01.
    pub margin: f64,
    /// Margin of the first metric as an amount in the unit in which the metric is stored; replaces `margin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin_absolute: Option<f64>,
    /// Number of pairs after which the comparison ends as inconclusive.
    pub max_pairs: u32,
    /// Least time in seconds: an undecided comparison continues beyond `max_pairs` until this time has passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least_s: Option<f64>,
    /// Margin of the tail, as a share of all pairs: the number of pairs in which one command is much slower minus the
    /// number in which the other is. Up to this excess the commands are equivalent as a whole.
    #[serde(skip_serializing_if = "is_usual_tail_margin")]
    pub tail_margin: f64,
    /// Seconds after which the comparison ends as inconclusive.
    pub max_time_s: Option<f64>,
    /// Whether the verdict must be valid at every time (an e-process), at the cost of more pairs.
    pub anytime: bool,
    /// Whether both commands run at the same moment, on two CPUs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub duet: bool,
    /// Metrics that are decided in addition to the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<AlsoDecided>,
    /// Sessions of the comparison, if the sessions and not the pairs are the unit of replication. The sessions share
    /// the limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Sessions>,
    /// Whether the typical run or the mean decides.
    #[serde(skip_serializing_if = "is_default")]
    pub estimand: Estimand,
    /// The question of a gate, which sampling has to answer in addition to the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateQuestion>,
    /// The findings that fail the comparison.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fail_if: Vec<FailIf>,
    /// Whether the gate also fails if its question remains unanswered, in documents of earlier versions.
    #[serde(skip_serializing_if = "is_default")]
    pub gate_is_strict: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub order: Order,
    /// Seconds of measuring before the first verdict, so that a momentary state of the machine is not taken for a
    /// property of a program.
    #[serde(skip_serializing_if = "is_usual_span")]
    pub least_span_s: f64,
}

/// The figure that is compared between two programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Estimand {
    /// The typical pair: the median ratio of two runs side by side.
    #[default]
    Typical,
    /// The ratio of the means: the cost of many runs.
    Mean,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Each command twice in a row, in an order that a coin decides. Effects of a run on the next one then become
    /// visible.
    #[default]
    Aabb,
    /// Each command once, in an order that a coin decides.
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

/// Sessions of a comparison. Everything that can be set up anew is set up anew between two sessions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sessions {
    /// Number of sessions.
    pub count: u32,
    /// Pause before each session but the first, in seconds.
    #[serde(default)]
    pub gap_s: f64,
}

/// Default margin of the tail: three percentage points.
const TAIL_MARGIN: f64 = 0.03;

fn is_usual_tail_margin(margin: &f64) -> bool {
    *margin == TAIL_MARGIN
}

impl Rule {
    /// The findings that fail the comparison. Definitions of earlier versions hold the question and not the gates that
    /// asked it.
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

/// A metric that is decided in addition to the first metric of a [`Rule`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlsoDecided {
    pub metric: Metric,
    /// Differences within plus or minus this ratio count as none; `None` uses the ratio of the rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Margin as an amount in the unit in which the metric is stored; replaces the ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin_absolute: Option<f64>,
}
