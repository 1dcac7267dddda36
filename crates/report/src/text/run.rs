//! The report of `run`: each command by itself, then their medians side by side without a claim.

use std::io;

use fauxplat_model::document::Record;
use fauxplat_model::{CounterRates, Metric, Phase, RunFindings, Sample};
use unicode_width::UnicodeWidthStr;

use crate::grid::Tone;
use crate::samples::{ByCommand, readings, summary};
use crate::tables;
use crate::text::chart::{Axis, Sorted, draw};
use crate::text::page::{INDENT, Page};
use crate::text::tree;
use crate::words::{Scale, counted, quantity, visible};

/// Lines that the full name of a command may take.
const NAME_LINES: usize = 4;

pub(crate) fn write(page: &mut Page, record: &Record, found: &[RunFindings]) -> io::Result<()> {
    let samples = ByCommand::new(record);
    for (index, (command, found)) in record.commands.iter().zip(found).enumerate() {
        if index > 0 {
            page.blank()?;
        }
        title(page, &command.name, &command.command)?;
        figures(page, record, &samples, index, found)?;
    }
    if found.len() > 1 {
        relative(page, record, found)?;
    }
    Ok(())
}

/// Everything that is known of one command.
fn figures(
    page: &mut Page,
    record: &Record,
    samples: &ByCommand,
    index: usize,
    found: &RunFindings,
) -> io::Result<()> {
    let metrics = tables::metrics(found);
    if !metrics.rows.is_empty() {
        page.table(INDENT, &metrics)?;
    }
    let zero = tables::zero_metrics(found);
    if !zero.is_empty() {
        page.paragraph(Tone::Faint, INDENT, &format!("zero in every run: {}", zero.join(", ")))?;
    }
    let wall = readings(samples, record, index, Metric::WALL).map(|ns| ns as f64).collect();
    distribution(page, Metric::WALL, &Sorted::new(wall))?;
    page.paragraph(Tone::Plain, INDENT, &counts(record, samples, index, found))?;
    for rates in &found.rates {
        page.paragraph(Tone::Plain, INDENT, &along(rates))?;
    }
    tree::write(page, &found.tree)
}

/// The name in full if it fits a few lines, and the command where it says more than the name.
fn title(page: &mut Page, name: &str, command: &str) -> io::Result<()> {
    let room = (page.width - INDENT) * NAME_LINES;
    let shown = page.name(&visible(name), room);
    page.paragraph(Tone::Title, 0, &shown)?;
    if command != name && !command.is_empty() {
        let shown = page.name(&visible(command), room);
        page.paragraph(Tone::Faint, INDENT, &shown)?;
    }
    Ok(())
}

/// One line of bars between the ends of the axis, and the mark of the median below.
fn distribution(page: &mut Page, metric: Metric, values: &Sorted) -> io::Result<()> {
    let Some(axis) = Axis::of(&[values]) else { return Ok(()) };
    let scale = Scale::of(metric, axis.high);
    let (low, high) = (page.spell(&scale.with_unit(axis.low)), page.spell(&scale.with_unit(axis.high)));
    let raster = axis.raster(page.width.saturating_sub(INDENT + low.width() + high.width() + 4));
    let drawing = draw(values, raster, page.unicode());
    let margin = " ".repeat(INDENT);
    let (left, right) = page.bars();
    page.line(Tone::Plain, &format!("{margin}{low} {left}{}{right} {high}", drawing.bars))?;
    let mark = format!("{margin}{}{} median", " ".repeat(low.width() + 2), drawing.mark);
    let mark = if mark.width() <= page.width { &mark } else { mark.trim_end_matches(" median") };
    page.line(Tone::Faint, mark)?;
    match drawing.beyond {
        0 => Ok(()),
        beyond => page.paragraph(
            Tone::Faint,
            INDENT,
            &format!("{} beyond the drawing", counted(beyond, "run", "runs")),
        ),
    }
}

/// What a published counter did along the runs.
pub(crate) fn along(rates: &CounterRates) -> String {
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

/// How many runs there were and what was odd about them.
fn counts(record: &Record, samples: &ByCommand, index: usize, found: &RunFindings) -> String {
    let in_phase = |phase| move |sample: &&Sample| sample.phase == phase;
    let measured = samples.of(index).filter(in_phase(Phase::Measured)).count();
    let warmups = samples.of(index).filter(in_phase(Phase::Warmup)).count();
    let mut parts = vec![counted(measured, "run", "runs")];
    if warmups > 0 {
        parts.push(format!("{} before them to warm up", counted(warmups, "run", "runs")));
    }
    if found.failures > 0 {
        let kept = record.commands[index].condition.ignore_failure;
        let fate = if kept { "analysed like the others" } else { "left out of the figures" };
        parts.push(format!("{} failed ({fate})", counted(found.failures, "run", "runs")));
    }
    let outliers = summary(found, Metric::WALL).map_or(0, |wall| wall.outliers);
    if outliers > 0 {
        parts.push(format!("{} much slower than the median", counted(outliers, "outlier", "outliers")));
    }
    if found.runs_with_left_behind > 0 {
        let runs = counted(found.runs_with_left_behind, "run", "runs");
        parts.push(format!("{runs} left processes behind, which were ended"));
    }
    parts.join("; ")
}

fn relative(page: &mut Page, record: &Record, found: &[RunFindings]) -> io::Result<()> {
    page.blank()?;
    page.line(Tone::Title, "side by side")?;
    page.table(INDENT, &tables::relative(record, found))?;
    page.paragraph(
        Tone::Plain,
        INDENT,
        "Medians alone name no winner: `fauxplat compare` interleaves the commands and gives a verdict.",
    )
}
