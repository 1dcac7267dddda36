//! Compares experiments that have the same UUID in two stores.

use rusqlite::types::Value;

use super::tables::{NOTES, TABLES};
use super::{Carried, Head, Route};
use crate::StoreError;
use crate::engine::{Engine, Values, cell, text};

/// Compares the copies of an experiment in two stores. The row of the experiment with its findings is compared by
/// value; the rows that belong to it are compared by count and checksum.
pub(super) fn judged(route: &Route<'_>, id: i64, known: i64) -> Result<Carried, StoreError> {
    let both = route.columns("experiment")?;
    let columns: Vec<String> = both.iter().filter(|name| *name != "id").cloned().collect();
    let [ours, theirs] = [Head::read(route.from, &columns, id)?, Head::read(route.to, &columns, known)?];
    let (Some(ours), Some(theirs)) = (ours, theirs) else {
        return Ok(Carried::Kept("the experiment was removed meanwhile".into()));
    };
    let differs = columns.iter().zip(ours.values.iter().zip(&theirs.values)).find(|(_, (a, b))| a != b);
    let differs = match differs {
        Some((column, _)) => Some(column.clone()),
        None => other_rows(digests(route.from, id)?, &digests(route.to, known)?),
    };
    Ok(match differs {
        None => Carried::Known { id: known },
        Some(what) => Carried::Kept(format!(
            "experiment {known} there has the same UUID and another content ({what}): neither is changed"
        )),
    })
}

/// The name, the number of rows and the checksum of each table of an experiment, by one statement.
fn digests(engine: &dyn Engine, id: i64) -> Result<Vec<Values>, StoreError> {
    let asked: Vec<String> =
        TABLES.iter().filter(|table| table.name != NOTES).map(|table| table.digest()).collect();
    engine.read(&asked.join(" UNION ALL "), &[Value::Integer(id)])
}

/// Returns the name of a table in which the rows of the two copies of an experiment differ; `None` if all are equal.
fn other_rows(ours: Vec<Values>, theirs: &[Values]) -> Option<String> {
    let other = ours.into_iter().find(|row| !theirs.contains(row))?;
    Some(text(cell(&other, 0)).unwrap_or_default().to_owned())
}
