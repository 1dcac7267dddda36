//! Compares experiments that have the same UUID in two stores.

use rusqlite::types::Value;

use super::tables::{NOTES, TABLES};
use super::{Carried, Head, common};
use crate::StoreError;
use crate::engine::Engine;

/// Compares the copies of an experiment in two stores. The row of the experiment with its findings is compared by
/// value; the rows that belong to it are compared by count and checksum.
pub(super) fn judged(
    (from, id): (&dyn Engine, i64),
    (to, known): (&dyn Engine, i64),
) -> Result<Carried, StoreError> {
    let columns: Vec<String> =
        common(from, to, "experiment")?.into_iter().filter(|name| name != "id").collect();
    let [ours, theirs] = [Head::read(from, &columns, id)?, Head::read(to, &columns, known)?];
    let (Some(ours), Some(theirs)) = (ours, theirs) else {
        return Ok(Carried::Kept("the experiment was removed meanwhile".into()));
    };
    let differs = columns.iter().zip(ours.values.iter().zip(&theirs.values)).find(|(_, (a, b))| a != b);
    let differs = differs.map(|(column, _)| column.clone());
    let differs = match differs {
        Some(column) => Some(column),
        None => other_rows((from, id), (to, known))?,
    };
    Ok(match differs {
        None => Carried::Known { id: known },
        Some(what) => Carried::Kept(format!(
            "experiment {known} there has the same UUID and another content ({what}): neither is changed"
        )),
    })
}

/// Returns the name of a table in which the rows of the two copies of an experiment differ; `None` if all are equal.
fn other_rows(
    (from, id): (&dyn Engine, i64),
    (to, known): (&dyn Engine, i64),
) -> Result<Option<String>, StoreError> {
    for table in TABLES.iter().filter(|table| table.name != NOTES) {
        let digest = table.digest();
        let ours = from.read(&digest, &[Value::Integer(id)])?;
        if ours != to.read(&digest, &[Value::Integer(known)])? {
            return Ok(Some(table.name.to_owned()));
        }
    }
    Ok(None)
}
