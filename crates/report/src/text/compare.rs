//! The report of `compare`: the verdict first, then what it rests upon.

use std::collections::HashSet;
use std::io;

use fauxplat_model::document::Record;
use fauxplat_model::{CompareFindings, Comparison, Grade, Metric, Variant, Variation, Way};
use fauxplat_units::Nanos;

use crate::grid::Tone;
use crate::samples::{ByCommand, compared, readings, summary};
use crate::text::chart::{self, Axis, Sorted};
use crate::text::page::{INDENT, Page};
use crate::words::{Scale, counted, listed, percent, quantity, visible};
use crate::{tables, verdict};

/// Columns that a name may take inside a sentence.
const NAME_IN_SENTENCE: usize = 60;

/// More series than this on one axis are no longer read.
const SERIES_MAX: usize = 12;

/// Share of a command's time from which the cost of starting a process is worth a warning.
const FLOOR_HIGH: f64 = 0.1;

pub(crate) fn write(page: &mut Page, record: &Record, found: &CompareFindings) -> io::Result<()> {
    for comparison in &found.comparisons {
        let room = NAME_IN_SENTENCE.min(page.width - INDENT);
        let name = |name: &str| page.name(&visible(name), room);
        let sentence = verdict::sentence(comparison, &name(&comparison.a), &name(&comparison.b));
        page.paragraph(tables::tone(comparison), 0, &sentence)?;
    }
    let compared = compared(record);
    if let Some(sentence) =
        winner(found, |index| compared.get(index).map_or_else(String::new, |it| visible(it.0)))
    {
        page.paragraph(Tone::Title, 0, &sentence)?;
    }
    page.blank()?;
    page.table(INDENT, &tables::effects(record, found))?;
    distributions(page, record, found)?;
    for comparison in &found.comparisons {
        grounds(page, comparison, title(found, comparison).as_deref())?;
    }
    page.blank()?;
    page.table(INDENT, &tables::resources(record))?;
    page.blank()?;
    for (tone, note) in notes(found) {
        page.paragraph(tone, 0, &note)?;
    }
    Ok(())
}

/// Who won, which only a comparison with the runner-up can show. Of two commands the verdict says it already.
pub(crate) fn winner(found: &CompareFindings, name: impl Fn(usize) -> String) -> Option<String> {
    let comparison = found.comparisons.first().filter(|_| found.comparisons.len() > 1)?;
    let best = match comparison.metric {
        metric if verdict::is_time(metric) => "Fastest",
        metric if metric.more_is_better() => "Highest",
        _ => "Least",
    };
    let metric = comparison.metric.title();
    Some(match found.winner {
        Some(index) => format!("{best} in {metric}: {}, also against the runner-up.", name(index)),
        None => "No winner is named: the best two were not told apart.".to_owned(),
    })
}

/// Which of several comparisons is meant; nothing where there is only one.
fn title(found: &CompareFindings, comparison: &Comparison) -> Option<String> {
    let first = found.comparisons.first().filter(|_| found.comparisons.len() > 1)?;
    Some(match comparison.a == first.a {
        true => visible(&comparison.b),
        false => format!("{} (against {})", visible(&comparison.b), visible(&comparison.a)),
    })
}

/// What one verdict rests upon: other metrics, variance, dropped pairs.
fn grounds(page: &mut Page, comparison: &Comparison, title: Option<&str>) -> io::Result<()> {
    if comparison.pairs == 0 && comparison.dropped_pairs == 0 {
        return Ok(());
    }
    page.blank()?;
    if let Some(title) = title {
        let title = page.name(title, page.width);
        page.line(Tone::Title, &title)?;
    }
    if comparison.pairs > 0 {
        page.paragraph(Tone::Plain, 0, &verdict::tests(comparison))?;
    }
    if let Some(guard) = verdict::guard(comparison) {
        let (tone, label) = if guard.is_warning { (Tone::Doubt, "Warning: ") } else { (Tone::Plain, "") };
        page.paragraph(tone, 0, &format!("{label}{}", guard.sentence))?;
    }
    if let Some(secondary) = verdict::secondary(comparison) {
        page.paragraph(Tone::Plain, 0, &secondary)?;
    }
    if comparison.pairs > 1 {
        for sentence in verdict::budget(comparison) {
            page.paragraph(Tone::Plain, 0, &sentence)?;
        }
    }
    Ok(())
}

