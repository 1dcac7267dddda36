//! Replaces all texts of a record that do not come from fauxplat, such as names, by hostile ones. In every format the
//! report must keep the structure that it has with harmless names.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fauxplat_model::document::Findings;
use fauxplat_report::{Format, Style, write};
use pulldown_cmark::{Event, Options, Parser};
use serde::Serialize;
use serde_json::Value;

use crate::common::Owned;
use crate::hostile::csv;
use crate::html::{Token, all, check, tokens};

/// A name that ends every kind of surrounding element, contains markup of every format, moves the cursor and changes
/// the text direction.
const HOSTILE: &str = "</td></script><b>|`*_~[x](y)&amp; @a #1 \\\u{202e}\u{1b}[31m\u{5}\u{7f}\n# 文";

/// The hostile text in the form that reports may show.
const SHOWN: &str = "</td></script><b>|`*_~[x](y)&amp; @a #1 \\\\u{202e}\\u{1b}[31m\\u{5}\\u{7f}\\n# 文";

/// A name as wide as [`SHOWN`], without special characters.
fn harmless() -> String {
    "n".repeat(unicode_width::UnicodeWidthStr::width(SHOWN))
}

/// Adds the JSON pointers of all strings of a document to `found`.
fn strings(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(path.to_owned()),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(at, one)| strings(one, &format!("{path}/{at}"), found));
        }
        Value::Object(fields) => {
            let escaped = |key: &String| key.replace('~', "~0").replace('/', "~1");
            fields.iter().for_each(|(key, one)| strings(one, &format!("{path}/{}", escaped(key)), found));
        }
        _ => {}
    }
}

/// Replaces texts of a JSON value by `name`: all texts for which the value with another name is still read. A number is
/// appended so that equal texts stay equal.
fn renamed<T>(noun: Value, name: &str, read: impl Fn(Value) -> Option<T>) -> T {
    let mut paths = Vec::new();
    strings(&noun, "", &mut paths);
    let mut numbers = BTreeMap::new();
    let mut noun = noun;
    for path in paths {
        let place = |noun: &mut Value, text: &str| {
            *noun.pointer_mut(&path).expect("it was there") = Value::from(text);
        };
        let own = noun.pointer(&path).and_then(Value::as_str).expect("a string").to_owned();
        let next = numbers.len() + 10;
        let number = *numbers.entry(own.clone()).or_insert(next);
        let mut taken = |text: &str| {
            place(&mut noun, text);
            read(noun.clone()).is_some()
        };
        match taken(&format!("{HOSTILE}{number}")) && taken(&format!("{}{number}", harmless())) {
            true => place(&mut noun, &format!("{name}{number}")),
            false => place(&mut noun, &own),
        }
    }
    read(noun).expect("every change was tried")
}

fn with_names(owned: &Owned, name: &str) -> Owned {
    let schema = owned.findings.schema();
    Owned {
        header: renamed(value(&owned.header), name, |it| serde_json::from_value(it).ok()),
        commands: renamed(value(&owned.commands), name, |it| serde_json::from_value(it).ok()),
        samples: owned.samples.clone(),
        findings: renamed(value(&owned.findings), name, |it| Findings::deserialize(schema, it)?.ok()),
    }
}

fn value(noun: &impl Serialize) -> Value {
    serde_json::to_value(noun).expect("every noun is a document")
}

/// The record of every verb with hostile names, and with harmless ones.
static PAIRS: LazyLock<Vec<(&str, [Owned; 2])>> = LazyLock::new(|| {
    let both = |owned: &Owned| [HOSTILE, &harmless()].map(|name| with_names(owned, name));
    all().into_iter().map(|(verb, owned)| (verb, both(&owned))).collect()
});

fn pairs() -> impl Iterator<Item = (&'static str, [&'static Owned; 2])> {
    PAIRS.iter().map(|(verb, both)| (*verb, both.each_ref()))
}

