//! A report before anybody decided how it looks: text and Markdown draw the same parts.
//!
//! A verb whose report is sentences and tables writes them once, in `verbs/`.

use std::io;

use crate::grid::{Grid, Tone};
use crate::text::page::{INDENT, Page};

/// A piece of a report.
pub(crate) enum Part {
    /// A sentence or more; the first part of a report is its answer.
    Sentence(Tone, String),
    /// A table.
    Table(Grid),
    /// Lines under a title, close together.
    Block {
        /// What they are about.
        title: String,
        /// The lines, in their order.
        lines: Vec<Line>,
    },
}

/// A line of a block, as long as it needs to be.
pub(crate) struct Line {
    /// What it says, for those who can show colours.
    pub(crate) tone: Tone,
    /// How far below the title it stands, from 1.
    pub(crate) depth: usize,
    /// The words, in which nothing is markup.
    pub(crate) text: String,
}

impl Part {
    /// A plain sentence.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Part::Sentence(Tone::Plain, text.into())
    }
}

/// Writes the parts on a page, an empty line between two of them.
pub(crate) fn text(page: &mut Page, parts: &[Part]) -> io::Result<()> {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            page.blank()?;
        }
        match part {
            Part::Sentence(tone, text) => page.paragraph(*tone, 0, text)?,
            Part::Table(grid) => page.table(INDENT, grid)?,
            Part::Block { title, lines } => {
                page.line(Tone::Title, title)?;
                lines.iter().try_for_each(|it| page.paragraph(it.tone, it.depth * INDENT, &it.text))?;
            }
        }
    }
    Ok(())
}
