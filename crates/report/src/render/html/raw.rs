//! The JSON document of the record inside a page, for readers who want to process it.

use std::io::{self, Write};

use fauxplat_model::document::Record;
use maud::{Markup, PreEscaped, html};

use crate::json;
use crate::words::is_hidden;

/// Maximum size of the document in bytes, about ten thousand runs: a larger page would open slowly on a phone.
const BYTES_MAX: usize = 4 << 20;

/// The section of the page with the document, or with advice if the document is too large.
pub(super) fn section(record: &Record) -> Markup {
    html! {
        section {
            h2 { "Raw data" }
            @match embedded(record, BYTES_MAX) {
                Some(data) => {
                    p {
                        button #save type="button" hidden data-name=(file_name(record)) { "Save as JSON" }
                        span.faint { " The record of this report as one JSON document, in this file." }
                    }
                    script #record type="application/json" { (PreEscaped(data)) }
                }
                None => p.faint { (elsewhere(record)) }
            }
        }
    }
}

/// The JSON document of the record; `None` if it takes more than `bytes_max` bytes.
fn embedded(record: &Record, bytes_max: usize) -> Option<String> {
    let mut bounded = Bounded { bytes: Vec::new(), bytes_max };
    json::write(record, &mut bounded).ok()?;
    Some(harmless(&String::from_utf8(bounded.bytes).ok()?))
}

/// The document with escapes for characters that could end the surrounding element or hide text from a reader of the
/// source. Such characters occur only in strings, where JSON can escape them.
fn harmless(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' => escape(c, &mut out),
            '\n' => out.push(c),
            c if is_hidden(c) => escape(c, &mut out),
            c => out.push(c),
        }
    }
    out
}

fn escape(c: char, out: &mut String) {
    c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
}

fn file_name(record: &Record) -> String {
    let verb = record.findings.schema().trim_start_matches("fauxplat.").split('/').next().unwrap_or_default();
    match record.header.id {
        Some(id) => format!("fauxplat-{verb}-{id}.json"),
        None => format!("fauxplat-{verb}.json"),
    }
}

fn elsewhere(record: &Record) -> Markup {
    let size = BYTES_MAX >> 20;
    html! {
        "The raw data are left out of this file, since they take more than " (size) " MiB. "
        @match record.header.id {
            Some(id) => { "They are in the store: " code { "fauxplat history export " (id) } " writes them as JSON." },
            None => { "They were not stored either: repeat with " code { "--format json" } "." },
        }
    }
}

/// A buffer that refuses to grow beyond `bytes_max` bytes.
struct Bounded {
    bytes: Vec<u8>,
    bytes_max: usize,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.bytes_max {
            return Err(io::Error::other("more than a page holds"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_element_and_the_data_are_the_same() {
        let name = "</script><!-- & \u{202e}\u{e0041}\n";
        let document = serde_json::json!({ "name": name }).to_string();
        let shown = harmless(&document);
        assert!(shown.chars().all(|c| !"<>&\u{202e}".contains(c)), "{shown}");
        let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(read["name"], name);
    }

    #[test]
    fn a_bound_is_a_bound() {
        let mut bounded = Bounded { bytes: Vec::new(), bytes_max: 4 };
        assert!(bounded.write_all(b"1234").is_ok() && bounded.write_all(b"5").is_err());
        assert_eq!(bounded.bytes, b"1234");
    }
}
