//! Lines with fixed columns: numbers at the left, and a text that is cut at its end if there is no room.

use super::Tone;

/// A listing, such as the lines of a source or the calls of a tree.
pub(crate) struct Listing {
    /// Headings of the columns of numbers; `title` is the heading of the text.
    pub(crate) header: Vec<String>,
    pub(crate) title: String,
    pub(crate) lines: Vec<Listed>,
}

pub(crate) struct Listed {
    pub(crate) tone: Tone,
    /// Numbers at the left of the text, as many as there are headings.
    pub(crate) cells: Vec<String>,
    pub(crate) text: String,
}
