//! A report before anybody decided how it looks: every verb makes parts, and text, Markdown and HTML draw them.
//!
//! Nothing here knows a renderer, and no renderer knows a verb.

pub(crate) mod distribution;
mod flame;
pub(crate) mod fleet_map;
mod grid;
mod heat_map;
mod listing;
mod quantiles;
mod series;
pub(crate) mod spans;
mod tree;

pub(crate) use distribution::{Distribution, Shape};
pub(crate) use flame::{Bar, Flame};
pub(crate) use fleet_map::{FleetMap, MapMachine, MapRow, Patch};
pub(crate) use grid::{Grid, Row, Tone};
pub(crate) use heat_map::{HeatMap, Panel, Square, Tint};
pub(crate) use listing::{Listed, Listing};
pub(crate) use quantiles::{Curve, Quantiles};
pub(crate) use series::{Across, Line, Point, Rule, Series, Values};
pub(crate) use tree::{Boxes, Branch, Tree, TreeBox};

use crate::Detail;

/// A piece of a report.
pub(crate) enum Part {
    /// A sentence or more.
    Sentence(Sentence),
    /// A table.
    Table(Grid),
    /// How readings are spread.
    Distribution(Distribution),
    /// How late how rarely.
    Quantiles(Quantiles),
    /// Values along an axis.
    Series(Series),
    /// A square for each pair.
    HeatMap(HeatMap),
    /// What contains what.
    Tree(Tree),
    /// Calls as bars upon those of their callers.
    Flame(Flame),
    /// Machines in rows.
    FleetMap(FleetMap),
    /// Lines that keep their columns.
    Listing(Listing),
    /// Lines under a title, close together.
    Notes(Notes),
}

/// What is said, and how loudly.
pub(crate) struct Sentence {
    pub(crate) rank: Rank,
    pub(crate) tone: Tone,
    /// The words; names in them are marked, see [`spans`].
    pub(crate) text: String,
}

/// What a sentence is to the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rank {
    /// What was asked: it comes first.
    Answer,
    /// What the parts below are about, in full.
    Title,
    /// The same by another name.
    Subtitle,
    /// What the parts below are about, in one line.
    Heading,
    Plain,
    /// What may spoil the result.
    Warning,
}

/// Lines that belong together.
pub(crate) struct Notes {
    /// What they are about.
    pub(crate) title: String,
    /// Whether they are what the result rests upon, which a reader unfolds when there is a doubt.
    pub(crate) folded: bool,
    /// The lines, in their order.
    pub(crate) lines: Vec<Note>,
}

/// A line of notes, as long as it needs to be.
pub(crate) struct Note {
    /// What it says, for those who can show colours.
    pub(crate) tone: Tone,
    /// How far below the title it stands, from 1.
    pub(crate) depth: usize,
    /// What the values are; empty where the line says it all.
    pub(crate) label: &'static str,
    /// One value or several, in which names are marked.
    pub(crate) values: Vec<String>,
    /// Whether a break would change what it means, as inside a command line.
    pub(crate) unbroken: bool,
    /// Who is shown it.
    pub(crate) media: &'static [Medium],
    /// In how much of the report it is.
    pub(crate) details: &'static [Detail],
}

impl Note {
    /// A fact with its label.
    pub(crate) fn fact(label: &'static str, values: Vec<String>) -> Self {
        Note {
            tone: Tone::Faint,
            depth: 1,
            label,
            values,
            unbroken: false,
            media: &Medium::ALL,
            details: &Detail::FROM_BRIEF,
        }
    }

    /// The same for whoever wants all.
    pub(crate) fn in_full(self) -> Self {
        Note { details: &[Detail::Full], ..self }
    }

    /// Whether it is in so much of the report.
    pub(crate) fn is_shown(&self, medium: Medium, detail: Detail) -> bool {
        self.media.contains(&medium) && self.details.contains(&detail)
    }
}

/// Where a report is read, which decides what there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Medium {
    /// Characters in a narrow window.
    Terminal,
    /// A message among others, such as a comment of a pull request.
    Comment,
    /// A page by itself that can hold drawings.
    Page,
}

impl Medium {
    pub(crate) const ALL: [Medium; 3] = [Medium::Terminal, Medium::Comment, Medium::Page];
}

/// A part and where it stands.
pub(crate) struct Piece {
    pub(crate) part: Part,
    /// Steps to the right of the margin.
    pub(crate) depth: usize,
    /// Whether it stands directly below the piece before.
    pub(crate) joined: bool,
    /// Where it is shown.
    pub(crate) media: &'static [Medium],
    /// In how much of the report it is.
    pub(crate) details: &'static [Detail],
}

