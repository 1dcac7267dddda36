//! The report of `compare`: the verdict first, then the evidence.

use std::collections::HashSet;

use fauxplat_model::document::Record;
use fauxplat_model::{CompareFindings, Comparison, Grade, Metric, Unit, Variant, Variation, Verdict, Way};
use fauxplat_units::Nanos;

use super::{blocks, moved, profile, quantiles, sessions};
use crate::parts::distribution::Sorted;
use crate::parts::spans::{named, strong};
use crate::parts::{Distribution, Part, Piece, Rank, Tone};
use crate::relation::is_time;
use crate::samples::{ByCommand, compared, leading, readings, simulated, summary};
use crate::words::{counted, listed, percent, quantity};
use crate::{disagreement, tables, verdict};

/// Maximum number of commands whose distributions are drawn on one axis; more are not readable.
const SERIES_MAX: usize = 12;

/// Share of a command's wall time that the start of an empty process takes from which on there is a warning.
const FLOOR_HIGH: f64 = 0.1;

pub(super) fn parts(record: &Record, found: &CompareFindings) -> Vec<Piece> {
    let samples = ByCommand::new(record);
    let mut parts = answers(record, found);
    let [located, located_by] = located(found);
    parts.extend(located);
    parts.extend(changed_levels(record, found));
    let effects = tables::effects(record, found);
    parts.extend((!effects.rows.is_empty()).then(|| Piece::table(effects)));
    let metric = found.comparisons.first().map_or(Metric::WALL, |it| it.metric);
    parts.extend(distributions(record, &samples, metric).map(|it| Piece::new(Part::Distribution(it))));
    parts.extend(blocks::pieces(record, &samples, found));
    parts.extend(simulated(record).map(|it| Piece::said(Tone::Faint, it)));
    parts.extend(joined(disagreements(found)));
    parts.extend(located_by);
    for comparison in &found.comparisons {
        parts.extend(grounds(comparison, title(found, comparison)).into_iter().map(Piece::in_full));
    }
    // For commands that were counted by a simulator and not timed, the table of effects is complete.
    let is_timed = leading(&found.commands)[0] == Metric::WALL;
    parts.extend(is_timed.then(|| Piece::table(tables::resources(record)).in_full()));
    let figures = tables::derived_side_by_side(record, &found.commands);
    parts.extend((!figures.rows.is_empty()).then(|| Piece::table(figures).in_full()));
    parts.extend(joined(notes(found).into_iter().map(|(tone, note)| Piece::said(tone, note).in_full())));
    let warning = |it| Piece::sentence(Rank::Warning, Tone::Doubt, it).in_brief();
    parts.extend(joined(doubts(record, found).into_iter().map(warning)));
    parts
}

/// Sentences about commands whose level changed in the course of the experiment. A brief report has them where the
/// halves of the session do not agree; elsewhere such a change cancels in the pairs.
fn changed_levels(record: &Record, found: &CompareFindings) -> Vec<Piece> {
    let is_torn = found.comparisons.iter().any(|it| it.halves.is_some() || it.tail_halves.is_some());
    let piece = |sentence: String| match Piece::said(Tone::Doubt, sentence) {
        piece if is_torn => piece.since_brief(),
        piece => piece.in_full(),
    };
    let compared = compared(record).into_iter();
    joined(compared.flat_map(|(name, it)| moved::sentences(&named(name), it)).map(piece))
}

/// If a profile was requested, the answer that names the functions which contain the difference, and the evidence for
/// this answer.
fn located(found: &CompareFindings) -> [Vec<Piece>; 2] {
    let (Some(profile), Some(comparison)) = (&found.profile, found.comparisons.first()) else {
        return [Vec::new(), Vec::new()];
    };
    profile::located(profile, change_of_cpu_time(comparison))
}

