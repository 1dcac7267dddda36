//! A report as a single HTML page that loads nothing from elsewhere: the answer first, then drawings, tables,
//! conditions and the raw data.

mod raw;
mod style;

pub(crate) use style::{POLICY, STYLE};

use std::io::Write;

use fauxplat_model::document::Record;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::parts::spans::{Kind, Span, spans};
use crate::parts::{
    Branch, Grid, Listing, Medium, Note, Notes, Part, Piece, Rank, Sentence, Series, Tone, Tree, shown,
};
use crate::render::pen::Pen;
use crate::render::{drawings, listing};
use crate::svg;
use crate::words::{counted, spaced, visible};
use crate::{Detail, ReportError};

/// Maximum number of rows of a table that is shown unfolded; with more, it can be searched and sorted. The script knows the
/// number, too.
const ROWS_MAX: usize = 30;

/// Width (in columns) and characters of listings. Listings scroll, so only lines longer than any real source line are
/// cut.
const LISTING: Pen = Pen { unicode: true, width: 400 };

/// Maximum number of commands that the title of the page names.
const NAMES_MAX: usize = 3;

pub(crate) fn write(record: &Record, pieces: &[Piece], out: &mut dyn Write) -> Result<(), ReportError> {
    let title = title(record);
    let pieces: Vec<&Piece> = shown(pieces, Medium::Page).collect();
    let body = html! {
        a.skip href="#result" { "Skip to the result" }
        header { p.faint { (title) " · " (visible(&record.header.started)) } }
        main #result tabindex="-1" { (content(&title, &pieces)) }
        (raw::section(record))
        script { (PreEscaped(style::SCRIPT)) }
        @if pieces.iter().any(|piece| matches!(&piece.part, Part::Table(grid) if grid.rows.len() > ROWS_MAX)) {
            script { (PreEscaped(style::TABLE_SCRIPT)) }
        }
        @if pieces.iter().any(|piece| matches!(piece.part, Part::Flame(_))) {
            script { (PreEscaped(drawings::FLAME_SCRIPT)) }
        }
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(style::POLICY);
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (title) }
                style { (PreEscaped(style::STYLE)) (PreEscaped(svg::STYLE)) }
            }
            body { (body) }
        }
    };
    Ok(writeln!(out, "{}", page.into_string())?)
}

/// The title of the page, such as "fauxplat compare: a, b".
fn title(record: &Record) -> String {
    let verb = record.findings.schema().trim_start_matches("fauxplat.").split('/').next().unwrap_or_default();
    let mut names: Vec<String> =
        record.commands.iter().take(NAMES_MAX).map(|command| visible(&command.name)).collect();
    names.dedup();
    names.extend((record.commands.len() > NAMES_MAX).then(|| "…".to_owned()));
    match names.is_empty() {
        true => format!("fauxplat {verb}"),
        false => format!("fauxplat {verb}: {}", names.join(", ")),
    }
}

/// Content of the page: the answers, the warnings, and all other pieces in their order.
fn content(title: &str, pieces: &[&Piece]) -> Markup {
    let rank = |piece: &&Piece| match &piece.part {
        Part::Sentence(it) => Some(it.rank),
        _ => None,
    };
    let answers = pieces.iter().take_while(|piece| rank(piece) == Some(Rank::Answer)).count();
    let (answers, rest) = pieces.split_at(answers);
    let (warnings, rest): (Vec<&Piece>, Vec<&Piece>) =
        rest.iter().copied().partition(|piece| rank(piece) == Some(Rank::Warning));
    let grouped: Vec<&[&Piece]> = rest.chunk_by(|before, piece| continues(before, piece)).collect();
    html! {
        @match answers.split_first() {
            None => h1 { (title) },
            Some((first, others)) => {
                h1 class=[tone(first)] { @if let Part::Sentence(it) = &first.part { (words(&it.text)) } }
                @for answer in others { (part(answer)) }
            }
        }
        @if !warnings.is_empty() {
            div.warnings role="note" aria-label="warnings" { @for warning in warnings { (part(warning)) } }
        }
        @for group in grouped { (together(group)) }
    }
}

