//! The rule by which a comparison is decided.

use serde::{Deserialize, Serialize};

use crate::Metric;

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
    /// In how many sessions it is measured, where those and not the pairs are what is counted. They share the limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Sessions>,
}

/// Sessions of a comparison: between two everything that can be is begun anew.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sessions {
    /// How many.
    pub count: u32,
    /// The pause before each but the first, in seconds.
    #[serde(default)]
    pub gap_s: f64,
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
            sessions: None,
        }
    }
}

/// A metric that is decided beside the first one of a [`Rule`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlsoDecided {
    /// The metric.
    pub metric: Metric,
    /// Differences within plus or minus this ratio count as none; the rule's own ratio when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// The same in the unit in which the metric is stored; it takes the place of the ratio.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin_absolute: Option<f64>,
}
