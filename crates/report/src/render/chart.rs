//! Distributions drawn with characters: a column for each bin, a line for each command, on a common axis.

use fauxplat_model::Metric;
use unicode_width::UnicodeWidthStr;

use crate::Detail;
use crate::parts::distribution::{Axis, Raster, Sorted};
use crate::parts::{Distribution, Shape, Tone};
use crate::render::pen::Pen;
use crate::words::{Scale, counted, shorten, visible};

/// Characters for the heights of a bar, lowest first. The first is an empty bin.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 9] = [' ', '.', ':', '-', '=', '+', '*', '#', '@'];

/// Minimum width of a shortened name in characters.
const NAME_MIN: usize = 10;

/// Lines of a drawing, each at most as wide as the pen.
pub(crate) type Lines = Vec<(Tone, String)>;

/// Draws distributions: in one line each in reports of little detail, and otherwise each below its name.
pub(crate) fn lines(of: &Distribution, pen: Pen, detail: Detail) -> Lines {
    match &of.shape {
        Shape::Readings { metric, axis, values } if of.names.is_empty() => {
            values.iter().flat_map(|series| alone(*metric, *axis, series, pen)).collect()
        }
        Shape::Readings { metric, axis, values } => match detail {
            Detail::Full => together(&of.names, *metric, *axis, values, pen),
            Detail::Line | Detail::Brief => in_lines(&of.names, *metric, *axis, values, pen),
        },
        Shape::Counts { counts, ends, .. } => beside_names(&of.names, counts, ends, pen),
    }
}

/// Draws a single distribution: a line of bars between the ends of the axis, with a mark below for the median.
fn alone(metric: Metric, axis: Axis, values: &Sorted, pen: Pen) -> Lines {
    let scale = Scale::of(metric, axis.high);
    let (low, high) = (pen.spell(&scale.with_unit(axis.low)), pen.spell(&scale.with_unit(axis.high)));
    let raster = axis.raster(pen.width.saturating_sub(low.width() + high.width() + 4));
    let drawing = draw(values, raster, pen);
    let (left, right) = pen.ends();
    let mark = format!("{}{} median", " ".repeat(low.width() + 2), drawing.mark);
    let mark = if mark.width() <= pen.width { mark } else { mark.trim_end_matches(" median").to_owned() };
    let mut lines =
        vec![(Tone::Plain, format!("{low} {left}{}{right} {high}", drawing.bars)), (Tone::Faint, mark)];
    if drawing.beyond > 0 {
        let runs = counted(drawing.beyond, "run", "runs");
        lines.push((Tone::Faint, format!("{runs} beyond the drawing")));
    }
    lines
}

/// Draws distributions one below the other, each under its name.
fn together(names: &[String], metric: Metric, axis: Axis, values: &[Sorted], pen: Pen) -> Lines {
    let raster = axis.raster(pen.width - 2);
    let (left, right) = pen.ends();
    let mut lines = Vec::new();
    for (name, series) in names.iter().zip(values) {
        let drawing = draw(series, raster, pen);
        let beyond = match drawing.beyond {
            0 => String::new(),
            beyond => format!(" ({} beyond the drawing)", counted(beyond, "run", "runs")),
        };
        let name = pen.name(&visible(name), pen.width.saturating_sub(beyond.chars().count()));
        lines.push((Tone::Plain, format!("{name}{beyond}")));
        lines.push((Tone::Plain, format!("{left}{}{right}", drawing.bars)));
        lines.push((Tone::Faint, format!(" {}", drawing.mark)));
    }
    let ends = pen.spell(&ends(raster, Scale::of(metric, axis.high)));
    lines.push((Tone::Faint, format!(" {ends}")));
    lines.push((Tone::Faint, format!(" {}, {} median", metric.title(), pen.mark())));
    lines
}

/// Draws distributions as a line each beside its name, with the axis below. The table above the drawing contains the
/// medians.
fn in_lines(names: &[String], metric: Metric, axis: Axis, values: &[Sorted], pen: Pen) -> Lines {
    let names: Vec<String> = names.iter().map(|name| visible(name)).collect();
    let longest = names.iter().map(|name| pen.spell(name).width()).max().unwrap_or(0);
    let room = longest.min((pen.width / 3).max(NAME_MIN));
    let is_beyond = values.iter().any(|series| axis.raster(0).count(series).1 > 0);
    let raster = axis.raster(pen.width.saturating_sub(room + 3 + if is_beyond { BEYOND } else { 0 }));
    let (left, right) = pen.ends();
    let line = |(name, series): (&String, &Sorted)| {
        let (name, drawing) = (pen.name(name, room), draw(series, raster, pen));
        let pad = " ".repeat(room.saturating_sub(name.width()));
        let beyond = match drawing.beyond {
            0 => String::new(),
            beyond => format!(" {beyond} beyond"),
        };
        (Tone::Plain, format!("{name}{pad} {left}{}{right}{beyond}", drawing.bars))
    };
    let mut lines: Lines = names.iter().zip(values).map(line).collect();
    let ends = pen.spell(&ends(raster, Scale::of(metric, axis.high)));
    lines.push((Tone::Faint, format!("{}{ends}", " ".repeat(room + 2))));
    lines
}