impl Piece {
    /// Tables and drawings stand one step to the right; what no characters can draw is for pages. Only answers are in
    /// the shortest of reports.
    pub(crate) fn new(part: Part) -> Self {
        let (depth, media): (usize, &'static [Medium]) = match &part {
            Part::Sentence(_) | Part::Notes(_) | Part::Tree(Tree::Sets(_)) => (0, &Medium::ALL),
            Part::Quantiles(_)
            | Part::HeatMap(_)
            | Part::Flame(_)
            | Part::FleetMap(_)
            | Part::Tree(Tree::Boxes(_)) => (0, &[Medium::Page]),
            _ => (1, &Medium::ALL),
        };
        let details: &'static [Detail] = match &part {
            Part::Sentence(it) if it.rank == Rank::Answer => &Detail::ALL,
            _ => &Detail::FROM_BRIEF,
        };
        Piece { part, depth, joined: false, media, details }
    }

    pub(crate) fn sentence(rank: Rank, tone: Tone, text: impl Into<String>) -> Self {
        Piece::new(Part::Sentence(Sentence { rank, tone, text: text.into() }))
    }

    /// What was asked.
    pub(crate) fn answer(tone: Tone, text: impl Into<String>) -> Self {
        Piece::sentence(Rank::Answer, tone, text)
    }

    /// What the pieces below are about, in one line.
    pub(crate) fn heading(text: impl Into<String>) -> Self {
        Piece::sentence(Rank::Heading, Tone::Title, text)
    }

    /// A sentence that is neither good nor bad.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Piece::said(Tone::Plain, text)
    }

    /// A sentence.
    pub(crate) fn said(tone: Tone, text: impl Into<String>) -> Self {
        Piece::sentence(Rank::Plain, tone, text)
    }

    /// What may spoil the result.
    pub(crate) fn warning(text: &str) -> Self {
        Piece::sentence(Rank::Warning, Tone::Doubt, crate::words::visible(text))
    }

    pub(crate) fn table(grid: Grid) -> Self {
        Piece::new(Part::Table(grid))
    }

    /// Whether it is a sentence of the same paragraph, where sentences stand in paragraphs.
    pub(crate) fn goes_on_with(&self, before: &Piece) -> bool {
        let plain = |piece: &Piece| match &piece.part {
            Part::Sentence(it) if it.rank == Rank::Plain => Some(it.text.ends_with('.')),
            _ => None,
        };
        self.joined && plain(before) == Some(true) && plain(self).is_some()
    }

    /// The same directly below the piece before.
    pub(crate) fn joined(self) -> Self {
        Piece { joined: true, ..self }
    }

    /// The same so many steps to the right.
    pub(crate) fn at(self, depth: usize) -> Self {
        Piece { depth, ..self }
    }

    /// The same for some readers only.
    pub(crate) fn only(self, media: &'static [Medium]) -> Self {
        Piece { media, ..self }
    }

    /// The same for whoever wants all.
    pub(crate) fn in_full(self) -> Self {
        Piece { details: &[Detail::Full], ..self }
    }

    /// The same for whoever wants all, if it is for those at all.
    pub(crate) fn kept_in_full(self) -> Option<Self> {
        self.details.contains(&Detail::Full).then(|| self.in_full())
    }

    /// The same where there is no room for all.
    pub(crate) fn in_brief(self) -> Self {
        Piece { details: &[Detail::Brief], ..self }
    }

    /// The same where there is room for more than a line.
    pub(crate) fn since_brief(self) -> Self {
        Piece { details: &Detail::FROM_BRIEF, ..self }
    }

    /// The same where there is room for a line.
    pub(crate) fn in_line(self) -> Self {
        Piece { details: &[Detail::Line], ..self }
    }

    /// Whether it is in so much of the report, and not empty there.
    pub(crate) fn is_shown(&self, medium: Medium, detail: Detail) -> bool {
        let has_lines = match &self.part {
            Part::Notes(it) => it.lines.iter().any(|note| note.is_shown(medium, detail)),
            _ => true,
        };
        has_lines && self.media.contains(&medium) && self.details.contains(&detail)
    }
}

/// The pieces that a medium with room for all shows, in their order.
pub(crate) fn shown(pieces: &[Piece], medium: Medium) -> impl Iterator<Item = &Piece> {
    pieces.iter().filter(move |piece| piece.is_shown(medium, Detail::Full))
}
