//! Lines that the program prints on standard error, beside its report.

use std::io::{IsTerminal, Write};

/// Prints a message of fauxplat on standard error.
pub(crate) fn complain(line: &str) {
    beside_the_report(&format!("fauxplat: {}\n", bounded(&harmless(line))));
}

/// Copies a line of another program's output to standard error, indented.
pub(crate) fn quote(line: &str) {
    beside_the_report(&format!("  {}\n", harmless(line)));
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

/// Maximum length in bytes of a line that [`complain`] prints, the program's name included.
const LINE_BYTES_MAX: usize = 500;

/// The text with the middle of each overlong line left out: a message may quote a file or an option of any length, and
/// its end says what to do. Blanks that do not break become plain ones, since nothing wraps these lines.
fn bounded(text: &str) -> String {
    let text = text.replace('\u{a0}', " ");
    text.split('\n').map(without_middle).collect::<Vec<_>>().join("\n")
}

fn without_middle(line: &str) -> String {
    const LEFT_OUT: &str = " […] ";
    let room = LINE_BYTES_MAX - "fauxplat: ".len() - LEFT_OUT.len() - 1;
    if line.len() <= room + LEFT_OUT.len() {
        return line.to_owned();
    }
    let head = (0..=room / 2).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    let tail = (line.len() - room / 2..).find(|at| line.is_char_boundary(*at)).unwrap_or(line.len());
    format!("{}{LEFT_OUT}{}", &line[..head], &line[tail..])
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

    #[test]
    fn a_line_is_bounded_and_keeps_its_end() {
        assert_eq!(bounded("a short\u{a0}line"), "a short line");
        for letter in ["x", "é", "日"] {
            let line = format!("file: {}; name another one", letter.repeat(5000));
            let shown = bounded(&format!("{line}\nnext"));
            let (first, next) = shown.split_once('\n').unwrap();
            assert!("fauxplat: ".len() + first.len() < LINE_BYTES_MAX, "{first}");
            assert!(first.starts_with("file: ") && first.ends_with("; name another one"), "{first}");
            assert_eq!(next, "next");
        }
    }
}
