//! Markdown for pull-request comments: the answer as a sentence, tables, and the conditions folded away.

use std::io::{self, Write};

use crate::parts::spans::{Kind, Span, spans};
use crate::parts::{Branch, Grid, Medium, Note, Notes, Part, Piece, Rank, Sentence, Shape, Tree, shown};
use crate::render::pen::Pen;
use crate::render::{canvas, chart};
use crate::words::{spaced, visible};

/// Drawings in characters: comments are as wide as that.
const PEN: Pen = Pen { unicode: true, width: 100 };

/// Writes GitHub-flavoured Markdown.
pub(crate) fn write(pieces: &[Piece], out: &mut dyn Write) -> io::Result<()> {
    let pieces: Vec<&Piece> = shown(pieces, Medium::Comment).collect();
    for group in pieces.chunk_by(|before, piece| piece.goes_on_with(before)) {
        match &group[0].part {
            Part::Sentence(first) => {
                let sentences = group.iter().filter_map(|piece| match &piece.part {
                    Part::Sentence(it) => Some(sentence(it)),
                    _ => None,
                });
                paragraph(&bold(first.rank, &sentences.collect::<Vec<_>>().join(" ")), out)?;
            }
            other => part(other, out)?,
        }
    }
    Ok(())
}

fn part(part: &Part, out: &mut dyn Write) -> io::Result<()> {
    match part {
        Part::Sentence(it) => paragraph(&bold(it.rank, &sentence(it)), out),
        Part::Table(grid) => table(grid, out),
        Part::Distribution(it) => {
            if let Shape::Counts { title, .. } = &it.shape {
                paragraph(&prose(title), out)?;
            }
            drawing(&chart::lines(it, PEN), out)
        }
        Part::Series(it) => canvas::plots(it, PEN).iter().try_for_each(|(caption, lines)| {
            paragraph(&prose(caption), out)?;
            drawing(lines, out)
        }),
        Part::Tree(it) => tree(it, out),
        Part::Notes(it) => notes(it, out),
        // A comment cannot hold a picture.
        Part::Quantiles(_) | Part::HeatMap(_) => Ok(()),
    }
}

fn sentence(it: &Sentence) -> String {
    match it.rank {
        Rank::Warning => format!("**Warning:** {}", words(&it.text)),
        _ => words(&it.text),
    }
}

fn bold(rank: Rank, text: &str) -> String {
    match rank {
        Rank::Answer | Rank::Title | Rank::Heading => format!("**{text}**"),
        Rank::Subtitle | Rank::Plain | Rank::Warning => text.to_owned(),
    }
}

/// A sentence in which only what is marked is markup.
fn words(text: &str) -> String {
    let shown = |Span { kind, text }: Span| match kind {
        Kind::Plain => prose(&text),
        Kind::Name | Kind::Code => code(&text),
        Kind::Emphasis => format!("*{}*", prose(&text)),
        Kind::Strong => format!("**{}**", prose(&text)),
    };
    spans(text).into_iter().map(shown).collect()
}

fn drawing(lines: &chart::Lines, out: &mut dyn Write) -> io::Result<()> {
    let lines: Vec<&str> = lines.iter().map(|(_, line)| line.trim_end()).collect();
    writeln!(out, "```text\n{}\n```\n", spaced(&lines.join("\n")))
}

fn tree(it: &Tree, out: &mut dyn Write) -> io::Result<()> {
    match it {
        Tree::Columns { header, branches, .. } => {
            let mut grid = Grid::new(header, &[]);
            for branch in branches {
                grid.push(
                    branch.tone,
                    std::iter::once(String::new()).chain(branch.beside.iter().cloned()).collect(),
                );
            }
            let first =
                branches.iter().map(|it| format!("{}{}", margin(it), code(&it.text).replace('|', "\\|")));
            rows(&grid, first, out)
        }
        Tree::Sets(branches) => branches.iter().try_for_each(|it| {
            writeln!(out, "{}- {}: {}", "  ".repeat(it.depth), prose(&it.text), prose(&it.beside.join(" | ")))
        }),
        Tree::Boxes(_) => Ok(()),
    }
}

/// Markdown swallows leading blanks, and HTML's do not count as such.
fn margin(branch: &Branch) -> String {
    match branch.depth {
        0 => String::new(),
        depth => format!("{}└ ", "&nbsp;&nbsp;".repeat(depth - 1)),
    }
}

/// What the result rests upon is folded away, so that the result stays in sight.
fn notes(it: &Notes, out: &mut dyn Write) -> io::Result<()> {
    match it.folded {
        true => writeln!(out, "<details><summary>{}</summary>\n", cell(&it.title))?,
        false => paragraph(&format!("**{}**", words(&it.title)), out)?,
    }
    for line in it.lines.iter().filter(|note| note.media.contains(&Medium::Comment)) {
        note(line, out)?;
    }
    writeln!(out, "{}", if it.folded { "\n</details>" } else { "" })
}

fn note(it: &Note, out: &mut dyn Write) -> io::Result<()> {
    let label = if it.label.is_empty() { String::new() } else { format!("{}: ", it.label) };
    let margin = "  ".repeat(it.depth - 1);
    it.values.iter().try_for_each(|value| writeln!(out, "{margin}- {label}{}", spaced(&words(value))))
}

fn paragraph(text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", spaced(text))
}

fn table(grid: &Grid, out: &mut dyn Write) -> io::Result<()> {
    let first = grid.rows.iter().map(|row| match grid.named {
        true => code(&row.cells[0]).replace('|', "\\|"),
        false => cell(&row.cells[0]),
    });
    rows(grid, first, out)
}

/// A table whose first column is this.
fn rows(grid: &Grid, first: impl Iterator<Item = String>, out: &mut dyn Write) -> io::Result<()> {
    row(grid.header.iter().map(|title| cell(title)), out)?;
    let rules =
        (0..grid.header.len()).map(|column| if grid.is_numeric(column) { "--:" } else { ":--" }.to_owned());
    row(rules, out)?;
    for (line, first) in grid.rows.iter().zip(first) {
        row(std::iter::once(first).chain(line.cells.iter().skip(1).map(|text| cell(text))), out)?;
    }
    writeln!(out)
}

fn row(cells: impl Iterator<Item = String>, out: &mut dyn Write) -> io::Result<()> {
    let cells: Vec<String> = cells.collect();
    writeln!(out, "| {} |", cells.join(" | "))
}

fn cell(text: &str) -> String {
    spaced(&prose(text))
}

/// A name as code, in which nothing is a link, a mention or markup. The fence is longer than any within.
fn code(name: &str) -> String {
    let name = visible(name);
    let longest = name.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if name.starts_with('`') || name.ends_with('`') || name.is_empty() { " " } else { "" };
    format!("{fence}{pad}{name}{pad}{fence}")
}

/// Somebody else's sentence, in which nothing is markup.
fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        if "\\`*_[]<>|#@~&".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_their_code() {
        assert_eq!(code("a`b``c"), "```a`b``c```");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(code("a\nb"), "`a\\nb`");
        assert_eq!(prose("@all <b> *x*"), "\\@all \\<b\\> \\*x\\*");
    }
}