/// Whether a piece belongs to the same group as the preceding piece: a sentence continues a paragraph, and an enlarged
/// part of a series continues a row of such parts.
fn continues(before: &Piece, piece: &Piece) -> bool {
    let is_zoom = |piece: &Piece| matches!(&piece.part, Part::Series(Series { is_zoom: true, .. }));
    piece.goes_on_with(before) || is_zoom(before) && is_zoom(piece)
}

fn together(group: &[&Piece]) -> Markup {
    match &group[0].part {
        Part::Sentence(Sentence { rank: Rank::Plain, .. }) => html! {
            p {
                @for piece in group {
                    @if let Part::Sentence(it) = &piece.part {
                        span class=[tone(piece)] { (words(&it.text)) } " "
                    }
                }
            }
        },
        Part::Series(_) if group.len() > 1 => html! {
            div.zooms { @for piece in group { (part(piece)) } }
        },
        _ => html! { @for piece in group { (part(piece)) } },
    }
}

fn part(piece: &Piece) -> Markup {
    match &piece.part {
        Part::Sentence(it) => sentence(piece, it),
        Part::Table(grid) => table(grid),
        Part::Tree(Tree::Columns { header, branches, .. }) => columns(header, branches),
        Part::Tree(Tree::Sets(branches)) => html! {
            ul { @for it in branches { li { (visible(&it.text)) ": " (visible(&it.beside.join(" | "))) } } }
        },
        Part::Notes(it) if it.folded && piece.depth > 0 => evidence(it),
        Part::Notes(it) => notes(it),
        Part::Series(Series { is_zoom: true, title, .. }) => figure(piece, Some(title)),
        Part::Listing(it) => listing(it),
        Part::Distribution(_)
        | Part::Effects(_)
        | Part::Quantiles(_)
        | Part::Series(_)
        | Part::HeatMap(_)
        | Part::Flame(_)
        | Part::FleetMap(_)
        | Part::Tree(_) => figure(piece, None),
    }
}

fn figure(piece: &Piece, caption: Option<&str>) -> Markup {
    let Some(drawing) = drawings::draw(&piece.part) else { return html! {} };
    html! {
        figure tabindex="0" {
            (drawing.inline())
            @if let Some(caption) = caption { figcaption { (spaced(&visible(caption))) } }
        }
    }
}

/// A listing as text of fixed width, which scrolls by itself if it is too wide.
fn listing(it: &Listing) -> Markup {
    html! {
        p.faint { (spaced(&visible(&it.title))) }
        pre tabindex="0" {
            @for (tone, line) in listing::lines(it, LISTING) {
                span class=[class(tone)] { (spaced(&line)) } "\n"
            }
        }
    }
}

fn sentence(piece: &Piece, it: &Sentence) -> Markup {
    let class = tone(piece);
    match it.rank {
        Rank::Answer => {
            html! { p class=(format!("answer {}", class.unwrap_or_default()).trim_end()) { (words(&it.text)) } }
        }
        Rank::Title => html! { h2 { (words(&it.text)) } },
        Rank::Heading if piece.depth == 0 => html! { h2 { (words(&it.text)) } },
        Rank::Heading => html! { h3 { (words(&it.text)) } },
        Rank::Subtitle | Rank::Plain => html! { p class=[class] { (words(&it.text)) } },
        Rank::Warning => html! { p { strong { "Warning: " } (words(&it.text)) } },
    }
}

/// The style class for the tone of a sentence. Colour is never the only sign, since the words say the same.
fn tone(piece: &Piece) -> Option<&'static str> {
    match &piece.part {
        Part::Sentence(it) => class(it.tone),
        _ => None,
    }
}

fn class(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain | Tone::Title => None,
        Tone::Faint => Some("faint"),
        Tone::Good => Some("good"),
        Tone::Bad => Some("bad"),
        Tone::Neutral => Some("neutral"),
        Tone::Doubt => Some("doubt"),
    }
}

/// A sentence as HTML, in which only marked sections become elements.
fn words(text: &str) -> Markup {
    html! {
        @for Span { kind, text } in spans(text) {
            @let text = spaced(&text);
            @match kind {
                Kind::Plain => { (text) },
                Kind::Name | Kind::Code => code { (text) },
                Kind::Emphasis => em { (text) },
                Kind::Strong => strong { (text) },
            }
        }
    }
}

