//! Tables that several reports share.

mod effects;

use std::collections::BTreeMap;

use fauxplat_model::document::Record;
use fauxplat_model::{
    AaFindings, Bound, BoundedSummary, Comparison, Derived, Metric, PowerResult, RunFindings, Summary,
    TableFindings, TableValue, Verdict,
};

use crate::View;
use crate::parts::{Grid, Tone};
use crate::samples::{compared, leading, summary};
use crate::words::{Scale, TIE, change, percent, quantity, significant, visible};

pub(crate) use effects::effects;

/// Table of the metrics of one command, without metrics that were zero in every run.
pub(crate) fn metrics(found: &RunFindings, view: &View) -> Grid {
    metrics_that(found, view, |_| true)
}

/// Table of the main metrics of one command: time, memory, rate, and metrics that were requested by options.
pub(crate) fn main_metrics(found: &RunFindings, view: &View) -> Grid {
    let main = [Metric::WALL, Metric::USER, Metric::SYSTEM, Metric::PEAK_MEMORY, Metric::RATE];
    metrics_that(found, view, |metric| main.contains(&metric) || !metric.is_built_in())
}

fn metrics_that(found: &RunFindings, view: &View, is_wanted: impl Fn(Metric) -> bool) -> Grid {
    let mut grid = Grid::new(&["metric", "median", "95 % interval", "mean ± sd", "min … max"], &[3, 4, 2]);
    let shown = |it: &&Summary| is_wanted(it.metric) && !is_zero(it) && !is_echo(found, it);
    for summary in found.summaries.iter().filter(shown) {
        let mut cells = vec![titled(summary.metric, summary.first_thread)];
        cells.extend(location_and_spread(summary, view));
        grid.push(Tone::Plain, cells);
    }
    for bounded in found.bounded.iter().filter(|it| is_wanted(it.metric)) {
        let nothing = || "–".to_owned();
        let cells =
            [bounded.metric.title().to_owned(), bound(bounded, view), nothing(), nothing(), nothing()];
        grid.push(Tone::Plain, cells.to_vec());
    }
    grid
}

/// Title of a metric, with a note if its readings cover only the first thread instead of the whole process tree.
pub(crate) fn titled(metric: Metric, first_thread: bool) -> String {
    let part = if first_thread { " (first thread)" } else { "" };
    format!("{}{part}", metric.title())
}

/// A bound of the median of readings that are partly bounds, such as `< 3.4 MiB`.
fn bound(bounded: &BoundedSummary, view: &View) -> String {
    let shown = |(bound, number): (Bound, f64)| {
        let scale = Scale::viewed(bounded.metric, number, view);
        format!("{}{TIE}{}", bound.sign(), scale.with_unit(number))
    };
    bounded.shown().map_or_else(|| "–".to_owned(), shown)
}

/// A bound of the median of a metric of which some readings are bounds; a dash for any other metric.
fn bound_or_dash(found: &RunFindings, metric: Metric, view: &View) -> String {
    let bounded = found.bounded.iter().find(|it| it.metric == metric);
    bounded.map_or_else(|| "–".to_owned(), |it| bound(it, view))
}

/// Table of values that were derived from counts of the same run, such as instructions per cycle.
pub(crate) fn derived(found: &RunFindings) -> Grid {
    let mut grid = Grid::new(&["derived", "median", "95 % interval", "from"], &[3, 2]);
    for one in &found.derived {
        let number = significant;
        let unit = if one.unit.is_empty() { String::new() } else { format!("{TIE}{}", one.unit) };
        let cells = vec![
            one.name.clone(),
            format!("{}{unit}", number(one.median)),
            one.low
                .zip(one.high)
                .map_or_else(|| "–".to_owned(), |(low, high)| format!("{} … {}", number(low), number(high))),
            one.formula.clone(),
        ];
        grid.push(Tone::Plain, cells);
    }
    grid
}

/// Table of derived values with a column for each command. A value is included if at least two commands have it.
pub(crate) fn derived_side_by_side(record: &Record, found: &[RunFindings]) -> Grid {
    let names = compared(record).into_iter().map(|(name, _)| visible(name));
    let headings: Vec<String> =
        [vec!["derived".to_owned()], names.collect(), vec!["from".to_owned()]].concat();
    let mut grid = Grid::new(&headings.iter().map(String::as_str).collect::<Vec<_>>(), &[found.len() + 1]);
    for one in found.iter().flat_map(|it| &it.derived) {
        let of = |own: &RunFindings| {
            own.derived.iter().find(|it| (&it.formula, &it.unit) == (&one.formula, &one.unit)).cloned()
        };
        let all: Vec<Option<Derived>> = found.iter().map(of).collect();
        let is_known = grid.rows.iter().any(|row| row.cells.last() == Some(&one.formula));
        if is_known || all.iter().flatten().count() < 2 {
            continue;
        }
        let unit = if one.unit.is_empty() { String::new() } else { format!(" ({})", one.unit) };
        let cell =
            |own: &Option<Derived>| own.as_ref().map_or("–".to_owned(), |own| significant(own.median));
        let mut cells = vec![format!("{}{unit}", one.name)];
        cells.extend(all.iter().map(cell));
        cells.push(one.formula.clone());
        grid.push(Tone::Plain, cells);
    }
    grid
}

