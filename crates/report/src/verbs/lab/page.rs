//! The page of a lab: published figures beside measured ones, and the text of the lab's README.

use fauxplat_model::{Claim, ClaimResult, LabMeasured, LabOutcome, LabResult, LabStory, is_no_bound};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::parts::{Grid, Listed, Listing, Medium, Part, Piece, Tone};

use crate::words::visible;

/// Table of every claim with the published and the measured figure, and the outcome; `None` if the lab was only listed.
pub(super) fn beside(lab: &LabResult) -> Option<Piece> {
    lab.outcome?;
    let mut grid = Grid::named(&["claim", "published", "here", "outcome"], &[]);
    for one in &lab.claims {
        let cells = vec![visible(&one.name), published(&one.claim), here(one), outcome(one).to_owned()];
        grid.push(Tone::Plain, cells);
    }
    Some(Piece::table(grid).only(&[Medium::Page]))
}

fn outcome(one: &ClaimResult) -> &'static str {
    one.outcome.map_or("not run", LabOutcome::words)
}

/// The published figures of a claim with their unit, and the origin of their spread.
fn published(claim: &Claim) -> String {
    let figures = match (claim.low, claim.high) {
        (Some(low), Some(high)) if low == high => format!("{low}"),
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(low), None) => format!("{low} or more"),
        (None, Some(high)) => format!("{high} or less"),
        (None, None) => match claim.direction {
            None => return "as stated".to_owned(),
            Some(direction) => format!("{} {}", side(direction), claim.than),
        },
    };
    let spread =
        if claim.spread.is_empty() { String::new() } else { format!(" ({})", visible(&claim.spread)) };
    format!("{figures} {}{spread}", visible(&claim.unit))
}

fn side(direction: fauxplat_model::Direction) -> &'static str {
    match direction {
        fauxplat_model::Direction::Above => "more than",
        fauxplat_model::Direction::Below => "less than",
        fauxplat_model::Direction::At => "as much as",
    }
}

fn here(one: &ClaimResult) -> String {
    one.measured.map_or_else(|| "–".to_owned(), with_interval)
}

/// A measured figure with its interval. An end that excludes nothing is not printed as a number.
fn with_interval(LabMeasured { value, low, high }: LabMeasured) -> String {
    let said = match [low, high].map(is_no_bound) {
        _ if low == high => return figure(value),
        [true, true] => "too few runs for an interval".to_owned(),
        [true, false] => format!("at most {}", figure(high)),
        [false, true] => format!("at least {}", figure(low)),
        [false, false] => format!("{} to {}", figure(low), figure(high)),
    };
    format!("{} ({said})", figure(value))
}

/// A figure as text with its meaningful digits: a count has no decimals, and a large number few.
pub(super) fn figure(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() >= 2.0 {
        return format!("{value}");
    }
    let digits = value.abs().max(1.0).log10().floor() as usize;
    format!("{value:.*}", 4_usize.saturating_sub(digits))
}

/// The sections of the lab's README, for pages only.
pub(super) fn story(lab: &LabResult) -> Vec<Piece> {
    let parts = lab.story.iter().flat_map(|part: &LabStory| {
        std::iter::once(Piece::heading(visible(&part.title))).chain(blocks(&part.text).into_iter().map(piece))
    });
    parts.map(|piece| piece.only(&[Medium::Page])).collect()
}

/// A block of Markdown, as far as pages of labs support it.
#[derive(Debug, PartialEq, Eq)]
enum Block {
    /// A paragraph or list item.
    Words(String),
    /// Lines of code, unchanged.
    Code(Vec<String>),
    /// The cells of a table by row. The first row contains the titles.
    Table(Vec<Vec<String>>),
}

fn piece(block: Block) -> Piece {
    match block {
        Block::Words(words) => Piece::plain(visible(&words)),
        Block::Code(lines) => {
            let lines =
                lines.iter().map(|line| Listed { tone: Tone::Plain, cells: Vec::new(), text: visible(line) });
            let header = vec![String::new()];
            Piece::new(Part::Listing(Listing { header, title: String::new(), lines: lines.collect() }))
        }
        Block::Table(rows) => {
            let titles: Vec<&str> = rows[0].iter().map(String::as_str).collect();
            let mut grid = Grid::named(&titles, &[]);
            for row in &rows[1..] {
                let cells = row.iter().cloned().chain(std::iter::repeat(String::new()));
                grid.push(Tone::Plain, cells.take(titles.len()).collect());
            }
            Piece::table(grid)
        }
    }
}