fn table(grid: &Grid) -> Markup {
    let numeric: Vec<bool> = (0..grid.header.len()).map(|column| grid.is_numeric(column)).collect();
    let rows = html! {
        @for row in &grid.rows {
            tr class=[class(row.tone)] {
                @for (column, text) in row.cells.iter().enumerate() {
                    @if column == 0 && !row.page.is_empty() {
                        th scope="row" { a href=(row.page) { (spaced(&visible(text))) } }
                    } @else {
                        (cell(column, text, grid.named, numeric[column]))
                    }
                }
            }
        }
    };
    let header: Vec<&str> = grid.header.iter().map(String::as_str).collect();
    let whole = framed(&header, &numeric, &rows);
    match grid.rows.len() > ROWS_MAX {
        true => html! { details { summary { (spaced(&counted(grid.rows.len(), "row", "rows"))) } (whole) } },
        false => whole,
    }
}

fn cell(column: usize, text: &str, named: bool, numeric: bool) -> Markup {
    let shown = spaced(&visible(text));
    match (column, named) {
        (0, true) => html! { th scope="row" { code { (shown) } } },
        (0, false) => html! { th scope="row" { (shown) } },
        _ => html! { td.n[numeric] { (shown) } },
    }
}

/// The HTML of a table, which scrolls by itself if it is too wide, also by keyboard.
fn framed(header: &[&str], numeric: &[bool], rows: &Markup) -> Markup {
    let titles: Vec<String> = header.iter().map(|title| spaced(&visible(title))).collect();
    html! {
        div.scroll role="region" tabindex="0" aria-label=(format!("table: {}", titles.join(", "))) {
            table {
                thead {
                    tr { @for (title, numeric) in titles.iter().zip(numeric) { th.n[*numeric] scope="col" { (title) } } }
                }
                tbody { (rows) }
            }
        }
    }
}

/// A tree as a table whose first column contains the branches.
fn columns(header: &[&str], branches: &[Branch]) -> Markup {
    let numeric: Vec<bool> =
        (0..header.len()).map(|column| column > 0 && column + 1 < header.len()).collect();
    let rows = html! {
        @for branch in branches {
            tr class=[class(branch.tone)] {
                th scope="row" {
                    @if branch.depth > 0 { span.branch { ("\u{2003}".repeat(branch.depth - 1)) "└ " } }
                    code { (visible(&branch.text)) }
                }
                @for (text, numeric) in branch.beside.iter().zip(&numeric[1..]) { td.n[*numeric] { (spaced(&visible(text))) } }
            }
        }
    };
    framed(header, &numeric, &rows)
}

fn notes(it: &Notes) -> Markup {
    html! {
        section.notes.conditions[it.folded] {
            h2 { (words(&it.title)) }
            (entries(it))
        }
    }
}

/// Folded notes within a tree: the title alone, until it is clicked.
fn evidence(it: &Notes) -> Markup {
    html! {
        details.notes {
            summary { (words(&it.title)) }
            (entries(it))
        }
    }
}

fn entries(it: &Notes) -> Markup {
    let lines: Vec<&Note> =
        it.lines.iter().filter(|note| note.is_shown(Medium::Page, Detail::Full)).collect();
    html! { ul { @for chunk in lines.chunk_by(|_, line| line.depth > 1) { (entry(chunk)) } } }
}

/// A line of notes with the deeper lines that follow it, as a nested list.
fn entry(lines: &[&Note]) -> Markup {
    html! {
        li class=[class(lines[0].tone)] {
            (note(lines[0]))
            @if lines.len() > 1 {
                ul { @for line in &lines[1..] { li class=[class(line.tone)] { (note(line)) } } }
            }
        }
    }
}

fn note(it: &Note) -> Markup {
    html! {
        @if !it.label.is_empty() { b { (it.label) ": " } }
        @match it.values.as_slice() {
            [one] => (words(one)),
            several => ul { @for value in several { li { (words(value)) } } },
        }
    }
}
