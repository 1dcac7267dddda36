//! The report of `fleet compare`: two programs compared on all machines of a fleet.

use fauxplat_model::{
    DifferenceIn, Extent, FleetCompareFindings, FleetMean, FleetTail, MachineEffect, Side, Verdict,
};

use super::facts::{Goes, answers, deliveries, explained, interval, slower_words, what};
use crate::parts::spans::named;
use crate::parts::{Grid, Medium, Piece, Tone};
use crate::words::{change, counted, p_value, percent, round_percent, visible};

/// Number of machines that a terminal shows from each end of the list, which is ordered by the effect.
const ENDS: usize = 5;

pub(crate) fn parts(found: &FleetCompareFindings) -> Vec<Piece> {
    let mut parts: Vec<Piece> = other_answers(found).into_iter().collect();
    parts.push(Piece::answer(tone(found.verdict), answer(found)));
    parts.extend(beside(found).into_iter().map(|(tone, it)| Piece::said(tone, it).joined()));
    parts.extend(answers(&found.answers));
    parts.extend(explained(&found.facts_explained, found.metric, Goes::Effect(&found.b)));
    parts.push(Piece::plain(certainty(found)).in_full());
    parts.extend(tables(found));
    parts.extend(deliveries(&found.deliveries));
    parts
}

/// Warning at the beginning of the report if the programs printed different answers, because they then probably do
/// different work, not the same work at a different speed.
fn other_answers(found: &FleetCompareFindings) -> Option<Piece> {
    let it = found.answers_differ?;
    let words = format!(
        "{} gives a different answer than {} on {} of {}: the figures may compare different work, not the speed of the \
         same work.",
        named(&found.b),
        named(&found.a),
        it.machines,
        counted(it.of, "machine", "machines"),
    );
    Some(Piece::said(Tone::Bad, words))
}

fn tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Different => Tone::Title,
        Verdict::Equivalent => Tone::Neutral,
        Verdict::Inconclusive => Tone::Doubt,
    }
}

/// The answer, such as "b is 2.10 % ± 0.30 % faster than a on 37 machines, on all but the 3 with BIOS 1.2; on all 40:
/// 1.95 % ± 0.35 % faster."
fn answer(found: &FleetCompareFindings) -> String {
    let (a, b) = (named(&found.a), named(&found.b));
    let machines = counted(found.machines, "machine", "machines");
    let Some(ratio) = found.effect_ratio else {
        return format!("{b} against {a}: {machines} with figures of both, which is too few for a verdict.");
    };
    let effect = with_half(found, ratio, found.low, found.high);
    match (found.verdict, found.facts_explained.first(), found.elsewhere) {
        (Verdict::Different, Some(fact), Some(apart)) if is_typical(found) => format!(
            "{b} is {} than {a} on {}, on all but the {} with {}; on all {}: {effect}.",
            with_half(found, apart.effect_ratio, Some(apart.low), Some(apart.high)),
            counted(apart.machines, "machine", "machines"),
            fact.machines,
            what(fact),
            found.machines,
        ),
        (Verdict::Different, ..) if !is_typical(found) => {
            format!("{b} is not the same as {a} on {machines}, although its typical runs are {effect}.")
        }
        (Verdict::Different, ..) => format!("{b} is {effect} than {a} on {machines}."),
        (Verdict::Equivalent, ..) => {
            let of = match found.extent {
                Some(Extent::Whole) => "are equivalent as a whole",
                Some(Extent::Typical) => "are equivalent in typical runs",
                None => "are equivalent",
            };
            format!("{b} and {a} {of} on {machines}: {effect}, within {}.", round_percent(found.margin))
        }
        (Verdict::Inconclusive, ..) => format!("{b} against {a} on {machines} is inconclusive: {effect}."),
    }
}

/// Whether the verdict is about typical runs. Documents of earlier versions judge typical runs only.
fn is_typical(found: &FleetCompareFindings) -> bool {
    found.difference_in.is_empty() || found.difference_in.contains(&DifferenceIn::Typical)
}

fn beside(found: &FleetCompareFindings) -> Vec<(Tone, String)> {
    let mean = found.mean.as_ref().map(|it| (beside_tone(it.verdict), of_means(found, it)));
    let tail = found.tail.as_ref().map(|it| (beside_tone(it.verdict), of_slow_runs(found, it)));
    mean.into_iter().chain(tail).collect()
}

