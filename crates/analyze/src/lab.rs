//! Decides whether published claims hold on this machine: direction and size of each claim, its other conditions, and
//! the outcome of the lab.

use fauxplat_model::{
    Claim, ClaimResult, Direction, LabCheck, LabClaim, LabGround, LabMeasured, LabOutcome, Plain,
};

mod words;

use words::{figures, naming, short};

/// Result of looking up a check's value in an experiment's document.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Value of a string, number or boolean in the document.
    Value(Plain),
    /// The document has the list that should contain the value, and the list has no such element.
    Absent,
    Unmeasured,
}

/// Reason why there is no measured figure to compare with a claim, as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFigure {
    Unmeasured(String),
    /// There are measurements, but no figure follows from them: they are too few, or the interval of a divisor includes
    /// zero.
    Unfit(String),
}

/// The outcome of a claim, and the reason in one sentence. `measured` is the measured figure or the reason why there is
/// none, and absent for a claim without figures. `found` has one entry per check, `grounds` one per possible reason and
/// `disturbed` one per possible disturbance, each with the values of every round.
///
/// An undecided check takes precedence over a contrary one, whatever their order, since a check that depends on an
/// undecided answer finds an arbitrary value.
pub fn judge_claim(
    claim: &LabClaim,
    measured: Option<&Result<LabMeasured, NoFigure>>,
    found: &[Vec<Found>],
    [grounds, disturbed]: [&[Vec<Found>]; 2],
) -> (LabOutcome, String) {
    let shown = shown(claim, grounds);
    if let Some(why) = disturbance(claim, disturbed) {
        return (LabOutcome::Undecided, why);
    }
    let checked = || claim.checks.iter().zip(found);
    let failed: Vec<_> =
        checked().filter_map(|(check, rounds)| Some((check, failed(check, rounds)?))).collect();
    let open = failed.iter().find(|(check, found)| is_open(check, found));
    if let Some((check, found)) = open.or(failed.first()) {
        let outcome = if open.is_some() { LabOutcome::Undecided } else { LabOutcome::NotHere };
        return (outcome, format!("{}{}", naming(&check.otherwise, found), after(shown)));
    }
    // Without a measurement, a check shows nothing about this machine.
    let is_unseen = |rounds: &[Found]| rounds.is_empty() || rounds.contains(&Found::Unmeasured);
    if let Some((check, _)) = checked().find(|(_, rounds)| is_unseen(rounds)) {
        let why = format!("`{}` measured nothing for {}", check.experiment, check.pointer);
        return (LabOutcome::CannotRunHere, format!("a check of the claim has no measurement: {why}"));
    }
    match measured {
        Some(Ok(measured)) => against(claim, *measured, shown),
        Some(Err(NoFigure::Unmeasured(why))) => (LabOutcome::CannotRunHere, no_figure(why)),
        Some(Err(NoFigure::Unfit(why))) => (LabOutcome::Undecided, no_figure(why)),
        None if claim.checks.is_empty() => (LabOutcome::Error, "the claim has no check or figure".to_owned()),
        None => (LabOutcome::Reproduced, "all checks of the claim were met".to_owned()),
    }
}

fn no_figure(why: &str) -> String {
    format!("there is no figure to compare with the claim: {why}")
}

/// Sentence of the first possible reason of the claim's outcome whose condition holds in every round; `None` if there
/// is none.
fn shown(claim: &LabClaim, grounds: &[Vec<Found>]) -> Option<String> {
    let is_shown = |(ground, rounds): &(&LabGround, &Vec<Found>)| {
        !rounds.is_empty() && rounds.iter().all(|it| shows(ground, it))
    };
    let (ground, rounds) = claim.grounds.iter().zip(grounds).find(is_shown)?;
    Some(naming(&ground.says, rounds.first()?))
}

/// Sentence of the first possible disturbance whose condition holds in any round; `None` if there is none.
fn disturbance(claim: &LabClaim, disturbed: &[Vec<Found>]) -> Option<String> {
    claim.disturbed.iter().zip(disturbed).find_map(|(ground, rounds)| {
        let found = rounds.iter().find(|found| shows(ground, found))?;
        Some(naming(&ground.says, found))
    })
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

/// The outcome of a lab, the reason in one sentence, and the index of the claim that decided.
///
/// The outcome of the lab is the first of these that any claim has: an error, *not here*, *undecided*, *reproduced*. A
/// lab none of whose claims could be checked is *cannot run here*. With several claims, the reason counts them by
/// outcome.
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

/// Value of a check in a round in which it does not hold; `None` if it holds in every round. A contrary value is
/// returned rather than one that means *not decided*; rounds without a measurement are skipped.
fn failed<'f>(check: &LabCheck, rounds: &'f [Found]) -> Option<&'f Found> {
    let mut failed = rounds.iter().filter(|found| **found != Found::Unmeasured && !holds(check, found));
    let first = failed.clone().next();
    failed.find(|found| !is_open(check, found)).or(first)
}

