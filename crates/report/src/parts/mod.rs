//! The parts of a report, independent of its format: every verb creates parts, and text, Markdown and HTML renderers
//! draw them.
//!
//! Parts depend on no renderer, and no renderer depends on a verb.

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

pub use distribution::Histograms;
pub(crate) use distribution::{Distribution, Shape};
pub use effects::{Effect, Effects};
pub(crate) use flame::{Bar, Flame};
pub(crate) use fleet_map::{FleetMap, MapMachine, MapRow, Patch};
pub use grid::{Grid, Row, Tone};
pub(crate) use heat_map::{HeatMap, Panel, Square, Tint};
pub(crate) use listing::{Listed, Listing};
pub use quantiles::{Curve, Quantiles};
pub use series::{Across, Line, Point, Rule, Series, Values};
pub(crate) use tree::Tree;
pub use tree::{Boxes, Branch, TreeBox};

use crate::Detail;

pub(crate) enum Part {
    Sentence(Sentence),
    Table(Grid),
    Distribution(Distribution),
    Effects(Effects),
    Quantiles(Quantiles),
    Series(Series),
    /// Coloured squares, one for each pair of CPUs.
    HeatMap(HeatMap),
    /// A tree of nested objects, such as the processes of a command or the parts of a machine.
    Tree(Tree),
    /// Calls as bars on top of their callers' bars.
    Flame(Flame),
    FleetMap(FleetMap),
    /// Lines with columns of numbers and a text, such as source lines.
    Listing(Listing),
    Notes(Notes),
}

pub(crate) struct Sentence {
    pub(crate) rank: Rank,
    pub(crate) tone: Tone,
    /// Text of the sentence. Names in it are marked, see [`spans`].
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// The answer to the verb's question, which comes first.
    Answer,
    /// Full title of the parts below it, of any length.
    Title,
    /// A second line of the title, such as the command line below the name of a command.
    Subtitle,
    /// Heading of the parts below, in one line.
    Heading,
    /// A sentence with none of the other roles.
    Plain,
    /// A circumstance that may spoil the result.
    Warning,
}

pub struct Notes {
    pub title: String,
    /// Whether readers can fold the notes away, because they are evidence that is needed only in case of doubt.
    pub folded: bool,
    pub lines: Vec<Note>,
}

/// A line of notes, of any length.
pub struct Note {
    /// How good or bad the line's statement is, shown in colour where possible.
    pub tone: Tone,
    pub depth: usize,
    /// Word before the values that says what they are; empty if the line needs none.
    pub label: &'static str,
    /// Texts behind the label. Names in them are marked, see `spans`.
    pub values: Vec<String>,
    /// Whether the line must not be broken, since that would change its meaning, as within a command line.
    pub unbroken: bool,
    pub media: &'static [Medium],
    pub details: &'static [Detail],
}

impl Note {
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

    pub fn in_full(self) -> Self {
        Note { details: &[Detail::Full], ..self }
    }

    pub(crate) fn is_shown(&self, medium: Medium, detail: Detail) -> bool {
        self.media.contains(&medium) && self.details.contains(&detail)
    }
}

/// The kind of place in which a report is read, which determines the available room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A window of a terminal, which shows only characters and is narrow.
    Terminal,
    /// A message among others, such as a comment on a pull request.
    Comment,
    /// A page that can contain drawings.
    Page,
}

impl Medium {
    pub const ALL: [Medium; 3] = [Medium::Terminal, Medium::Comment, Medium::Page];
}

/// A part of a report, with its indentation and the media and amounts of detail in which it is shown.
pub struct Piece {
    pub(crate) part: Part,
    pub(crate) depth: usize,
    /// Whether no empty line separates the piece from the preceding one.
    pub(crate) joined: bool,
    pub(crate) media: &'static [Medium],
    pub(crate) details: &'static [Detail],
}

impl Piece {
    /// A piece with the defaults for the kind of its part: tables and drawings are indented by one step, parts that
    /// cannot be drawn with characters are for pages only, and the shortest reports contain only answers.
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

