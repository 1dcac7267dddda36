//! The report of `lab`: the outcome first, then each claim with the measured figure.

pub(crate) mod compare;
mod drawing;
mod page;

use fauxplat_model::{Claim, ClaimResult, LabFindings, LabMeasured, LabOutcome, LabResult, LabRun, LabTable};
use fauxplat_units::Nanos;
use serde::Serialize;

use crate::parts::{Grid, Piece, Rank, Tone};
use crate::words::visible;

pub(crate) fn parts(found: &LabFindings) -> Vec<Piece> {
    if found.labs.iter().any(|lab| lab.page.is_some()) {
        return at_a_glance(found);
    }
    let mut parts: Vec<Piece> = found.labs.iter().flat_map(of_lab).collect();
    if found.labs.len() > 1 {
        parts.push(Piece::table(table(found)));
        parts.extend(lacking(found));
    }
    if found.labs.iter().any(|lab| lab.outcome.is_some()) {
        let elapsed = Nanos::from_secs_f64(found.elapsed_s);
        parts.push(Piece::plain(format!("Took {elapsed} in all.")).in_full());
    }
    parts
}

/// Pieces of the page of all labs, with links to the page of each.
fn at_a_glance(found: &LabFindings) -> Vec<Piece> {
    let claims = || found.labs.iter().flat_map(|lab| &lab.claims);
    let labs = counts(found.labs.iter().map(|lab| lab.outcome));
    let said = format!("Labs: {labs}. Claims: {}.", counts(claims().map(|claim| claim.outcome)));
    let mut grid = Grid::named(&["lab", "outcome", "claims", "question"], &[]);
    for lab in &found.labs {
        let cells = vec![
            visible(&lab.name),
            lab.outcome.map_or("not run", LabOutcome::words).to_owned(),
            counts(lab.claims.iter().map(|claim| claim.outcome)),
            visible(&lab.question),
        ];
        grid.push_leading(
            lab.outcome.map_or(Tone::Plain, tone),
            cells,
            lab.page.as_deref().unwrap_or_default(),
        );
    }
    let mut parts = vec![Piece::answer(Tone::Title, said), Piece::table(grid)];
    parts.extend(lacking(found));
    parts
}

/// How often each outcome occurs, in words.
fn counts(outcomes: impl Iterator<Item = Option<LabOutcome>> + Clone) -> String {
    let known = [
        LabOutcome::Reproduced,
        LabOutcome::NotHere,
        LabOutcome::Undecided,
        LabOutcome::CannotRunHere,
        LabOutcome::Error,
    ];
    let count = |of: LabOutcome| outcomes.clone().filter(|it| *it == Some(of)).count();
    let said = known.into_iter().map(|of| (count(of), of.words())).filter(|(count, _)| *count > 0);
    said.map(|(count, words)| format!("{count} {words}")).collect::<Vec<_>>().join(", ")
}

/// Pieces about one lab: outcome, question, claims and experiments. The publisher is named once if all claims share it.
fn of_lab(lab: &LabResult) -> Vec<Piece> {
    let mut parts = vec![
        outcome(Rank::Answer, &lab.name, lab.outcome, lab.reason.as_deref()),
        Piece::plain(visible(&lab.question)),
    ];
    let shared = lab.claims.iter().all(|one| publisher(&one.claim) == publisher(&lab.claim));
    match lab.claims.as_slice() {
        [] | [_] => parts.push(claimed(&lab.claim, false)),
        claims if shared => {
            parts.push(Piece::plain(format!("Source: {}.", publisher(&lab.claim))).in_full());
            parts.extend(claims.iter().flat_map(|one| of_claim(one, true)));
        }
        claims => parts.extend(claims.iter().flat_map(|one| of_claim(one, false))),
    }
    parts.extend(drawing::claims(lab));
    parts.extend(page::beside(lab));
    let tables = lab.experiments.iter().filter(|run| run.table.is_some()).count();
    parts.extend(lab.experiments.iter().flat_map(|run| of_run(run, lab.outcome.is_some(), tables > 1)));
    if !lab.complete {
        parts.push(Piece::warning("the lab's share of --max-time was over before all experiments had run"));
    }
    parts.extend(page::story(lab));
    parts
}

/// Piece that lists the requirements that this machine lacks, each with the number of claims that need it; `None` if it
/// lacks none.
fn lacking(found: &LabFindings) -> Option<Piece> {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    let claims = found.labs.iter().flat_map(|lab| &lab.claims);
    for claim in claims.filter(|it| it.outcome == Some(LabOutcome::CannotRunHere)) {
        let reason = claim.reason.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason, 1)),
        }
    }
    let mut grid = Grid::named(&["what is missing here", "claims"], &[]);
    for (reason, count) in &reasons {
        grid.push(Tone::Plain, vec![visible(reason), count.to_string()]);
    }
    (!reasons.is_empty()).then(|| Piece::table(grid))
}

/// Pieces about a claim of a lab with several: its outcome, then its statement.
fn of_claim(result: &ClaimResult, shared: bool) -> [Piece; 2] {
    [
        outcome(Rank::Plain, &result.name, result.outcome, result.reason.as_deref()),
        claimed(&result.claim, shared),
    ]
}

