//! Checks that the documentation is complete: it describes every field of every document, and every format of the
//! program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fauxplat_report::{Format, Style};
use serde_json::Value;

use crate::html::all;

fn document(path: &str) -> String {
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&whole).unwrap_or_else(|error| panic!("{}: {error}", whole.display()))
}

/// Fields whose members are not looked at: their names are chosen by the user or the machine, or they are a definition
/// in the form of `--input`.
const OWN_NAMES: [&str; 4] = ["parameters", "definition", "plan", "facts"];

/// Adds the names of all fields of a document to `found`, each with the path of its first occurrence.
fn fields(value: &Value, path: &str, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let place = format!("{path}/{name}");
                if !OWN_NAMES.contains(&name.as_str()) {
                    fields(member, &place, found);
                }
                found.entry(name.clone()).or_insert(place);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| fields(element, path, found)),
        _ => {}
    }
}

/// Words of a Markdown text that are marked as code or are part of marked code.
fn words(text: &str) -> BTreeSet<&str> {
    let code = text.split('`').skip(1).step_by(2);
    code.flat_map(|code| code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')).collect()
}

#[test]
fn every_field_of_every_document_is_described() {
    let text = document("docs/json.md");
    let described = words(&text);
    let mut missing = Vec::new();
    for (verb, owned) in all() {
        let json: Value = serde_json::from_str(&owned.render(Format::Json, &Style::default())).unwrap();
        let mut found = BTreeMap::new();
        fields(&json, "", &mut found);
        let unknown = found.into_iter().filter(|(name, _)| !described.contains(name.as_str()));
        missing.extend(unknown.map(|(_, place)| format!("{verb}: {place}")));
    }
    assert_eq!(missing, Vec::<String>::new(), "docs/json.md does not say what these are");
}

#[test]
fn every_format_is_described() {
    let text = document("docs/formats.md");
    let described = words(&text);
    for format in Format::ALL {
        assert!(described.contains(format.name()), "{format}");
    }
}
