//! The page of a lab: what was published beside what was measured, and the story, which is its README in parts.

use fauxplat_model::{Claim, ClaimResult, LabMeasured, LabOutcome, LabResult, LabStory};

use crate::parts::{Grid, Listed, Listing, Medium, Part, Piece, Tone};
use crate::words::visible;

/// Every claim with both figures and what came of it.
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

/// The published figures with their unit, and where their spread comes from.
fn published(claim: &Claim) -> String {
    let figures = match (claim.low, claim.high) {
        (Some(low), Some(high)) if low == high => format!("{low}"),
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(low), None) => format!("{low} or more"),
        (None, Some(high)) => format!("{high} or less"),
        (None, None) => match claim.direction {
            None => return "as it says".to_owned(),
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
    let figure = |LabMeasured { value, low, high }| match low == high {
        true => format!("{value:.4}"),
        false => format!("{value:.4} ({low:.4} to {high:.4})"),
    };
    one.measured.map_or_else(|| "–".to_owned(), figure)
}

/// The parts of the README, which only a page has room for.
pub(super) fn story(lab: &LabResult) -> Vec<Piece> {
    let parts = lab.story.iter().flat_map(|part: &LabStory| {
        std::iter::once(Piece::heading(visible(&part.title))).chain(blocks(&part.text).into_iter().map(piece))
    });
    parts.map(|piece| piece.only(&[Medium::Page])).collect()
}

/// A piece of Markdown as far as pages of labs go.
#[derive(Debug, PartialEq, Eq)]
enum Block {
    /// Lines that were wrapped.
    Words(String),
    /// Lines as they stand.
    Code(Vec<String>),
    /// Cells, the first row being the titles.
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

/// Paragraphs, elements of lists, indented or fenced code, tables.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut is_fenced = false;
    let mut is_open = false;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        if is_fence {
            is_fenced = !is_fenced;
        }
        let is_code = is_fenced || (!is_open && line.starts_with("    ")) || in_code(&blocks, is_open, line);
        match line {
            _ if is_fence => is_open = false,
            _ if is_code => add_code(&mut blocks, &mut is_open, line),
            line if line.trim().is_empty() => is_open = false,
            line if line.starts_with('|') => add_row(&mut blocks, &mut is_open, line),
            line => add_words(&mut blocks, &mut is_open, line),
        }
    }
    blocks
}

fn in_code(blocks: &[Block], is_open: bool, line: &str) -> bool {
    is_open && line.starts_with("    ") && matches!(blocks.last(), Some(Block::Code(_)))
}

fn add_code(blocks: &mut Vec<Block>, is_open: &mut bool, line: &str) {
    let line = line.strip_prefix("    ").unwrap_or(line).to_owned();
    match blocks.last_mut() {
        Some(Block::Code(lines)) if *is_open => lines.push(line),
        _ => blocks.push(Block::Code(vec![line])),
    }
    *is_open = true;
}

fn add_row(blocks: &mut Vec<Block>, is_open: &mut bool, line: &str) {
    let cells: Vec<String> =
        line.trim().trim_matches('|').split('|').map(|cell| plain(cell.trim())).collect();
    let is_rule = cells.iter().all(|cell| cell.chars().all(|it| it == '-' || it == ':'));
    match blocks.last_mut() {
        _ if is_rule => {}
        Some(Block::Table(rows)) if *is_open => rows.push(cells),
        _ => blocks.push(Block::Table(vec![cells])),
    }
    *is_open = true;
}

fn add_words(blocks: &mut Vec<Block>, is_open: &mut bool, line: &str) {
    let is_element = line.starts_with("- ");
    match blocks.last_mut() {
        Some(Block::Words(words)) if *is_open && !is_element => {
            words.push(' ');
            words.push_str(&plain(line.trim()));
        }
        _ => blocks.push(Block::Words(plain(line.trim()))),
    }
    *is_open = true;
}

/// The words without the marks of Markdown.
fn plain(words: &str) -> String {
    let words = words.strip_prefix("- ").unwrap_or(words);
    words
        .replace("**", "")
        .replace('`', "")
        .replace(" *", " ")
        .replace("* ", " ")
        .replace("*:", ":")
        .trim_matches('*')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_paragraphs_code_and_tables() {
        let text = "One *word*\nof two lines.\n\n    code here\n      deeper\n\n| a | b |\n| --- | --- |\n| 1 | `2` |\n\n- first\n  goes on\n\
                    - second\n\n```text\nfenced  | no table\n```\nafter";
        let words = |text: &str| Block::Words(text.to_owned());
        let expected = [
            words("One word of two lines."),
            Block::Code(vec!["code here".into(), "  deeper".into()]),
            Block::Table(vec![vec!["a".into(), "b".into()], vec!["1".into(), "2".into()]]),
            words("first goes on"),
            words("second"),
            Block::Code(vec!["fenced  | no table".into()]),
            words("after"),
        ];
        assert_eq!(blocks(text), expected);
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
        assert_eq!(published(&claim), "as it says");
    }
}
