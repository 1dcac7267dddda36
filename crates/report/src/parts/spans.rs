//! Sentences in which names, commands and emphasis are marked, so that each renderer can show them in its own way.
//!
//! The marks are control characters. Names and other foreign text cannot contain any after [`visible`] and so cannot
//! forge marks.

use crate::words::visible;

const NAME: char = '\u{1}';
const CODE: char = '\u{2}';
const EMPHASIS: char = '\u{3}';
const STRONG: char = '\u{4}';
const END: char = '\u{5}';

/// The role of a section of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    /// The name of a command or the like, which may be shortened.
    Name,
    /// Text for typing, shown unchanged.
    Code,
    /// A term, mostly shown by slanted letters.
    Emphasis,
    /// An important word.
    Strong,
}

/// A section of a sentence, without characters that control a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) kind: Kind,
    pub(crate) text: String,
}

pub fn named(name: &str) -> String {
    marked(NAME, name)
}

/// Marks text for typing, such as a command line.
pub fn code(text: &str) -> String {
    marked(CODE, text)
}

pub fn emphasis(text: &str) -> String {
    marked(EMPHASIS, text)
}

/// Marks an important word.
pub fn strong(text: &str) -> String {
    marked(STRONG, text)
}

fn marked(mark: char, text: &str) -> String {
    format!("{mark}{}{END}", visible(text))
}

pub(crate) fn spans(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let (mut kind, mut start) = (Kind::Plain, 0);
    for (at, c) in text.char_indices() {
        let next = match c {
            NAME => Kind::Name,
            CODE => Kind::Code,
            EMPHASIS => Kind::Emphasis,
            STRONG => Kind::Strong,
            END => Kind::Plain,
            _ => continue,
        };
        push(&mut found, kind, &text[start..at]);
        (kind, start) = (next, at + c.len_utf8());
    }
    push(&mut found, kind, &text[start..]);
    found
}

fn push(found: &mut Vec<Span>, kind: Kind, text: &str) {
    // A name that is empty is still a section; empty plain text is none.
    if kind != Kind::Plain || !text.is_empty() {
        found.push(Span { kind, text: visible(text) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_out_and_cannot_be_forged() {
        let text = format!("{} beats {}.", named("a\u{5} b"), code("x"));
        let found: Vec<(Kind, String)> = spans(&text).into_iter().map(|it| (it.kind, it.text)).collect();
        let expected =
            [(Kind::Name, "a\\u{5} b"), (Kind::Plain, " beats "), (Kind::Code, "x"), (Kind::Plain, ".")];
        assert_eq!(found, expected.map(|(kind, text)| (kind, text.to_owned())));
    }

    #[test]
    fn what_nobody_marked_is_still_harmless() {
        assert_eq!(spans("a\u{202e}b")[0].text, "a\\u{202e}b");
        assert_eq!(spans(&named("")).len(), 1);
        assert!(spans("").is_empty());
    }
}
