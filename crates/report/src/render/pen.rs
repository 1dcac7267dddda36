//! Characters for text and drawings in a terminal, within ASCII or beyond it.

use unicode_width::UnicodeWidthStr;

use crate::words::{TIE, cut, prefix, shorten};

/// Number of characters shown before the first one in which a shortened name differs from another.
const CONTEXT: usize = 4;

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

    /// Names of at most `width` columns. Different names that would become equal show the part in which they differ.
    pub(crate) fn names(self, names: &[&str], width: usize) -> Vec<String> {
        let full: Vec<String> = names.iter().map(|name| self.spell(name)).collect();
        let short: Vec<String> = full.iter().map(|name| shorten(name, width, self.ellipsis())).collect();
        let of = |at: usize| {
            let alike = (0..full.len()).filter(|&other| short[other] == short[at] && full[other] != full[at]);
            match alike.map(|other| common_start(&full[at], &full[other])).max() {
                None => short[at].clone(),
                Some(start) => shorten_to(&full[at], start, width, self.ellipsis()),
            }
        };
        (0..full.len()).map(of).collect()
    }
}

/// Number of characters at the beginning of two texts that are equal.
fn common_start(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

/// Shortens a text to at most `width` columns: its beginning, and what follows shortly before the character with the index
/// `start`.
fn shorten_to(text: &str, start: usize, width: usize, ellipsis: &str) -> String {
    let room = width.saturating_sub(ellipsis.width());
    let head = prefix(text.chars(), room / 3);
    let left = room.saturating_sub(head.width());
    if left <= ellipsis.width() {
        return shorten(text, width, ellipsis);
    }
    let skipped = start.saturating_sub(CONTEXT).max(head.chars().count());
    let rest: String = text.chars().skip(skipped).collect();
    format!("{head}{ellipsis}{}", cut(&rest, left, ellipsis))
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
        '‹' => "<".to_owned(),
        '›' => ">".to_owned(),
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

    const PLAIN: Pen = Pen { unicode: false, width: 80 };
    const RICH: Pen = Pen { unicode: true, width: 80 };

    #[test]
    fn marks_are_spelt_as_people_type_them() {
        assert_eq!(PLAIN.spell("−1.5 ± 0.2 µs … 3 × 4 – a·b █"), "-1.5 +- 0.2 us .. 3 x 4 - a-b #");
        assert_eq!(PLAIN.spell("list‹…›::push"), "list<..>::push");
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

    #[test]
    fn names_that_would_become_equal_show_where_they_differ() {
        let [a, b] = ["c=ln:100,0.02", "c=ln:95,0.02"]
            .map(|of| format!("g a=ln:100,0.02 {of} d=ln:100,0.02 e=int:3,6"));
        assert_eq!(RICH.name(&a, 30), RICH.name(&b, 30), "the difference is in the middle");
        let short = RICH.names(&[&a, &b, &a, "sort"], 30);
        assert!(short[0].contains("ln:100,0.02 d") && short[1].contains("ln:95,0.02 d"), "{short:?}");
        assert!(short[0].starts_with("g a=ln:") && short[0] == short[2] && short[3] == "sort", "{short:?}");
        assert!(short.iter().all(|name| name.width() <= 30), "{short:?}");
        for (pen, width) in (3..80).flat_map(|width| [(RICH, width), (PLAIN, width)]) {
            assert!(pen.names(&[&a, &b], width).iter().all(|name| name.width() <= width), "{width}");
        }
        assert_eq!(RICH.names(&["sort", "sort -n"], 30), ["sort", "sort -n"]);
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
