//! Writes lines of text of limited width, with or without colours and non-ASCII characters.

use std::io::{self, Write};

use anstyle::AnsiColor;

use super::columns;
use crate::Style;
use crate::parts::{Grid, Tone};
use crate::render::chart::Lines;
use crate::render::pen::Pen;
use crate::words::{spaced, visible};

/// Indentation of text below a title, in columns.
pub(super) const INDENT: usize = 2;

/// The destination of a text report, with its width and colours.
pub(crate) struct Page<'o> {
    out: &'o mut dyn Write,
    colour: bool,
    pub(crate) pen: Pen,
}

impl<'o> Page<'o> {
    pub(crate) fn new(style: &Style, out: &'o mut dyn Write) -> Self {
        let pen = Pen { unicode: style.unicode, width: style.columns() };
        Page { out, colour: style.colour, pen }
    }

    /// Writes a line that already fits the width.
    pub(crate) fn line(&mut self, tone: Tone, text: &str) -> io::Result<()> {
        let text = spaced(text);
        let text = text.trim_end();
        match style(tone).filter(|_| self.colour && !text.is_empty()) {
            Some(style) => writeln!(self.out, "{style}{text}{style:#}"),
            None => writeln!(self.out, "{text}"),
        }
    }

    pub(crate) fn blank(&mut self) -> io::Result<()> {
        writeln!(self.out)
    }

    /// Writes a paragraph, broken at the width. Later lines are indented by two more columns than the first.
    pub(crate) fn paragraph(&mut self, tone: Tone, indent: usize, text: &str) -> io::Result<()> {
        let (first, later) = (" ".repeat(indent), " ".repeat(indent + INDENT));
        let options = textwrap::Options::new(self.pen.width)
            .initial_indent(&first)
            .subsequent_indent(&later)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        let text = self.pen.spell(text);
        for line in textwrap::wrap(&text, options) {
            self.line(tone, &line)?;
        }
        Ok(())
    }

    pub(super) fn drawn(&mut self, indent: usize, lines: &Lines) -> io::Result<()> {
        let margin = " ".repeat(indent);
        lines.iter().try_for_each(|(tone, line)| self.line(*tone, &format!("{margin}{line}")))
    }

    pub(crate) fn table(&mut self, indent: usize, grid: &Grid) -> io::Result<()> {
        let spell = |text: &String| self.pen.spell(&visible(text));
        let spelled = Grid {
            header: grid.header.iter().map(spell).collect(),
            rows: grid.rows.iter().map(|row| row.map(spell)).collect(),
            dispensable: grid.dispensable.clone(),
            named: grid.named,
        };
        let margin = " ".repeat(indent);
        for (tone, line) in columns::lay_out(&spelled, self.pen.width - indent, self.pen.ellipsis()) {
            self.line(tone, &format!("{margin}{line}"))?;
        }
        Ok(())
    }
}

/// The terminal style of a tone, in the 16 basic colours, which the theme of every terminal keeps readable.
fn style(tone: Tone) -> Option<anstyle::Style> {
    match tone {
        Tone::Plain => None,
        Tone::Title => Some(anstyle::Style::new().bold()),
        Tone::Faint => Some(anstyle::Style::new().dimmed()),
        Tone::Good => Some(AnsiColor::Green.on_default()),
        Tone::Bad => Some(AnsiColor::Red.on_default()),
        Tone::Neutral => Some(AnsiColor::Cyan.on_default()),
        Tone::Doubt => Some(AnsiColor::Yellow.on_default()),
    }
}
