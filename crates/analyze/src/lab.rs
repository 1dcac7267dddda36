//! Whether published claims hold here: direction and size of each, whatever else it demands, and what follows for the lab.

use fauxplat_model::{
    Claim, ClaimResult, Direction, LabCheck, LabClaim, LabGround, LabMeasured, LabOutcome, Plain,
};

mod words;

use words::{figures, naming, short};

/// Value that an experiment's document has where a check looks.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// A plain value.
    Value(Plain),
    /// Nothing: its list was made, and has no such element.
    Absent,
    /// Nothing was measured there.
    Unmeasured,
}

/// Reason for which there is no figure to compare with a claim, as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFigure {
    /// Measurement was impossible on this machine, for the given reason.
    Unmeasured(String),
    /// Measurements give no figure: too few values, or the interval of a divisor includes zero.
    Unfit(String),
}

/// The outcome of a claim, and the reason in one sentence. `measured` is our figure or why there is none, and absent for
/// a claim without figures; `found` has one entry per check, `grounds` one per reason that a reading may show, each with
/// what was found in every round.
pub fn judge_claim(
    claim: &LabClaim,
    measured: Option<&Result<LabMeasured, NoFigure>>,
    found: &[Vec<Found>],
    grounds: &[Vec<Found>],
) -> (LabOutcome, String) {
    let shown = shown(claim, grounds);
    let checked = || claim.checks.iter().zip(found);
    if let Some((check, found)) = checked().find_map(|(check, rounds)| Some((check, failed(check, rounds)?)))
    {
        let outcome = if is_open(check, found) { LabOutcome::Undecided } else { LabOutcome::NotHere };
        return (outcome, format!("{}{}", naming(&check.otherwise, found), after(shown)));
    }
    // A check without a measurement says nothing about this machine.
    let is_unseen = |rounds: &[Found]| rounds.is_empty() || rounds.contains(&Found::Unmeasured);
    if let Some((check, _)) = checked().find(|(_, rounds)| is_unseen(rounds)) {
        let why = format!("`{}` measured nothing for {}", check.experiment, check.pointer);
        return (LabOutcome::CannotRunHere, format!("a check has nothing to look at: {why}"));
    }
    match measured {
        Some(Ok(measured)) => against(claim, *measured, shown),
        Some(Err(NoFigure::Unmeasured(why))) => (LabOutcome::CannotRunHere, no_figure(why)),
        Some(Err(NoFigure::Unfit(why))) => (LabOutcome::Undecided, no_figure(why)),
        None if claim.checks.is_empty() => (LabOutcome::Error, "nothing was looked at".to_owned()),
        None => (LabOutcome::Reproduced, "all that it says was found".to_owned()),
    }
}

fn no_figure(why: &str) -> String {
    format!("there is no figure to hold against the claim: {why}")
}

/// Reason whose reading is shown in every round, the first of them.
fn shown(claim: &LabClaim, grounds: &[Vec<Found>]) -> Option<String> {
    let is_shown = |(ground, rounds): &(&LabGround, &Vec<Found>)| {
        !rounds.is_empty() && rounds.iter().all(|it| shows(ground, it))
    };
    let (ground, rounds) = claim.grounds.iter().zip(grounds).find(is_shown)?;
    Some(naming(&ground.says, rounds.first()?))
}

fn shows(ground: &LabGround, found: &Found) -> bool {
    let Found::Value(value) = found else { return false };
    let number = if let Plain::Number(number) = value { *number } else { f64::NAN };
    ground.is.as_ref().is_none_or(|wanted| value == wanted)
        && ground.above.is_none_or(|least| number > least)
        && ground.below.is_none_or(|most| number < most)
}

fn after(reason: Option<String>) -> String {
    reason.map_or_else(String::new, |reason| format!("; {reason}"))
}