/// The blocks of a Markdown text that labs support, in their order. Every paragraph and list item is a block of words.
fn blocks(text: &str) -> Vec<Block> {
    let mut reader = Reader::default();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        reader.take(event);
    }
    reader.end_words();
    reader.blocks
}

/// Builder of blocks from the events of a Markdown parser.
#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    /// The text so far of the paragraph, list item or code block that is open.
    words: String,
    /// The number of the next element of each open list, outermost first; `None` for lists without numbers.
    lists: Vec<Option<u64>>,
}

impl Reader {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(&tag),
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.words.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak => self.words.push(' '),
            _ => {}
        }
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::List(first) => {
                self.end_words();
                self.lists.push(*first);
            }
            Tag::Item => self.begin_element(),
            Tag::CodeBlock(_) => self.end_words(),
            Tag::Table(_) => self.blocks.push(Block::Table(Vec::new())),
            Tag::TableHead | Tag::TableRow => {
                if let Some(Block::Table(rows)) = self.blocks.last_mut() {
                    rows.push(Vec::new());
                }
            }
            _ => {}
        }
    }

    fn begin_element(&mut self) {
        if let Some(Some(number)) = self.lists.last_mut() {
            self.words = format!("{number}. ");
            *number += 1;
        }
    }

    fn end(&mut self, tag: &TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                let code = std::mem::take(&mut self.words);
                self.blocks.push(Block::Code(code.lines().map(str::to_owned).collect()));
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.words);
                if let Some(row) = self.last_row() {
                    row.push(cell);
                }
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::HtmlBlock => self.end_words(),
            _ => {}
        }
    }

    fn last_row(&mut self) -> Option<&mut Vec<String>> {
        match self.blocks.last_mut() {
            Some(Block::Table(rows)) => rows.last_mut(),
            _ => None,
        }
    }

    fn end_words(&mut self) {
        let words = std::mem::take(&mut self.words);
        if !words.trim().is_empty() {
            self.blocks.push(Block::Words(words.trim().to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_paragraphs_code_and_tables() {
        let text = "One *word*\nof two lines.\n\n    code here\n      deeper\n\n| a | b |\n| --- | --- |\n| 1 | `2` |\n\n- first\n  goes on\n\
                    - second\n  1. inner `a*b*c`\n  2. next\n\n```text\nfenced  | no table\n```\nafter";
        let words = |text: &str| Block::Words(text.to_owned());
        let expected = [
            words("One word of two lines."),
            Block::Code(vec!["code here".into(), "  deeper".into()]),
            Block::Table(vec![vec!["a".into(), "b".into()], vec!["1".into(), "2".into()]]),
            words("first goes on"),
            words("second"),
            words("1. inner a*b*c"),
            words("2. next"),
            Block::Code(vec!["fenced  | no table".into()]),
            words("after"),
        ];
        assert_eq!(blocks(text), expected);
    }

    #[test]
    fn figures_of_this_machine_have_the_digits_that_tell_something() {
        let shown = |value, low, high| with_interval(LabMeasured { value, low, high });
        assert_eq!(shown(3_000_004.0, 3_000_004.0, 3_000_004.0), "3000004");
        assert_eq!(shown(75.25, 75.0, 76.5), "75.250 (75 to 76.500)");
        assert_eq!(shown(123_456.7, 120_000.5, 130_000.2), "123457 (120000 to 130000)");
        assert_eq!(shown(1.35, 1.3, 1.4), "1.3500 (1.3000 to 1.4000)");
        assert_eq!(shown(0.0108, (-13.8_f64).exp(), 13.8_f64.exp()), "0.0108 (too few runs for an interval)");
        assert_eq!(shown(0.5, 0.4, 13.8_f64.exp()), "0.5000 (at least 0.4000)");
        assert_eq!(shown(0.5, (-13.8_f64).exp(), 0.6), "0.5000 (at most 0.6000)");
    }

    #[test]
    fn published_figures_are_told_with_their_spread() {
        let mut claim = Claim { unit: "us".into(), low: Some(17.5), high: Some(70.0), ..Claim::default() };
        claim.spread = "order of size".into();
        assert_eq!(published(&claim), "17.5 to 70 us (order of size)");
        (claim.low, claim.high, claim.direction) = (None, None, Some(fauxplat_model::Direction::Below));
        claim.spread.clear();
        assert_eq!(published(&claim), "less than 0 us");
        claim.direction = None;
        assert_eq!(published(&claim), "as stated");
    }
}
