//! Tests of claims against measured figures, checks, reasons and disturbances.

use super::*;
use fauxplat_model::Measure;

const NONE: [&[Vec<Found>]; 2] = [&[], &[]];

fn measure() -> Measure {
    Measure {
        experiment: "x".into(),
        value: "/v".into(),
        low: Some("/l".into()),
        high: Some("/h".into()),
        exact: false,
        over: None,
        minus: None,
        times: None,
        less: Some("perhaps the loop is not bound by it".into()),
        more: None,
    }
}

fn claim() -> LabClaim {
    let check = LabCheck {
        experiment: "x".into(),
        pointer: "/verdict".into(),
        is: Some(Plain::Text("different".into())),
        is_not: None,
        undecided: Some(Plain::Text("inconclusive".into())),
        otherwise: "the verdict was {}".into(),
    };
    LabClaim {
        name: "x".into(),
        published: Claim {
            statement: "up to 57 %".into(),
            unit: "times".into(),
            low: Some(1.15),
            high: Some(1.57),
            spread: "33 orders".into(),
            least: None,
            direction: Some(Direction::Above),
            than: 1.0,
            source: "a paper".into(),
            machine: "a machine".into(),
        },
        needs: Default::default(),
        measured: Some(measure()),
        checks: vec![check],
        grounds: Vec::new(),
        disturbed: Vec::new(),
    }
}

/// A check that found a word in a single round.
fn said(word: &str) -> Vec<Found> {
    vec![Found::Value(Plain::Text(word.into()))]
}

fn judged_as(claim: &LabClaim, (value, low, high): (f64, f64, f64)) -> (LabOutcome, String) {
    judge_claim(claim, Some(&Ok(LabMeasured { value, low, high })), &[said("different")], NONE)
}

fn judged(value: f64, low: f64, high: f64) -> (LabOutcome, String) {
    judged_as(&claim(), (value, low, high))
}

#[test]
fn a_figure_among_the_published_ones_reproduces() {
    assert_eq!(judged(1.2, 1.1, 1.3).0, LabOutcome::Reproduced);
    let (outcome, reason) = judged(1.6, 1.5, 1.7);
    assert_eq!(outcome, LabOutcome::Undecided, "the figure is larger than any that was published");
    assert!(reason.contains("published figures and others"), "{reason}");
}

#[test]
fn a_noisier_measurement_reproduces_nothing_more() {
    // As the interval around the same figure widens, the claim becomes undecided and stays so.
    let outcomes: Vec<LabOutcome> = (0..200)
        .map(|step| 0.002 * f64::from(step))
        .map(|half| judged(1.2, 1.2 - half, 1.2 + half).0)
        .collect();
    let reproduced = outcomes.iter().take_while(|it| **it == LabOutcome::Reproduced).count();
    assert!(reproduced > 0 && outcomes[reproduced..].iter().all(|it| *it == LabOutcome::Undecided));
    let (outcome, reason) = judged(1.2, 1.14, 1.41);
    assert!(outcome == LabOutcome::Undecided && reason.contains("twice the effect"), "{reason}");
    // The published share is 0.11 to 0.14, and the measured interval contains nearly every share.
    let mut claim = claim();
    let published = &mut claim.published;
    (published.low, published.high) = (Some(0.11), Some(0.14));
    published.direction = Some(Direction::Below);
    for value in [0.55, 0.12] {
        assert_eq!(judged_as(&claim, (value, 0.02, 0.99)).0, LabOutcome::Undecided, "{value}");
    }
    assert_eq!(judged_as(&claim, (0.13, 0.12, 0.15)).0, LabOutcome::Reproduced);
}

#[test]
fn what_is_open_is_told_before_what_is_contrary() {
    let mut claim = claim();
    let groups = LabCheck { undecided: None, otherwise: "{} peaks".into(), ..claim.checks[0].clone() };
    claim.checks.insert(0, LabCheck { is: Some(Plain::Number(2.0)), ..groups });
    let found = [vec![Found::Value(Plain::Number(0.0))], said("inconclusive")];
    let measured = Ok(LabMeasured { value: 1.2, low: 1.1, high: 1.3 });
    let (outcome, reason) = judge_claim(&claim, Some(&measured), &found, NONE);
    assert_eq!((outcome, reason.as_str()), (LabOutcome::Undecided, "the verdict was inconclusive"));
}

