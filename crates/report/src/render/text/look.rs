//! Writes successive readings of a live table as text: a line for each value.

use std::io::{self, Write};

use fauxplat_model::{TableFindings, TableValue};

use crate::words::{spaced, visible};

/// Writes a line for each value of one reading, with a heading before the `first` reading.
pub(crate) fn lines(found: &TableFindings, first: bool, out: &mut dyn Write) -> io::Result<()> {
    if first {
        line(["elapsed_s", "object", "key", "value", "rate_per_s"].map(str::to_owned), out)?;
    }
    let elapsed = format!("{:.3}", found.elapsed_ns as f64 / 1e9);
    for value in &found.values {
        let TableValue { object, object_name, key, key_name, value, rate_per_s } = value;
        let rate = rate_per_s.map_or("-".to_owned(), |rate| format!("{rate:.3}"));
        let cells =
            [elapsed.clone(), word(object_name, *object), word(key_name, *key), value.to_string(), rate];
        line(cells, out)?;
    }
    Ok(())
}

/// The name of an object or key, or else its number, without blanks, so that tools can split the columns.
fn word(name: &Option<String>, number: u64) -> String {
    match name {
        Some(name) => spaced(&visible(name)).replace(' ', "_"),
        None => number.to_string(),
    }
}

fn line(cells: [String; 5], out: &mut dyn Write) -> io::Result<()> {
    let [elapsed, object, key, value, rate] = cells;
    writeln!(out, "{elapsed:>9}  {object:>10}  {key:>16}  {value:>20}  {rate:>14}")
}
