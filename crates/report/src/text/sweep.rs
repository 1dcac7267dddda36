//! The report of `sweep`: the conclusion first, then shares, peaks and the plot.

use std::io;

use fauxplat_model::SweepFindings;
use fauxplat_units::Nanos;

use crate::grid::Tone;
use crate::sweep::grids;
use crate::sweep::plot::{Canvas, Series, is_numeric, series};
use crate::sweep::sentences::{self, number};
use crate::text::page::{INDENT, Page};
use crate::words::{Scale, percent};

/// Lines of the plot.
const PLOT_ROWS: usize = 10;
/// Columns of the plot: on a wide terminal more would only stretch it.
const PLOT_COLUMNS_MAX: usize = 110;

pub(crate) fn write(page: &mut Page, found: &SweepFindings) -> io::Result<()> {
    let finding = &found.finding;
    let (tone, conclusion) = sentences::conclusion(found);
    page.paragraph(tone, 0, &conclusion)?;
    for sentence in sentences::failing(found) {
        page.paragraph(Tone::Bad, 0, &sentence)?;
    }
    if let Some(sentence) = sentences::period(found) {
        page.paragraph(Tone::Plain, 0, &sentence)?;
    }
    page.blank()?;
    page.paragraph(Tone::Plain, 0, &sentences::shares(finding))?;
    if let Some(sentence) = sentences::parts(finding) {
        page.paragraph(Tone::Plain, 0, &sentence)?;
    }
    if let Some(sentence) = sentences::peaks(finding) {
        page.paragraph(Tone::Plain, 0, &sentence)?;
    }
    if !finding.peaks.is_empty() {
        page.table(INDENT, &grids::peaks(found))?;
    }
    page.blank()?;
    match is_numeric(found) && found.levels.len() > grids::TABLE_LEVELS_MAX {
        true => plots(page, found)?,
        false => page.table(INDENT, &grids::levels(found))?,
    }
    page.blank()?;
    page.paragraph(Tone::Faint, 0, &sentences::plan(found))?;
    page.paragraph(Tone::Faint, 0, &took(found))
}

/// How long it took, and what starting a process costs.
fn took(found: &SweepFindings) -> String {
    let elapsed = Nanos::from_secs_f64(found.elapsed_s);
    match found.floor_ns {
        Some(floor) => format!("Took {elapsed}; an empty program takes {} here.", Nanos::display_f64(floor)),
        None => format!("Took {elapsed}."),
    }
}

fn plots(page: &mut Page, found: &SweepFindings) -> io::Result<()> {
    let all = series(found);
    let points = || all.iter().flat_map(|series| &series.points);
    let ends = |values: &mut dyn Iterator<Item = f64>| {
        values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let x = ends(&mut points().map(|point| point.x));
    let y = ends(&mut points().map(|point| point.median));
    if !(y.1 > y.0 && x.1 > x.0) {
        return Ok(());
    }
    for series in &all {
        plot(page, found, series, x, y)?;
    }
    Ok(())
}

/// One series over the axes that all share.
fn plot(
    page: &mut Page,
    found: &SweepFindings,
    series: &Series,
    x: (f64, f64),
    y: (f64, f64),
) -> io::Result<()> {
    let scale = Scale::of(found.metric, y.1);
    let labels = [scale.with_unit(y.1), scale.with_unit(y.0)];
    let margin = labels.iter().map(|label| page.spell(label).chars().count()).max().unwrap_or(0);
    let columns = page.width.saturating_sub(margin + 2 * INDENT).clamp(10, PLOT_COLUMNS_MAX);
    let mut canvas = Canvas::new(columns, PLOT_ROWS);
    let share = |value: f64, (low, high): (f64, f64)| (value - low) / (high - low);
    for point in &series.points {
        canvas.mark(share(point.x, x), share(point.median, y));
    }
    let unit = found.unit.as_ref().map_or_else(String::new, |unit| format!(" in {unit}"));
    let of = if series.name.is_empty() { String::new() } else { format!(" at {}", series.name) };
    let span = percent(y.1 / y.0 - 1.0);
    page.paragraph(
        Tone::Faint,
        INDENT,
        &format!("median {} by {}{unit}{of}; the axis spans {span}", found.metric.title(), found.factor),
    )?;
    for (row, line) in canvas.lines(page.unicode()).iter().enumerate() {
        let label = match row {
            0 => page.spell(&labels[0]),
            row if row + 1 == PLOT_ROWS => page.spell(&labels[1]),
            _ => String::new(),
        };
        let indent = " ".repeat(INDENT + margin - label.chars().count());
        page.line(Tone::Plain, &format!("{indent}{label} {line}"))?;
    }
    let (low, high) = (number(x.0), number(x.1));
    let gap = " ".repeat(columns.saturating_sub(low.len() + high.len()).max(1));
    page.line(Tone::Faint, &format!("{}{low}{gap}{high}", " ".repeat(INDENT + margin + 1)))
}