/// The outcome of a lab, the reason in one sentence, and which of its claims decided.
///
/// The heaviest outcome of its claims: an error, then *not here*, *undecided*, *reproduced*. What could not be judged never
/// makes a lab reproduced, and is always named beside one that is.
pub fn judge_lab(claims: &[ClaimResult]) -> (LabOutcome, String, usize) {
    let rule = LabOutcome::BY_WEIGHT;
    let first = |outcome: LabOutcome| claims.iter().position(|claim| claim.outcome == Some(outcome));
    let decided = rule.into_iter().find_map(|outcome| Some((outcome, first(outcome)?)));
    let (outcome, at) = decided.unwrap_or((LabOutcome::CannotRunHere, 0));
    let reason = claims.get(at).and_then(|claim| claim.reason.clone()).unwrap_or_default();
    if claims.len() < 2 {
        return (outcome, reason, at);
    }
    let count = |outcome: LabOutcome| claims.iter().filter(|claim| claim.outcome == Some(outcome)).count();
    let parts = rule.into_iter().map(|outcome| (count(outcome), outcome.words()));
    let parts: Vec<String> =
        parts.filter(|(count, _)| *count > 0).map(|(count, words)| format!("{count} {words}")).collect();
    (outcome, format!("of {} claims {}", claims.len(), parts.join(", ")), at)
}

/// Value of a check in the first round in which it does not hold, since it must hold in each round. A round that is
/// contrary outweighs another that was not decided; a round without a measurement is neither.
fn failed<'f>(check: &LabCheck, rounds: &'f [Found]) -> Option<&'f Found> {
    let mut failed = rounds.iter().filter(|found| **found != Found::Unmeasured && !holds(check, found));
    let first = failed.clone().next();
    failed.find(|found| !is_open(check, found)).or(first)
}

/// Whether what was found is the word for *not decided*.
fn is_open(check: &LabCheck, found: &Found) -> bool {
    matches!((found, &check.undecided), (Found::Value(value), Some(open)) if value == open)
}

fn holds(check: &LabCheck, found: &Found) -> bool {
    let Found::Value(value) = found else { return false };
    check.is.as_ref().is_none_or(|wanted| value == wanted)
        && check.is_not.as_ref().is_none_or(|unwanted| value != unwanted)
}

/// Direction first, then size: the interval of the claim and ours must overlap.
fn against(claim: &LabClaim, measured: LabMeasured, shown: Option<String>) -> (LabOutcome, String) {
    let published = &claim.published;
    let size = other_size(published, measured);
    let (outcome, what) = match side(published, measured) {
        Side::Claimed if size.is_none() => (LabOutcome::Reproduced, agrees(published).to_owned()),
        Side::Claimed => {
            let size = size.unwrap_or_default();
            (LabOutcome::NotHere, format!("the direction is that of the claim, the figure is {size}"))
        }
        Side::Other => (LabOutcome::NotHere, contrary(claim, measured)),
        // A figure that is too small on either side refutes the claim, whichever side it is on.
        Side::Both if published.direction != Some(Direction::At) && size.is_some() => {
            (LabOutcome::NotHere, format!("the figure is {}", size.unwrap_or_default()))
        }
        Side::Both => (LabOutcome::Undecided, "neither the claim nor its contrary was shown".to_owned()),
    };
    let why = match outcome {
        LabOutcome::NotHere => after(shown.or_else(|| guess(claim, measured))),
        LabOutcome::Undecided => after(shown),
        _ => String::new(),
    };
    (outcome, format!("{}: {what}{why}", figures(published, measured)))
}

fn agrees(published: &Claim) -> &'static str {
    match published.low.or(published.high) {
        Some(_) => "direction and size agree",
        None => "it is the claim's direction",
    }
}