pub(crate) fn zero_metrics(found: &RunFindings) -> Vec<String> {
    let zero = found.summaries.iter().filter(|it| is_zero(it) && !is_echo(found, it));
    zero.map(|it| titled(it.metric, it.first_thread)).collect()
}

/// Whether a summary repeats the metric `rate` under the counter's own name.
fn is_echo(found: &RunFindings, echo: &Summary) -> bool {
    let rate = summary(found, Metric::RATE).map(|rate| Summary { metric: echo.metric, ..rate.clone() });
    echo.metric != Metric::RATE && rate.as_ref() == Some(echo)
}

fn is_zero(summary: &Summary) -> bool {
    summary.min == 0.0 && summary.max == 0.0
}

/// Cells of a table: median, interval, mean ± sd, and min … max, all in the unit chosen for the median.
fn location_and_spread(summary: &Summary, view: &View) -> [String; 4] {
    let typical = if summary.median == 0.0 { summary.max } else { summary.median };
    let scale = Scale::viewed(summary.metric, typical, view);
    let number = |value| scale.number(value);
    [
        scale.with_unit(summary.median),
        summary
            .interval()
            .map_or_else(|| "–".to_owned(), |[low, high]| format!("{} … {}", number(low), number(high))),
        format!("{} ± {}", number(summary.mean), number(summary.sd)),
        format!("{} … {}", number(summary.min), number(summary.max)),
    ]
}

/// Table of the medians of several commands, relative to the first command.
pub(crate) fn relative(record: &Record, found: &[RunFindings], view: &View) -> Grid {
    let [lead, second, third] = leading(found);
    let header = ["command", lead.title(), "relative", second.title(), third.title(), "runs"];
    let mut grid = Grid::named(&header, &[5, 3, 4]);
    let first = found.first().and_then(|first| summary(first, lead)).map(|it| it.median);
    let mut commands: Vec<_> = record.commands.iter().zip(found).collect();
    if view.by_mean {
        let mean = |found| summary(found, lead).map_or(f64::INFINITY, |lead| lead.mean);
        commands.sort_by(|(_, a), (_, b)| mean(a).total_cmp(&mean(b)));
    }
    for (command, found) in commands {
        let own = summary(found, lead);
        let median = |metric| {
            let shown = |it: &Summary| Scale::viewed(metric, it.median, view).with_unit(it.median);
            summary(found, metric).map_or_else(|| bound_or_dash(found, metric, view), shown)
        };
        let relative =
            own.zip(first).filter(|(_, first)| *first > 0.0).map(|(own, first)| own.median / first);
        let cells = vec![
            visible(&command.name),
            median(lead),
            relative.map_or("–".to_owned(), |ratio| format!("{ratio:.3}")),
            median(second),
            median(third),
            own.map_or(0, |own| own.n).to_string(),
        ];
        grid.push(Tone::Plain, cells);
    }
    grid
}

/// Table of the medians of the compared commands. Their differences have a separate table, since medians do not pair
/// the runs.
pub(crate) fn resources(record: &Record) -> Grid {
    let header = ["medians", "wall time", "CPU time", "run-queue wait", "peak memory", "runs", "failed"];
    let mut grid = Grid::named(&header, &[6, 3, 5]);
    for (name, found) in compared(record) {
        let runs = found.summaries.first().map_or(0, |any| any.n);
        let cells = vec![
            visible(name),
            median(found, Metric::WALL),
            median(found, Metric::CPU),
            median(found, Metric::RUN_DELAY),
            median(found, Metric::PEAK_MEMORY),
            runs.to_string(),
            found.failures.to_string(),
        ];
        grid.push(if found.failures == 0 { Tone::Plain } else { Tone::Doubt }, cells);
    }
    grid
}

fn median(found: &RunFindings, metric: Metric) -> String {
    let bound = || bound_or_dash(found, metric, &View::default());
    summary(found, metric).map_or_else(bound, |summary| quantity(metric, summary.median))
}

/// The tone of a comparison's verdict, where B being better counts as good.
pub(crate) fn tone(comparison: &Comparison) -> Tone {
    match comparison.verdict {
        Verdict::Equivalent => Tone::Neutral,
        Verdict::Inconclusive => Tone::Doubt,
        Verdict::Different if comparison.b_is_better() => Tone::Good,
        Verdict::Different => Tone::Bad,
    }
}