/// What holds for the comparison as a whole.
pub(crate) fn notes(found: &CompareFindings) -> Vec<(Tone, String)> {
    let mut notes = Vec::new();
    if let Some(comparison) = found.comparisons.first() {
        let rule = match (comparison.grade, comparison.anytime) {
            (Grade::AgainstBaseline, _) => {
                "looked at once, and not protected from drift between the two times"
            }
            (_, true) => "anytime: the verdict and its interval hold whenever the comparison is stopped",
            (_, false) => "group-sequential, so that looking early does not raise it",
        };
        let level = crate::words::round_percent(comparison.level);
        let adjusted = if found.comparisons.len() > 1 { "; p adjusted over the commands (Holm)" } else { "" };
        notes.push((Tone::Plain, format!("Allowed rate of false verdicts {level} ({rule}){adjusted}.")));
    }
    notes.extend(layouts(found));
    notes.extend(duet(found));
    notes.extend(floor(found));
    let elapsed = Nanos::from_secs_f64(found.elapsed_s);
    notes.push((Tone::Plain, format!("Took {elapsed} in all.")));
    notes
}

/// Which layouts were measured.
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

/// What a variation sets.
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

/// What an empty program costs here, against the shortest of the commands.
fn floor(found: &CompareFindings) -> Option<(Tone, String)> {
    let floor = found.floor_ns?;
    let medians = found.commands.iter().filter_map(|it| summary(it, Metric::WALL)).map(|it| it.median);
    let shortest = medians.fold(f64::INFINITY, f64::min);
    let share = floor / shortest;
    let is_high = share.is_finite() && share >= FLOOR_HIGH;
    let tone = if is_high { Tone::Doubt } else { Tone::Plain };
    let advice = match is_high {
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

/// The distributions of the deciding metric under each other on one axis.
fn distributions(page: &mut Page, record: &Record, found: &CompareFindings) -> io::Result<()> {
    let metric = found.comparisons.first().map_or(Metric::WALL, |it| it.metric);
    let samples = ByCommand::new(record);
    let shown = record.commands.len().min(SERIES_MAX);
    let of = |index| Sorted::new(readings(&samples, record, index, metric).map(|it| it as f64).collect());
    let series: Vec<Sorted> = (0..shown).map(of).collect();
    let Some(axis) = Axis::of(&series.iter().collect::<Vec<_>>()) else { return Ok(()) };
    page.blank()?;
    let raster = axis.raster(page.width - INDENT - 2);
    let (left, right) = page.bars();
    let margin = " ".repeat(INDENT);
    for (command, series) in record.commands.iter().zip(&series) {
        let drawing = chart::draw(series, raster, page.unicode());
        let beyond = match drawing.beyond {
            0 => String::new(),
            beyond => format!(" ({} beyond the drawing)", counted(beyond, "run", "runs")),
        };
        let room = (page.width - INDENT).saturating_sub(beyond.chars().count());
        let name = page.name(&visible(&command.name), room);
        page.line(Tone::Plain, &format!("{margin}{name}{beyond}"))?;
        page.line(Tone::Plain, &format!("{margin}{left}{}{right}", drawing.bars))?;
        page.line(Tone::Faint, &format!("{margin} {}", drawing.mark))?;
    }
    let ends = page.spell(&chart::ends(raster, Scale::of(metric, axis.high)));
    page.line(Tone::Faint, &format!("{margin} {ends}"))?;
    page.line(Tone::Faint, &format!("{margin} {}, {} median", metric.title(), page.mark()))
}
