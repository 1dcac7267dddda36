//! Whether a published claim holds here: direction and size, and whatever else the lab demands.

use fauxplat_model::{Claim, Direction, LabCheck, LabDefinition, LabMeasured, LabOutcome, Plain};

/// What an experiment's document says where a check looks; `None` when nothing stands there.
pub type Found = Option<Plain>;

/// The outcome of a lab, and the reason in one sentence. `found` has one entry per check of the definition.
pub fn judge_lab(
    definition: &LabDefinition,
    measured: Option<LabMeasured>,
    found: &[Found],
) -> (LabOutcome, String) {
    let failed = definition.checks.iter().zip(found).find(|(check, found)| !holds(check, found));
    if let Some((check, found)) = failed {
        let word = found.as_ref().map_or_else(|| "nothing".to_owned(), Plain::to_string);
        return (LabOutcome::NotHere, check.otherwise.replace("{}", &word));
    }
    let Some(measured) = measured else {
        return (LabOutcome::NotHere, "the experiments gave no figure to hold against the claim".to_owned());
    };
    against(definition, measured)
}

fn holds(check: &LabCheck, found: &Found) -> bool {
    let is = check.is.as_ref().is_none_or(|wanted| found.as_ref() == Some(wanted));
    let is_not = check.is_not.as_ref().is_none_or(|unwanted| found.as_ref().is_some_and(|it| it != unwanted));
    is && is_not
}

/// Direction first, then size: the interval of the claim and ours must overlap.
fn against(definition: &LabDefinition, measured: LabMeasured) -> (LabOutcome, String) {
    let (claim, figures) = (&definition.claim, figures(&definition.claim, measured));
    if !same_direction(claim, measured) {
        return (
            LabOutcome::NotHere,
            format!("{figures}: no effect in the direction of the claim could be shown"),
        );
    }
    let measure = &definition.measured;
    let (size, reason) = if measured.high < claim.low {
        ("smaller", &measure.less)
    } else if measured.low > claim.high {
        ("larger", &measure.more)
    } else {
        return (LabOutcome::Reproduced, format!("{figures}: direction and size agree"));
    };
    let reason = reason.as_ref().map_or_else(String::new, |reason| format!("; {reason}"));
    let sentence = format!("{figures}: the direction is that of the claim, the figure is {size}{reason}");
    (LabOutcome::NotHere, sentence)
}

/// Whether all of our interval lies on the side of the claim; a claim of no effect needs one that does not exclude it.
fn same_direction(claim: &Claim, measured: LabMeasured) -> bool {
    match claim.direction {
        Direction::Above => measured.low > claim.than,
        Direction::Below => measured.high < claim.than,
        Direction::At => measured.low <= claim.than && claim.than <= measured.high,
    }
}

fn figures(claim: &Claim, measured: LabMeasured) -> String {
    let LabMeasured { value, low, high } = measured;
    let (unit, published) = (&claim.unit, range(claim.low, claim.high));
    format!("measured {} {unit} ({}), published {published}", short(value), range(low, high))
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

    fn definition() -> LabDefinition {
        let check = LabCheck {
            experiment: "x".into(),
            pointer: "/verdict".into(),
            is: Some(Plain::Text("different".into())),
            is_not: None,
            otherwise: "the verdict was {}".into(),
        };
        LabDefinition {
            question: "?".into(),
            needs: Vec::new(),
            prepare: Vec::new(),
            claim: Claim {
                statement: "up to 57 %".into(),
                unit: "times".into(),
                low: 1.15,
                high: 1.57,
                direction: Direction::Above,
                than: 1.0,
                source: "a paper".into(),
                machine: "a machine".into(),
            },
            experiments: Vec::new(),
            measured: Measure {
                experiment: "x".into(),
                value: "/v".into(),
                low: "/l".into(),
                high: "/h".into(),
                less: Some("the loop is not bound by it".into()),
                more: None,
            },
            checks: vec![check],
        }
    }

    fn judged(value: f64, low: f64, high: f64, verdict: &str) -> (LabOutcome, String) {
        let measured = LabMeasured { value, low, high };
        judge_lab(&definition(), Some(measured), &[Some(Plain::Text(verdict.into()))])
    }

    #[test]
    fn overlap_in_the_right_direction_reproduces() {
        assert_eq!(judged(1.2, 1.1, 1.3, "different").0, LabOutcome::Reproduced);
        assert_eq!(judged(1.6, 1.5, 1.7, "different").0, LabOutcome::Reproduced);
    }

    #[test]
    fn size_and_direction_are_told_apart() {
        let (outcome, reason) = judged(1.05, 1.04, 1.06, "different");
        assert_eq!(outcome, LabOutcome::NotHere);
        assert_eq!(
            reason,
            "measured 1.050 times (1.040 to 1.060), published 1.150 to 1.570: the direction is that of the claim, the figure \
             is smaller; the loop is not bound by it"
        );
        assert!(judged(2.0, 1.9, 2.1, "different").1.contains("larger"));
        let (outcome, reason) = judged(1.2, 0.9, 1.6, "different");
        assert_eq!(outcome, LabOutcome::NotHere, "an interval that holds equality shows no direction");
        assert!(reason.contains("no effect in the direction"), "{reason}");
    }

    #[test]
    fn a_failed_check_gives_its_own_reason() {
        assert_eq!(
            judged(1.2, 1.1, 1.3, "equivalent"),
            (LabOutcome::NotHere, "the verdict was equivalent".into())
        );
        let (outcome, reason) = judge_lab(&definition(), None, &[None]);
        assert_eq!((outcome, reason.as_str()), (LabOutcome::NotHere, "the verdict was nothing"));
    }

    #[test]
    fn figures_are_short() {
        assert_eq!([short(1.0), short(213_000_000.0), short(0.012_345)], ["1.000", "213000000", "0.01235"]);
        assert_eq!(short(0.0), "0");
    }
}
