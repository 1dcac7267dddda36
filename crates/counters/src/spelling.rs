//! Spelling of the words in a list of events: numbers, names, modifiers, and reserved words.

use crate::vocabulary::{self, Source};

/// All letters that `perf-list(1)` lists as modifiers.
const PERF_LETTERS: &str = "ukhIGHpPSDWeXbR";

/// Parses a number in the notation of the kernel's files and perf.
pub(crate) fn number(text: &str) -> Option<u64> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) if digits(hex) => u64::from_str_radix(hex, 16).ok(),
        None if digits(text) => text.parse().ok(),
        _ => None,
    }
}

/// Parses the number of a raw event such as `r1a8`: up to 16 hexadecimal digits after an `r`; `None` for any other
/// name.
pub(crate) fn raw(name: &str) -> Option<u64> {
    let digits = name.strip_prefix('r')?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex { u64::from_str_radix(digits, 16).ok() } else { None }
}

/// Returns whether a text can be the name of a device, term or tracepoint. Such names become part of paths, so only
/// these characters are allowed.
pub(crate) fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && text.chars().all(is_plain)
}

/// Returns whether the text consists of letters that perf accepts as modifiers, supported here or not.
pub(crate) fn is_letters(text: &str) -> bool {
    text.chars().all(|letter| PERF_LETTERS.contains(letter))
}

/// Returns whether `SUBSYSTEM:EVENT` is parsed as a tracepoint even without `tracepoint:` before it, because neither
/// word has another meaning in a list of events.
pub(crate) fn is_clear_tracepoint(subsystem: &str, event: &str) -> bool {
    let is_source = Source::ALL.iter().any(|source| source.word() == subsystem);
    let is_event = vocabulary::find(subsystem).is_some() || raw(subsystem).is_some();
    !(is_source || is_event || vocabulary::find_set(subsystem).is_some() || is_letters(event))
}