/// Change of the CPU time from A to B in the timed runs as a share; `None` if it is not significant.
fn change_of_cpu_time(of: &Comparison) -> Option<f64> {
    if of.metric == Metric::CPU {
        return (of.verdict == Verdict::Different).then_some(of.effect_ratio - 1.0);
    }
    let cpu = of.secondary.iter().find(|it| it.metric == Metric::CPU && it.different)?;
    Some(cpu.effect_ratio - 1.0)
}

/// Warnings about the result for readers who skip the evidence. Each begins with its subject.
fn doubts(record: &Record, found: &CompareFindings) -> Vec<String> {
    let dropped = found.comparisons.iter().filter_map(|comparison| {
        let guard = verdict::guard(comparison).filter(|guard| guard.is_warning)?;
        let (dropped, all) = (comparison.dropped_pairs, comparison.pairs + comparison.dropped_pairs);
        Some(match title(found, comparison) {
            Some(name) => format!("{dropped} of {all} pairs were dropped: {name}"),
            None => guard.sentence,
        })
    });
    let failed = compared(record).into_iter().filter_map(|(name, it)| verdict::failed(it, &named(name)));
    let floor = floor(found).filter(|(tone, _)| *tone == Tone::Doubt).map(|(_, sentence)| sentence);
    dropped.chain(failed).chain(floor).collect()
}

/// The answers: the verdicts, the findings that accompany each, and the winner.
fn answers(record: &Record, found: &CompareFindings) -> Vec<Piece> {
    let verdict = |comparison: &Comparison| {
        let (a, b) = (named(&comparison.a), named(&comparison.b));
        let said = |sentence| Piece::answer(tables::tone(comparison), sentence);
        let whole = said(verdict::sentence(comparison, &a, &b)).since_brief();
        let line = said(verdict::line(comparison, &a, &b)).in_line();
        [whole, line].into_iter().chain(beside(record, comparison, [&a, &b])).collect::<Vec<_>>()
    };
    let compared = compared(record);
    let name = |index: usize| compared.get(index).map_or_else(String::new, |it| named(it.0));
    let winner = winner(found, name).map(|sentence| Piece::answer(Tone::Title, sentence));
    joined(found.comparisons.iter().flat_map(verdict).chain(winner))
}

/// Pieces for the findings that accompany a verdict, placed below it.
fn beside(record: &Record, comparison: &Comparison, names: [&str; 2]) -> Vec<Piece> {
    let compared = compared(record);
    let median = |name: &str| {
        let (_, found) = compared.iter().find(|(other, _)| *other == name)?;
        summary(found, comparison.metric).map(|it| it.median)
    };
    let medians = median(&comparison.a).zip(median(&comparison.b)).map(|(a, b)| [a, b]);
    let sides = verdict::Sides { names, medians, are_all: compared.len() == 2 };
    let found = verdict::findings(comparison, &sides);
    let piece = |it: verdict::Beside| {
        let piece = Piece::answer(it.tone, it.sentence);
        if it.is_detail { piece.in_full() } else { piece.since_brief() }
    };
    found.into_iter().map(piece).collect()
}

/// Joins pieces so that no empty lines separate them.
fn joined(pieces: impl Iterator<Item = Piece>) -> Vec<Piece> {
    pieces.enumerate().map(|(index, piece)| if index > 0 { piece.joined() } else { piece }).collect()
}

/// Answers about metrics that contradict each other, such as counts and times, of which none alone answers the
/// question.
fn disagreements(found: &CompareFindings) -> impl Iterator<Item = Piece> {
    let margin = found.comparisons.first().map_or(0.0, |it| it.margin);
    found.disagreements.iter().map(move |it| Piece::answer(Tone::Plain, disagreement::sentence(it, margin)))
}

/// Sentence about the winner, if it is significantly better than the runner-up. For two commands the verdict itself is
/// enough.
fn winner(found: &CompareFindings, name: impl Fn(usize) -> String) -> Option<String> {
    let comparison = found.comparisons.first()?;
    let of_metric = found.comparisons.iter().filter(|it| it.metric == comparison.metric);
    if of_metric.count() < 2 {
        return None;
    }
    let best = match comparison.metric {
        metric if is_time(metric) => "Fastest",
        metric if metric.more_is_better() => "Highest",
        _ => "Least",
    };
    let metric = comparison.metric.title();
    Some(match found.winner {
        Some(index) => format!("{best} in {metric}: {}, also against the runner-up.", name(index)),
        None => "No winner is named: the best two were not told apart.".to_owned(),
    })
}

