//! The report of `run`: each command by itself, then their medians side by side without a claim.

use fauxplat_model::document::Record;
use fauxplat_model::{
    Command, Comparison, CounterRates, IgnoredFailures, Metric, Phase, RunFindings, Sample, Summary, Verdict,
};

use super::frame::is_comparison;
use super::{compare, moved, processes, series};
use crate::parts::distribution::Sorted;
use crate::parts::spans::{code, named};
use crate::parts::{Distribution, Medium, Part, Piece, Rank, Tone};
use crate::samples::{ByCommand, P95_FROM, P99_FROM, leading, p99, readings, simulated, summary};
use crate::words::{Scale, counted, quantity, visible};
use crate::{View, tables, verdict};

pub(super) fn parts(record: &Record, found: &[RunFindings], view: &View) -> Vec<Piece> {
    let samples = ByCommand::new(record);
    let is_several = found.len() > 1;
    let mut parts = vec![answer(record, found).only(&[Medium::Page])];
    if is_several {
        parts.extend(at_a_glance(record, &samples, (found, view)));
    }
    for (index, (command, own)) in record.commands.iter().zip(found).enumerate() {
        parts.push(line(command, own, view));
        let moved = moved::sentences(&named(&command.name), own).into_iter();
        parts.extend(moved.map(|sentence| Piece::said(Tone::Doubt, sentence)));
        // If there are several commands, their common table is enough, unless more detail was requested.
        let is_wanted =
            !is_several || !own.rates.is_empty() || !own.tree.is_empty() || !own.series.is_empty();
        let pieces = title(command).into_iter().chain(figures(record, &samples, index, (own, view)));
        parts.extend(pieces.filter_map(|piece| if is_wanted { Some(piece) } else { piece.kept_in_full() }));
    }
    parts.extend(simulated(record).map(|it| Piece::said(Tone::Faint, it)));
    if is_several {
        parts.extend(relative(record, found, view).into_iter().map(Piece::in_full));
    }
    parts
}

fn line(command: &Command, found: &RunFindings, view: &View) -> Piece {
    let [lead, ..] = leading([found]);
    let said = summary(found, lead).map_or_else(
        || "not measured".to_owned(),
        |own| {
            let scale = Scale::viewed(lead, own.median, view);
            let interval = own.interval().map_or_else(
                || format!(" (from {} to {})", scale.number(own.min), scale.number(own.max)),
                |ends| {
                    let [low, high] = ends.map(|end| scale.number(end));
                    format!(" (95 % interval {low} … {high})")
                },
            );
            let runs = counted(own.n, "run", "runs");
            let what = if lead == Metric::WALL { String::new() } else { format!(" {}", lead.title()) };
            match own.min == own.max && lead != Metric::WALL {
                true => format!("{}{what}, the same in {runs}", scale.with_unit(own.median)),
                false => format!("{}{what}{interval}, {runs}", scale.with_unit(own.median)),
            }
        },
    );
    let failed = match found.failures {
        0 => String::new(),
        failures => format!("; {failures} failed"),
    };
    let tone = if found.failures > 0 { Tone::Doubt } else { Tone::Plain };
    Piece::answer(tone, format!("{}: {said}{failed}", named(&command.name))).in_line()
}

/// Pieces of a brief report about several commands: verdicts, a common table, one drawing, and irregularities.
fn at_a_glance(record: &Record, samples: &ByCommand, (found, view): (&[RunFindings], &View)) -> Vec<Piece> {
    let verdict = |comparison: &Comparison| {
        let sentence = verdict::sentence(comparison, &named(&comparison.a), &named(&comparison.b));
        let answer = Piece::answer(tables::tone(comparison), sentence);
        let beside = beside(found, comparison).into_iter().filter(|it| !it.is_detail);
        let beside = beside.map(|it| Piece::answer(it.tone, it.sentence));
        [answer].into_iter().chain(beside).map(Piece::joined).collect::<Vec<_>>()
    };
    let mut pieces: Vec<Piece> = compared_with_first(found).flat_map(verdict).collect();
    pieces.push(Piece::table(tables::relative(record, found, view)));
    let drawing = compare::distributions(record, samples, Metric::WALL);
    pieces.extend(drawing.map(|it| Piece::new(Part::Distribution(it))));
    pieces.extend(hint(record, found).map(Piece::plain));
    let is_odd = |it: &RunFindings| it.failures > 0 || it.runs_with_left_behind > 0;
    let odd = record.commands.iter().zip(found).enumerate().filter(|(_, (_, own))| is_odd(own));
    pieces.extend(odd.map(|(index, (command, own))| {
        let counts = counts(record, samples, index, own);
        Piece::said(Tone::Doubt, format!("{}: {counts}", named(&command.name))).joined()
    }));
    pieces.into_iter().map(Piece::in_brief).collect()
}

