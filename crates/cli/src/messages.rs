//! Lines that the program prints on standard error, beside its report.

use std::io::{IsTerminal, Write};

use fauxplat_report::error_lines;

/// Prints a message of fauxplat on standard error.
pub(crate) fn complain(line: &str) {
    beside_the_report(&error_lines(&format!("fauxplat: {}", harmless(line))));
}

/// Copies a line of another program's output to standard error, indented.
pub(crate) fn quote(line: &str) {
    beside_the_report(&error_lines(&format!("  {}", harmless(line))));
}

/// The text with its newlines and tabs and with all other control characters made visible: another user's file or
/// program may have put terminal commands into the text.
fn harmless(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        other => fauxplat_report::visible(other.encode_utf8(&mut [0; 4])),
    };
    text.chars().map(shown).collect()
}

/// Writes to standard error. An error, such as that of a closed standard error, is ignored; `eprintln!` would panic.
fn beside_the_report(text: &str) {
    let _closed = std::io::stderr().write_all(text.as_bytes());
}

pub(crate) fn beep() {
    if std::io::stderr().is_terminal() {
        beside_the_report("\x07");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_its_lines_and_moves_no_cursor() {
        assert_eq!(harmless("é a\n\tb: \u{1b}[2J\u{202e}\r"), "é a\n\tb: \\u{1b}[2J\\u{202e}\\r");
    }
}
