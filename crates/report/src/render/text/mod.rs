//! Reports as text for a terminal.

mod columns;
mod list;
mod look;
mod page;
mod tree;

use std::io::{self, Write};

use crate::parts::spans::{Kind, Span, spans};
use crate::parts::{Grid, Medium, Notes, Part, Piece, Rank, Sentence, Series, Shape, Tone};
use crate::render::{canvas, chart, listing};
use crate::words::first_sentences;
use crate::{Detail, Style};

pub(crate) use list::write_list;
pub(crate) use look::lines;

use page::{INDENT, Page};

/// Maximum width of a name inside a sentence, in columns.
const NAME_IN_SENTENCE: usize = 60;
/// Maximum width of a name in a sentence of a brief report, where the sentence itself needs the room.
const NAME_IN_BRIEF: usize = 30;

/// Maximum number of lines for a name in a title.
const NAME_LINES: usize = 4;

/// Writes the pieces that a report with this amount of detail shows, with an empty line between two that are not
/// joined.
pub(crate) fn write(pieces: &[Piece], style: &Style, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    let detail = available(pieces, detail);
    let mut page = Page::new(style, out);
    let (mut is_first, mut is_apart) = (true, false);
    for piece in pieces.iter().filter(|piece| piece.media.contains(&Medium::Terminal)) {
        is_apart |= !piece.joined;
        if !piece.is_shown(Medium::Terminal, detail) {
            continue;
        }
        // If a piece is omitted, the empty line between its neighbours remains.
        if is_apart && !is_first && !is_close(piece, detail) {
            page.blank()?;
        }
        part(&mut page, piece, detail)?;
        (is_first, is_apart) = (false, false);
    }
    Ok(())
}

/// The requested amount of detail, or the next larger one if there would be nothing to show: findings without a
/// one-line answer, such as the tree of a machine, have at least a brief report.
fn available(pieces: &[Piece], detail: Detail) -> Detail {
    let is_empty = !pieces.iter().any(|piece| piece.is_shown(Medium::Terminal, detail));
    if is_empty && detail == Detail::Line { Detail::Brief } else { detail }
}

/// Whether no empty line is written above a piece: in a brief report, a drawing directly follows its table.
fn is_close(piece: &Piece, detail: Detail) -> bool {
    match detail {
        Detail::Line => true,
        Detail::Brief => matches!(piece.part, Part::Distribution(_)),
        Detail::Full => false,
    }
}

pub(crate) fn write_table(grid: &Grid, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    Page::new(style, out).table(0, grid)
}

fn part(page: &mut Page, piece: &Piece, detail: Detail) -> io::Result<()> {
    let indent = piece.depth * INDENT;
    match &piece.part {
        Part::Sentence(it) if detail == Detail::Line => {
            let text = words(page, &it.text, NAME_IN_SENTENCE);
            page.line(it.tone, &text)
        }
        Part::Sentence(it) => sentence(page, indent, it, detail),
        Part::Table(grid) => page.table(indent, grid),
        Part::Distribution(it) => {
            if let Shape::Counts { title, .. } = &it.shape {
                page.line(Tone::Faint, &page.pen.spell(title))?;
            }
            page.drawn(indent, &chart::lines(it, page.pen.narrower(indent), detail))
        }
        Part::Series(it) => series(page, indent, it),
        Part::Tree(it) => tree::write(page, indent, it),
        Part::Notes(it) => notes(page, it, detail),
        Part::Listing(it) => {
            page.paragraph(Tone::Faint, indent, &it.title)?;
            page.drawn(indent, &listing::lines(it, page.pen.narrower(indent)))
        }
        // These parts are drawings that cannot be made of characters.
        Part::Effects(_) | Part::Quantiles(_) | Part::HeatMap(_) | Part::Flame(_) | Part::FleetMap(_) => {
            Ok(())
        }
    }
}

fn sentence(page: &mut Page, indent: usize, it: &Sentence, detail: Detail) -> io::Result<()> {
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
            doubt(page, it.tone, indent, &format!("warning: {text}"), detail)
        }
        Rank::Plain if it.tone == Tone::Doubt => {
            let text = words(page, &it.text, room.min(NAME_IN_SENTENCE));
            doubt(page, it.tone, indent, &text, detail)
        }
        Rank::Answer | Rank::Plain => {
            let name = if detail == Detail::Brief { NAME_IN_BRIEF } else { NAME_IN_SENTENCE };
            let text = words(page, &it.text, room.min(name));
            page.paragraph(it.tone, indent, &text)
        }
    }
}

/// Maximum number of lines of a warning in a brief report, unless its first sentence is longer.
const DOUBT_LINES: usize = 2;

/// Writes a warning; a brief report contains its first sentences.
fn doubt(page: &mut Page, tone: Tone, indent: usize, text: &str, detail: Detail) -> io::Result<()> {
    match detail {
        Detail::Full => page.paragraph(tone, indent, text),
        Detail::Line | Detail::Brief => {
            let room = DOUBT_LINES * (page.pen.width - indent);
            page.paragraph(tone, indent, &first_sentences(text, room, page.pen.ellipsis()))
        }
    }
}

/// A sentence as text, with names of at most `room` columns. Different names in it remain different.
fn words(page: &Page, text: &str, room: usize) -> String {
    let spans = spans(text);
    let names: Vec<&str> =
        spans.iter().filter(|span| span.kind == Kind::Name).map(|span| span.text.as_str()).collect();
    let mut names = page.pen.names(&names, room).into_iter();
    let shown = |Span { kind, text }: &Span| match kind {
        Kind::Plain | Kind::Strong => text.clone(),
        Kind::Name => names.next().unwrap_or_default(),
        Kind::Code => format!("`{text}`"),
        Kind::Emphasis => format!("*{text}*"),
    };
    page.pen.spell(&spans.iter().map(shown).collect::<String>())
}

fn series(page: &mut Page, indent: usize, it: &Series) -> io::Result<()> {
    for (caption, lines) in canvas::plots(it, page.pen.narrower(indent)) {
        page.paragraph(Tone::Faint, indent, &caption)?;
        page.drawn(indent, &lines)?;
    }
    Ok(())
}

fn notes(page: &mut Page, it: &Notes, detail: Detail) -> io::Result<()> {
    // Notes that other formats fold are faint lines without a title here.
    if !it.folded {
        page.line(Tone::Title, &it.title)?;
    }
    for note in it.lines.iter().filter(|note| note.is_shown(Medium::Terminal, detail)) {
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