fn beside_tone(verdict: Verdict) -> Tone {
    if verdict == Verdict::Different { Tone::Doubt } else { Tone::Plain }
}

fn of_means(found: &FleetCompareFindings, it: &FleetMean) -> String {
    let interval = format!("{} to {}", change(it.low_ratio), change(it.high_ratio));
    let said = match it.verdict {
        Verdict::Different => "differ",
        Verdict::Equivalent => "differ by less than the margin",
        Verdict::Inconclusive => "are not known well enough",
    };
    let capped = match it.capped.iter().sum::<usize>() {
        0 => String::new(),
        runs => format!(
            "; {} beyond {} times the typical figure, without capping these {}",
            counted(runs, "run lies", "runs lie"),
            it.cap,
            change(it.plain_ratio)
        ),
    };
    format!("Means of {} {said}: {} (99 % interval {interval}{capped}).", named(&found.b), change(it.ratio))
}

fn of_slow_runs(found: &FleetCompareFindings, it: &FleetTail) -> String {
    let (a, b) = (named(&found.a), named(&found.b));
    let shares = format!(
        "{} of its runs against {} (99 % interval of the difference {} to {})",
        percent(it.share_b),
        percent(it.share_a),
        points(it.low),
        points(it.high)
    );
    match (it.side, it.verdict) {
        (Some(Side::B), _) => format!("{b} is much slower than usual in more runs than {a}: {shares}."),
        (Some(Side::A), _) => {
            format!("{a} is much slower than usual in more runs than {b}; {b} is in {shares}.")
        }
        (None, Verdict::Equivalent) => {
            format!("Neither program is slow in over {} more of its runs than the other.", points(it.margin))
        }
        (None, _) => format!(
            "Neither program is shown to have more slow runs: {b} is slow in {shares}; up to {} more are possible.",
            points(it.excess_excluded)
        ),
    }
}

/// A difference of shares in percentage points, as text.
fn points(share: f64) -> String {
    format!("{:.1} points", 100.0 * share)
}

/// An effect in words with the half-width of its interval, such as "2.10 % ± 0.30 % faster".
fn with_half(found: &FleetCompareFindings, ratio: f64, low: Option<f64>, high: Option<f64>) -> String {
    let words = slower_words(found.metric, ratio);
    let half = low.zip(high).map(|(low, high)| percent((high - low) / 2.0));
    match (words.rsplit_once(' '), half) {
        (Some((share, word)), Some(half)) => format!("{share} ± {half} {word}"),
        _ => words,
    }
}

fn certainty(found: &FleetCompareFindings) -> String {
    let student = found
        .p_value
        .map_or(String::new(), |p| format!("Student's test over the machines: {}. ", p_value(p)));
    let signs = found.p_sign_flip.map_or(String::new(), |p| format!("Sign-flip test: {}. ", p_value(p)));
    let between = found.between.map_or(String::new(), |between| {
        format!("Machines differ in the effect by {} beyond what their own runs explain. ", percent(between))
    });
    format!("{student}{signs}{between}Each machine counts once, however many runs it made.")
}

/// Tables of the machines: all of them on a page, and both ends of the list in a terminal.
fn tables(found: &FleetCompareFindings) -> Vec<Piece> {
    let all: Vec<&MachineEffect> = found.nodes.iter().collect();
    let counted = found.nodes.iter().filter(|it| it.effect_ratio.is_some()).count();
    let is_end = |index: usize| index < ENDS || index + ENDS >= counted;
    let ends: Vec<&MachineEffect> = all
        .iter()
        .enumerate()
        .filter(|(index, _)| is_end(*index))
        .map(|(_, it)| *it)
        .take(4 * ENDS)
        .collect();
    vec![
        Piece::table(grid(&ends)).only(&[Medium::Terminal, Medium::Comment]),
        Piece::table(grid(&all)).only(&[Medium::Page]),
    ]
}

fn grid(machines: &[&MachineEffect]) -> Grid {
    let mut grid =
        Grid::named(&["machine", "effect", "95 % interval", "pairs", "why it does not count"], &[3]);
    for it in machines {
        let cells = vec![
            visible(&it.node),
            it.effect_ratio.map_or("–".to_owned(), change),
            interval(it.low, it.high),
            it.pairs.to_string(),
            it.reason.as_deref().map_or(String::new(), visible),
        ];
        grid.push(if it.reason.is_some() { Tone::Faint } else { Tone::Plain }, cells);
    }
    grid
}