/// Whether the value is the word for *not decided* that the check names.
fn is_open(check: &LabCheck, found: &Found) -> bool {
    matches!((found, &check.undecided), (Found::Value(value), Some(open)) if value == open)
}

fn holds(check: &LabCheck, found: &Found) -> bool {
    let Found::Value(value) = found else { return false };
    check.is.as_ref().is_none_or(|wanted| value == wanted)
        && check.is_not.as_ref().is_none_or(|unwanted| value != unwanted)
}

/// Compares the measured interval with the published claim: first the direction, then the size. The size is reproduced
/// if the interval lies within the published figures, or if the estimate does and the interval excludes both no effect
/// and twice the effect.
fn against(claim: &LabClaim, measured: LabMeasured, shown: Option<String>) -> (LabOutcome, String) {
    let published = &claim.published;
    let size = other_size(published, measured);
    let (outcome, what) = match side(published, measured) {
        Side::Claimed if size.is_none() => match doubt(published, measured) {
            None => (LabOutcome::Reproduced, agrees(published).to_owned()),
            Some(doubt) => (LabOutcome::Undecided, doubt.to_owned()),
        },
        Side::Claimed => {
            let size = size.unwrap_or_default();
            (LabOutcome::NotHere, format!("the direction is that of the claim, but the figure is {size}"))
        }
        Side::Other => (LabOutcome::NotHere, contrary(claim, measured)),
        // A figure that is smaller or larger than the published ones refutes the claim, even if its direction is not
        // shown.
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

/// Why a measured figure in the claim's direction, whose interval overlaps the published figures, does not show the
/// published size; `None` if it does.
fn doubt(published: &Claim, measured: LabMeasured) -> Option<&'static str> {
    let LabMeasured { value, low, high } = measured;
    if published.low.is_none() && published.high.is_none() {
        return None;
    }
    let is_published = |figure: f64| {
        published.low.is_none_or(|least| figure >= least) && published.high.is_none_or(|most| figure <= most)
    };
    if is_published(low) && is_published(high) {
        return None;
    }
    if !is_published(value) {
        return Some(
            "the direction is that of the claim, and the interval contains published figures and others",
        );
    }
    // The size of an effect is its distance from `than`, the value of no effect: an effect twice as large as a ratio of
    // 1.3 is 1.6. Below one the inverse is used.
    let than = published.than;
    let is_wide = match published.direction {
        Some(Direction::Above) => high >= than + 2.0 * (value - than),
        Some(Direction::Below) if than > 0.0 && value > 0.0 => {
            low <= than / (1.0 + 2.0 * (than / value - 1.0))
        }
        Some(Direction::Below) => low <= than + 2.0 * (value - than),
        Some(Direction::At) | None => false,
    };
    is_wide.then_some(
        "the direction is that of the claim, and the interval is so wide that it holds twice the effect",
    )
}

fn agrees(published: &Claim) -> &'static str {
    match published.low.or(published.high) {
        Some(_) => "direction and size agree",
        None => "the direction is that of the claim",
    }
}

/// Says how the measured figure contradicts the claim; a difference of counts is not called an effect.
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

/// Position of the measured interval relative to the claim.
enum Side {
    /// The whole interval is on the side that the claim states.
    Claimed,
    /// The whole interval contradicts the claim.
    Other,
    /// The interval reaches from the claimed side to the other, so that neither is shown.
    Both,
}

/// Position of a measured interval relative to a claim. For a claim of no effect the whole interval must lie within the
/// range that counts as none: an interval that is merely too wide to exclude *no effect* shows nothing. An effect
/// smaller than `least` counts as none.
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

/// Whether the measured figure is smaller or larger than the published ones; `None` if the intervals overlap.
fn other_size(claim: &Claim, measured: LabMeasured) -> Option<&'static str> {
    let smaller = claim.low.is_some_and(|low| measured.high < low);
    let larger = claim.high.is_some_and(|high| measured.low > high);
    smaller.then_some("smaller").or(larger.then_some("larger"))
}

/// The lab's explanation of a smaller or larger figure than the published one, if it gives one.
fn guess(claim: &LabClaim, measured: LabMeasured) -> Option<String> {
    let measure = claim.measured.as_ref()?;
    match other_size(&claim.published, measured)? {
        "smaller" => measure.less.clone(),
        _ => measure.more.clone(),
    }
}

#[cfg(test)]
mod tests;
