//! Reports in Markdown for comments on pull requests, in GitHub's dialect.

use std::io::{self, Write};

use super::markup::Markup;
use crate::words::visible;

pub(crate) struct Markdown;

impl Markup for Markdown {
    fn prose(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in visible(text).chars() {
            if "\\`*_[]<>|#@~&".contains(c) {
                out.push('\\');
            }
            out.push(c);
        }
        out
    }

    /// Marks text as code, in which GitHub recognises neither links nor mentions. The fence is longer than any sequence
    /// of backquotes inside.
    fn code(&self, name: &str) -> String {
        let name = visible(name);
        let longest = name.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest + 1);
        let pad = if name.starts_with('`') || name.ends_with('`') || name.is_empty() { " " } else { "" };
        format!("{fence}{pad}{name}{pad}{fence}")
    }

    fn code_in_cell(&self, name: &str) -> String {
        self.code(name).replace('|', "\\|")
    }

    fn emphasis(&self, marked: &str) -> String {
        format!("*{marked}*")
    }

    fn strong(&self, marked: &str) -> String {
        format!("**{marked}**")
    }

    /// Non-breaking blanks, since HTML merges ordinary ones.
    fn blanks(&self, count: usize) -> String {
        "&nbsp;".repeat(count)
    }

    fn drawing(&self, lines: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "```text\n{lines}\n```\n")
    }

    fn table(
        &self,
        header: &[String],
        numeric: &[bool],
        rows: &[Vec<String>],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut row = |cells: &[String]| writeln!(out, "| {} |", cells.join(" | "));
        row(header)?;
        let rule = |is_numeric: &bool| if *is_numeric { "--:" } else { ":--" }.to_owned();
        row(&numeric.iter().map(rule).collect::<Vec<_>>())?;
        rows.iter().try_for_each(|cells| row(cells))?;
        writeln!(out)
    }

    fn fold(&self, title: &str) -> [String; 2] {
        // GitHub takes text for HTML up to the next empty line, so an empty line follows.
        [format!("<details><summary>{title}</summary>\n"), "\n</details>\n".to_owned()]
    }

    fn bullet(&self, depth: usize) -> String {
        format!("{}- ", "  ".repeat(depth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_their_code() {
        assert_eq!(Markdown.code("a`b``c"), "```a`b``c```");
        assert_eq!(Markdown.code("`x`"), "`` `x` ``");
        assert_eq!(Markdown.code("a\nb"), "`a\\nb`");
        assert_eq!(Markdown.prose("@all <b> *x*"), "\\@all \\<b\\> \\*x\\*");
    }
}
