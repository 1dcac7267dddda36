//! Characters for text and drawings in a terminal, within ASCII or beyond it.

use crate::words::{TIE, shorten};

#[derive(Clone, Copy)]
pub(crate) struct Pen {
    /// Whether characters outside ASCII may be used.
    pub(crate) unicode: bool,
    pub(crate) width: usize,
}

impl Pen {
    pub(crate) fn narrower(self, columns: usize) -> Self {
        Pen { width: self.width.saturating_sub(columns), ..self }
    }

    pub(crate) fn ends(self) -> (char, char) {
        if self.unicode { ('▕', '▏') } else { ('|', '|') }
    }

    pub(crate) fn mark(self) -> char {
        if self.unicode { '▲' } else { '^' }
    }

    /// Prefixes of a tree's branches: of a branch with a sibling below, of the last sibling, and of the lines below
    /// each of these two.
    pub(crate) fn branches(self) -> [&'static str; 4] {
        if self.unicode { ["├ ", "└ ", "│ ", "  "] } else { ["|-", "`-", "| ", "  "] }
    }

    pub(crate) fn ellipsis(self) -> &'static str {
        if self.unicode { "…" } else { ".." }
    }

    /// The text in the available characters: in ASCII if others are not available.
    pub(crate) fn spell(self, text: &str) -> String {
        if self.unicode { text.to_owned() } else { text.chars().map(ascii).collect() }
    }

    pub(crate) fn name(self, name: &str, width: usize) -> String {
        shorten(&self.spell(name), width, self.ellipsis())
    }
}

/// The ASCII characters nearest to a character; a character without any is written as its code.
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
        '└' => "`".to_owned(),
        c => c.escape_unicode().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_width::UnicodeWidthStr;

    const PLAIN: Pen = Pen { unicode: false, width: 80 };
    const RICH: Pen = Pen { unicode: true, width: 80 };

    #[test]
    fn marks_are_spelt_as_people_type_them() {
        assert_eq!(PLAIN.spell("−1.5 ± 0.2 µs … 3 × 4 – a·b █"), "-1.5 +- 0.2 us .. 3 x 4 - a-b #");
        assert_eq!(PLAIN.spell("é文"), "\\u{e9}\\u{6587}");
        assert_eq!(PLAIN.spell(&format!("5{TIE}ms")), format!("5{TIE}ms"), "ties are undone at the very end");
        assert_eq!(RICH.spell("−1.5 ± 0.2 µs"), "−1.5 ± 0.2 µs");
    }

    #[test]
    fn every_mark_has_its_twin_of_the_same_width() {
        for (rich, plain) in RICH.branches().into_iter().zip(PLAIN.branches()) {
            assert!(plain.is_ascii() && rich.width() == plain.width(), "{rich} {plain}");
        }
        assert!(PLAIN.mark().is_ascii() && PLAIN.ends().0.is_ascii() && PLAIN.ellipsis().is_ascii());
        assert_eq!(PLAIN.narrower(90).width, 0, "there is no room below none");
    }

    proptest! {
        #[test]
        fn without_unicode_everything_is_ascii(text in any::<String>()) {
            prop_assert!(PLAIN.spell(&text).replace(TIE, " ").is_ascii());
        }

        #[test]
        fn names_fit_after_they_were_spelt(name in "\\PC{0,60}", width in 3usize..50, unicode: bool) {
            let pen = Pen { unicode, width: 80 };
            prop_assert!(pen.name(&name, width).width() <= width);
        }
    }
}
