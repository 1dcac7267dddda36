//! A report before anybody decided how it looks: text and Markdown draw the same parts.
//!
//! A verb whose report is sentences and tables writes them once, in `verbs/`.

use std::io;

use unicode_width::UnicodeWidthStr;

use crate::grid::{Grid, Tone};
use crate::text::chart;
use crate::text::page::{INDENT, Page};
use crate::words::shorten;

/// A piece of a report.
pub(crate) enum Part {
    /// A sentence or more; the first part of a report is its answer.
    Sentence(Tone, String),
    /// A table.
    Table(Grid),
    /// Small drawings of distributions on one axis.
    Bars(Bars),
    /// Lines under a title, close together.
    Block {
        /// What they are about.
        title: String,
        /// The lines, in their order.
        lines: Vec<Line>,
    },
}

/// Distributions over the same bins.
pub(crate) struct Bars {
    /// What the axis is, and how high the columns are.
    pub(crate) title: String,
    /// Names and counts.
    pub(crate) series: Vec<(String, Vec<u64>)>,
    /// What stands at the two ends of the axis.
    pub(crate) ends: [String; 2],
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

impl Bars {
    /// One line per distribution, and the ends of the axis below the last.
    pub(crate) fn lines(
        &self,
        unicode: bool,
        width: usize,
        ellipsis: &str,
        ends: (char, char),
    ) -> Vec<String> {
        let columns = self.series.first().map_or(0, |(_, counts)| counts.len());
        let longest = self.series.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
        let room = width.saturating_sub(columns + 3).clamp(NAME_MIN, longest.max(NAME_MIN));
        let mut lines: Vec<String> = Vec::new();
        for (name, counts) in &self.series {
            let name = shorten(name, room, ellipsis);
            let (pad, bars) = (" ".repeat(room - name.width().min(room)), chart::tails(counts, unicode));
            lines.push(format!("{name}{pad} {}{bars}{}", ends.0, ends.1));
        }
        let [low, high] = &self.ends;
        let gap = columns.saturating_sub(low.width() + high.width()).max(1);
        lines.push(format!("{}{low}{}{high}", " ".repeat(room + 2), " ".repeat(gap)));
        lines
    }
}

/// Names are never shortened below this.
const NAME_MIN: usize = 10;

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
            Part::Bars(bars) => page.bars_of(INDENT, bars)?,
            Part::Block { title, lines } => {
                page.line(Tone::Title, title)?;
                lines.iter().try_for_each(|it| page.paragraph(it.tone, it.depth * INDENT, &it.text))?;
            }
        }
    }
    Ok(())
}
