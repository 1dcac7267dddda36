//! Reports for people at a terminal.

mod columns;
mod look;
mod page;
mod tree;

use std::io::{self, Write};

use crate::Style;
use crate::parts::spans::{Kind, Span, spans};
use crate::parts::{Grid, Medium, Notes, Part, Piece, Rank, Sentence, Series, Shape, Tone, shown};
use crate::render::{canvas, chart};

pub(crate) use look::lines;
pub(crate) use page::Page;

use page::INDENT;

/// Columns that a name may take inside a sentence.
const NAME_IN_SENTENCE: usize = 60;

/// Lines that a name may take as a title.
const NAME_LINES: usize = 4;

/// Writes the pieces, an empty line between two that are not joined.
pub(crate) fn write(pieces: &[Piece], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, out);
    for (index, piece) in shown(pieces, Medium::Terminal).enumerate() {
        if index > 0 && !piece.joined {
            page.blank()?;
        }
        part(&mut page, piece)?;
    }
    Ok(())
}

/// Writes a table by itself.
pub(crate) fn write_table(grid: &Grid, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    Page::new(style, out).table(0, grid)
}

fn part(page: &mut Page, piece: &Piece) -> io::Result<()> {
    let indent = piece.depth * INDENT;
    match &piece.part {
        Part::Sentence(it) => sentence(page, indent, it),
        Part::Table(grid) => page.table(indent, grid),
        Part::Distribution(it) => {
            if let Shape::Counts { title, .. } = &it.shape {
                page.line(Tone::Faint, &page.pen.spell(title))?;
            }
            page.drawn(indent, &chart::lines(it, page.pen.narrower(indent)))
        }
        Part::Series(it) => series(page, indent, it),
        Part::Tree(it) => tree::write(page, indent, it),
        Part::Notes(it) => notes(page, it),
        // No terminal has the room for them.
        Part::Quantiles(_) | Part::HeatMap(_) => Ok(()),
    }
}

fn sentence(page: &mut Page, indent: usize, it: &Sentence) -> io::Result<()> {
    let room = page.pen.width - INDENT;
    match it.rank {
        Rank::Title | Rank::Subtitle => {
            let text = words(page, &it.text, room * NAME_LINES);
            page.paragraph(it.tone, indent, &text)
        }
        Rank::Heading => {
            let room = page.pen.width - indent;
            let text = page.pen.name(&words(page, &it.text, room), room);
            page.line(it.tone, &format!("{}{text}", " ".repeat(indent)))
        }
        Rank::Warning => {
            let text = words(page, &it.text, room.min(NAME_IN_SENTENCE));
            page.paragraph(it.tone, indent, &format!("warning: {text}"))
        }
        Rank::Answer | Rank::Plain => {
            let text = words(page, &it.text, room.min(NAME_IN_SENTENCE));
            page.paragraph(it.tone, indent, &text)
        }
    }
}

/// A sentence in characters, its names in at most so many columns.
fn words(page: &Page, text: &str, room: usize) -> String {
    let shown = |Span { kind, text }: Span| match kind {
        Kind::Plain | Kind::Strong => text,
        Kind::Name => page.pen.name(&text, room),
        Kind::Code => format!("`{text}`"),
        Kind::Emphasis => format!("*{text}*"),
    };
    page.pen.spell(&spans(text).into_iter().map(shown).collect::<String>())
}

fn series(page: &mut Page, indent: usize, it: &Series) -> io::Result<()> {
    for (caption, lines) in canvas::plots(it, page.pen.narrower(indent)) {
        page.paragraph(Tone::Faint, indent, &caption)?;
        page.drawn(indent, &lines)?;
    }
    Ok(())
}

fn notes(page: &mut Page, it: &Notes) -> io::Result<()> {
    // What may be folded away stands in faint lines that need no title.
    if !it.folded {
        page.line(Tone::Title, &it.title)?;
    }
    for note in it.lines.iter().filter(|note| note.media.contains(&Medium::Terminal)) {
        let label = if note.label.is_empty() { String::new() } else { format!("{}: ", note.label) };
        let values: Vec<String> = note
            .values
            .iter()
            .map(|value| spans(value).into_iter().map(|span| span.text).collect())
            .collect();
        let text = format!("{label}{}", values.join("; "));
        let steps = note.depth - usize::from(it.folded);
        match note.unbroken {
            true => page.line(note.tone, &page.pen.spell(&text))?,
            false => page.paragraph(note.tone, steps * INDENT, &text)?,
        }
    }
    Ok(())
}