/// A title that names the commands and the metric of a comparison; `None` if it is the only comparison.
fn title(found: &CompareFindings, comparison: &Comparison) -> Option<String> {
    let first = found.comparisons.first().filter(|_| found.comparisons.len() > 1)?;
    let metric = match found.metrics().len() {
        1 => String::new(),
        _ => format!(" in {}", comparison.metric.title()),
    };
    Some(match comparison.a == first.a {
        true => format!("{}{metric}", named(&comparison.b)),
        false => format!("{}{metric} (against {})", named(&comparison.b), named(&comparison.a)),
    })
}

/// Pieces with the evidence for one verdict: sessions, tests, other metrics, variance, dropped pairs.
fn grounds(comparison: &Comparison, title: Option<String>) -> Vec<Piece> {
    if comparison.pairs == 0 && comparison.dropped_pairs == 0 {
        return Vec::new();
    }
    let mut pieces: Vec<Piece> = title.map(Piece::heading).into_iter().collect();
    if comparison.pairs > 0 {
        pieces.extend(sessions::sentences(comparison).into_iter().map(Piece::plain));
        let is_tested = comparison.bounded.is_none() || comparison.verdict == Verdict::Different;
        pieces.extend(is_tested.then(|| Piece::plain(verdict::tests(comparison))));
        pieces.extend(verdict::slow_runs(comparison).map(Piece::plain));
        pieces.extend(verdict::carry_over(comparison).map(Piece::plain));
    }
    pieces.extend(verdict::guard(comparison).map(|guard| match guard.is_warning {
        true => Piece::said(Tone::Doubt, format!("{} {}", strong("Warning:"), guard.sentence)),
        false => Piece::plain(guard.sentence),
    }));
    let names = [named(&comparison.a), named(&comparison.b)];
    pieces.extend(verdict::waited(comparison, [&names[0], &names[1]]).map(Piece::plain));
    pieces.extend(verdict::secondary(comparison).map(Piece::plain));
    // The variance of readings that are bounds is not known.
    if comparison.pairs > 1 && comparison.bounded.is_none() {
        pieces.extend(verdict::budget(comparison).into_iter().map(Piece::plain));
    }
    pieces.extend(quantiles::pieces(comparison));
    joined(pieces.into_iter())
}

/// Notes about the rule and the circumstances that hold for all comparisons of the experiment.
fn notes(found: &CompareFindings) -> Vec<(Tone, String)> {
    let mut notes = Vec::new();
    if let Some(comparison) = found.comparisons.first() {
        let rule = match (comparison.grade, comparison.anytime) {
            (Grade::AgainstBaseline, _) => "one look, and drift between both measurements is not excluded",
            _ if comparison.replication.is_some() => "one look, when all sessions were over",
            (_, true) => "anytime: the verdict and its interval hold whenever the comparison is stopped",
            (_, false) => "over all looks together, so looking early does not raise it",
        };
        let level = crate::words::round_percent(comparison.level);
        let adjusted = adjusted(found, comparison);
        notes.push((Tone::Plain, format!("Allowed rate of false verdicts {level} ({rule}){adjusted}.")));
    }
    notes.extend(layouts(found));
    notes.extend(duet(found));
    notes.extend(floor(found));
    let elapsed = Nanos::from_secs_f64(found.elapsed_s);
    notes.push((Tone::Plain, format!("Took {elapsed} in all.")));
    notes
}