#[test]
fn whatever_else_was_at_work_leaves_a_claim_undecided() {
    let mut claim = claim();
    let steal = LabGround {
        experiment: "x".into(),
        pointer: "/steal".into(),
        over: Some("/wall".into()),
        is: None,
        above: Some(0.05),
        below: None,
        says: "{} of its time was stolen".into(),
    };
    claim.disturbed = vec![steal];
    let of = |shares: &[f64]| {
        let shares = vec![shares.iter().map(|it| Found::Value(Plain::Number(*it))).collect()];
        let measured = Ok(LabMeasured { value: 9.15, low: 9.0, high: 9.3 });
        judge_claim(&claim, Some(&measured), &[said("different")], [&[], &shares])
    };
    assert_eq!(of(&[0.0, 0.04]).0, LabOutcome::NotHere);
    assert_eq!(of(&[0.0, 0.5]), (LabOutcome::Undecided, "0.5000 of its time was stolen".to_owned()));
}

#[test]
fn size_and_direction_are_told_apart() {
    let (outcome, reason) = judged(1.05, 1.04, 1.06);
    assert_eq!(outcome, LabOutcome::NotHere);
    assert_eq!(
        reason,
        "measured 1.050 times (1.040 to 1.060), published 1.150 to 1.570: the direction is that of the claim, but the \
         figure is smaller; perhaps the loop is not bound by it"
    );
    assert!(judged(2.0, 1.9, 2.1).1.contains("larger"));
    let (outcome, reason) = judged(0.9, 0.8, 0.99);
    assert_eq!(outcome, LabOutcome::NotHere);
    assert!(reason.contains("no effect in the direction"), "{reason}");
}

#[test]
fn a_claim_may_have_an_open_end_or_none() {
    let mut claim = claim();
    (claim.published.high, claim.measured) = (None, Some(measure()));
    assert_eq!(judged_as(&claim, (9.0, 8.0, 10.0)).0, LabOutcome::Reproduced);
    // The whole measured interval is 1.15 or more, as published.
    assert_eq!(judged_as(&claim, (9.0, 2.0, 18.0)).0, LabOutcome::Reproduced);
    assert_eq!(judged_as(&claim, (9.0, 1.1, 18.0)).0, LabOutcome::Undecided);
    let (outcome, reason) = judged_as(&claim, (1.1, 1.05, 1.12));
    assert!(outcome == LabOutcome::NotHere && reason.contains("published 1.150 or more"), "{reason}");
    claim.published.low = None;
    let (outcome, reason) = judged_as(&claim, (1.1, 1.05, 1.12));
    assert!(outcome == LabOutcome::Reproduced && reason.contains("published more than 1.000"), "{reason}");
    assert_eq!(judged_as(&claim, (1.1, 0.99, 1.2)).0, LabOutcome::Undecided);
    claim.published.least = Some(0.01);
    let (outcome, reason) = judged_as(&claim, (1.004, 1.001, 1.006));
    assert!(outcome == LabOutcome::NotHere && reason.contains("no effect of 0.01000 or more"), "{reason}");
    assert_eq!(judged_as(&claim, (1.01, 0.999, 1.02)).0, LabOutcome::Undecided);
    assert_eq!(judged_as(&claim, (1.015, 1.001, 1.03)).0, LabOutcome::Reproduced);
}

