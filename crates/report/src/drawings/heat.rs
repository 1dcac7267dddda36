//! What two CPUs cost each other as a map: a square per pair, a panel for the labels and one per kernel.

use std::collections::BTreeSet;

use fauxplat_model::{ContendFindings, Neighbourhood, PairCost, PairLabel};
use fauxplat_units::Cpu;
use maud::{Markup, PreEscaped, html};

use crate::svg::{self, Anchor, TEXT_SIZE, text_width};
use crate::verbs::contend::{answer, kernels};

const WIDTH: f64 = 960.0;
const GAP: f64 = 28.0;
/// Room for the numbers of CPUs beside a panel, and for its title.
const MARGIN: f64 = 34.0;
/// Squares shrink with the number of CPUs, and lose their numbers when those no longer fit.
const SQUARE_MAX: f64 = 46.0;
const SQUARE_MIN: f64 = 7.0;
const NUMBERED: f64 = 30.0;
/// Steps of heat: the last one is a ratio of two and more.
const STEPS: usize = 8;

/// One hue whose strength grows with the cost; the numbers say the same to those who cannot see it.
const STYLE: &str = ".heat0{fill:#d55e00;fill-opacity:.02}.heat1{fill:#d55e00;fill-opacity:.12}\
.heat2{fill:#d55e00;fill-opacity:.22}.heat3{fill:#d55e00;fill-opacity:.32}.heat4{fill:#d55e00;fill-opacity:.44}\
.heat5{fill:#d55e00;fill-opacity:.56}.heat6{fill:#d55e00;fill-opacity:.68}.heat7{fill:#d55e00;fill-opacity:.8}";

/// What stands in one square.
struct Square {
    class: String,
    word: String,
    hint: String,
}

/// All panels as one file.
pub(crate) fn document(found: &ContendFindings) -> String {
    let cpus: Vec<Cpu> = found
        .labels
        .iter()
        .flat_map(|it| [it.cpu_a, it.cpu_b])
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let square = ((WIDTH - MARGIN) / cpus.len().max(1) as f64 - 1.0).clamp(SQUARE_MIN, SQUARE_MAX);
    let side = (square * cpus.len() as f64).max(text_width("integer-latency", TEXT_SIZE)) + MARGIN;
    let per_row = (((WIDTH + GAP) / (side + GAP)) as usize).max(1);
    let mut panels = vec![panel("measured", &cpus, square, |a, b| label(found, a, b))];
    let kernels = kernels(found);
    panels
        .extend(kernels.iter().map(|kernel| panel(kernel, &cpus, square, |a, b| cost(found, kernel, a, b))));
    let height = square * cpus.len() as f64 + MARGIN;
    let place = |index: usize| {
        let (column, row) = (index % per_row, index / per_row);
        (column as f64 * (side + GAP), row as f64 * (height + GAP))
    };
    let rows = panels.len().div_ceil(per_row) as f64;
    let body = html! {
        style { (PreEscaped(STYLE)) }
        @for (index, panel) in panels.iter().enumerate() {
            @let (x, y) = place(index);
            g transform=(format!("translate({x:.0} {y:.0})")) { (panel) }
        }
        (svg::text(0.0, rows * (height + GAP) + TEXT_SIZE, Anchor::Start, TEXT_SIZE, "faint", LEGEND))
    };
    svg::document(
        WIDTH.max(side),
        rows * (height + GAP) + 2.0 * TEXT_SIZE,
        "Contention",
        &answer(found),
        &body,
    )
}

const LEGEND: &str = "CPU time of a unit of work when both CPUs work, over alone; on one CPU, wall time";

fn panel(title: &str, cpus: &[Cpu], square: f64, of: impl Fn(Cpu, Cpu) -> Option<Square>) -> Markup {
    let at = |index: usize| MARGIN + square * index as f64;
    let middle = |index: usize| at(index) + square / 2.0;
    // A number for each CPU where there is room, and for every fourth or eighth where there is not.
    let step = (18.0 / square).ceil().max(1.0) as usize;
    html! {
        (svg::text(MARGIN, TEXT_SIZE, Anchor::Start, TEXT_SIZE, "strong", title))
        @for (index, cpu) in cpus.iter().enumerate().step_by(step) {
            (svg::text(middle(index), MARGIN - 5.0, Anchor::Middle, TEXT_SIZE - 2.0, "faint", &cpu.to_string()))
            (svg::text(MARGIN - 5.0, middle(index) + 4.0, Anchor::End, TEXT_SIZE - 2.0, "faint", &cpu.to_string()))
        }
        @for (row, &a) in cpus.iter().enumerate() {
            @for (column, &b) in cpus.iter().enumerate() {
                @if let Some(found) = of(a.min(b), a.max(b)) {
                    (svg::rect(at(column), at(row), square - 1.0, square - 1.0, &found.class, &found.hint))
                    @if square >= NUMBERED {
                        (svg::text(middle(column), middle(row) + 4.0, Anchor::Middle, TEXT_SIZE - 1.0, "", &found.word))
                    }
                }
            }
        }
    }
}

fn label(found: &ContendFindings, a: Cpu, b: Cpu) -> Option<Square> {
    let PairLabel { label, claimed, evidence, .. } =
        found.labels.iter().find(|it| (it.cpu_a, it.cpu_b) == (a, b))?;
    let (tint, word) = match label {
        Neighbourhood::SameCpu => (6, "same"),
        Neighbourhood::SmtSibling => (2, "SMT"),
        Neighbourhood::SharedCache => (1, "cache"),
        Neighbourhood::Separate => (3, "apart"),
        Neighbourhood::Stacked => (4, "stacked"),
        Neighbourhood::NotDecided => (0, "?"),
    };
    let hint = format!("CPUs {a} and {b}: {label}, claimed {claimed}; {evidence}");
    Some(Square { class: format!("box tint{tint}"), word: word.to_owned(), hint })
}

fn cost(found: &ContendFindings, kernel: &str, a: Cpu, b: Cpu) -> Option<Square> {
    let of = |it: &&PairCost| (it.cpu_a, it.cpu_b) == (a, b) && it.kernel == kernel;
    let cost = found.pairs.iter().find(of)?;
    let shown = if a == b { cost.wall_ratio } else { cost.cpu_ratio };
    let hint = format!(
        "{kernel}, CPUs {a} and {b}: CPU time {:.3} times ({:.3} to {:.3}), wall time {:.3} times ({:.3} to {:.3}), {} rounds",
        cost.cpu_ratio,
        cost.cpu_low_ratio,
        cost.cpu_high_ratio,
        cost.wall_ratio,
        cost.wall_low_ratio,
        cost.wall_high_ratio,
        cost.rounds
    );
    let word = if shown.is_finite() { format!("{shown:.2}") } else { "?".to_owned() };
    Some(Square { class: format!("box heat{}", heat(shown)), word, hint })
}

/// From nothing to twice the time.
fn heat(ratio: f64) -> usize {
    if ratio.is_finite() { ((ratio - 1.0).clamp(0.0, 0.999) * STEPS as f64) as usize } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heat_grows_from_nothing_to_twice_the_time() {
        assert_eq!([0.9, 1.0, 1.13, 1.5, 2.0, 9.0, f64::NAN].map(heat), [0, 0, 1, 4, 7, 7, 0]);
    }
}
