//! The parts of a report, independent of its format: every verb makes parts, and text, Markdown and HTML draw them.
//!
//! Nothing here knows a renderer, and no renderer knows a verb.

pub(crate) mod distribution;
mod effects;
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
pub use effects::{Effect, Effects};
pub(crate) use flame::{Bar, Flame};
pub(crate) use fleet_map::{FleetMap, MapMachine, MapRow, Patch};
pub use grid::{Grid, Row, Tone};
pub(crate) use heat_map::{HeatMap, Panel, Square, Tint};
pub(crate) use listing::{Listed, Listing};
pub(crate) use quantiles::{Curve, Quantiles};
pub use series::{Across, Line, Point, Rule, Series, Values};
pub(crate) use tree::{Boxes, Branch, Tree, TreeBox};

use crate::Detail;

/// A piece of a report.
pub(crate) enum Part {
    /// A sentence or more.
    Sentence(Sentence),
    /// A table.
    Table(Grid),
    /// A distribution of readings.
    Distribution(Distribution),
    /// Changes with their intervals.
    Effects(Effects),
    /// Latencies by percentile.
    Quantiles(Quantiles),
    /// Values along an axis.
    Series(Series),
    /// A square for each pair.
    HeatMap(HeatMap),
    /// A tree of things that contain others.
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

/// A sentence with its rank and tone.
pub(crate) struct Sentence {
    pub(crate) rank: Rank,
    pub(crate) tone: Tone,
    /// The words; names in them are marked, see [`spans`].
    pub(crate) text: String,
}

/// The role of a sentence in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// The answer to the verb's question, which comes first.
    Answer,
    /// Full title of the parts below.
    Title,
    /// A second name of the thing that the title names.
    Subtitle,
    /// Heading of the parts below, in one line.
    Heading,
    /// Anything else that is said.
    Plain,
    /// A circumstance that may spoil the result.
    Warning,
}

/// Lines that belong together.
pub struct Notes {
    /// Title of the notes.
    pub title: String,
    /// Whether readers may fold the notes away: evidence behind the result, needed only when there is a doubt.
    pub folded: bool,
    /// The lines, in their order.
    pub lines: Vec<Note>,
}

/// A line of notes, as long as it needs to be.
pub struct Note {
    /// Meaning of the line, shown in colour where possible.
    pub tone: Tone,
    /// Indentation below the title, from 1.
    pub depth: usize,
    /// Label of the values; empty where the line needs none.
    pub label: &'static str,
    /// The values, in which names are marked.
    pub values: Vec<String>,
    /// Whether a line break would change the meaning, as inside a command line.
    pub unbroken: bool,
    /// Media in which the note is shown.
    pub media: &'static [Medium],
    /// Amounts of detail at which the note is shown.
    pub details: &'static [Detail],
}

impl Note {
    /// A fact with its label.
    pub fn fact(label: &'static str, values: Vec<String>) -> Self {
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

    /// The note for full reports only.
    pub fn in_full(self) -> Self {
        Note { details: &[Detail::Full], ..self }
    }

    /// Whether the note is shown in a medium at an amount of detail.
    pub(crate) fn is_shown(&self, medium: Medium, detail: Detail) -> bool {
        self.media.contains(&medium) && self.details.contains(&detail)
    }
}

/// The medium in which a report is read; it decides how much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Characters in a narrow window.
    Terminal,
    /// A message among others, such as a comment of a pull request.
    Comment,
    /// A page by itself that can hold drawings.
    Page,
}

impl Medium {
    /// All media.
    pub const ALL: [Medium; 3] = [Medium::Terminal, Medium::Comment, Medium::Page];
}

/// A part of a report with its position and visibility.
pub struct Piece {
    pub(crate) part: Part,
    /// Indentation in steps.
    pub(crate) depth: usize,
    /// Whether the piece stands directly below the one before.
    pub(crate) joined: bool,
    /// Media in which the piece is shown.
    pub(crate) media: &'static [Medium],
    /// Amounts of detail at which the piece is shown.
    pub(crate) details: &'static [Detail],
}

