//! The report of `table`, the values of a live table: objects in rows, keys in columns.

use fauxplat_model::{TableFindings, TableKey};
use fauxplat_units::Nanos;

use crate::parts::spans::named;
use crate::parts::{Piece, Tone};
use crate::tables;
use crate::words::visible;

pub(super) fn parts(found: &TableFindings) -> Vec<Piece> {
    let values = match found.values.is_empty() {
        true => Piece::said(Tone::Faint, "no value").at(1),
        false => Piece::table(tables::live(found)),
    };
    let publisher = Piece::said(Tone::Faint, publisher(found)).at(1);
    let keys = found.keys.iter().map(|key| Piece::said(Tone::Faint, described(key)).at(1).joined());
    let parts = [Piece::heading(named(&found.file)), values.joined(), publisher.joined()];
    parts.into_iter().chain(keys).collect()
}

/// Sentence part with the description that the table's creator gave for a key.
fn described(key: &TableKey) -> String {
    let part = |before: &str, text: &str| match text {
        "" => String::new(),
        text => format!("{before}{}", visible(text)),
    };
    let kind = key.kind.name();
    format!("{}: a {kind}{}{}", visible(&key.name), part(" in ", &key.unit), part(", ", &key.help))
}

/// Words about the kind of the table, and whether the program that publishes it is running.
fn publisher(found: &TableFindings) -> String {
    let kind = if found.records { ", an object's values published together" } else { "" };
    let life = match found.creator_alive {
        Some(true) => "which still runs",
        Some(false) => "which has ended",
        None => "whose number is of another container, so whether it runs is unknown here",
    };
    let after = match found.elapsed_ns {
        0 => String::new(),
        elapsed_ns => format!("; after {}", Nanos(elapsed_ns)),
    };
    let (bytes, pid) = (found.value_bytes, found.creator_pid);
    format!("values of {bytes} bytes{kind}; created by process {pid}, {life}{after}")
}