/// Table of the values of a live table: objects in rows, keys in columns, and beside each key its rate.
pub(crate) fn live(found: &TableFindings) -> Grid {
    let keys: BTreeMap<u64, &Option<String>> =
        found.values.iter().map(|value| (value.key, &value.key_name)).collect();
    let title = |(key, name): (&u64, &&Option<String>)| match name {
        Some(name) => visible(name),
        None => format!("key {key}"),
    };
    let rate = found.followed.then(|| "rate".to_owned());
    let header = keys.iter().flat_map(|key| std::iter::once(title(key)).chain(rate.clone()));
    let header: Vec<String> = std::iter::once("object".to_owned()).chain(header).collect();
    let mut grid = Grid::named(&header.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    for values in found.values.chunk_by(|one, next| one.object == next.object) {
        let cells = keys.keys().flat_map(|&key| {
            let value = values.iter().find(|value| value.key == key);
            live_cells(value).into_iter().take(1 + usize::from(found.followed))
        });
        let object = match &values[0].object_name {
            Some(name) => visible(name),
            None => values[0].object.to_string(),
        };
        grid.push(Tone::Plain, std::iter::once(object).chain(cells).collect());
    }
    grid
}

fn live_cells(value: Option<&TableValue>) -> [String; 2] {
    let nothing = || "–".to_owned();
    let rate = value.and_then(|value| value.rate_per_s);
    [
        value.map_or_else(nothing, |value| value.value.to_string()),
        rate.map_or_else(nothing, |rate| quantity(Metric::RATE, rate * 1e6)),
    ]
}

pub(crate) fn strata(found: &AaFindings) -> Grid {
    let header = [
        "stratum",
        "comparisons",
        "false verdicts",
        "bound on the share (95 %)",
        "equivalent",
        "inconclusive",
        "pairs",
    ];
    let mut grid = Grid::named(&header, &[6, 5, 4, 1]);
    for stratum in &found.strata {
        let cells = vec![
            visible(&stratum.name),
            stratum.comparisons.to_string(),
            stratum.false_verdicts.to_string(),
            percent(stratum.rate_upper_95),
            stratum.equivalent.to_string(),
            stratum.inconclusive.to_string(),
            format!("{:.1}", stratum.pairs_mean),
        ];
        grid.push(if stratum.false_verdicts == 0 { Tone::Plain } else { Tone::Doubt }, cells);
    }
    grid
}

/// Table of the false verdicts of every decision rule among its answers, with a column per stratum; `None` if no rival
/// rule had enough runs.
pub(crate) fn rivals(found: &AaFindings) -> Option<Grid> {
    let mut rules: Vec<&str> = Vec::new();
    for rival in found.strata.iter().flat_map(|stratum| &stratum.rivals) {
        if !rules.contains(&rival.rule.as_str()) {
            rules.push(&rival.rule);
        }
    }
    if rules.is_empty() {
        return None;
    }
    let names: Vec<String> = found.strata.iter().map(|stratum| visible(&stratum.name)).collect();
    let header: Vec<&str> = std::iter::once("rule").chain(names.iter().map(String::as_str)).collect();
    let mut grid = Grid::named(&header, &[]);
    let own = found.strata.iter().map(|stratum| rate(stratum.false_verdicts, answered(stratum)));
    grid.push(Tone::Title, std::iter::once("fauxplat".to_owned()).chain(own).collect());
    for rule in rules {
        let cell = |stratum: &fauxplat_model::AaStratum| {
            let count = stratum.rivals.iter().find(|rival| rival.rule == rule);
            count.map_or("–".to_owned(), |count| rate(count.false_verdicts, count.comparisons))
        };
        grid.push(Tone::Plain, std::iter::once(visible(rule)).chain(found.strata.iter().map(cell)).collect());
    }
    Some(grid)
}

/// Number of comparisons in a stratum that were decided either way.
pub(crate) fn answered(stratum: &fauxplat_model::AaStratum) -> usize {
    stratum.comparisons.saturating_sub(stratum.inconclusive)
}

/// A share with its counts, such as `3/60 = 5 %`, so that readers can check it.
fn rate(count: usize, of: usize) -> String {
    match of {
        0 => "–".to_owned(),
        _ => format!("{count}/{of} = {:.0}{TIE}%", 100.0 * count as f64 / of as f64),
    }
}

pub(crate) fn power(found: &[PowerResult]) -> Grid {
    let header = [
        "stratum",
        "true difference",
        "found",
        "at least (95 %)",
        "wrong sign",
        "false equivalent",
        "at most (95 %)",
        "estimate",
        "pairs",
    ];
    let mut grid = Grid::named(&header, &[8, 4, 7, 6]);
    for result in found {
        let cells = vec![
            visible(&result.stratum),
            change(result.true_ratio),
            format!("{} of {}", result.found, result.comparisons),
            percent(result.found_lower_95),
            result.wrong_sign.to_string(),
            result.false_equivalent.to_string(),
            result.false_equivalent_upper_95.map_or_else(|| "–".to_owned(), percent),
            change(result.effect_mean_ratio),
            format!("{:.1}", result.pairs_mean),
        ];
        grid.push(
            if result.wrong_sign + result.false_equivalent == 0 { Tone::Plain } else { Tone::Bad },
            cells,
        );
    }
    grid
}