/// Findings that accompany the comparison of a command with the first.
fn beside(found: &[RunFindings], comparison: &Comparison) -> Vec<verdict::Beside> {
    let median = |own: &RunFindings| summary(own, comparison.metric).map(|it| it.median);
    let is_b = |own: &&RunFindings| own.against_first.as_deref().is_some_and(|it| it == comparison);
    let of_b = found.iter().find(is_b).and_then(median);
    let medians = found.first().and_then(median).zip(of_b).map(|(a, b)| [a, b]);
    let names = [named(&comparison.a), named(&comparison.b)];
    let names = [names[0].as_str(), names[1].as_str()];
    verdict::findings(comparison, &verdict::Sides { names, medians, are_all: found.len() == 2 })
}

fn compared_with_first(found: &[RunFindings]) -> impl Iterator<Item = &Comparison> {
    found.iter().filter_map(|it| it.against_first.as_deref())
}

/// Sentence with advice on how to obtain a clearer answer; `None` if the answer is clear, or if runs that failed ended
/// the experiment, as they would end a comparison. A comparison that failed is no reason to advise a comparison.
fn hint(record: &Record, found: &[RunFindings]) -> Option<String> {
    let has_failed = record.header.condition.ignore_failure == IgnoredFailures::None
        && found.iter().any(|own| own.failures > 0);
    if has_failed || is_comparison(record.header) {
        return None;
    }
    let hint = match compared_with_first(found).next() {
        None => "Medians of so few runs name no winner",
        Some(_) if compared_with_first(found).any(|it| it.verdict == Verdict::Inconclusive) => {
            "More runs may decide"
        }
        Some(_) => return None,
    };
    Some(format!("{hint}: {} runs until it is sure.", code("fauxplat compare")))
}

/// The first sentence of a page about several commands: their medians, without a claim about their difference.
fn answer(record: &Record, found: &[RunFindings]) -> Piece {
    let [lead, ..] = leading(found);
    let median = |(command, found): (&Command, &RunFindings)| {
        let median = summary(found, lead).map(|own| quantity(lead, own.median));
        format!("{} {}", named(&command.name), median.unwrap_or_else(|| "was not measured".to_owned()))
    };
    let medians: Vec<String> = record.commands.iter().zip(found).take(ANSWERED_MAX).map(median).collect();
    let more = match record.commands.len().saturating_sub(ANSWERED_MAX) {
        0 => String::new(),
        more => format!(", and {}", counted(more, "more command", "more commands")),
    };
    match medians.is_empty() {
        true => Piece::answer(Tone::Doubt, "Nothing was measured."),
        false => Piece::answer(Tone::Title, format!("Median {}: {}{more}", lead.title(), medians.join(", "))),
    }
}

/// Maximum number of commands in the first sentence of a page.
const ANSWERED_MAX: usize = 4;

/// Headings of a command: its name, and its command line if this differs from the name.
fn title(command: &Command) -> Vec<Piece> {
    let mut pieces = vec![Piece::sentence(Rank::Title, Tone::Title, named(&command.name))];
    if command.command != command.name && !command.command.is_empty() {
        pieces.push(Piece::sentence(Rank::Subtitle, Tone::Faint, named(&command.command)).at(1).joined());
    }
    pieces
}

fn figures(
    record: &Record,
    samples: &ByCommand,
    index: usize,
    (found, view): (&RunFindings, &View),
) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let metrics = tables::metrics(found, view);
    if !metrics.rows.is_empty() {
        pieces.extend([
            Piece::table(metrics).in_full(),
            Piece::table(tables::main_metrics(found, view)).in_brief(),
        ]);
    }
    if !found.derived.is_empty() {
        pieces.push(Piece::table(tables::derived(found)));
    }
    let zero = tables::zero_metrics(found);
    if !zero.is_empty() {
        pieces.push(
            Piece::said(Tone::Faint, format!("zero in every run: {}", zero.join(", "))).at(1).in_full(),
        );
    }
    let wall = Sorted::new(readings(samples, record, index, Metric::WALL).map(|ns| ns as f64));
    let drawn = Distribution::of(Metric::WALL, Vec::new(), vec![wall]);
    pieces.extend(drawn.map(|it| Piece::new(Part::Distribution(it))));
    pieces.extend(
        summary(found, Metric::WALL)
            .and_then(|wall| percentiles(wall, view))
            .map(|it| Piece::plain(it).at(1).in_full()),
    );
    pieces.push(Piece::plain(counts(record, samples, index, found)).at(1));
    pieces.extend(found.rates.iter().map(|rates| Piece::plain(along(rates)).at(1)));
    pieces.extend(processes::pieces(&found.tree));
    pieces.extend(series::pieces(&found.series, &record.commands[index].name));
    pieces.into_iter().map(Piece::joined).collect()
}