fn outcome(rank: Rank, name: &str, outcome: Option<LabOutcome>, reason: Option<&str>) -> Piece {
    let (tone, word) = match outcome {
        None => (Tone::Title, "not run"),
        Some(outcome) => (tone(outcome), outcome.words()),
    };
    let reason = reason.map_or_else(String::new, |reason| format!(": {}", visible(reason)));
    Piece::sentence(rank, tone, format!("{}: {word}{reason}.", visible(name)))
}

/// The statement of a claim, and its publisher unless that is named elsewhere.
fn claimed(claim: &Claim, shared: bool) -> Piece {
    let by = if shared { String::new() } else { format!(" ({})", publisher(claim)) };
    Piece::plain(format!("Claim: {}{by}.", visible(&claim.statement)))
}

fn publisher(claim: &Claim) -> String {
    format!("{}; on {}", visible(&claim.source), visible(&claim.machine))
}

/// Pieces about an experiment of a lab: its command line, its number in the store, and its drawing and table. If there
/// are several tables, each is named, even if command lines are omitted.
fn of_run(run: &LabRun, is_done: bool, is_named: bool) -> Vec<Piece> {
    let ids: Vec<String> = match run.ids.as_slice() {
        [] => run.id.iter().map(i64::to_string).collect(),
        ids => ids.iter().map(i64::to_string).collect(),
    };
    let stored = match ids.as_slice() {
        [] => String::new(),
        [id] => format!(" (fauxplat history show {id})"),
        [id, others @ ..] => format!(" (fauxplat history show {id}, and {} more)", others.len()),
    };
    let program = if run.shell { "" } else { "fauxplat " };
    let line = format!("{}: {program}{}{stored}", visible(&run.name), visible(&run.line));
    let name = (is_done && is_named && run.table.is_some())
        .then(|| Piece::plain(format!("{}:", visible(&run.name))).in_brief());
    let table = run.table.as_ref().map(|table| Piece::table(given(table)));
    let drawing = run.drawing.iter().flat_map(drawing::given);
    let line = Piece::plain(line);
    std::iter::once(if is_done { line.in_full() } else { line })
        .chain(drawing)
        .chain(name)
        .chain(table)
        .collect()
}

/// A table that a program of the lab printed. A row with too many or too few cells is adjusted, not refused.
fn given(table: &LabTable) -> Grid {
    let header: Vec<String> = table.columns.iter().map(|title| visible(title)).collect();
    let mut grid = Grid::named(&header.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    for row in &table.rows {
        let mut cells: Vec<String> = row.iter().map(|cell| visible(cell)).collect();
        cells.resize(header.len(), String::new());
        grid.push(Tone::Plain, cells);
    }
    grid
}

fn tone(outcome: LabOutcome) -> Tone {
    match outcome {
        LabOutcome::Reproduced => Tone::Good,
        LabOutcome::NotHere => Tone::Neutral,
        LabOutcome::Undecided | LabOutcome::CannotRunHere => Tone::Doubt,
        LabOutcome::Error => Tone::Bad,
    }
}

/// Table of several labs with their outcomes and figures.
fn table(found: &LabFindings) -> Grid {
    let mut grid = Grid::named(&["lab", "outcome", "measured", "published"], &[]);
    for lab in &found.labs {
        let claim = &lab.claim;
        let measured = |it: LabMeasured| format!("{} {}", page::figure(it.value), claim.unit);
        let cells = vec![
            visible(&lab.name),
            lab.outcome.map_or("–", LabOutcome::words).to_owned(),
            lab.measured.map_or_else(|| "–".to_owned(), measured),
            published(claim),
        ];
        grid.push(Tone::Plain, cells);
    }
    grid
}

fn published(claim: &Claim) -> String {
    match (claim.low, claim.high) {
        (None, None) => "–".to_owned(),
        (low, high) => [low, high].map(|end| end.map_or_else(String::new, |end| end.to_string())).join(" … "),
    }
}

#[derive(Serialize)]
pub(crate) struct ClaimRow<'a> {
    name: &'a str,
    claim: &'a str,
    outcome: Option<LabOutcome>,
    unit: &'a str,
    measured: Option<f64>,
    measured_low: Option<f64>,
    measured_high: Option<f64>,
    claim_low: Option<f64>,
    claim_high: Option<f64>,
    reason: Option<&'a str>,
    question: &'a str,
}

pub(crate) fn rows(lab: &LabResult) -> impl Iterator<Item = ClaimRow<'_>> {
    lab.claims.iter().map(|one| ClaimRow {
        name: &lab.name,
        claim: &one.name,
        outcome: one.outcome,
        unit: &one.claim.unit,
        measured: one.measured.map(|it| it.value),
        measured_low: one.measured.map(|it| it.low),
        measured_high: one.measured.map(|it| it.high),
        claim_low: one.claim.low,
        claim_high: one.claim.high,
        reason: one.reason.as_deref(),
        question: &lab.question,
    })
}
