//! The report of `lab compare`: whether a lab's results on two machines agree, and every claim with the figures of
//! both.

use fauxplat_model::{
    LabAgreement, LabComparison, LabMeasured, LabOutcome, LabPair, LabRecordFacts, LabSeen,
};
use serde::Serialize;

use crate::parts::{Grid, Piece, Rank, Tone};
use crate::verbs::frame::machine;
use crate::verbs::lab::page::figure;
use crate::words::visible;

pub(crate) fn parts(found: &LabComparison) -> Vec<Piece> {
    let count = |agreement| found.claims.iter().filter(|it| it.agreement == agreement).count();
    let comparable = found.claims.len() - count(LabAgreement::NotComparable);
    let sentence = format!(
        "Of {} claims {comparable} were decided on both machines: {} alike, {} with another figure, {} with \
         another outcome.",
        found.claims.len(),
        count(LabAgreement::Alike),
        count(LabAgreement::AnotherFigure),
        count(LabAgreement::AnotherOutcome),
    );
    let tone = if count(LabAgreement::AnotherOutcome) > 0 { Tone::Doubt } else { Tone::Good };
    let mut parts = vec![Piece::sentence(Rank::Answer, tone, sentence)];
    parts.extend([("A", &found.a), ("B", &found.b)].map(|(letter, facts)| about(letter, facts)));
    parts.push(Piece::table(table(found)));
    parts
}

fn about(letter: &str, facts: &LabRecordFacts) -> Piece {
    Piece::plain(format!(
        "{letter}: {}, {} labs on {}, begun {}, by fauxplat {}.",
        visible(&facts.file),
        facts.labs,
        machine(&facts.machine),
        visible(&facts.started),
        visible(&facts.fauxplat_version)
    ))
}

/// Table of the claims with the figures of both machines. Claims with differences come first.
fn table(found: &LabComparison) -> Grid {
    let mut grid = Grid::named(&["lab: claim", "A", "B", "B / A", "agreement"], &[3]);
    let rank = |pair: &LabPair| match pair.agreement {
        LabAgreement::AnotherOutcome => 0,
        LabAgreement::AnotherFigure => 1,
        LabAgreement::Alike => 2,
        LabAgreement::NotComparable => 3,
    };
    let mut pairs: Vec<&LabPair> = found.claims.iter().collect();
    pairs.sort_by_key(|pair| rank(pair));
    for pair in pairs {
        let ratio = pair.ratio.map_or_else(|| "–".to_owned(), |it| format!("{:.3}", it.value));
        let cells = vec![
            format!("{}: {}", visible(&pair.lab), visible(&pair.claim)),
            seen(pair.a.as_ref()),
            seen(pair.b.as_ref()),
            ratio,
            pair.agreement.words().to_owned(),
        ];
        grid.push(Tone::Plain, cells);
    }
    grid
}

fn seen(seen: Option<&LabSeen>) -> String {
    let Some(seen) = seen else { return "–".to_owned() };
    let figure = seen.measured.map_or_else(String::new, |it: LabMeasured| format!(" {}", figure(it.value)));
    format!("{}{figure}", seen.outcome.words())
}

#[derive(Serialize)]
pub(crate) struct ClaimPairRow<'a> {
    lab: &'a str,
    claim: &'a str,
    unit: &'a str,
    outcome_a: Option<LabOutcome>,
    outcome_b: Option<LabOutcome>,
    measured_a: Option<f64>,
    measured_b: Option<f64>,
    ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
    agreement: &'static str,
}

pub(crate) fn rows(found: &LabComparison) -> impl Iterator<Item = ClaimPairRow<'_>> {
    let value = |seen: &Option<LabSeen>| seen.as_ref()?.measured.map(|it| it.value);
    found.claims.iter().map(move |pair| ClaimPairRow {
        lab: &pair.lab,
        claim: &pair.claim,
        unit: &pair.unit,
        outcome_a: pair.a.as_ref().map(|it| it.outcome),
        outcome_b: pair.b.as_ref().map(|it| it.outcome),
        measured_a: value(&pair.a),
        measured_b: value(&pair.b),
        ratio: pair.ratio.map(|it| it.value),
        ratio_low: pair.ratio.map(|it| it.low),
        ratio_high: pair.ratio.map(|it| it.high),
        agreement: pair.agreement.words(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(claim: &str, agreement: LabAgreement) -> LabPair {
        let measured = Some(LabMeasured { value: 1.5, low: 1.4, high: 1.6 });
        let seen = LabSeen { outcome: LabOutcome::NotHere, measured, reason: None };
        LabPair {
            lab: "x".into(),
            claim: claim.into(),
            unit: "times".into(),
            a: Some(seen),
            b: None,
            ratio: None,
            agreement,
        }
    }

    #[test]
    fn what_differs_comes_first_and_what_one_lacks_is_a_dash() {
        let claims = vec![
            pair("none", LabAgreement::NotComparable),
            pair("same", LabAgreement::Alike),
            pair("figure", LabAgreement::AnotherFigure),
            pair("outcome", LabAgreement::AnotherOutcome),
        ];
        let found = LabComparison { claims, ..LabComparison::default() };
        let grid = table(&found);
        let order: Vec<&str> = grid.rows.iter().map(|row| row.cells[0].as_str()).collect();
        assert_eq!(order, ["x: outcome", "x: figure", "x: same", "x: none"]);
        assert_eq!(grid.rows[0].cells[1..3], ["not here 1.5000", "–"]);
        assert_eq!(rows(&found).next().unwrap().measured_b, None);
        assert_eq!(parts(&found).len(), 4);
    }
}