/// The report in a format; `None` if the findings have none in it.
fn report(owned: &Owned, format: Format, style: &Style) -> Option<String> {
    let mut out = Vec::new();
    write(&owned.record(), format, style, &mut out).ok()?;
    Some(String::from_utf8(out).expect("reports are UTF-8"))
}

/// Structure of a Markdown text: starts and ends of its elements in their order, and raw HTML unchanged.
fn markdown_structure(text: &str) -> Vec<String> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    let part = |event: Event<'_>| match event {
        Event::Start(tag) => Some(format!("begin {:?}", tag.to_end())),
        Event::End(tag) => Some(format!("end {tag:?}")),
        Event::Html(html) | Event::InlineHtml(html) => Some(html.to_string()),
        Event::Rule | Event::HardBreak | Event::TaskListMarker(_) => Some(format!("{event:?}")),
        _ => None,
    };
    events.filter_map(part).collect()
}

#[test]
fn names_never_become_markup() {
    for (verb, [hostile, harmless]) in pairs() {
        let [is, should_be] =
            [hostile, harmless].map(|owned| report(owned, Format::Markdown, &Style::default()).unwrap());
        assert_eq!(markdown_structure(&is), markdown_structure(&should_be), "{verb}:\n{is}");
        let loose =
            is.chars().find(|c| c.is_control() && *c != '\n' || ('\u{202a}'..='\u{202e}').contains(c));
        assert_eq!(loose, None, "{verb}");
    }
}

/// Names of the HTML elements of a page, in their order.
fn elements(page: &str) -> Vec<String> {
    let tag = |token| match token {
        Token::Tag(tag) => tag.split(' ').next().map(str::to_owned),
        Token::Text(_) => None,
    };
    tokens(page).into_iter().filter_map(tag).collect()
}

#[test]
fn names_never_change_a_page() {
    for (verb, [hostile, harmless]) in pairs() {
        let [is, should_be] =
            [hostile, harmless].map(|owned| report(owned, Format::Html, &Style::default()).unwrap());
        check(verb, &is);
        assert_eq!(elements(&is), elements(&should_be), "{verb}");
        assert!(!is.contains(['\u{202e}', '\u{1b}', '\u{5}', '\u{7f}']), "{verb}");
    }
}

#[test]
fn names_never_drive_a_terminal() {
    for (verb, [hostile, _]) in pairs() {
        for format in [Format::Text, Format::Boxes, Format::Lscpu] {
            for unicode in [true, false] {
                let style = Style { colour: false, width: 100, unicode };
                let Some(text) = report(hostile, format, &style) else { continue };
                let loose = |c: &char| c.is_control() && *c != '\n' || *c == '\u{202e}';
                assert_eq!(text.chars().find(loose), None, "{verb} as {format}:\n{text}");
                assert!(unicode || text.is_ascii(), "{verb} as {format}:\n{text}");
            }
        }
    }
}

#[test]
fn names_never_break_a_row() {
    for (verb, [hostile, harmless]) in pairs() {
        let [is, should_be] = [hostile, harmless]
            .map(|owned| csv(&report(owned, Format::Csv, &Style::default()).expect("every verb has rows")));
        let lengths = |rows: &[Vec<String>]| rows.iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(lengths(&is), lengths(&should_be), "{verb}");
        for field in is.iter().flatten() {
            assert!(!field.contains(|c: char| c.is_control() || c == '\u{202e}'), "{verb}: {field:?}");
        }
    }
}

/// Formats for programs contain every name as it is, since those programs have to escape it.
#[test]
fn documents_have_every_name_to_the_letter() {
    for (verb, [hostile, _]) in pairs() {
        let text = report(hostile, Format::Json, &Style::default()).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{verb}: {error}"));
        let mut paths = Vec::new();
        strings(&document, "", &mut paths);
        let named = paths.iter().filter(|path| {
            document.pointer(path).and_then(Value::as_str).is_some_and(|text| text.starts_with(HOSTILE))
        });
        let count = named.count();
        assert!(count >= hostile.header.warnings.len() + hostile.commands.len(), "{verb}: {count}");
    }
}