/// Over what p-values are adjusted and the level is divided (commands, metrics), as the end of a sentence.
fn adjusted(found: &CompareFindings, first: &Comparison) -> &'static str {
    let metrics = found.metrics().len();
    match (metrics, found.comparisons.len() > metrics) {
        (1, false) => "",
        _ if first.grade == Grade::AgainstBaseline => ", in each metric",
        (1, true) => "; p adjusted over the commands (Holm)",
        (_, false) => "; p adjusted over the metrics (Holm)",
        (_, true) => "; p adjusted over commands and metrics (Holm)",
    }
}

fn layouts(found: &CompareFindings) -> Option<(Tone, String)> {
    let first = found.variants.first()?;
    let distinct =
        |of: &dyn Fn(&Variant) -> String| found.variants.iter().map(of).collect::<HashSet<_>>().len();
    let layouts = counted(distinct(&|variant| variant.link_seed.to_string()), "layout", "layouts");
    let programs = counted(distinct(&|variant| variant.sha256.clone()), "program", "programs");
    let ways: Vec<String> = ways(&first.variation).into_iter().map(str::to_owned).collect();
    let ways = if ways.is_empty() { "the build's own use of {seed}".to_owned() } else { listed(&ways) };
    Some((Tone::Plain, format!("{layouts}, {programs} built and checked; varied: {ways}.")))
}

/// Names of the ways in which a variation of a build changes the layout.
fn ways(variation: &Variation) -> Vec<&'static str> {
    let set = [
        (Way::ObjectOrder, variation.object_order.is_some()),
        (Way::Padding, variation.padding.is_some()),
        (Way::SectionOrder, variation.section_order.is_some()),
        (Way::SectionPadding, variation.section_padding.is_some()),
        (Way::Alignment, variation.alignment_bytes.is_some()),
    ];
    set.into_iter().filter(|(_, set)| *set).map(|(way, _)| way.name()).collect()
}

fn duet(found: &CompareFindings) -> Option<(Tone, String)> {
    let [one, other] = found.duet_cpus?;
    let sentence = format!(
        "A duet: both commands ran at the same moment, on CPU {one} and CPU {other}, and changed places in every pair; \
         positions above are CPUs."
    );
    Some((Tone::Plain, sentence))
}

fn is_about_a_region(found: &CompareFindings) -> bool {
    found.comparisons.first().is_some_and(|first| first.metric.region().is_some())
}

/// Note about the wall time of an empty program, in relation to that of the fastest command.
fn floor(found: &CompareFindings) -> Option<(Tone, String)> {
    // The time of a region, between two marks of the program, does not include the start of the program.
    let is_about_time = found.comparisons.iter().all(|it| it.metric.unit() == Unit::Nanos);
    let floor = found.floor_ns.filter(|_| is_about_time && !is_about_a_region(found))?;
    let medians = found.commands.iter().filter_map(|it| summary(it, Metric::WALL)).map(|it| it.median);
    let shortest = medians.fold(f64::INFINITY, f64::min);
    let share = floor / shortest;
    let is_high = share.is_finite() && share >= FLOOR_HIGH;
    let tone = if is_high { Tone::Doubt } else { Tone::Plain };
    let is_shown = found.comparisons.iter().any(|it| it.verdict == Verdict::Different);
    let advice = match is_high && is_shown {
        true => ": the difference in the work itself is larger than the one shown",
        false => "",
    };
    let share = match share.is_finite() {
        true => format!(", {} of the shortest command", percent(share)),
        false => String::new(),
    };
    let cost = quantity(Metric::WALL, floor);
    Some((tone, format!("An empty program takes {cost} here{share}; it is included{advice}.")))
}

/// The distributions of a metric's readings for each command, one below the other on one axis.
pub(super) fn distributions(record: &Record, samples: &ByCommand, metric: Metric) -> Option<Distribution> {
    let shown = record.commands.iter().take(SERIES_MAX);
    let of = |index| Sorted::new(readings(samples, record, index, metric).map(|it| it as f64));
    let values = (0..shown.len()).map(of).collect();
    Distribution::of(metric, shown.map(|command| command.name.clone()).collect(), values)
}
