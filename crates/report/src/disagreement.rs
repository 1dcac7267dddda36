//! Sentences about metrics whose verdicts disagree: counts and times.

use fauxplat_model::{DerivedChange, Disagreement, Metric, MetricChange};

use crate::parts::spans::named;
use crate::relation::is_time;
use crate::words::{TIE, listed, percent, round_percent, significant};

/// Sentence about a count and a time whose changes contradict each other. `margin` is the share up to which a change
/// counts as none, if the change itself does not state its margin.
pub(crate) fn sentence(found: &Disagreement, margin: f64) -> String {
    let (a, b) = (named(&found.a), named(&found.b));
    let (count, time) = (moved(&found.count), moved(&found.time));
    let within = |it: &MetricChange| round_percent(it.margin.unwrap_or(margin));
    let (counted, timed) = (plain(found.count.metric), found.time.metric.title());
    let said = match (found.count.is_same, found.time.is_same) {
        (true, _) => {
            format!("{b} takes {time} than {a} for as many {counted} (within {})", within(&found.count))
        }
        (_, true) => {
            format!("{b} takes {count} than {a} in the same {timed} (within {})", within(&found.time))
        }
        _ => format!("{b} takes {count} and {time} than {a}"),
    };
    let figures: Vec<String> = found.derived.iter().map(figure).collect();
    match figures.is_empty() {
        true => format!("{said}."),
        false => format!("{said}: {}.", listed(&figures)),
    }
}

/// A change in words, such as `3 % fewer instructions` or `2 % more wall time`.
fn moved(it: &MetricChange) -> String {
    let ratio = it.change.ratio;
    let less = if is_time(it.metric) { "less" } else { "fewer" };
    let word = if ratio > 1.0 { "more" } else { less };
    format!("{} {word} {}", percent((ratio - 1.0).abs()), plain(it.metric))
}

/// Name of a counted event, without the counter's source.
fn plain(metric: Metric) -> String {
    let title = metric.title();
    let event = title.split_once(':').map_or(title, |(_, event)| event);
    match event.strip_suffix(":u") {
        Some(event) => format!("{event} in user mode"),
        None => event.to_owned(),
    }
}

fn figure(it: &DerivedChange) -> String {
    let unit = if it.unit.is_empty() { String::new() } else { format!("{TIE}{}", it.unit) };
    format!("{} {} → {}{unit}", it.name, significant(it.a), significant(it.b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::RatioInterval;

    fn change(metric: &str, ratio: f64, is_same: bool) -> MetricChange {
        let metric = Metric::from_id(metric).unwrap();
        MetricChange {
            metric,
            change: RatioInterval { ratio, low_ratio: ratio, high_ratio: ratio },
            is_same,
            margin: None,
        }
    }

    fn said(count: MetricChange, time: MetricChange, derived: Vec<DerivedChange>) -> String {
        let [a, b] = ["old", "new"].map(str::to_owned);
        sentence(&Disagreement { a, b, count, time, derived }, 0.01)
    }

    #[test]
    fn each_kind_of_disagreement_has_its_sentence() {
        let [fewer, as_many] = [("pmu:instructions", 0.97, false), ("pmu:instructions", 1.001, true)]
            .map(|(m, r, s)| change(m, r, s));
        let [slower, as_long] =
            [("wall", 1.02, false), ("wall", 0.999, true)].map(|(m, r, s)| change(m, r, s));
        let cycles =
            DerivedChange { name: "instructions per cycle".to_owned(), unit: String::new(), a: 2.1, b: 2.0 };
        let shown = |text: String| text.replace(TIE, " ").replace(['\u{1}', '\u{5}'], "`");
        assert_eq!(
            shown(said(fewer, slower, vec![cycles])),
            "`new` takes 3.00 % fewer instructions and 2.00 % more wall time than `old`: instructions per cycle 2.10 → 2.00."
        );
        assert_eq!(
            shown(said(as_many, slower, Vec::new())),
            "`new` takes 2.00 % more wall time than `old` for as many instructions (within 1 %)."
        );
        assert_eq!(
            shown(said(fewer, as_long, Vec::new())),
            "`new` takes 3.00 % fewer instructions than `old` in the same wall time (within 1 %)."
        );
        let wide = MetricChange { margin: Some(0.05), ..as_long };
        assert!(shown(said(fewer, wide, Vec::new())).contains("in the same wall time (within 5 %)"));
    }
}
