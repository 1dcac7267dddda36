//! Whether published claims hold here: direction and size of each, whatever else it demands, and what follows for the lab.

use fauxplat_model::{Claim, ClaimResult, Direction, LabCheck, LabClaim, LabMeasured, LabOutcome, Plain};

/// What an experiment's document says where a check looks; `None` when nothing stands there.
pub type Found = Option<Plain>;

/// Why there is no figure to hold against a claim, in words that go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFigure {
    /// It could not be measured on this machine.
    Unmeasured(String),
    /// What was measured makes none: too few values, or an interval that holds zero below a ratio.
    Unfit(String),
}

/// The outcome of a claim, and the reason in one sentence. `measured` is our figure or why there is none, and absent for
/// a claim without figures; `found` has one entry per check.
pub fn judge_claim(
    claim: &LabClaim,
    measured: Option<&Result<LabMeasured, NoFigure>>,
    found: &[Found],
) -> (LabOutcome, String) {
    let failed = claim.checks.iter().zip(found).find(|(check, found)| !holds(check, found));
    if let Some((check, found)) = failed {
        let word = found.as_ref().map_or_else(|| "nothing".to_owned(), Plain::to_string);
        return (LabOutcome::NotHere, check.otherwise.replace("{}", &word));
    }
    match measured {
        Some(Ok(measured)) => against(claim, *measured),
        Some(Err(NoFigure::Unmeasured(why))) => (LabOutcome::CannotRunHere, no_figure(why)),
        Some(Err(NoFigure::Unfit(why))) => (LabOutcome::NotHere, no_figure(why)),
        None if claim.checks.is_empty() => (LabOutcome::NotHere, "nothing was looked at".to_owned()),
        None => (LabOutcome::Reproduced, "all that it says was found".to_owned()),
    }
}

fn no_figure(why: &str) -> String {
    format!("there is no figure to hold against the claim: {why}")
}

/// The outcome of a lab, the reason in one sentence, and which of its claims decided.
///
/// *Not here* if a claim was judged and does not hold, else *reproduced* if one was judged and holds, else *cannot run
/// here*: what could not be judged never makes a lab reproduced, and is always named beside one that is.
pub fn judge_lab(claims: &[ClaimResult]) -> (LabOutcome, String, usize) {
    let rule = [LabOutcome::NotHere, LabOutcome::Reproduced, LabOutcome::CannotRunHere];
    let first = |outcome: LabOutcome| claims.iter().position(|claim| claim.outcome == Some(outcome));
    let decided = rule.into_iter().find_map(|outcome| Some((outcome, first(outcome)?)));
    let (outcome, at) = decided.unwrap_or((LabOutcome::CannotRunHere, 0));
    let reason = claims.get(at).and_then(|claim| claim.reason.clone()).unwrap_or_default();
    if claims.len() < 2 {
        return (outcome, reason, at);
    }
    let count = |outcome: LabOutcome| claims.iter().filter(|claim| claim.outcome == Some(outcome)).count();
    let parts = rule.into_iter().rev().map(|outcome| (count(outcome), outcome.words()));
    let mut parts: Vec<String> =
        parts.filter(|(count, _)| *count > 0).map(|(count, words)| format!("{count} {words}")).collect();
    parts.sort_by_key(|part| !part.contains(outcome.words()));
    (outcome, format!("of {} claims {}", claims.len(), parts.join(", ")), at)
}

fn holds(check: &LabCheck, found: &Found) -> bool {
    let is = check.is.as_ref().is_none_or(|wanted| found.as_ref() == Some(wanted));
    let is_not = check.is_not.as_ref().is_none_or(|unwanted| found.as_ref().is_some_and(|it| it != unwanted));
    is && is_not
}

