//! The report of `fleet compare`.

use fauxplat_model::{FleetCompareFindings, MachineEffect, Verdict};

use super::facts::{Goes, answers, deliveries, explained, interval, slower_words, what};
use crate::parts::spans::named;
use crate::parts::{Grid, Medium, Piece, Tone};
use crate::words::{change, counted, p_value, percent, round_percent, visible};

/// Machines that a terminal shows of either end.
const ENDS: usize = 5;

pub(crate) fn parts(found: &FleetCompareFindings) -> Vec<Piece> {
    let mut parts: Vec<Piece> = other_answers(found).into_iter().collect();
    parts.push(Piece::answer(tone(found.verdict), answer(found)));
    parts.extend(answers(&found.answers));
    parts.extend(explained(&found.facts_explained, found.metric, Goes::Effect(&found.b)));
    parts.push(Piece::plain(certainty(found)).in_full());
    parts.extend(tables(found));
    parts.extend(deliveries(&found.deliveries));
    parts
}

/// First of all: who does other work is rarely slower or faster at the same.
fn other_answers(found: &FleetCompareFindings) -> Option<Piece> {
    let it = found.answers_differ?;
    let words = format!(
        "{} answers something else than {} on {} of {}: what follows may compare other work, not the same at another speed.",
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

/// "b is 2.10 % ± 0.30 % faster than a on 37 machines, on all but the 3 with BIOS 1.2; on all 40: 1.95 % ± 0.35 %
/// faster."
fn answer(found: &FleetCompareFindings) -> String {
    let (a, b) = (named(&found.a), named(&found.b));
    let machines = counted(found.machines, "machine", "machines");
    let Some(ratio) = found.effect_ratio else {
        return format!("{b} against {a}: {machines} with figures of both, which is too few for a verdict.");
    };
    let effect = with_half(found, ratio, found.low, found.high);
    match (found.verdict, found.facts_explained.first(), found.elsewhere) {
        (Verdict::Different, Some(fact), Some(apart)) => format!(
            "{b} is {} than {a} on {}, on all but the {} with {}; on all {}: {effect}.",
            with_half(found, apart.effect_ratio, Some(apart.low), Some(apart.high)),
            counted(apart.machines, "machine", "machines"),
            fact.machines,
            what(fact),
            found.machines,
        ),
        (Verdict::Different, ..) => format!("{b} is {effect} than {a} on {machines}."),
        (Verdict::Equivalent, ..) => {
            format!(
                "{b} and {a} are equivalent on {machines}: {effect}, within {}.",
                round_percent(found.margin)
            )
        }
        (Verdict::Inconclusive, ..) => format!("{b} against {a} on {machines} is inconclusive: {effect}."),
    }
}

/// "2.10 % ± 0.30 % faster".
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
    let signs = found.p_sign_flip.map_or(String::new(), |p| format!("By turning signs: {}. ", p_value(p)));
    let between = found.between.map_or(String::new(), |between| {
        format!("Machines differ in the effect by {} beyond what their own runs explain. ", percent(between))
    });
    format!("{student}{signs}{between}Each machine has one say, however many runs it made.")
}

/// All machines on a page, and both ends in a terminal.
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
