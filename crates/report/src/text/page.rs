//! Lines of text in a width, with or without colours and characters outside ASCII.

use std::io::{self, Write};

use anstyle::AnsiColor;

use crate::Style;
use crate::grid::{Grid, Tone};
use crate::parts::Bars;
use crate::text::{chart, columns};
use crate::words::{TIE, shorten, spaced};

/// The narrowest and the widest page that is laid out.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=200;

/// Columns before everything that stands under a title.
pub(crate) const INDENT: usize = 2;

/// Where a report is written.
pub(crate) struct Page<'o> {
    out: &'o mut dyn Write,
    colour: bool,
    unicode: bool,
    pub(crate) width: usize,
}

impl<'o> Page<'o> {
    pub(crate) fn new(style: &Style, out: &'o mut dyn Write) -> Self {
        let width = style.width.clamp(*WIDTHS.start(), *WIDTHS.end());
        Page { out, colour: style.colour, unicode: style.unicode, width }
    }

    pub(crate) fn unicode(&self) -> bool {
        self.unicode
    }

    /// The ends of a drawing.
    pub(crate) fn bars(&self) -> (char, char) {
        if self.unicode { ('▕', '▏') } else { ('|', '|') }
    }

    /// The mark of a median.
    pub(crate) fn mark(&self) -> char {
        chart::mark(self.unicode)
    }

    /// What stands for the middle of a shortened text.
    pub(crate) fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { ".." }
    }

    /// The text in the characters that the terminal has.
    pub(crate) fn spell(&self, text: &str) -> String {
        if self.unicode { text.to_owned() } else { text.chars().map(ascii).collect() }
    }

    /// A name that takes at most so many columns.
    pub(crate) fn name(&self, name: &str, width: usize) -> String {
        shorten(&self.spell(name), width, self.ellipsis())
    }

    /// One line that fits already.
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

    /// A paragraph, broken at the width; its later lines are indented by two more columns than the first.
    pub(crate) fn paragraph(&mut self, tone: Tone, indent: usize, text: &str) -> io::Result<()> {
        let (first, later) = (" ".repeat(indent), " ".repeat(indent + INDENT));
        let options = textwrap::Options::new(self.width)
            .initial_indent(&first)
            .subsequent_indent(&later)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        let text = self.spell(text);
        for line in textwrap::wrap(&text, options) {
            self.line(tone, &line)?;
        }
        Ok(())
    }

    /// Distributions on one axis: names at the left, the ends of the axis below.
    pub(crate) fn bars_of(&mut self, indent: usize, bars: &Bars) -> io::Result<()> {
        self.line(Tone::Faint, &self.spell(&bars.title))?;
        for line in bars.lines(self.unicode, self.width - indent, self.ellipsis(), self.bars()) {
            let line = if self.unicode { line } else { self.spell(&line) };
            self.line(Tone::Plain, &format!("{}{line}", " ".repeat(indent)))?;
        }
        Ok(())
    }

    /// A table under the given indent.
    pub(crate) fn table(&mut self, indent: usize, grid: &Grid) -> io::Result<()> {
        let spell = |text: &String| self.spell(text);
        let spelled = Grid {
            header: grid.header.iter().map(spell).collect(),
            rows: grid.rows.iter().map(|row| row.map(spell)).collect(),
            dispensable: grid.dispensable.clone(),
            named: grid.named,
        };
        let margin = " ".repeat(indent);
        for (tone, line) in columns::lay_out(&spelled, self.width - indent, self.ellipsis()) {
            self.line(tone, &format!("{margin}{line}"))?;
        }
        Ok(())
    }
}

/// The nearest characters of ASCII; what has none is written as its code.
fn ascii(c: char) -> String {
    match c {
        c if c.is_ascii() => c.to_string(),
        TIE => TIE.to_string(),
        '−' | '–' => "-".to_owned(),
        '±' => "+-".to_owned(),
        'µ' => "u".to_owned(),
        '…' => "..".to_owned(),
        '·' => "-".to_owned(),
        '×' => "x".to_owned(),
        '█' => "#".to_owned(),
        c => c.escape_unicode().to_string(),
    }
}

/// The 16 colours of every terminal, by what the line says; the terminal's own theme keeps them readable.
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