    pub fn sentence(rank: Rank, tone: Tone, text: impl Into<String>) -> Self {
        Piece::new(Part::Sentence(Sentence { rank, tone, text: text.into() }))
    }

    pub fn answer(tone: Tone, text: impl Into<String>) -> Self {
        Piece::sentence(Rank::Answer, tone, text)
    }

    pub fn heading(text: impl Into<String>) -> Self {
        Piece::sentence(Rank::Heading, Tone::Title, text)
    }

    /// A sentence that is neither good nor bad.
    pub fn plain(text: impl Into<String>) -> Self {
        Piece::said(Tone::Plain, text)
    }

    pub fn said(tone: Tone, text: impl Into<String>) -> Self {
        Piece::sentence(Rank::Plain, tone, text)
    }

    /// A warning about a circumstance that may spoil the result.
    pub fn warning(text: &str) -> Self {
        Piece::sentence(Rank::Warning, Tone::Doubt, crate::words::visible(text))
    }

    pub fn table(grid: Grid) -> Self {
        Piece::new(Part::Table(grid))
    }

    pub fn effects(effects: Effects) -> Self {
        Piece::new(Part::Effects(effects))
    }

    pub fn histograms(histograms: Histograms) -> Self {
        Piece::new(Part::Distribution(histograms.into()))
    }

    pub fn quantiles(quantiles: Quantiles) -> Self {
        Piece::new(Part::Quantiles(quantiles))
    }

    pub fn series(series: Series) -> Self {
        Piece::new(Part::Series(series))
    }

    /// A tree whose branches have a list beside them, which is shortened if there is no room.
    pub fn sets(branches: Vec<Branch>) -> Self {
        Piece::new(Part::Tree(Tree::Sets(branches)))
    }

    /// A drawing of nested boxes.
    pub fn boxes(boxes: Boxes) -> Self {
        Piece::new(Part::Tree(Tree::Boxes(boxes)))
    }

    pub fn notes(notes: Notes) -> Self {
        Piece::new(Part::Notes(notes))
    }

    /// Whether the piece continues the paragraph of the preceding piece, in formats with paragraphs.
    pub(crate) fn goes_on_with(&self, before: &Piece) -> bool {
        let plain = |piece: &Piece| match &piece.part {
            Part::Sentence(it) if it.rank == Rank::Plain => Some(it.text.ends_with('.')),
            _ => None,
        };
        self.joined && plain(before) == Some(true) && plain(self).is_some()
    }

    /// The piece, without an empty line between it and the preceding one.
    pub fn joined(self) -> Self {
        Piece { joined: true, ..self }
    }

    pub fn at(self, depth: usize) -> Self {
        Piece { depth, ..self }
    }

    pub fn only(self, media: &'static [Medium]) -> Self {
        Piece { media, ..self }
    }

    pub fn in_full(self) -> Self {
        Piece { details: &[Detail::Full], ..self }
    }

    /// The piece for full reports only; `None` if full reports do not show it anyway.
    pub(crate) fn kept_in_full(self) -> Option<Self> {
        self.details.contains(&Detail::Full).then(|| self.in_full())
    }

    pub fn in_brief(self) -> Self {
        Piece { details: &[Detail::Brief], ..self }
    }

    pub fn since_brief(self) -> Self {
        Piece { details: &Detail::FROM_BRIEF, ..self }
    }

    pub fn in_line(self) -> Self {
        Piece { details: &[Detail::Line], ..self }
    }

    /// Whether a report for this medium and with this amount of detail shows the piece, and the piece is not empty
    /// there.
    pub(crate) fn is_shown(&self, medium: Medium, detail: Detail) -> bool {
        let has_lines = match &self.part {
            Part::Notes(it) => it.lines.iter().any(|note| note.is_shown(medium, detail)),
            _ => true,
        };
        has_lines && self.media.contains(&medium) && self.details.contains(&detail)
    }
}

/// The pieces that a full report for a medium shows, in their order.
pub(crate) fn shown(pieces: &[Piece], medium: Medium) -> impl Iterator<Item = &Piece> {
    pieces.iter().filter(move |piece| piece.is_shown(medium, Detail::Full))
}
