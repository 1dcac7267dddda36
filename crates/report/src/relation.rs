//! Words for how one command compares with another in a metric, such as slower.

use fauxplat_model::{Comparison, Grade, Metric, Unit};

/// Whether the metric is a time of the command itself, of which less is faster.
pub(crate) fn is_time(metric: Metric) -> bool {
    [Metric::WALL, Metric::USER, Metric::SYSTEM, Metric::CPU].contains(&metric)
}

/// The relation of B to A in words, such as `is slower than` or `has fewer migrations than`. For a baseline the wording
/// is more cautious.
pub(crate) fn relation(comparison: &Comparison, more: bool) -> String {
    let metric = comparison.metric;
    let baseline = comparison.grade == Grade::AgainstBaseline;
    let (is, has) = if baseline { ("measured", "showed") } else { ("is", "has") };
    let title = metric.title();
    match metric.unit() {
        _ if is_time(metric) => format!("{is} {} than", if more { "slower" } else { "faster" }),
        Unit::Nanos | Unit::Bytes => format!("{has} {} {title} than", if more { "more" } else { "less" }),
        Unit::MicroPerSecond | Unit::Millionth => {
            format!("{has} a {} {title} than", if more { "higher" } else { "lower" })
        }
        Unit::Count => format!("{has} {} {title} than", if more { "more" } else { "fewer" }),
    }
}