/// Width in characters of the number of runs beyond the drawing, which is printed after it.
const BEYOND: usize = 12;

/// Draws distributions whose bins are given: a line each beside its name, with the ends of the axis below.
fn beside_names(names: &[String], counts: &[Vec<u64>], ends: &[String; 2], pen: Pen) -> Lines {
    let columns = counts.first().map_or(0, Vec::len);
    let longest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let room = pen.width.saturating_sub(columns + 3).clamp(NAME_MIN, longest.max(NAME_MIN));
    let (left, right) = pen.ends();
    let mut lines: Vec<String> = Vec::new();
    for (name, counts) in names.iter().zip(counts) {
        let name = shorten(&visible(name), room, pen.ellipsis());
        let (pad, bars) = (" ".repeat(room - name.width().min(room)), tails(counts, pen));
        lines.push(format!("{name}{pad} {left}{bars}{right}"));
    }
    let [low, high] = ends;
    let gap = columns.saturating_sub(low.width() + high.width()).max(1);
    lines.push(format!("{}{low}{}{high}", " ".repeat(room + 2), " ".repeat(gap)));
    lines.into_iter().map(|line| (Tone::Plain, pen.spell(&line))).collect()
}

struct Drawing {
    bars: String,
    /// A line with the mark below the bar of the median; empty if the median is not drawn.
    mark: String,
    /// Number of readings beyond the axis.
    beyond: usize,
}

/// Draws a distribution as bars. Every bin with a reading shows at least the lowest bar.
fn draw(series: &Sorted, raster: Raster, pen: Pen) -> Drawing {
    let (bins, beyond) = raster.count(series);
    let fullest = bins.iter().copied().max().unwrap_or(0).max(1);
    let heights = if pen.unicode { BLOCKS } else { ASCII };
    let height = |&count: &usize| heights[(count * 8).div_ceil(fullest)];
    let bars = bins.iter().flat_map(|count| std::iter::repeat_n(height(count), raster.stretch)).collect();
    let median = series.median().filter(|_| series.is_drawable()).and_then(|median| raster.character(median));
    let mark = median.map_or_else(String::new, |column| format!("{}{}", " ".repeat(column), pen.mark()));
    Drawing { bars, mark, beyond }
}

/// Draws a bar of one character for each count, with a height by the logarithm of the count relative to the largest: a
/// tail of single readings beside thousands remains visible, and every non-empty bin shows at least the lowest bar.
fn tails(counts: &[u64], pen: Pen) -> String {
    let fullest = counts.iter().copied().max().unwrap_or(0);
    let heights = if pen.unicode { BLOCKS } else { ASCII };
    let whole = (fullest as f64).ln_1p();
    let height =
        |&count: &u64| heights[((count as f64).ln_1p() / whole * 8.0).ceil().clamp(0.0, 8.0) as usize];
    counts.iter().map(height).collect()
}

/// The line below the bars: the low end of the axis at the left, the high end at the right.
fn ends(raster: Raster, scale: Scale) -> String {
    let (low, high) = (scale.with_unit(raster.axis.low), scale.with_unit(raster.axis.high));
    let gap = (raster.bins * raster.stretch).saturating_sub(low.width() + high.width()).max(1);
    format!("{low}{}{high}", " ".repeat(gap))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Pen = Pen { unicode: true, width: 100 };
    const PLAIN: Pen = Pen { unicode: false, width: 100 };

    fn sorted(values: &[f64]) -> Sorted {
        Sorted::new(values.iter().copied())
    }

    #[test]
    fn a_straggler_is_counted_instead_of_squeezing_the_rest() {
        let mut values: Vec<f64> = (0..100).map(f64::from).collect();
        values.push(1e6);
        let series = sorted(&values);
        let axis = Axis::of(&[&series]).unwrap();
        let drawing = draw(&series, axis.raster(20), WIDE);
        assert_eq!(drawing.beyond, 1);
        assert!(drawing.bars.starts_with('█'), "{}", drawing.bars);
        assert_eq!(drawing.bars.chars().filter(|&bar| bar == ' ').count(), 11, "{}", drawing.bars);
    }

    #[test]
    fn the_mark_stands_under_the_median() {
        let series = sorted(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
        let drawing = draw(&series, Axis::of(&[&series]).unwrap().raster(33), PLAIN);
        assert_eq!(drawing.bars.len(), 30);
        assert_eq!(drawing.mark, format!("{}^", " ".repeat(15)));
    }

    #[test]
    fn a_single_reading_beside_a_million_is_seen() {
        assert_eq!(tails(&[1_000_000, 1000, 1, 0], WIDE), "█▅▁ ");
        assert_eq!(tails(&[0, 0], WIDE), "  ");
    }
}
