//! Lines on standard error: what a program prints beside its report.

/// Maximum length in bytes of a line, with its newline.
const LINE_BYTES_MAX: usize = 500;

/// The lines of a message, with a newline at the end and the middle of each overlong line left out: a message may quote
/// a file, an option or another program at any length, and its end says what to do. Blanks that do not break become
/// plain ones, since nothing wraps these lines.
pub fn error_lines(text: &str) -> String {
    let text = text.replace('\u{a0}', " ");
    text.split('\n').map(without_middle).collect::<Vec<_>>().join("\n") + "\n"
}

fn without_middle(line: &str) -> String {
    const LEFT_OUT: &str = " […] ";
    const ROOM: usize = LINE_BYTES_MAX - LEFT_OUT.len() - 1;
    if line.len() < LINE_BYTES_MAX {
        return line.to_owned();
    }
    let head = (0..=ROOM / 2).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
    let tail = (line.len() - ROOM / 2..).find(|at| line.is_char_boundary(*at)).unwrap_or(line.len());
    format!("{}{LEFT_OUT}{}", &line[..head], &line[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_bounded_and_keeps_its_ends() {
        assert_eq!(error_lines("fauxplat: a short\u{a0}line"), "fauxplat: a short line\n");
        for letter in ["x", "é", "日"] {
            let line = format!("fauxplat: file: {}; name another one", letter.repeat(5000));
            let shown = error_lines(&format!("{line}\nnext"));
            let (first, next) = shown.split_once('\n').unwrap();
            assert!(first.len() < LINE_BYTES_MAX, "{first}");
            assert!(
                first.starts_with("fauxplat: file: ") && first.ends_with("; name another one"),
                "{first}"
            );
            assert_eq!(next, "next\n");
        }
    }

    #[test]
    fn no_length_is_beyond_the_bound() {
        for count in 0..2 * LINE_BYTES_MAX {
            assert!(error_lines(&"x".repeat(count)).len() <= LINE_BYTES_MAX, "{count} letters");
        }
    }
}
