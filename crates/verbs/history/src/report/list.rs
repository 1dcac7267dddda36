//! The list of experiments, in formats other than text and JSON.

use fauxplat_model::document::Record;
use fauxplat_report::parts::{Grid, Piece, Tone};
use fauxplat_report::{Case, Format, OwnReport, Rows, say};
use serde_json::{Error, Value};

pub(crate) const LIST_SCHEMA: &str = "fauxplat.history/1";

#[derive(Debug)]
pub(crate) struct ListReport;

const HEADINGS: [&str; 11] =
    ["id", "started", "kind", "state", "samples", "names", "commit", "label", "host", "summary", "place"];

impl OwnReport for ListReport {
    fn schema(&self) -> &'static str {
        LIST_SCHEMA
    }

    fn formats(&self) -> &'static [Format] {
        &[]
    }

    fn pieces(&self, _: &Record, document: &Value) -> Result<Vec<Piece>, Error> {
        let rows = rows(document);
        let count = say::counted(rows.len(), "experiment", "experiments");
        let are_of_several = rows.iter().any(|row| row[10] != rows[0][10]);
        let headings = ["what", "id", "started", "verb", "state", "runs", "commit", "label", "place"];
        let columns = if are_of_several { headings.len() } else { headings.len() - 1 };
        let mut grid = Grid::named(&headings[..columns], &[6, 7, 4]);
        for row in rows {
            let [id, started, kind, state, samples, names, commit, label, _, summary, place] = row;
            let what = if summary.is_empty() { names } else { summary };
            let commit = super::short(&commit);
            let cells = [what, id, started, kind, state, samples, commit, label, place];
            grid.push(Tone::Plain, cells[..columns].iter().map(|cell| say::visible(cell)).collect());
        }
        Ok(vec![Piece::answer(Tone::Plain, format!("{count}.")), Piece::table(grid)])
    }

    fn rows(&self, document: &Value) -> Result<Rows, Error> {
        let rows = rows(document).into_iter().map(|row| row.to_vec()).collect();
        Ok(Rows { headings: HEADINGS.map(str::to_owned).to_vec(), rows })
    }

    fn cases(&self, _: &Value) -> Result<Vec<Case>, Error> {
        Ok(Vec::new())
    }
}

/// Cells of each experiment's row, in the order of the headings.
fn rows(document: &Value) -> Vec<[String; 11]> {
    let experiments = document.get("experiments").and_then(Value::as_array);
    let row = |one: &Value| {
        let text = |pointer: &str| match one.pointer(pointer) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let names = one.get("names").and_then(Value::as_array).into_iter().flatten();
        let names: Vec<&str> = names.filter_map(Value::as_str).collect();
        let [repository, folder] = [text("/origin/checkout/repository"), text("/origin/folder")];
        [
            text("/id"),
            text("/started"),
            text("/kind"),
            text("/state"),
            text("/samples"),
            names.join(" | "),
            text("/origin/checkout/commit"),
            text("/origin/label"),
            text("/origin/host"),
            text("/summary"),
            if repository.is_empty() { folder } else { repository },
        ]
    };
    experiments.into_iter().flatten().map(row).collect()
}