impl Piece {
    /// A piece with the defaults of its part: tables and drawings are indented by one step, parts that characters
    /// cannot draw are for pages, and only answers are in the shortest reports.
    pub(crate) fn new(part: Part) -> Self {
        let (depth, media): (usize, &'static [Medium]) = match &part {
            Part::Sentence(_) | Part::Notes(_) | Part::Tree(Tree::Sets(_)) => (0, &Medium::ALL),
            Part::Effects(_)
            | Part::Quantiles(_)
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

    /// A sentence of a rank.
    pub fn sentence(rank: Rank, tone: Tone, text: impl Into<String>) -> Self {
        Piece::new(Part::Sentence(Sentence { rank, tone, text: text.into() }))
    }

    /// The answer to the verb's question.
    pub fn answer(tone: Tone, text: impl Into<String>) -> Self {
        Piece::sentence(Rank::Answer, tone, text)
    }

    /// Heading of the pieces below, in one line.
    pub fn heading(text: impl Into<String>) -> Self {
        Piece::sentence(Rank::Heading, Tone::Title, text)
    }

    /// A sentence that is neither good nor bad.
    pub fn plain(text: impl Into<String>) -> Self {
        Piece::said(Tone::Plain, text)
    }

    /// A sentence.
    pub fn said(tone: Tone, text: impl Into<String>) -> Self {
        Piece::sentence(Rank::Plain, tone, text)
    }

    /// A warning about a circumstance that may spoil the result.
    pub fn warning(text: &str) -> Self {
        Piece::sentence(Rank::Warning, Tone::Doubt, crate::words::visible(text))
    }

    /// A table.
    pub fn table(grid: Grid) -> Self {
        Piece::new(Part::Table(grid))
    }

    /// Changes with their intervals, drawn on pages.
    pub fn effects(effects: Effects) -> Self {
        Piece::new(Part::Effects(effects))
    }

    /// Values along an axis.
    pub fn series(series: Series) -> Self {
        Piece::new(Part::Series(series))
    }

    /// Lines under a title, close together.
    pub fn notes(notes: Notes) -> Self {
        Piece::new(Part::Notes(notes))
    }

    /// Whether the piece continues the paragraph of the one before, in formats with paragraphs.
    pub(crate) fn goes_on_with(&self, before: &Piece) -> bool {
        let plain = |piece: &Piece| match &piece.part {
            Part::Sentence(it) if it.rank == Rank::Plain => Some(it.text.ends_with('.')),
            _ => None,
        };
        self.joined && plain(before) == Some(true) && plain(self).is_some()
    }

    /// The piece, directly below the one before.
    pub fn joined(self) -> Self {
        Piece { joined: true, ..self }
    }

    /// The piece, indented by `depth` steps.
    pub fn at(self, depth: usize) -> Self {
        Piece { depth, ..self }
    }

    /// The piece for some media only.
    pub fn only(self, media: &'static [Medium]) -> Self {
        Piece { media, ..self }
    }

    /// The piece for full reports only.
    pub fn in_full(self) -> Self {
        Piece { details: &[Detail::Full], ..self }
    }

    /// The piece for full reports only; `None` if they do not show it.
    pub(crate) fn kept_in_full(self) -> Option<Self> {
        self.details.contains(&Detail::Full).then(|| self.in_full())
    }

    /// The piece for brief reports only.
    pub fn in_brief(self) -> Self {
        Piece { details: &[Detail::Brief], ..self }
    }

    /// The piece for brief and full reports.
    pub fn since_brief(self) -> Self {
        Piece { details: &Detail::FROM_BRIEF, ..self }
    }

    /// The piece for reports of one line only.
    pub fn in_line(self) -> Self {
        Piece { details: &[Detail::Line], ..self }
    }

    /// Whether the piece is shown in a medium at an amount of detail, and is not empty there.
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
