//! What drawings in characters are made of, with or without those outside ASCII.

use crate::words::{TIE, shorten};

/// Characters and room.
#[derive(Clone, Copy)]
pub(crate) struct Pen {
    /// Whether characters outside ASCII may be used.
    pub(crate) unicode: bool,
    /// Columns of a line.
    pub(crate) width: usize,
}

impl Pen {
    /// The same with fewer columns.
    pub(crate) fn narrower(self, columns: usize) -> Self {
        Pen { width: self.width.saturating_sub(columns), ..self }
    }

    /// The ends of a drawing.
    pub(crate) fn ends(self) -> (char, char) {
        if self.unicode { ('▕', '▏') } else { ('|', '|') }
    }

    /// The mark under a median.
    pub(crate) fn mark(self) -> char {
        if self.unicode { '▲' } else { '^' }
    }

    /// A branch with siblings below it, the last one, what stands below the first, and what below the second.
    pub(crate) fn branches(self) -> [&'static str; 4] {
        if self.unicode { ["├ ", "└ ", "│ ", "  "] } else { ["|-", "`-", "| ", "  "] }
    }

    /// What stands for the middle of a shortened text.
    pub(crate) fn ellipsis(self) -> &'static str {
        if self.unicode { "…" } else { ".." }
    }

    /// The text in the characters that there are.
    pub(crate) fn spell(self, text: &str) -> String {
        if self.unicode { text.to_owned() } else { text.chars().map(ascii).collect() }
    }

    /// A name that takes at most so many columns.
    pub(crate) fn name(self, name: &str, width: usize) -> String {
        shorten(&self.spell(name), width, self.ellipsis())
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