/// Direction first, then size: the interval of the claim and ours must overlap.
fn against(claim: &LabClaim, measured: LabMeasured) -> (LabOutcome, String) {
    let (published, figures) = (&claim.published, figures(&claim.published, measured));
    if !same_direction(published, measured) {
        // A reason for a size explains an effect, and so not one that could not be shown.
        let what = match published.direction {
            Some(Direction::At) => {
                format!("that there is no effect could not be shown{}", why(claim, measured))
            }
            _ => "no effect in the direction of the claim could be shown".to_owned(),
        };
        return (LabOutcome::NotHere, format!("{figures}: {what}"));
    }
    let Some(size) = other_size(published, measured) else {
        let what = if published.low.or(published.high).is_some() {
            "direction and size agree"
        } else {
            "it is the claim's direction"
        };
        return (LabOutcome::Reproduced, format!("{figures}: {what}"));
    };
    let sentence = format!(
        "{figures}: the direction is that of the claim, the figure is {size}{}",
        why(claim, measured)
    );
    (LabOutcome::NotHere, sentence)
}

/// Whether all of our interval lies on the side of the claim. A claim of no effect needs an interval within what counts as
/// none: one that is so wide that it does not exclude *no effect* has shown nothing.
fn same_direction(claim: &Claim, measured: LabMeasured) -> bool {
    match claim.direction {
        Some(Direction::Above) => measured.low > claim.than,
        Some(Direction::Below) => measured.high < claim.than,
        Some(Direction::At) => {
            measured.low >= claim.low.unwrap_or(claim.than)
                && measured.high <= claim.high.unwrap_or(claim.than)
        }
        None => true,
    }
}

/// How the figure differs from the published ones, if the intervals do not meet.
fn other_size(claim: &Claim, measured: LabMeasured) -> Option<&'static str> {
    let smaller = claim.low.is_some_and(|low| measured.high < low);
    let larger = claim.high.is_some_and(|high| measured.low > high);
    smaller.then_some("smaller").or(larger.then_some("larger"))
}

/// Why a machine may show another figure, where the lab knows a reason that the evidence bears.
fn why(claim: &LabClaim, measured: LabMeasured) -> String {
    let measure = claim.measured.as_ref();
    let reason = match other_size(&claim.published, measured) {
        Some("smaller") => measure.and_then(|it| it.less.as_ref()),
        Some(_) => measure.and_then(|it| it.more.as_ref()),
        None => None,
    };
    reason.map_or_else(String::new, |reason| format!("; {reason}"))
}

fn figures(claim: &Claim, measured: LabMeasured) -> String {
    let LabMeasured { value, low, high } = measured;
    let interval = if low == high { String::new() } else { format!(" ({})", range(low, high)) };
    format!("measured {} {}{interval}, published {}", short(value), claim.unit, published(claim))
}

/// The published figures in words.
fn published(claim: &Claim) -> String {
    match (claim.low, claim.high) {
        (Some(low), Some(high)) => range(low, high),
        (Some(low), None) => format!("{} or more", short(low)),
        (None, Some(high)) => format!("{} or less", short(high)),
        (None, None) => match claim.direction {
            Some(Direction::Above) => format!("more than {}", short(claim.than)),
            Some(Direction::Below) => format!("less than {}", short(claim.than)),
            Some(Direction::At) | None => short(claim.than),
        },
    }
}

fn range(low: f64, high: f64) -> String {
    if low == high { short(low) } else { format!("{} to {}", short(low), short(high)) }
}

