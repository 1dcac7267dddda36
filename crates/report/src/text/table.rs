//! The report of `table`: objects down, keys across.

use std::io::{self, Write};

use fauxplat_model::{TableFindings, TableValue};
use fauxplat_units::Nanos;

use crate::grid::Tone;
use crate::tables;
use crate::text::page::{INDENT, Page};
use crate::words::{spaced, visible};

pub(crate) fn write(page: &mut Page, found: &TableFindings) -> io::Result<()> {
    let name = page.name(&visible(&found.file), page.width);
    page.line(Tone::Title, &name)?;
    match found.values.is_empty() {
        true => page.paragraph(Tone::Faint, INDENT, "no value")?,
        false => page.table(INDENT, &tables::live(found))?,
    }
    page.paragraph(Tone::Faint, INDENT, &publisher(found))
}

/// What kind of table it is, and who publishes.
pub(crate) fn publisher(found: &TableFindings) -> String {
    let kind = if found.records { ", an object's values published together" } else { "" };
    let life = if found.creator_alive { "still runs" } else { "has ended" };
    let after = match found.elapsed_ns {
        0 => String::new(),
        elapsed_ns => format!("; after {}", Nanos(elapsed_ns)),
    };
    let (bytes, pid) = (found.value_bytes, found.creator_pid);
    format!("values of {bytes} bytes{kind}; created by process {pid}, which {life}{after}")
}

/// One line per value, for a pipe: every look at the table follows the one before.
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

/// A name without blanks, so that the columns can be counted, or the number.
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
