//! Reports in a markup language: the answer as a sentence, tables, and the evidence below. The languages differ only in
//! their marks.

use std::io::{self, Write};

use crate::Detail;
use crate::parts::spans::{Kind, Span, spans};
use crate::parts::{Branch, Grid, Medium, Note, Notes, Part, Piece, Rank, Sentence, Shape, Tree, shown};
use crate::render::pen::Pen;
use crate::render::{canvas, chart, listing};
use crate::words::spaced;

/// Width of drawings in characters, which fits into comments.
const PEN: Pen = Pen { unicode: true, width: 100 };

pub(crate) trait Markup {
    /// Escapes text so that nothing in it is markup.
    fn prose(&self, text: &str) -> String;
    /// Marks a name or text for typing as code, in which nothing is markup either.
    fn code(&self, name: &str) -> String;
    /// Marks a name or command within a table as code.
    fn code_in_cell(&self, name: &str) -> String {
        self.code(name)
    }
    /// Marks a term, mostly by slanted letters. The text is escaped already.
    fn emphasis(&self, marked: &str) -> String;
    /// Marks important text, mostly by bold letters. The text is escaped already.
    fn strong(&self, marked: &str) -> String;
    /// Returns so many blanks in a form that the language does not merge.
    fn blanks(&self, count: usize) -> String;
    /// Writes lines in a font of fixed width, as they are.
    fn drawing(&self, lines: &str, out: &mut dyn Write) -> io::Result<()>;
    /// Writes a table; `numeric` states for each column whether it contains numbers.
    fn table(
        &self,
        header: &[String],
        numeric: &[bool],
        rows: &[Vec<String>],
        out: &mut dyn Write,
    ) -> io::Result<()>;
    /// Returns beginning and end of notes that a reader can unfold.
    fn fold(&self, title: &str) -> [String; 2];
    fn bullet(&self, depth: usize) -> String;
}

pub(crate) fn write(markup: &dyn Markup, pieces: &[Piece], out: &mut dyn Write) -> io::Result<()> {
    let pieces: Vec<&Piece> = shown(pieces, Medium::Comment).collect();
    for group in pieces.chunk_by(|before, piece| piece.goes_on_with(before)) {
        match &group[0].part {
            Part::Sentence(first) => {
                let sentences = group.iter().filter_map(|piece| match &piece.part {
                    Part::Sentence(it) => Some(sentence(markup, it)),
                    _ => None,
                });
                let text = sentences.collect::<Vec<_>>().join(" ");
                paragraph(&ranked(markup, first.rank, text), out)?;
            }
            other => part(markup, other, out)?,
        }
    }
    Ok(())
}

fn part(markup: &dyn Markup, part: &Part, out: &mut dyn Write) -> io::Result<()> {
    match part {
        Part::Sentence(it) => paragraph(&ranked(markup, it.rank, sentence(markup, it)), out),
        Part::Table(grid) => table(markup, grid, out),
        Part::Distribution(it) => {
            if let Shape::Counts { title, .. } = &it.shape {
                paragraph(&markup.prose(title), out)?;
            }
            drawing(markup, &chart::lines(it, PEN, Detail::Full), out)
        }
        Part::Series(it) => canvas::plots(it, PEN).iter().try_for_each(|(caption, lines)| {
            paragraph(&markup.prose(caption), out)?;
            drawing(markup, lines, out)
        }),
        Part::Tree(it) => tree(markup, it, out),
        Part::Notes(it) => notes(markup, it, out),
        Part::Listing(it) => {
            paragraph(&markup.prose(&it.title), out)?;
            drawing(markup, &listing::lines(it, PEN), out)
        }
        // Drawings that are not made of characters have no representation in these languages.
        Part::Effects(_) | Part::Quantiles(_) | Part::HeatMap(_) | Part::Flame(_) | Part::FleetMap(_) => {
            Ok(())
        }
    }
}

fn sentence(markup: &dyn Markup, it: &Sentence) -> String {
    match it.rank {
        Rank::Warning => format!("{} {}", markup.strong("Warning:"), words(markup, &it.text)),
        _ => words(markup, &it.text),
    }
}

