//! The report of `contend`: how pairs of CPUs are related, and how much they slow each other down in each kernel.

use std::collections::BTreeSet;

use fauxplat_model::{ContendFindings, Neighbourhood, PairCost, PairLabel};
use fauxplat_units::Cpu;

use super::worker_counts;
use crate::parts::{Grid, HeatMap, Panel, Part, Piece, Rank, Square, Tint, Tone};
use crate::words::{counted, percent};

pub(crate) fn parts(found: &ContendFindings) -> Vec<Piece> {
    let kernels = kernels(found);
    let mut parts = vec![Piece::answer(Tone::Title, answer(found))];
    parts.extend(heat(found, &kernels).map(|it| Piece::new(Part::HeatMap(it))));
    parts.push(Piece::table(labels(found)));
    if !kernels.is_empty() {
        parts.push(Piece::plain(
            "CPU time of a unit of work when both CPUs work, as a ratio to one that works alone (95 % interval):",
        ));
        parts.push(Piece::table(matrix(found, &kernels)));
    }
    parts.extend(worker_counts::pieces(&found.counts));
    parts.push(Piece::plain(accounts(found)).in_full());
    parts.extend(disturbed(found).map(|it| Piece::sentence(Rank::Warning, Tone::Doubt, it).in_brief()));
    parts
}

/// Share of disturbed rounds from which on there is a warning.
const DISTURBED_HIGH: f64 = 0.1;

/// A warning if many rounds were disturbed and therefore dropped.
fn disturbed(found: &ContendFindings) -> Option<String> {
    let lost: usize = found.pairs.iter().map(|cost| cost.dropped_rounds + cost.elsewhere_rounds).sum();
    let all = lost + found.pairs.iter().map(|cost| cost.rounds).sum::<usize>();
    let is_high = lost as f64 > DISTURBED_HIGH * all as f64;
    is_high.then(|| format!("{lost} of {} were disturbed and do not count.", counted(all, "round", "rounds")))
}

fn answer(found: &ContendFindings) -> String {
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

/// Names of the kernels in the order in which they were requested.
fn kernels(found: &ContendFindings) -> Vec<String> {
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

/// The ratio of the time per unit of work beside the other CPU to that alone, with its interval. A question mark stands
/// for an unknown ratio.
fn ratio(cost: &PairCost) -> String {
    let PairCost { cpu_ratio, cpu_low_ratio, cpu_high_ratio, .. } = cost;
    match (cpu_ratio.is_nan(), cpu_high_ratio.is_finite()) {
        (true, _) => "?".to_owned(),
        (false, true) => format!("{cpu_ratio:.2} ({cpu_low_ratio:.2} … {cpu_high_ratio:.2})"),
        (false, false) => format!("{cpu_ratio:.2} (–)"),
    }
}

/// Sentence about the parts of the workers' wall time, and about dropped rounds.
fn accounts(found: &ContendFindings) -> String {
    let worst =
        found.pairs.iter().filter_map(|cost| cost.unexplained_share).map(f64::abs).fold(0.0, f64::max);
    let dropped: usize = found.pairs.iter().map(|cost| cost.dropped_rounds).sum();
    let elsewhere: usize = found.pairs.iter().map(|cost| cost.elsewhere_rounds).sum();
    let all = |cost: &PairCost| cost.rounds + cost.dropped_rounds + cost.elsewhere_rounds;
    let rounds: usize = found.pairs.iter().map(all).sum();
    let mut text = format!(
        "Wall time is CPU time, run-queue wait and steal: at most {} of the wall time of a cell is none of these.",
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

const LEGEND: &str =
    "CPU time of a unit of work when both CPUs work, as a ratio to one alone; on one CPU, wall time";

/// Heat map with a square per pair of CPUs: a panel for their relation and a panel per kernel.
fn heat(found: &ContendFindings, kernels: &[String]) -> Option<HeatMap> {
    let cpus: Vec<Cpu> = found
        .labels
        .iter()
        .flat_map(|it| [it.cpu_a, it.cpu_b])
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let mut panels = vec![panel("measured", &cpus, |a, b| label(found, a, b))];
    panels.extend(kernels.iter().map(|kernel| panel(kernel, &cpus, |a, b| cost(found, kernel, a, b))));
    (!cpus.is_empty()).then(|| HeatMap {
        title: "Contention".to_owned(),
        description: answer(found),
        names: cpus.iter().map(Cpu::to_string).collect(),
        panels,
        legend: LEGEND,
    })
}

fn panel(title: &str, cpus: &[Cpu], of: impl Fn(Cpu, Cpu) -> Option<Square>) -> Panel {
    let pairs = cpus.iter().flat_map(|&a| cpus.iter().map(move |&b| (a.min(b), a.max(b))));
    Panel { title: title.to_owned(), squares: pairs.map(|(a, b)| of(a, b)).collect() }
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
    Some(Square { tint: Tint::Kind(tint), word: word.to_owned(), hint })
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
    Some(Square { tint: Tint::Ratio(shown), word, hint })
}