/// Number of runs from which on the quartiles are shown.
const QUARTILES_FROM: usize = 5;

/// Percentiles of the wall time in a sentence. A dash stands for a percentile that needs more runs, with the required
/// number.
fn percentiles(wall: &Summary, view: &View) -> Option<String> {
    let scale = Scale::viewed(Metric::WALL, wall.median, view);
    let [p5, p25, p75, p95] = wall.percentiles;
    let [p5, p95] = [p5, p95].map(|value| Some(value).filter(|_| wall.n >= P95_FROM));
    let named = [
        ("p5", 0.05, p5),
        ("p25", 0.25, Some(p25)),
        ("p50", 0.5, Some(wall.median)),
        ("p75", 0.75, Some(p75)),
        ("p95", 0.95, p95),
        ("p99", 0.99, p99(wall)),
    ];
    let end = |end: Option<f64>| end.map_or_else(|| "–".to_owned(), |end| scale.number(end));
    let interval = |quantile: f64| {
        let own = wall.intervals.iter().find(|it| it.quantile == quantile);
        own.map_or_else(String::new, |it| format!(" ({} … {})", end(it.low), end(it.high)))
    };
    let shown = |(name, quantile, value): (&str, f64, Option<f64>)| match value {
        Some(value) => format!("{name} {}{}", scale.number(value), interval(quantile)),
        None => format!("{name} –"),
    };
    let takes = match wall.n {
        n if n < P95_FROM => format!(" (p5 and p95 need {P95_FROM} runs, p99 {P99_FROM})"),
        n if n < P99_FROM => format!(" (p99 needs {P99_FROM} runs)"),
        _ => String::new(),
    };
    let all = named.map(shown).join(", ");
    (wall.n >= QUARTILES_FROM).then(|| format!("percentiles in {}: {all}{takes}", scale.unit))
}

/// Median, smallest and largest rate of a published counter in the intervals of the runs, in words.
fn along(rates: &CounterRates) -> String {
    let [low, middle, high] = [rates.min_per_s, rates.median_per_s, rates.max_per_s];
    let number = |per_s: f64| quantity(Metric::RATE, per_s * 1e6);
    let intervals = rates.series.iter().map(|run| run.rate_per_s.len()).sum();
    format!(
        "{}: {} (median of {}, {} … {})",
        visible(&rates.counter.name),
        number(middle),
        counted(intervals, "interval", "intervals"),
        number(low),
        number(high)
    )
}

/// Number of runs of a command, and their irregularities such as failures, in words.
fn counts(record: &Record, samples: &ByCommand, index: usize, found: &RunFindings) -> String {
    let in_phase = |phase| move |sample: &&Sample| sample.phase == phase;
    let measured = samples.of(index).filter(in_phase(Phase::Measured)).count();
    let warmups = samples.of(index).filter(in_phase(Phase::Warmup)).count();
    let mut parts = vec![counted(measured, "run", "runs")];
    if warmups > 0 {
        parts.push(format!("{} before them to warm up", counted(warmups, "run", "runs")));
    }
    if found.failures > 0 {
        let kept = record.commands[index].condition.ignore_failure.any();
        let fate = if kept { "analysed like the others" } else { "left out of the figures" };
        parts.push(format!("{} failed ({fate})", counted(found.failures, "run", "runs")));
    }
    let outliers = summary(found, Metric::WALL).map_or(0, |wall| wall.outliers);
    if outliers > 0 {
        parts.push(format!("{} much slower than the median", counted(outliers, "outlier", "outliers")));
    }
    if found.runs_with_left_behind > 0 {
        let runs = counted(found.runs_with_left_behind, "run", "runs");
        parts.push(format!("{runs} left processes behind, which were ended (--keep-background keeps them)"));
    }
    parts.join("; ")
}

fn relative(record: &Record, found: &[RunFindings], view: &View) -> Vec<Piece> {
    let mut pieces =
        vec![Piece::heading("side by side"), Piece::table(tables::relative(record, found, view)).joined()];
    let sentences = |comparison: &Comparison| {
        let sentence = verdict::sentence(comparison, &named(&comparison.a), &named(&comparison.b));
        let beside = beside(found, comparison).into_iter().map(|it| Piece::said(it.tone, it.sentence));
        let carried = verdict::carry_over(comparison).map(Piece::plain);
        let said = [Piece::said(tables::tone(comparison), sentence)].into_iter().chain(beside).chain(carried);
        said.map(|piece| piece.at(1).joined()).collect::<Vec<_>>()
    };
    pieces.extend(compared_with_first(found).flat_map(sentences));
    pieces.extend(hint(record, found).map(|hint| Piece::plain(hint).at(1).joined()));
    pieces
}
