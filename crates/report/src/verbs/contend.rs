//! The report of `contend`: what two CPUs are to each other, and what each kernel costs on them.

use fauxplat_model::{ContendFindings, Neighbourhood, PairCost, PairLabel};

use crate::grid::{Grid, Tone};
use crate::parts::Part;
use crate::words::{counted, percent};

pub(crate) fn parts(found: &ContendFindings) -> Vec<Part> {
    let mut parts = vec![Part::Sentence(Tone::Title, answer(found)), Part::Table(labels(found))];
    let kernels = kernels(found);
    if !kernels.is_empty() {
        parts.push(Part::plain("CPU time of a unit of work when both work, over alone:"));
        parts.push(Part::Table(matrix(found, &kernels)));
    }
    parts.push(Part::plain(accounts(found)));
    parts
}

pub(crate) fn answer(found: &ContendFindings) -> String {
    let count = |label| found.labels.iter().filter(|one| one.label == label).count();
    let all = [
        Neighbourhood::SameCpu,
        Neighbourhood::SmtSibling,
        Neighbourhood::SharedCache,
        Neighbourhood::Separate,
        Neighbourhood::Stacked,
        Neighbourhood::NotDecided,
    ];
    let words: Vec<String> = all
        .into_iter()
        .filter(|&label| count(label) > 0)
        .map(|label| format!("{} {label}", count(label)))
        .collect();
    match found.labels.as_slice() {
        [] => "Nothing was measured.".to_owned(),
        [only] => format!("CPUs {} and {}: {}", only.cpu_a, only.cpu_b, only.label),
        all => format!("{}: {}", counted(all.len(), "pair", "pairs"), words.join(", ")),
    }
}

fn labels(found: &ContendFindings) -> Grid {
    let mut grid = Grid::new(&["CPUs", "measured", "claimed", "evidence"], &[]);
    for PairLabel { cpu_a, cpu_b, label, claimed, evidence, .. } in &found.labels {
        let tone = match *label {
            Neighbourhood::NotDecided => Tone::Doubt,
            label if label != *claimed => Tone::Neutral,
            _ => Tone::Plain,
        };
        let pair = format!("{cpu_a} and {cpu_b}");
        grid.push(tone, vec![pair, label.to_string(), claimed.to_string(), evidence.clone()]);
    }
    grid
}

/// The kernels in the order in which they were asked for.
pub(crate) fn kernels(found: &ContendFindings) -> Vec<String> {
    let mut kernels: Vec<String> = Vec::new();
    for cost in &found.pairs {
        if !kernels.contains(&cost.kernel) {
            kernels.push(cost.kernel.clone());
        }
    }
    kernels
}

fn matrix(found: &ContendFindings, kernels: &[String]) -> Grid {
    let header: Vec<&str> = std::iter::once("CPUs").chain(kernels.iter().map(String::as_str)).collect();
    let mut grid = Grid::new(&header, &[]);
    for label in &found.labels {
        let cost = |kernel: &String| {
            let is = |cost: &&PairCost| {
                (cost.cpu_a, cost.cpu_b) == (label.cpu_a, label.cpu_b) && cost.kernel == *kernel
            };
            found.pairs.iter().find(is).map_or("-".to_owned(), ratio)
        };
        let mut cells = vec![format!("{} and {}", label.cpu_a, label.cpu_b)];
        cells.extend(kernels.iter().map(cost));
        grid.push(Tone::Plain, cells);
    }
    grid
}

fn ratio(cost: &PairCost) -> String {
    if cost.cpu_ratio.is_nan() { "?".to_owned() } else { format!("{:.2}", cost.cpu_ratio) }
}

/// Where the wall time went.
fn accounts(found: &ContendFindings) -> String {
    let worst =
        found.pairs.iter().filter_map(|cost| cost.unexplained_share).map(f64::abs).fold(0.0, f64::max);
    let dropped: usize = found.pairs.iter().map(|cost| cost.dropped_rounds).sum();
    let elsewhere: usize = found.pairs.iter().map(|cost| cost.elsewhere_rounds).sum();
    let all = |cost: &PairCost| cost.rounds + cost.dropped_rounds + cost.elsewhere_rounds;
    let rounds: usize = found.pairs.iter().map(all).sum();
    let mut text = format!(
        "Wall time is CPU time, run-queue wait and steal: at most {} of a cell is none of them.",
        percent(worst)
    );
    if dropped > 0 {
        text.push_str(&format!(
            " {dropped} of {} were disturbed by others and do not count.",
            counted(rounds, "round", "rounds")
        ));
    }
    if elsewhere > 0 {
        text.push_str(&format!(
            " In {elsewhere} of {} the host had the CPUs at another distance; they do not count either.",
            counted(rounds, "round", "rounds")
        ));
    }
    text
}
