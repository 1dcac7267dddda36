//! Reports in the Org markup language, see <https://orgmode.org/manual/>.

use std::io::{self, Write};

use super::markup::Markup;
use crate::words::visible;

pub(crate) struct Org;

/// A zero-width space. Before a character, it prevents Org from taking the character for a mark; beside a mark, it
/// replaces the blank that Org requires there ("Escape Character").
const NOTHING: char = '\u{200b}';

impl Markup for Org {
    fn prose(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in visible(text).chars() {
            match c {
                '|' => out.push_str("\\vert{}"),
                '*' | '/' | '_' | '=' | '~' | '+' | '[' | '#' | '<' | '^' | '{' => {
                    out.push(c);
                    out.push(NOTHING);
                }
                c => out.push(c),
            }
        }
        out
    }

    fn code(&self, name: &str) -> String {
        let name = visible(name);
        match name.is_empty() || name.contains(['~', '|']) || name.starts_with(' ') || name.ends_with(' ') {
            // Text marked as code cannot contain the mark of code, nor the mark between the cells of a table.
            true => self.prose(&name),
            false => format!("~{name}~"),
        }
    }

    fn emphasis(&self, marked: &str) -> String {
        format!("/{marked}/")
    }

    fn strong(&self, marked: &str) -> String {
        format!("*{marked}*")
    }

    fn blanks(&self, count: usize) -> String {
        "\u{a0}".repeat(count)
    }

    fn drawing(&self, lines: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "#+begin_example\n{lines}\n#+end_example\n")
    }

    fn table(
        &self,
        header: &[String],
        numeric: &[bool],
        rows: &[Vec<String>],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut row = |cells: &[String]| writeln!(out, "| {} |", cells.join(" | "));
        let cookie = |is_numeric: &bool| if *is_numeric { "<r>" } else { "<l>" }.to_owned();
        row(&numeric.iter().map(cookie).collect::<Vec<_>>())?;
        row(header)?;
        writeln!(out, "|{}|", vec!["---"; header.len()].join("+"))?;
        let mut row = |cells: &[String]| writeln!(out, "| {} |", cells.join(" | "));
        rows.iter().try_for_each(|cells| row(cells))?;
        writeln!(out)
    }

    fn fold(&self, title: &str) -> [String; 2] {
        [format!(":{}:\n", title.to_uppercase().replace(' ', "_")), ":END:\n".to_owned()]
    }

    fn bullet(&self, depth: usize) -> String {
        format!("{}- ", "  ".repeat(depth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_no_marks() {
        assert_eq!(Org.code("gzip -6"), "~gzip -6~");
        assert_eq!(Org.code("a|b"), "a\\vert{}b");
        assert_eq!(Org.prose("*x*"), "*\u{200b}x*\u{200b}");
    }
}