#[test]
fn an_interval_on_both_sides_shows_neither_an_effect_nor_its_absence() {
    let (outcome, reason) = judged(1.2, 0.9, 1.6);
    assert_eq!(outcome, LabOutcome::Undecided, "an interval that holds equality shows no direction");
    assert!(reason.contains("neither the claim nor its contrary"), "{reason}");
    let (outcome, reason) = judged(1.0, 0.9, 1.1);
    assert_eq!(outcome, LabOutcome::NotHere, "whatever its direction, it is smaller: {reason}");
    let measured = Ok(LabMeasured { value: 1.2, low: 1.1, high: 1.3 });
    let (outcome, reason) = judge_claim(&claim(), Some(&measured), &[said("inconclusive")], NONE);
    assert_eq!((outcome, reason.as_str()), (LabOutcome::Undecided, "the verdict was inconclusive"));
}

#[test]
fn a_reason_is_told_where_a_reading_shows_it() {
    let ground = |is: Option<&str>, above: Option<f64>, says: &str| LabGround {
        experiment: "x".into(),
        pointer: "/reason".into(),
        over: None,
        is: is.map(|word| Plain::Text(word.into())),
        above,
        below: None,
        says: says.into(),
    };
    let mut claim = claim();
    claim.grounds =
        vec![ground(Some("shared"), None, "they are {}"), ground(None, Some(40.0), "{} switches")];
    let told = |measured: (f64, f64, f64), grounds: &[Vec<Found>]| {
        let (value, low, high) = measured;
        judge_claim(&claim, Some(&Ok(LabMeasured { value, low, high })), &[said("different")], [grounds, &[]])
            .1
    };
    let small = (1.05, 1.04, 1.06);
    let numbers = |numbers: &[f64]| numbers.iter().map(|it| Found::Value(Plain::Number(*it))).collect();
    assert!(told(small, &[vec![], numbers(&[39.0])]).ends_with("perhaps the loop is not bound by it"));
    assert!(told(small, &[vec![], numbers(&[41.0])]).ends_with("smaller; 41 switches"));
    assert!(told(small, &[said("shared"), numbers(&[41.0])]).ends_with("; they are shared"));
    assert!(told(small, &[vec![], numbers(&[39.0, 41.0])]).ends_with("bound by it"), "not in each round");
    assert!(told((1.2, 1.1, 1.3), &[vec![], numbers(&[41.0])]).ends_with("agree"), "nothing is to explain");
}

#[test]
fn no_effect_is_one_that_is_as_small_as_published() {
    let mut claim = claim();
    let published = &mut claim.published;
    (published.direction, published.low, published.high) = (Some(Direction::At), Some(0.98), Some(1.02));
    assert_eq!(judged_as(&claim, (1.0, 0.99, 1.01)).0, LabOutcome::Reproduced);
    let (outcome, reason) = judged_as(&claim, (1.0, 0.9, 1.1));
    assert!(outcome == LabOutcome::Undecided && reason.contains("neither"), "{reason}");
    let (outcome, reason) = judged_as(&claim, (0.9, 0.89, 0.91));
    assert!(outcome == LabOutcome::NotHere && reason.contains("there is an effect; perhaps"), "{reason}");
    claim.measured = Some(Measure { exact: true, ..measure() });
    for (count, words) in [(0.9, "the figure is smaller"), (1.1, "the figure is larger")] {
        let (outcome, reason) = judged_as(&claim, (count, count, count));
        assert!(outcome == LabOutcome::NotHere && reason.contains(words), "{reason}");
        assert!(!reason.contains("effect"), "a count is no effect: {reason}");
    }
}

#[test]
fn a_failed_check_gives_its_own_reason() {
    let measured = Ok(LabMeasured { value: 1.2, low: 1.1, high: 1.3 });
    assert_eq!(
        judge_claim(&claim(), Some(&measured), &[said("equivalent")], NONE),
        (LabOutcome::NotHere, "the verdict was equivalent".into())
    );
    let (outcome, reason) = judge_claim(&claim(), Some(&measured), &[vec![Found::Absent]], NONE);
    assert_eq!((outcome, reason.as_str()), (LabOutcome::NotHere, "the verdict was nothing"));
}