/// Four significant digits are more than any claim has.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    format!("{value:.*}", digits.clamp(0, 12) as usize)
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
            less: Some("the loop is not bound by it".into()),
            more: None,
        }
    }

    fn claim() -> LabClaim {
        let check = LabCheck {
            experiment: "x".into(),
            pointer: "/verdict".into(),
            is: Some(Plain::Text("different".into())),
            is_not: None,
            otherwise: "the verdict was {}".into(),
        };
        LabClaim {
            name: "x".into(),
            published: Claim {
                statement: "up to 57 %".into(),
                unit: "times".into(),
                low: Some(1.15),
                high: Some(1.57),
                direction: Some(Direction::Above),
                than: 1.0,
                source: "a paper".into(),
                machine: "a machine".into(),
            },
            needs: Default::default(),
            measured: Some(measure()),
            checks: vec![check],
        }
    }

    fn judged_as(claim: &LabClaim, (value, low, high): (f64, f64, f64)) -> (LabOutcome, String) {
        let found = Some(Plain::Text("different".into()));
        judge_claim(claim, Some(&Ok(LabMeasured { value, low, high })), &[found])
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
             is smaller; the loop is not bound by it"
        );
        assert!(judged(2.0, 1.9, 2.1).1.contains("larger"));
        let (outcome, reason) = judged(1.2, 0.9, 1.6);
        assert_eq!(outcome, LabOutcome::NotHere, "an interval that holds equality shows no direction");
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
        assert_eq!(judged_as(&claim, (1.1, 0.99, 1.2)).0, LabOutcome::NotHere);
    }

    #[test]
    fn no_effect_is_one_that_is_as_small_as_published() {
        let mut claim = claim();
        let published = &mut claim.published;
        (published.direction, published.low, published.high) = (Some(Direction::At), Some(0.98), Some(1.02));
        assert_eq!(judged_as(&claim, (1.0, 0.99, 1.01)).0, LabOutcome::Reproduced);
        let (outcome, reason) = judged_as(&claim, (1.0, 0.9, 1.1));
        assert!(outcome == LabOutcome::NotHere && reason.contains("could not be shown"), "{reason}");
        let (outcome, reason) = judged_as(&claim, (0.9, 0.89, 0.91));
        assert!(outcome == LabOutcome::NotHere && reason.contains("not bound by it"), "{reason}");
    }

    #[test]
    fn a_failed_check_gives_its_own_reason() {
        let measured = Ok(LabMeasured { value: 1.2, low: 1.1, high: 1.3 });
        let equivalent = [Some(Plain::Text("equivalent".into()))];
        assert_eq!(
            judge_claim(&claim(), Some(&measured), &equivalent),
            (LabOutcome::NotHere, "the verdict was equivalent".into())
        );
        let (outcome, reason) = judge_claim(&claim(), Some(&Err(NoFigure::Unfit("x".into()))), &[None]);
        assert_eq!((outcome, reason.as_str()), (LabOutcome::NotHere, "the verdict was nothing"));
    }

    #[test]
    fn checks_alone_can_carry_a_claim_and_nothing_cannot() {
        let bare = LabClaim { measured: None, ..claim() };
        let found = [Some(Plain::Text("different".into()))];
        assert_eq!(judge_claim(&bare, None, &found).0, LabOutcome::Reproduced);
        let nothing = LabClaim { checks: Vec::new(), ..bare };
        assert_eq!(judge_claim(&nothing, None, &[]).0, LabOutcome::NotHere);
        let without = |why: fn(String) -> NoFigure| {
            let (outcome, reason) =
                judge_claim(&claim(), Some(&Err(why("a list of 2 values".into()))), &found);
            assert!(reason.contains("no figure") && reason.ends_with("a list of 2 values"), "{reason}");
            outcome
        };
        assert_eq!(without(NoFigure::Unfit), LabOutcome::NotHere);
        assert_eq!(without(NoFigure::Unmeasured), LabOutcome::CannotRunHere, "nobody looked");
    }

    #[test]
    fn a_lab_is_what_its_judged_claims_are() {
        use LabOutcome::{CannotRunHere, NotHere, Reproduced};
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
        assert_eq!(reason, "of 3 claims 1 not here, 1 cannot run here, 1 reproduced");
        assert_eq!(lab(&[CannotRunHere, CannotRunHere]).0, CannotRunHere);
    }

    #[test]
    fn figures_are_short() {
        assert_eq!([short(1.0), short(213_000_000.0), short(0.012_345)], ["1.000", "213000000", "0.01235"]);
        assert_eq!(short(0.0), "0");
    }
}
