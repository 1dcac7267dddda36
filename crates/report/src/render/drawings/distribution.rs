//! Drawing of distributions as columns: a row for each command, on a common axis.

use maud::{Markup, html};

use super::Drawing;
use crate::parts::distribution::{Raster, Sorted};
use crate::parts::{Distribution, Shape};
use crate::svg::{self, Anchor, Axis, TEXT_SIZE};
use crate::words::{Scale, counted, spaced};

const WIDTH: f64 = 720.0;
/// Width in pixels on each side of the columns, enough for half of the number below the first column.
const BESIDE: f64 = 30.0;
/// Heights in pixels of the highest column, of a line of text above it, and of the gap between two rows.
const HIGHEST: f64 = 64.0;
const LINE: f64 = 18.0;
const GAP: f64 = 12.0;
/// Height for the numbers and the title of the axis, in pixels.
const BELOW: f64 = 44.0;
const BINS_MAX: usize = 60;

/// Draws distributions of readings; `None` for counts in given bins, which are drawn as curves elsewhere.
pub(super) fn draw(of: &Distribution) -> Option<Drawing> {
    let Shape::Readings { metric, axis, values } = &of.shape else { return None };
    let raster = axis.raster(BINS_MAX);
    let x = Axis { low: axis.low, high: axis.high, from: BESIDE, to: WIDTH - BESIDE };
    let scale = Scale::of(*metric, axis.high);
    let height = HIGHEST + LINE + GAP;
    let bottom = height * values.len() as f64;
    let unit = if scale.unit.is_empty() { String::new() } else { format!(" in {}", scale.unit) };
    let label = format!("{}{unit}; the mark is the median", metric.title());
    let body = html! {
        @for (index, series) in values.iter().enumerate() {
            @let base = height * (index + 1) as f64 - GAP;
            (row(of.names.get(index).map_or("", String::as_str), series, raster, scale, &x, base))
        }
        (x.horizontal(bottom, 6, |value| scale.number(value)))
        (svg::text(WIDTH / 2.0, bottom + BELOW - 6.0, Anchor::Middle, TEXT_SIZE, "faint", &label))
    };
    let title = format!("Distribution of {}", metric.title());
    let description = values.iter().enumerate().map(|(index, series)| described(of, index, series, scale));
    let description: Vec<String> = description.collect();
    Some(Drawing::new(WIDTH, bottom + BELOW, &title, &description.join("; "), body))
}

fn described(of: &Distribution, index: usize, series: &Sorted, scale: Scale) -> String {
    let name = of.names.get(index).map_or_else(String::new, |name| format!("{name}: "));
    let median = series
        .median()
        .map_or_else(|| "no reading".to_owned(), |it| format!("median {}", scale.with_unit(it)));
    format!("{name}{median}")
}

fn row(name: &str, series: &Sorted, raster: Raster, scale: Scale, x: &Axis, base: f64) -> Markup {
    let (bins, beyond) = raster.count(series);
    let fullest = bins.iter().copied().max().unwrap_or(0).max(1) as f64;
    let width = (x.to - x.from) / bins.len() as f64;
    let median = series.median().filter(|_| series.is_drawable());
    let said = median.map_or_else(String::new, |median| format!("median {}", scale.with_unit(median)));
    let beyond = if beyond == 0 {
        String::new()
    } else {
        format!("{} beyond the drawing", counted(beyond, "run", "runs"))
    };
    let aside: Vec<String> = [said, beyond].into_iter().filter(|text| !text.is_empty()).collect();
    let aside = aside.join(", ");
    let room = x.to - x.from - svg::text_width(&aside, TEXT_SIZE);
    html! {
        (svg::text(x.from, base - HIGHEST - 6.0, Anchor::Start, TEXT_SIZE, "strong", &svg::fitting(name, TEXT_SIZE, room)))
        (svg::text(x.to, base - HIGHEST - 6.0, Anchor::End, TEXT_SIZE, "faint", &aside))
        (svg::line((x.from, base), (x.to, base), "rule"))
        @for (index, &count) in bins.iter().enumerate() {
            @if count > 0 {
                // A column of a single reading among thousands remains visible.
                @let height = (HIGHEST * count as f64 / fullest).max(1.5);
                @let left = x.from + width * index as f64;
                (svg::bar(left, base - height, width - 1.0, height, "dot1", &hint(raster, index, count, scale)))
            }
        }
        @if let Some(median) = median.filter(|median| (x.low..=x.high).contains(median)) {
            (svg::line((x.at(median), base - HIGHEST), (x.at(median), base + 4.0), "line line2"))
        }
    }
}

fn hint(raster: Raster, index: usize, count: usize, scale: Scale) -> String {
    let width = (raster.axis.high - raster.axis.low) / raster.bins as f64;
    let low = raster.axis.low + width * index as f64;
    spaced(&format!(
        "{}, {} to {}",
        counted(count, "run", "runs"),
        scale.number(low),
        scale.with_unit(low + width)
    ))
}