#[test]
fn what_was_not_measured_is_not_held_against_a_claim() {
    let measured = Ok(LabMeasured { value: 1.2, low: 1.1, high: 1.3 });
    for rounds in [vec![], vec![Found::Unmeasured], [said("different"), vec![Found::Unmeasured]].concat()] {
        let (outcome, reason) = judge_claim(&claim(), Some(&measured), &[rounds], NONE);
        assert_eq!(outcome, LabOutcome::CannotRunHere);
        assert!(reason.ends_with("`x` measured nothing for /verdict"), "{reason}");
    }
    let rounds = [vec![Found::Unmeasured], said("equivalent")].concat();
    let (outcome, reason) = judge_claim(&claim(), Some(&measured), &[rounds], NONE);
    assert_eq!(outcome, LabOutcome::NotHere, "one round is contrary: {reason}");
}

#[test]
fn a_check_must_hold_in_each_round() {
    let measured = Ok(LabMeasured { value: 1.2, low: 1.1, high: 1.3 });
    let of = |words: [&str; 3]| judge_claim(&claim(), Some(&measured), &[words.map(said).concat()], NONE);
    assert_eq!(of(["different"; 3]).0, LabOutcome::Reproduced);
    for at in 0..3 {
        let mut words = ["different"; 3];
        words[at] = "equivalent";
        assert_eq!(of(words), (LabOutcome::NotHere, "the verdict was equivalent".into()), "round {at}");
    }
    assert_eq!(of(["different", "inconclusive", "different"]).0, LabOutcome::Undecided);
    let (outcome, reason) = of(["inconclusive", "equivalent", "different"]);
    assert_eq!((outcome, reason.as_str()), (LabOutcome::NotHere, "the verdict was equivalent"));
}

#[test]
fn checks_alone_can_carry_a_claim_and_nothing_cannot() {
    let bare = LabClaim { measured: None, ..claim() };
    let found = [said("different")];
    assert_eq!(judge_claim(&bare, None, &found, NONE).0, LabOutcome::Reproduced);
    let nothing = LabClaim { checks: Vec::new(), ..bare };
    assert_eq!(judge_claim(&nothing, None, &[], NONE).0, LabOutcome::Error);
    let without = |why: fn(String) -> NoFigure| {
        let (outcome, reason) =
            judge_claim(&claim(), Some(&Err(why("a list of 2 values".into()))), &found, NONE);
        assert!(reason.contains("no figure") && reason.ends_with("a list of 2 values"), "{reason}");
        outcome
    };
    assert_eq!(without(NoFigure::Unfit), LabOutcome::Undecided);
    assert_eq!(without(NoFigure::Unmeasured), LabOutcome::CannotRunHere, "nobody looked");
}

#[test]
fn a_lab_is_what_its_judged_claims_are() {
    use LabOutcome::{CannotRunHere, Error, NotHere, Reproduced, Undecided};
    let result = |(at, outcome): (usize, &LabOutcome)| ClaimResult {
        name: format!("claim {at}"),
        outcome: Some(*outcome),
        claim: claim().published,
        measured: None,
        reason: Some(format!("reason {at}")),
    };
    let lab =
        |outcomes: &[LabOutcome]| judge_lab(&outcomes.iter().enumerate().map(result).collect::<Vec<_>>());
    assert_eq!(lab(&[Reproduced]), (Reproduced, "reason 0".into(), 0));
    let (outcome, reason, at) = lab(&[CannotRunHere, Reproduced, Reproduced]);
    assert_eq!((outcome, at), (Reproduced, 1));
    assert_eq!(reason, "of 3 claims 2 reproduced, 1 cannot run here");
    let (outcome, reason, at) = lab(&[Reproduced, CannotRunHere, NotHere]);
    assert_eq!((outcome, at), (NotHere, 2));
    assert_eq!(reason, "of 3 claims 1 not here, 1 reproduced, 1 cannot run here");
    assert_eq!(lab(&[CannotRunHere, CannotRunHere]).0, CannotRunHere);
    assert_eq!(lab(&[Reproduced, Undecided]).0, Undecided, "what was not decided is not passed over");
    assert_eq!(lab(&[NotHere, Undecided, Error]).0, Error);
}