/// Finding that contradicts the claim. A count that differs is by itself no effect of anything.
fn contrary(claim: &LabClaim, measured: LabMeasured) -> String {
    let published = &claim.published;
    let is_count = claim.measured.as_ref().is_some_and(|measure| measure.exact);
    let size = if measured.high < published.low.unwrap_or(published.than) { "smaller" } else { "larger" };
    match (published.direction, published.least) {
        (Some(Direction::At), _) if is_count => format!("the figure is {size}"),
        (Some(Direction::At), _) => "there is an effect".to_owned(),
        (_, Some(least)) => format!("no effect of {} or more in the direction of the claim", short(least)),
        _ => "no effect in the direction of the claim".to_owned(),
    }
}

/// Where our interval lies.
enum Side {
    /// The whole interval lies where the claim puts the figure.
    Claimed,
    /// The whole interval lies elsewhere.
    Other,
    /// On both sides: nothing is shown.
    Both,
}

/// A claim of no effect needs an interval within what counts as none: one that is so wide that it does not exclude *no effect*
/// has shown nothing. An effect that is smaller than the least that counts is none.
fn side(claim: &Claim, measured: LabMeasured) -> Side {
    let LabMeasured { low, high, .. } = measured;
    let least = claim.least.unwrap_or(0.0);
    let (is_claimed, is_other) = match claim.direction {
        Some(Direction::Above) => (low > claim.than, high <= claim.than + least),
        Some(Direction::Below) => (high < claim.than, low >= claim.than - least),
        Some(Direction::At) => {
            let (least, most) = (claim.low.unwrap_or(claim.than), claim.high.unwrap_or(claim.than));
            (low >= least && high <= most, low > most || high < least)
        }
        None => (true, false),
    };
    match (is_claimed, is_other) {
        (_, true) => Side::Other,
        (true, false) => Side::Claimed,
        (false, false) => Side::Both,
    }
}

/// How the figure differs from the published ones, if the intervals do not meet.
fn other_size(claim: &Claim, measured: LabMeasured) -> Option<&'static str> {
    let smaller = claim.low.is_some_and(|low| measured.high < low);
    let larger = claim.high.is_some_and(|high| measured.low > high);
    smaller.then_some("smaller").or(larger.then_some("larger"))
}

