//! The table of a comparison: medians, the typical pair and the mean, and the figure that decides.

use fauxplat_model::document::Record;
use fauxplat_model::{CompareFindings, Comparison, Estimand, Grade, Metric};

use super::{median, tone};
use crate::parts::{Grid, Tone};
use crate::samples::compared;
use crate::words::{TIE, change, p_value, visible};
use crate::{bounded, verdict};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Figures {
    /// Two figures, of the typical pair and of the mean. The value says by which of them the comparison is decided.
    Paired(Estimand),
    /// A single figure, the difference, for runs that were not paired or for counts that repeat exactly.
    Difference,
}

impl Figures {
    fn of(first: &Comparison) -> Self {
        match first.grade == Grade::AgainstBaseline || first.exact.is_some() {
            true => Figures::Difference,
            false => Figures::Paired(first.estimand),
        }
    }

    fn titles(self) -> &'static [&'static str] {
        match self {
            Figures::Paired(Estimand::Typical) => &["typical pair (decides)", "mean"],
            Figures::Paired(Estimand::Mean) => &["typical pair", "mean (decides)"],
            Figures::Difference => &["difference"],
        }
    }

    fn cells(self, of: &Comparison) -> Vec<String> {
        let figure_of_effect = || figure(of.effect_ratio, of.ci_low_ratio, of.ci_high_ratio);
        let effect = bounded::effect(of).unwrap_or_else(figure_of_effect);
        let mean = of.mean.map_or_else(nothing, |mean| figure(mean.ratio, mean.low_ratio, mean.high_ratio));
        match self {
            Figures::Paired(Estimand::Typical) => vec![effect, mean],
            Figures::Paired(Estimand::Mean) => {
                let typical =
                    of.typical.map_or_else(nothing, |it| figure(it.ratio, it.low_ratio, it.high_ratio));
                vec![typical, effect]
            }
            Figures::Difference => vec![effect],
        }
    }
}

/// Table of all comparisons: with the reference, metric by metric, then of the winner with the runner-up.
pub(crate) fn effects(record: &Record, found: &CompareFindings) -> Grid {
    let Some(first) = found.comparisons.first() else { return Grid::named(&["command"], &[]) };
    if found.metrics().len() > 1 {
        return effects_by_metric(record, found, first);
    }
    let title = format!("median {}", first.metric.title());
    let mut grid = grid(&["command", &title], found, first);
    let compared = compared(record);
    let figures = Figures::of(first);
    let median_of =
        |index: usize| compared.get(index).map_or_else(nothing, |(_, it)| median(it, first.metric));
    grid.push(Tone::Plain, reference(vec![visible(&first.a), median_of(0)], figures));
    for (index, comparison) in found.comparisons.iter().enumerate() {
        let (name, position) = match index + 1 < compared.len() {
            true => (visible(&comparison.b), index + 1),
            false => {
                let position = compared.iter().position(|(name, _)| *name == comparison.b);
                (against(comparison), position.unwrap_or(usize::MAX))
            }
        };
        grid.push(tone(comparison), effect(vec![name, median_of(position)], comparison, figures));
    }
    grid
}

/// Table of comparisons in several metrics, each with a row for the reference.
fn effects_by_metric(record: &Record, found: &CompareFindings, first: &Comparison) -> Grid {
    let mut grid = grid(&["command", "metric", "median"], found, first);
    let compared = compared(record);
    let figures = Figures::of(first);
    let median_of =
        |index: usize, metric| compared.get(index).map_or_else(nothing, |(_, it)| median(it, metric));
    let before = |name: String, metric: Metric, index: usize| {
        vec![name, metric.title().to_owned(), median_of(index, metric)]
    };
    let candidates = compared.len().saturating_sub(1).max(1);
    let with_first = found.with_first(candidates);
    for of_metric in with_first.chunks(candidates) {
        let metric = of_metric[0].metric;
        grid.push(Tone::Plain, reference(before(visible(&first.a), metric, 0), figures));
        for (index, comparison) in of_metric.iter().enumerate() {
            let row = effect(before(visible(&comparison.b), metric, index + 1), comparison, figures);
            grid.push(tone(comparison), row);
        }
    }
    for comparison in &found.comparisons[with_first.len()..] {
        let position = compared.iter().position(|(name, _)| *name == comparison.b).unwrap_or(usize::MAX);
        let row = effect(before(against(comparison), comparison.metric, position), comparison, figures);
        grid.push(tone(comparison), row);
    }
    grid
}

/// The table without rows. If there is no room, p-values and pairs are left out first, empty columns before others. A
/// single verdict is left out too, since it already stands above the table.
fn grid(before: &[&str], found: &CompareFindings, first: &Comparison) -> Grid {
    let figures = Figures::of(first);
    let titles = figures.titles();
    let runs = if first.grade == Grade::AgainstBaseline { "runs" } else { "pairs" };
    let header: Vec<&str> = [before, titles, &["p", runs, "verdict"]].concat();
    let (median, mean, p) = (before.len() - 1, before.len() + 1, before.len() + titles.len());
    let mut dispensable = vec![p, p + 1];
    let has_mean = found.comparisons.iter().any(|it| it.mean.is_some());
    match figures {
        Figures::Paired(Estimand::Typical) if !has_mean => dispensable.extend([mean, median]),
        Figures::Paired(_) => {
            dispensable.extend((found.comparisons.len() == 1).then_some(p + 2));
            dispensable.push(median);
        }
        Figures::Difference => dispensable.push(median),
    }
    Grid::named(&header, &dispensable)
}

fn nothing() -> String {
    "–".to_owned()
}

fn against(comparison: &Comparison) -> String {
    format!("{} (against {})", visible(&comparison.b), visible(&comparison.a))
}

fn reference(before: Vec<String>, figures: Figures) -> Vec<String> {
    let empty = figures.titles().len() + 2;
    let after = std::iter::repeat_with(nothing).take(empty).chain(["reference".to_owned()]);
    before.into_iter().chain(after).collect()
}

fn effect(before: Vec<String>, comparison: &Comparison, figures: Figures) -> Vec<String> {
    let p = p_value(comparison.p_value);
    let after = [
        p.trim_start_matches(['p', TIE, '=']).to_owned(),
        comparison.pairs.to_string(),
        verdict::word(comparison).to_owned(),
    ];
    before.into_iter().chain(figures.cells(comparison)).chain(after).collect()
}

/// Maximum width of a figure in characters, so that it fits beside an indented name in forty columns.
const FIGURE_MAX: usize = 26;

/// A ratio with its interval, such as `+2.31 % (+1.76 … +2.86)`. The interval is left out if it is too long or has no
/// bounds; the sentence above the table has it.
fn figure(ratio: f64, low: f64, high: f64) -> String {
    if ratio.is_nan() {
        return nothing();
    }
    if verdict::excludes_nothing(low, high) {
        return change(ratio);
    }
    let [low, high] = [low, high].map(|it| verdict::end(it).trim_end_matches([TIE, '%']).to_owned());
    let ratio = change(ratio);
    let with = |between: &str| format!("{ratio} ({low}{between}{high})");
    // A terminal without Unicode shows three dots for an ellipsis, so it counts as three characters.
    let width_max = |it: &String| it.replace('…', "...").chars().count();
    let fitting = [with(" … "), with("…")].into_iter().find(|it| width_max(it) <= FIGURE_MAX);
    fitting.unwrap_or(ratio)
}
