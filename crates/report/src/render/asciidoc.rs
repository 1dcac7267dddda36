//! Reports in AsciiDoc, see <https://docs.asciidoctor.org/asciidoc/latest/>.

use std::io::{self, Write};

use super::markup::Markup;
use crate::words::visible;

pub(crate) struct AsciiDoc;

impl Markup for AsciiDoc {
    /// Replaces special characters by character references, which are literal in every context, unlike any other
    /// quoting.
    fn prose(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in visible(text).chars() {
            match c {
                '\\' | '`' | '*' | '_' | '#' | '^' | '~' | '+' | '[' | ']' | '{' | '}' | '<' | '>' | '|'
                | '&' | '\'' | '"' | ':' | '=' | '@' => out.push_str(&format!("&#{};", u32::from(c))),
                c => out.push(c),
            }
        }
        out
    }

    fn code(&self, name: &str) -> String {
        match name {
            // Marks of code around empty text would be shown as they are.
            "" => String::new(),
            name => format!("``{}``", self.prose(name)),
        }
    }

    fn emphasis(&self, marked: &str) -> String {
        format!("__{marked}__")
    }

    fn strong(&self, marked: &str) -> String {
        format!("**{marked}**")
    }

    fn blanks(&self, count: usize) -> String {
        "&#160;".repeat(count)
    }

    fn drawing(&self, lines: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "....\n{lines}\n....\n")
    }

    fn table(
        &self,
        header: &[String],
        numeric: &[bool],
        rows: &[Vec<String>],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let columns: Vec<&str> =
            numeric.iter().map(|is_numeric| if *is_numeric { ">" } else { "<" }).collect();
        writeln!(out, "[cols=\"{}\",options=\"header\"]\n|===", columns.join(","))?;
        let mut row = |cells: &[String]| writeln!(out, "| {}", cells.join(" | "));
        row(header)?;
        rows.iter().try_for_each(|cells| row(cells))?;
        writeln!(out, "|===\n")
    }

    fn fold(&self, title: &str) -> [String; 2] {
        [format!(".{title}\n[%collapsible]\n====\n"), "\n====\n".to_owned()]
    }

    fn bullet(&self, depth: usize) -> String {
        format!("{} ", "*".repeat(depth + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_no_marks() {
        assert_eq!(AsciiDoc.code("a|b `c`"), "``a&#124;b &#96;c&#96;``");
        assert_eq!(AsciiDoc.prose("link:x[y] {z}"), "link&#58;x&#91;y&#93; &#123;z&#125;");
        assert_eq!(AsciiDoc.prose("a\nb"), "a&#92;nb");
    }
}