fn ranked(markup: &dyn Markup, rank: Rank, text: String) -> String {
    match rank {
        Rank::Answer | Rank::Title | Rank::Heading => markup.strong(&text),
        Rank::Subtitle | Rank::Plain | Rank::Warning => text,
    }
}

/// A sentence in the markup language, in which only marked sections become markup.
fn words(markup: &dyn Markup, text: &str) -> String {
    let shown = |Span { kind, text }: Span| match kind {
        Kind::Plain => markup.prose(&text),
        Kind::Name | Kind::Code => markup.code(&text),
        Kind::Emphasis => markup.emphasis(&markup.prose(&text)),
        Kind::Strong => markup.strong(&markup.prose(&text)),
    };
    spans(text).into_iter().map(shown).collect()
}

fn paragraph(text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", spaced(text))
}

fn drawing(markup: &dyn Markup, lines: &chart::Lines, out: &mut dyn Write) -> io::Result<()> {
    let lines: Vec<&str> = lines.iter().map(|(_, line)| line.trim_end()).collect();
    markup.drawing(&spaced(&lines.join("\n")), out)
}

fn tree(markup: &dyn Markup, it: &Tree, out: &mut dyn Write) -> io::Result<()> {
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
                branches.iter().map(|it| format!("{}{}", margin(markup, it), markup.code_in_cell(&it.text)));
            rows(markup, &grid, first, out)
        }
        Tree::Sets(branches) => branches.iter().try_for_each(|it| {
            let [text, beside] = [markup.prose(&it.text), markup.prose(&it.beside.join(" | "))];
            writeln!(out, "{}{text}: {beside}", markup.bullet(it.depth))
        }),
        Tree::Boxes(_) => Ok(()),
    }
}

/// Indentation of a branch of a tree, beginning with blanks that the language keeps.
fn margin(markup: &dyn Markup, branch: &Branch) -> String {
    match branch.depth {
        0 => String::new(),
        depth => format!("{}└ ", markup.blanks(2 * (depth - 1))),
    }
}

/// Writes notes. Folded notes are foldable here if the language supports that, so that the result stays in view.
fn notes(markup: &dyn Markup, it: &Notes, out: &mut dyn Write) -> io::Result<()> {
    let [begin, end] = match it.folded {
        true => markup.fold(&spaced(&markup.prose(&it.title))),
        false => [format!("{}\n", spaced(&markup.strong(&words(markup, &it.title)))), String::new()],
    };
    writeln!(out, "{begin}")?;
    for line in it.lines.iter().filter(|note| note.is_shown(Medium::Comment, Detail::Full)) {
        note(markup, line, out)?;
    }
    writeln!(out, "{end}")
}

fn note(markup: &dyn Markup, it: &Note, out: &mut dyn Write) -> io::Result<()> {
    let label = if it.label.is_empty() { String::new() } else { format!("{}: ", it.label) };
    let bullet = markup.bullet(it.depth - 1);
    it.values.iter().try_for_each(|value| writeln!(out, "{bullet}{label}{}", spaced(&words(markup, value))))
}

fn table(markup: &dyn Markup, grid: &Grid, out: &mut dyn Write) -> io::Result<()> {
    let first = grid.rows.iter().map(|row| match grid.named {
        true => markup.code_in_cell(&row.cells[0]),
        false => spaced(&markup.prose(&row.cells[0])),
    });
    rows(markup, grid, first, out)
}

/// Writes a table whose first column consists of the given cells.
fn rows(
    markup: &dyn Markup,
    grid: &Grid,
    first: impl Iterator<Item = String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let cell = |text: &String| spaced(&markup.prose(text));
    let header: Vec<String> = grid.header.iter().map(cell).collect();
    let numeric: Vec<bool> = (0..header.len()).map(|column| grid.is_numeric(column)).collect();
    let row = |(line, first): (&crate::parts::Row, String)| {
        std::iter::once(first).chain(line.cells.iter().skip(1).map(cell)).collect()
    };
    let rows: Vec<Vec<String>> = grid.rows.iter().zip(first).map(row).collect();
    markup.table(&header, &numeric, &rows, out)
}
