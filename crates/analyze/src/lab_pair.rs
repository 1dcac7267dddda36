//! Compares two records of labs, such as those of two machines, claim by claim.

use fauxplat_model::{ClaimResult, LabAgreement, LabMeasured, LabOutcome, LabPair, LabResult, LabSeen};

use crate::{Combined, LabReading, lab_figure};

/// Pairs every claim that is in either record with the same claim of the other record: the claims of `a` in their
/// order, then the claims that only `b` has.
pub fn lab_pairs(a: &[LabResult], b: &[LabResult]) -> Vec<LabPair> {
    let of_a = claims(a).map(|(lab, claim)| pair(lab, Some(claim), find(b, lab, &claim.name)));
    let only_b = claims(b).filter(|(lab, claim)| find(a, lab, &claim.name).is_none());
    of_a.chain(only_b.map(|(lab, claim)| pair(lab, None, Some(claim)))).collect()
}

fn claims(labs: &[LabResult]) -> impl Iterator<Item = (&str, &ClaimResult)> {
    labs.iter().flat_map(|lab| lab.claims.iter().map(|claim| (lab.name.as_str(), claim)))
}

fn find<'l>(labs: &'l [LabResult], lab: &str, claim: &str) -> Option<&'l ClaimResult> {
    claims(labs).find(|(of, one)| *of == lab && one.name == claim).map(|(_, one)| one)
}

/// Compares the results of a claim in two records; `None` stands for a record without the claim.
fn pair(lab: &str, a: Option<&ClaimResult>, b: Option<&ClaimResult>) -> LabPair {
    let named = a.or(b);
    let (seen_a, seen_b) = (a.and_then(seen), b.and_then(seen));
    let figures = seen_a.as_ref().and_then(|it| it.measured).zip(seen_b.as_ref().and_then(|it| it.measured));
    LabPair {
        lab: lab.to_owned(),
        claim: named.map(|it| it.name.clone()).unwrap_or_default(),
        unit: named.map(|it| it.claim.unit.clone()).unwrap_or_default(),
        ratio: figures.and_then(|(a, b)| ratio(a, b)),
        agreement: agreement(seen_a.as_ref(), seen_b.as_ref()),
        a: seen_a,
        b: seen_b,
    }
}

fn seen(claim: &ClaimResult) -> Option<LabSeen> {
    Some(LabSeen { outcome: claim.outcome?, measured: claim.measured, reason: claim.reason.clone() })
}

fn ratio(a: LabMeasured, b: LabMeasured) -> Option<LabMeasured> {
    let over = Some((Combined::Ratio, LabReading::Interval(a)));
    lab_figure(LabReading::Interval(b), over, 1.0).ok()
}

fn agreement(a: Option<&LabSeen>, b: Option<&LabSeen>) -> LabAgreement {
    let decided = |it: &&LabSeen| matches!(it.outcome, LabOutcome::Reproduced | LabOutcome::NotHere);
    let Some((a, b)) = a.filter(decided).zip(b.filter(decided)) else { return LabAgreement::NotComparable };
    let apart = |(a, b): (LabMeasured, LabMeasured)| a.high < b.low || b.high < a.low;
    match a.outcome == b.outcome {
        false => LabAgreement::AnotherOutcome,
        true if a.measured.zip(b.measured).is_some_and(apart) => LabAgreement::AnotherFigure,
        true => LabAgreement::Alike,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Claim;

    fn lab(name: &str, claims: &[(&str, LabOutcome, Option<f64>)]) -> LabResult {
        let claim = |(name, outcome, value): &(&str, LabOutcome, Option<f64>)| ClaimResult {
            name: (*name).to_owned(),
            outcome: Some(*outcome),
            claim: Claim { unit: "times".into(), ..Claim::default() },
            measured: value.map(|value| LabMeasured { value, low: value - 0.1, high: value + 0.1 }),
            reason: None,
        };
        LabResult {
            name: name.into(),
            question: String::new(),
            course: None,
            expected_s: 0.0,
            outcome: None,
            claim: Claim::default(),
            measured: None,
            reason: None,
            claims: claims.iter().map(claim).collect(),
            complete: true,
            story: Vec::new(),
            page: None,
            found_in: String::new(),
            digest: None,
            experiments: Vec::new(),
        }
    }

    #[test]
    fn claims_of_two_machines_agree_by_outcome_and_then_by_figure() {
        use LabOutcome::{CannotRunHere, NotHere, Reproduced, Undecided};
        let a = [lab(
            "x",
            &[("same", Reproduced, Some(1.5)), ("figure", NotHere, Some(1.0)), ("other", NotHere, Some(1.0))],
        )];
        let b = [lab(
            "x",
            &[
                ("other", Reproduced, Some(2.0)),
                ("figure", NotHere, Some(3.0)),
                ("same", Reproduced, Some(1.6)),
            ],
        )];
        let pairs = lab_pairs(&a, &b);
        let told: Vec<(&str, LabAgreement)> =
            pairs.iter().map(|it| (it.claim.as_str(), it.agreement)).collect();
        let expected = [
            ("same", LabAgreement::Alike),
            ("figure", LabAgreement::AnotherFigure),
            ("other", LabAgreement::AnotherOutcome),
        ];
        assert_eq!(told, expected);
        let ratio = pairs[1].ratio.unwrap();
        assert!((ratio.value - 3.0).abs() < 1e-9 && ratio.low < 2.7 && ratio.high > 3.4, "{ratio:?}");

        let open = [lab("x", &[("same", Undecided, Some(1.5))]), lab("y", &[("only", CannotRunHere, None)])];
        let pairs = lab_pairs(&a, &open);
        assert!(pairs.iter().all(|it| it.agreement == LabAgreement::NotComparable), "{pairs:?}");
        assert_eq!(pairs.len(), 4, "what only one has is named");
        assert!(pairs[3].a.is_none() && pairs[3].b.as_ref().is_some_and(|it| it.outcome == CannotRunHere));
    }

    #[test]
    fn claims_without_figures_are_alike_by_their_outcome() {
        let one = [lab("x", &[("word", LabOutcome::Reproduced, None)])];
        let pairs = lab_pairs(&one, &one);
        assert!(pairs[0].agreement == LabAgreement::Alike && pairs[0].ratio.is_none());
    }
}
