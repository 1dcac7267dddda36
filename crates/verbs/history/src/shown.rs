//! `fauxplat history`: earlier results.

use fauxplat_analyze::run_findings;
use fauxplat_experiment::Failure;
use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{ContendFindings, IndexFindings, LatencyFindings, LoadFindings};
use fauxplat_report::Format;
use fauxplat_store::{ExperimentRow, Filter, StoredExperiment};

use crate::verbs::exchange;
use crate::{begin, output};
use fauxplat_options::{HistoryAction, HistoryArgs, OutputArgs};

/// Lists, shows, exports or removes stored experiments.
pub(crate) fn history(args: &HistoryArgs) -> Result<(), Failure> {
    match &args.action {
        HistoryAction::List { kind, name, since, limit, output } => {
            let (kind, name, since) = (kind.clone(), name.clone(), since.clone());
            let is_filtered = kind.is_some() || name.is_some() || since.is_some();
            let filter = Filter { kind, name, since, limit: *limit, state: None };
            let mut rows = begin::history(output)?.list(&filter)?;
            // The store returns the newest first, so that a limit keeps those; the list shows them in order of time.
            rows.reverse();
            list(&rows, is_filtered, output)
        }
        HistoryAction::Show { id, output } => show(id, output),
        HistoryAction::Export { id, output } => {
            let format = if output.format == Format::Text { Format::Json } else { output.format };
            show(id, &OutputArgs { format, ..OutputArgs::clone(output) })
        }
        HistoryAction::Push { to, ids, all, output } => exchange::push(to, ids, *all, output),
        HistoryAction::Pull { from, ids, output, .. } => exchange::pull(from, ids, output),
        HistoryAction::Rm { ids, output } => {
            let store = begin::history(output)?;
            // All experiments are looked up before one is removed, and one that is named twice is removed once: the
            // meaning of `last` changes with each removal.
            let mut found = ids.iter().map(|id| store.resolve(id)).collect::<Result<Vec<_>, _>>()?;
            found.sort_unstable();
            found.dedup();
            found.into_iter().try_for_each(|id| store.remove(id).map_err(Failure::from))
        }
    }
}

fn show(id: &str, output: &OutputArgs) -> Result<(), Failure> {
    let store = begin::history(output)?;
    let id = store.resolve(id)?;
    let stored = store.load(id)?;
    let findings = findings(&stored);
    let StoredExperiment { header, commands, samples, .. } = &stored;
    let record = Record { header, commands, samples, findings: &findings };
    output::try_files(output)?;
    let has_room = |format| matches!(format, Format::Json | Format::Csv);
    let mut evidence = Vec::new();
    if has_room(output.format) || output.exports().iter().any(|export| has_room(export.format)) {
        // The record already holds the runs.
        store.evidence_beside_runs(id, |piece| evidence.push(piece))?;
    }
    let of = |format| if has_room(format) { evidence.clone() } else { Vec::new() };
    output::report(&record, &of, &|_| true, output)
}

/// The stored findings. For an unfinished experiment, summaries of its runs; nothing for one of fauxplat's own workers,
/// whose evidence speaks for itself.
fn findings(stored: &StoredExperiment) -> Findings {
    let by_command = || {
        let ignore_failure = stored.header.condition.ignore_failure.any();
        Findings::Run(run_findings(&stored.samples, stored.commands.len(), ignore_failure))
    };
    stored.findings.clone().unwrap_or_else(|| match stored.kind.as_str() {
        "index" => Findings::Index(IndexFindings::default()),
        "contend" => Findings::Contend(ContendFindings::default()),
        "latency" => Findings::Latency(LatencyFindings::default()),
        "limit" => Findings::Limit(Box::default()),
        "load" => Findings::Load(LoadFindings::default()),
        "profile" => Findings::Profile(Box::default()),
        _ => by_command(),
    })
}

fn list(rows: &[ExperimentRow], is_filtered: bool, output: &OutputArgs) -> Result<(), Failure> {
    match output.format {
        Format::Json => output::lines(&as_json(rows)?, output),
        Format::Text if rows.is_empty() => {
            let of = if is_filtered { " that --kind, --name and --since let through" } else { "" };
            output::lines(&format!("no experiments{of}\n"), output)
        }
        Format::Text => output::table(&HEADINGS, &rows.iter().map(cells).collect::<Vec<_>>(), output),
        other => Err(Failure::usage(format!("history list is written as text or json, not as {other}"))),
    }
}

fn as_json(rows: &[ExperimentRow]) -> Result<String, Failure> {
    let one = |row: &ExperimentRow| {
        serde_json::json!({
            "id": row.id, "started": row.started, "kind": row.kind, "state": row.state.name(),
            "names": row.names, "samples": row.samples, "summary": row.summary,
        })
    };
    let experiments: Vec<_> = rows.iter().map(one).collect();
    let document = serde_json::json!({ "schema": "fauxplat.history/1", "experiments": experiments });
    let text = serde_json::to_string_pretty(&document).map_err(Failure::usage)?;
    Ok(text + "\n")
}

/// Limit of names in a row: an experiment with more is a sweep, of which the first and last level say enough.
const NAMES_MAX: usize = 8;

const HEADINGS: [&str; 6] = ["id", "started", "verb", "state", "runs", "what"];

fn cells(row: &ExperimentRow) -> Vec<String> {
    let mut names = row.names.clone();
    names.dedup();
    let names = match names.as_slice() {
        [first, .., last] if names.len() > NAMES_MAX => format!("{first} | … | {last} ({})", names.len()),
        few => few.join(" | "),
    };
    let what = match &row.summary {
        Some(summary) if !summary.contains(&names) => format!("{names}: {summary}"),
        Some(summary) => summary.clone(),
        None => names,
    };
    let state = row.state.name().to_owned();
    vec![row.id.to_string(), row.started.clone(), row.kind.clone(), state, row.samples.to_string(), what]
}
