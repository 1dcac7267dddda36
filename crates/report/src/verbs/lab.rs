//! The report of `lab`: the outcome first, then the claim and our figure beside it.

use fauxplat_model::{LabFindings, LabMeasured, LabOutcome, LabResult};
use fauxplat_units::Nanos;
use serde::Serialize;

use crate::grid::{Grid, Tone};
use crate::parts::Part;
use crate::words::visible;

pub(crate) fn parts(found: &LabFindings) -> Vec<Part> {
    let mut parts: Vec<Part> = found.labs.iter().flat_map(of_lab).collect();
    if found.labs.len() > 1 {
        parts.push(Part::Table(table(found)));
    }
    if found.labs.iter().any(|lab| lab.outcome.is_some()) {
        parts.push(Part::plain(format!("Took {} in all.", Nanos::from_secs_f64(found.elapsed_s))));
    }
    parts
}

/// Outcome, question, claim and experiments of one lab.
fn of_lab(lab: &LabResult) -> Vec<Part> {
    let (tone, word) = match lab.outcome {
        None => (Tone::Title, "not run"),
        Some(outcome) => (tone(outcome), outcome.words()),
    };
    let reason = lab.reason.as_ref().map_or_else(String::new, |reason| format!(": {}", visible(reason)));
    let mut parts = vec![Part::Sentence(tone, format!("{}: {word}{reason}.", visible(&lab.name)))];
    parts.push(Part::plain(visible(&lab.question)));
    let claim = &lab.claim;
    parts.push(Part::plain(format!(
        "Claim: {} ({}; on {}).",
        visible(&claim.statement),
        visible(&claim.source),
        visible(&claim.machine)
    )));
    parts.extend(lab.experiments.iter().map(|run| {
        let id = run.id.map_or_else(String::new, |id| format!(" (fauxplat history show {id})"));
        Part::plain(format!("{}: fauxplat {}{id}", visible(&run.name), visible(&run.line)))
    }));
    parts
}

fn tone(outcome: LabOutcome) -> Tone {
    match outcome {
        LabOutcome::Reproduced => Tone::Good,
        LabOutcome::NotHere => Tone::Neutral,
        LabOutcome::CannotRunHere => Tone::Doubt,
    }
}

/// Several labs at a glance.
fn table(found: &LabFindings) -> Grid {
    let mut grid = Grid::named(&["lab", "outcome", "measured", "published"], &[]);
    for lab in &found.labs {
        let claim = &lab.claim;
        let measured = |it: LabMeasured| format!("{:.4} {}", it.value, claim.unit);
        let cells = vec![
            visible(&lab.name),
            lab.outcome.map_or("–", LabOutcome::words).to_owned(),
            lab.measured.map_or_else(|| "–".to_owned(), measured),
            format!("{} … {}", claim.low, claim.high),
        ];
        grid.push(Tone::Plain, cells);
    }
    grid
}

/// One row of a spreadsheet.
#[derive(Serialize)]
pub(crate) struct Row<'a> {
    name: &'a str,
    outcome: Option<LabOutcome>,
    unit: &'a str,
    measured: Option<f64>,
    measured_low: Option<f64>,
    measured_high: Option<f64>,
    claim_low: f64,
    claim_high: f64,
    reason: Option<&'a str>,
    question: &'a str,
}

/// The row of a lab.
pub(crate) fn row(lab: &LabResult) -> Row<'_> {
    Row {
        name: &lab.name,
        outcome: lab.outcome,
        unit: &lab.claim.unit,
        measured: lab.measured.map(|it| it.value),
        measured_low: lab.measured.map(|it| it.low),
        measured_high: lab.measured.map(|it| it.high),
        claim_low: lab.claim.low,
        claim_high: lab.claim.high,
        reason: lab.reason.as_deref(),
        question: &lab.question,
    }
}
