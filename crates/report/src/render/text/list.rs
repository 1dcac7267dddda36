//! Lists with one line for each row.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use crate::Style;
use crate::render::pen::Pen;
use crate::words::{cut, spaced, visible};

/// Blanks between two columns.
const GAP: &str = "  ";

/// Writes headings and rows. Each column is as wide as its widest cell, and lines are cut at the width of the terminal.
pub(crate) fn write_list(
    header: &[&str],
    rows: &[Vec<String>],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let pen = Pen { unicode: style.unicode, width: style.width };
    let spelt = |cell: &str| spaced(&pen.spell(&visible(cell)));
    let head: Vec<String> = header.iter().map(|cell| spelt(cell)).collect();
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| spelt(cell)).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().chain([&head]).filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    for row in [&head].into_iter().chain(&rows) {
        let padded = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width()))));
        let line = padded.collect::<Vec<_>>().join(GAP);
        writeln!(out, "{}", cut(line.trim_end(), pen.width, pen.ellipsis()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_one_line_at_any_width() {
        let long = "a \u{202e}name\nof two lines ".repeat(20);
        let rows = [
            vec!["1".to_owned(), "run".to_owned(), long],
            vec!["12".to_owned(), "compare".to_owned(), "x".to_owned()],
        ];
        for width in [1, 10, 40, 200] {
            let style = Style { width, ..Style::default() };
            let mut out = Vec::new();
            write_list(&["id", "verb", "what"], &rows, &style, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert_eq!(text.lines().count(), 3, "{text}");
            assert!(text.lines().all(|line| line.width() <= width), "{width}: {text}");
        }
    }
}
