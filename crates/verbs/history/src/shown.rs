//! Lists, shows, exports and removes single experiments.

use fauxplat_analyze::run_findings;
use fauxplat_experiment::Failure;
use fauxplat_model::document::OwnFindings;
use fauxplat_model::document::{Findings, Record};
use fauxplat_model::{ContendFindings, IndexFindings, LoadFindings};
use fauxplat_options::OutputArgs;
use fauxplat_report::Format;
use fauxplat_store::{ExperimentRow, Filter, StoredExperiment};
use fauxplat_verb::Host;

use crate::report::LIST_SCHEMA;

pub(crate) fn show(id: &str, host: &dyn Host, output: &OutputArgs) -> Result<(), Failure> {
    let store = host.history(output)?;
    let id = store.resolve(id)?;
    let stored = store.load(id)?;
    let findings = findings(&stored);
    let StoredExperiment { header, commands, samples, .. } = &stored;
    let record = Record { header, commands, samples, findings: &findings };
    let has_room = |format| matches!(format, Format::Json | Format::Csv);
    let mut evidence = Vec::new();
    if has_room(output.format) || output.exports().iter().any(|export| has_room(export.format)) {
        // The record already contains the runs, so only other evidence is read.
        store.evidence_beside_runs(id, |piece| evidence.push(piece))?;
    }
    let of = |format| if has_room(format) { evidence.clone() } else { Vec::new() };
    host.report(&record, &of, output)
}

/// Removes experiments. All words are resolved before the first removal, since each removal changes the meaning of
/// `last`; an experiment that is named twice is removed once.
pub(crate) fn remove(ids: &[String], host: &dyn Host, output: &OutputArgs) -> Result<(), Failure> {
    let store = host.history(output)?;
    let mut found = ids.iter().map(|id| store.resolve(id)).collect::<Result<Vec<_>, _>>()?;
    found.sort_unstable();
    found.dedup();
    found.into_iter().try_for_each(|id| store.remove(id).map_err(Failure::from))
}

/// Findings of a stored experiment. An unfinished one has none: summaries of its runs take their place, and for
/// experiments of fauxplat's own workers empty findings, since their evidence is reported anyway.
fn findings(stored: &StoredExperiment) -> Findings {
    let by_command = || {
        let ignore_failure = stored.header.condition.ignore_failure.any();
        Findings::Run(run_findings(&stored.samples, stored.commands.len(), ignore_failure))
    };
    stored.findings.clone().unwrap_or_else(|| match stored.kind.as_str() {
        "index" => Findings::Index(IndexFindings::default()),
        "contend" => Findings::Contend(ContendFindings::default()),
        "limit" => Findings::Limit(Box::default()),
        "load" => Findings::Load(LoadFindings::default()),
        "profile" => Findings::Profile(Box::default()),
        kind => fauxplat_report::unfinished(kind).map_or_else(by_command, Findings::Own),
    })
}

pub(crate) fn list(
    filter: &Filter,
    host: &dyn Host,
    output: &OutputArgs,
    invocation: &[String],
) -> Result<(), Failure> {
    let is_filtered = filter.kind.is_some() || filter.name.is_some() || filter.since.is_some();
    let mut rows = host.history(output)?.list(filter)?;
    // The store returns the newest experiments first, so that the limit drops the oldest; the list is in the order of
    // time.
    rows.reverse();
    match output.format {
        Format::Json => host
            .lines(&(serde_json::to_string_pretty(&document(&rows)).map_err(Failure::usage)? + "\n"), output),
        Format::Text if rows.is_empty() => {
            let of = if is_filtered { " that --kind, --name and --since let through" } else { "" };
            host.lines(&format!("no experiments{of}\n"), output)
        }
        Format::Text => {
            let first = rows.first().and_then(|row| row.origin.place());
            let are_of_several = rows.iter().any(|row| row.origin.place() != first);
            let cells: Vec<Vec<String>> = rows.iter().map(|row| cells(row, are_of_several)).collect();
            host.list(&HEADINGS, &cells, output)
        }
        _ => {
            let own = OwnFindings { schema: LIST_SCHEMA.to_owned(), document: document(&rows) };
            host.show(&Findings::Own(own), output, invocation)
        }
    }
}

fn document(rows: &[ExperimentRow]) -> serde_json::Value {
    let one = |row: &ExperimentRow| {
        serde_json::json!({
            "id": row.id, "started": row.started, "kind": row.kind, "state": row.state.name(),
            "names": row.names, "samples": row.samples, "summary": row.summary, "origin": row.origin,
        })
    };
    let experiments: Vec<_> = rows.iter().map(one).collect();
    serde_json::json!({ "schema": LIST_SCHEMA, "experiments": experiments })
}

/// Maximum number of names of commands in a row of the list. An experiment with more is a sweep, of which the first and
/// the last name are shown.
const NAMES_MAX: usize = 8;

pub(crate) const HEADINGS: [&str; 7] = ["id", "started", "verb", "state", "runs", "at", "what"];

/// Number of digits of a commit hash in lists and ranges.
pub(crate) const SHORT_HASH: usize = 7;

/// Short commit hash of an experiment, with `+` for local changes, and its label; before them its repository or folder
/// where the experiments of the list are of several.
fn place(row: &ExperimentRow, are_of_several: bool) -> String {
    let of = row.origin.place().filter(|_| are_of_several).map(str::to_owned);
    let checkout = row.origin.checkout.as_ref();
    let commit =
        checkout.and_then(|it| it.commit.get(..SHORT_HASH).map(|short| (short, it.dirty == Some(true))));
    let commit = commit.map(|(short, is_dirty)| format!("{short}{}", if is_dirty { "+" } else { "" }));
    let label = row.origin.label.clone();
    of.into_iter().chain(commit).chain(label).collect::<Vec<_>>().join(" ")
}

fn cells(row: &ExperimentRow, are_of_several: bool) -> Vec<String> {
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
    let (id, runs) = (row.id.to_string(), row.samples.to_string());
    vec![id, row.started.clone(), row.kind.clone(), state, runs, place(row, are_of_several), what]
}

#[cfg(test)]
mod tests {
    use fauxplat_model::{Checkout, Origin};
    use fauxplat_store::State;

    use super::*;

    fn row() -> ExperimentRow {
        ExperimentRow {
            id: 1,
            started: "2026-11-28T10:00:00Z".into(),
            kind: "run".into(),
            state: State::Finished,
            names: Vec::new(),
            samples: 0,
            summary: None,
            origin: Origin::default(),
        }
    }

    #[test]
    fn experiments_of_several_places_name_them() {
        let checkout = Checkout {
            commit: "abc1234def".into(),
            repository: Some("example.org/tool".into()),
            ..Checkout::default()
        };
        let row = ExperimentRow {
            origin: Origin { checkout: Some(checkout), folder: Some("/tool".into()), ..Origin::default() },
            ..row()
        };
        assert_eq!(
            (place(&row, true), place(&row, false)),
            ("example.org/tool abc1234".into(), "abc1234".into())
        );
        let origin = Origin { folder: Some("/tool".into()), ..Origin::default() };
        assert_eq!(place(&ExperimentRow { origin, ..row }, true), "/tool");
    }
}