/// Reason for which a machine may show another figure, where the lab states one.
fn guess(claim: &LabClaim, measured: LabMeasured) -> Option<String> {
    let measure = claim.measured.as_ref()?;
    match other_size(&claim.published, measured)? {
        "smaller" => measure.less.clone(),
        _ => measure.more.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Measure;

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
        }
    }

    /// Rounds: a single one in which this word was found.
    fn said(word: &str) -> Vec<Found> {
        vec![Found::Value(Plain::Text(word.into()))]
    }

    fn judged_as(claim: &LabClaim, (value, low, high): (f64, f64, f64)) -> (LabOutcome, String) {
        judge_claim(claim, Some(&Ok(LabMeasured { value, low, high })), &[said("different")], &[])
    }

    fn judged(value: f64, low: f64, high: f64) -> (LabOutcome, String) {
        judged_as(&claim(), (value, low, high))
    }

    #[test]
    fn overlap_in_the_right_direction_reproduces() {
        assert_eq!(judged(1.2, 1.1, 1.3).0, LabOutcome::Reproduced);
        assert_eq!(judged(1.6, 1.5, 1.7).0, LabOutcome::Reproduced);
    }

    #[test]
    fn size_and_direction_are_told_apart() {
        let (outcome, reason) = judged(1.05, 1.04, 1.06);
        assert_eq!(outcome, LabOutcome::NotHere);
        assert_eq!(
            reason,
            "measured 1.050 times (1.040 to 1.060), published 1.150 to 1.570: the direction is that of the claim, the figure \
             is smaller; perhaps the loop is not bound by it"
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
        let (outcome, reason) = judged_as(&claim, (1.1, 1.05, 1.12));
        assert!(outcome == LabOutcome::NotHere && reason.contains("published 1.150 or more"), "{reason}");
        claim.published.low = None;
        let (outcome, reason) = judged_as(&claim, (1.1, 1.05, 1.12));
        assert!(
            outcome == LabOutcome::Reproduced && reason.contains("published more than 1.000"),
            "{reason}"
        );
        assert_eq!(judged_as(&claim, (1.1, 0.99, 1.2)).0, LabOutcome::Undecided);
        claim.published.least = Some(0.01);
        let (outcome, reason) = judged_as(&claim, (1.004, 1.001, 1.006));
        assert!(
            outcome == LabOutcome::NotHere && reason.contains("no effect of 0.01000 or more"),
            "{reason}"
        );
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
        let (outcome, reason) = judge_claim(&claim(), Some(&measured), &[said("inconclusive")], &[]);
        assert_eq!((outcome, reason.as_str()), (LabOutcome::Undecided, "the verdict was inconclusive"));
    }

    #[test]
    fn a_reason_is_told_where_a_reading_shows_it() {
        let ground = |is: Option<&str>, above: Option<f64>, says: &str| LabGround {
            experiment: "x".into(),
            pointer: "/reason".into(),
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
            judge_claim(&claim, Some(&Ok(LabMeasured { value, low, high })), &[said("different")], grounds).1
        };
        let small = (1.05, 1.04, 1.06);
        let numbers = |numbers: &[f64]| numbers.iter().map(|it| Found::Value(Plain::Number(*it))).collect();
        assert!(told(small, &[vec![], numbers(&[39.0])]).ends_with("perhaps the loop is not bound by it"));
        assert!(told(small, &[vec![], numbers(&[41.0])]).ends_with("smaller; 41 switches"));
        assert!(told(small, &[said("shared"), numbers(&[41.0])]).ends_with("; they are shared"));
        assert!(told(small, &[vec![], numbers(&[39.0, 41.0])]).ends_with("bound by it"), "not in each round");
        assert!(
            told((1.2, 1.1, 1.3), &[vec![], numbers(&[41.0])]).ends_with("agree"),
            "nothing is to explain"
        );
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
            judge_claim(&claim(), Some(&measured), &[said("equivalent")], &[]),
            (LabOutcome::NotHere, "the verdict was equivalent".into())
        );
        let (outcome, reason) = judge_claim(&claim(), Some(&measured), &[vec![Found::Absent]], &[]);
        assert_eq!((outcome, reason.as_str()), (LabOutcome::NotHere, "the verdict was nothing"));
    }

    #[test]
    fn what_was_not_measured_is_not_held_against_a_claim() {
        let measured = Ok(LabMeasured { value: 1.2, low: 1.1, high: 1.3 });
        for rounds in [vec![], vec![Found::Unmeasured], [said("different"), vec![Found::Unmeasured]].concat()]
        {
            let (outcome, reason) = judge_claim(&claim(), Some(&measured), &[rounds], &[]);
            assert_eq!(outcome, LabOutcome::CannotRunHere);
            assert!(reason.ends_with("`x` measured nothing for /verdict"), "{reason}");
        }
        let rounds = [vec![Found::Unmeasured], said("equivalent")].concat();
        let (outcome, reason) = judge_claim(&claim(), Some(&measured), &[rounds], &[]);
        assert_eq!(outcome, LabOutcome::NotHere, "one round is contrary: {reason}");
    }

    #[test]
    fn a_check_must_hold_in_each_round() {
        let measured = Ok(LabMeasured { value: 1.2, low: 1.1, high: 1.3 });
        let of = |words: [&str; 3]| judge_claim(&claim(), Some(&measured), &[words.map(said).concat()], &[]);
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
        assert_eq!(judge_claim(&bare, None, &found, &[]).0, LabOutcome::Reproduced);
        let nothing = LabClaim { checks: Vec::new(), ..bare };
        assert_eq!(judge_claim(&nothing, None, &[], &[]).0, LabOutcome::Error);
        let without = |why: fn(String) -> NoFigure| {
            let (outcome, reason) =
                judge_claim(&claim(), Some(&Err(why("a list of 2 values".into()))), &found, &[]);
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
}
