//! Draws listings with characters: numbers aligned to the right, texts cut at the end of the line.

use unicode_width::UnicodeWidthStr;

use crate::parts::{Listing, Tone};
use crate::render::chart::Lines;
use crate::render::pen::Pen;
use crate::words::{cut, visible};

/// Blanks between two columns.
const GAP: &str = "  ";

/// The headings and the lines of a listing, each at most as wide as the pen.
pub(crate) fn lines(of: &Listing, pen: Pen) -> Lines {
    let spelt =
        |cells: &[String]| -> Vec<String> { cells.iter().map(|cell| pen.spell(&visible(cell))).collect() };
    let header = spelt(&of.header);
    let rows: Vec<Vec<String>> = of.lines.iter().map(|line| spelt(&line.cells)).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).chain(header.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: &[String], text: &str| {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(&widths) {
            line.push_str(&" ".repeat(width.saturating_sub(cell.width())));
            line.push_str(cell);
            line.push_str(GAP);
        }
        line.push_str(&pen.spell(&visible(text)));
        cut(line.trim_end(), pen.width, pen.ellipsis())
    };
    let mut lines = vec![(Tone::Faint, line(&header, ""))];
    lines.extend(rows.iter().zip(&of.lines).map(|(cells, it)| (it.tone, line(cells, &it.text))));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Listed;

    #[test]
    fn numbers_stand_under_each_other_and_texts_end_with_the_line() {
        let listed = |number: &str, text: &str| Listed {
            tone: Tone::Plain,
            cells: vec![number.to_owned()],
            text: text.to_owned(),
        };
        let of = Listing {
            title: String::new(),
            header: vec!["line".to_owned()],
            lines: vec![
                listed("7", "  return 1;"),
                listed("12345", "\u{202e}x"),
                listed("", "a long line indeed"),
            ],
        };
        let shown: Vec<String> =
            lines(&of, Pen { unicode: true, width: 18 }).into_iter().map(|(_, line)| line).collect();
        assert_eq!(shown, [" line", "    7    return 1;", "12345  \\u{202e}x", "       a long lin…"]);
    }
}
