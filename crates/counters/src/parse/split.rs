//! Splits a list of events at commas, except between slashes and in braces.

use crate::error::CounterError;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Event(&'t str),
    Group { events: Vec<&'t str>, modifiers: &'t str },
}

/// Returns the entries of a list of events, without white space around them.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, CounterError> {
    at_commas(text)?.into_iter().map(piece).collect()
}

fn piece(text: &str) -> Result<Piece<'_>, CounterError> {
    let Some(inner) = text.strip_prefix('{') else { return Ok(Piece::Event(text)) };
    let (inner, behind) = inner.split_once('}').ok_or_else(|| unbalanced(text))?;
    let modifiers = match behind.strip_prefix(':') {
        Some(letters) => letters,
        None if behind.is_empty() => "",
        None => return Err(unbalanced(text)),
    };
    Ok(Piece::Group { events: at_commas(inner)?, modifiers })
}

/// Splits at commas that are neither in braces nor between slashes. An event has either no slash or two.
fn at_commas(text: &str) -> Result<Vec<&str>, CounterError> {
    let (mut entries, mut begin) = (Vec::new(), 0);
    let (mut depth, mut in_slashes) = (0_u32, false);
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'/' => in_slashes = !in_slashes,
            b'{' if depth == 0 && !in_slashes => depth = 1,
            b'}' if depth == 1 && !in_slashes => depth = 0,
            b'{' | b'}' => return Err(unbalanced(text)),
            b',' if depth == 0 && !in_slashes => {
                entries.push(&text[begin..place]);
                begin = place + 1;
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err(unbalanced(text));
    }
    entries.push(&text[begin..]);
    let trimmed: Vec<&str> = entries.into_iter().map(str::trim).collect();
    if trimmed.iter().any(|entry| entry.is_empty()) { Err(CounterError::Empty) } else { Ok(trimmed) }
}

fn unbalanced(text: &str) -> CounterError {
    let what = "write a group as {EVENT,EVENT}, with modifiers behind a colon, and no group within it";
    CounterError::Malformed { text: text.to_owned(), what }
}

/// Returns the text after `WORD:`; `None` if the text does not begin so.
pub(super) fn pop_prefix<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.strip_prefix(word)?.strip_prefix(':')
}
