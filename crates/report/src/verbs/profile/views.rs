//! Further views of a profile: callers and callees of a function, and its source lines.

use fauxplat_model::{
    Annotated, AnnotatedFunction, Profile, ProfileFindings, ProfileView, Relative, Relatives,
};

use super::words::{ROWS, cell, named, part, share, share_within, short, whole};
use crate::parts::spans::code;
use crate::parts::{Grid, Listed, Listing, Part, Piece, Tone};
use crate::words::{counted, grouped, listed, visible};

/// Maximum number of functions matching a pattern that a sentence names.
const NAMED_MAX: usize = 4;
/// Number of lines shown before and after a line with samples.
const AROUND: usize = 4;
/// Share of a function's samples from which on a line is highlighted.
const HOT: f64 = 0.1;
/// Blanks that replace a tabulator in source lines.
const TAB: &str = "    ";

pub(super) fn pieces(found: &ProfileFindings, view: &ProfileView) -> Vec<Piece> {
    match view {
        ProfileView::CallersOf(it) => relatives(found, it, "Callers"),
        ProfileView::CalleesOf(it) => relatives(found, it, "Callees"),
        ProfileView::Annotated(it) => annotated(found, it),
    }
}

/// The heading of a view, such as "Callers of `pattern` in `prog`".
fn heading(found: &ProfileFindings, what: &str, pattern: &str, profile: u16) -> Piece {
    let of = found.profiles.get(usize::from(profile)).map(|it| format!(" in {}", named(&it.name)));
    Piece::heading(format!("{what} of {}{}", code(pattern), of.unwrap_or_default()))
}

fn relatives(found: &ProfileFindings, of: &Relatives, what: &str) -> Vec<Piece> {
    let mut pieces = vec![heading(found, what, &of.pattern, of.profile)];
    if of.functions.is_empty() {
        pieces.push(
            Piece::said(Tone::Doubt, format!("No function name matches {}.", code(&of.pattern))).joined(),
        );
        return pieces;
    }
    let samples = found.profiles.get(usize::from(of.profile)).map(|it| whole(&it.quality));
    let samples = samples.unwrap_or_else(|| "samples".to_owned());
    let held = share_within(of.share, of.low, of.high);
    let said = format!("{held} of the {samples} is in {} or its callees.", names(&of.functions));
    pieces.push(Piece::plain(said).joined());
    if of.relatives.is_empty() {
        pieces.push(Piece::plain("There are none.".to_owned()).joined());
        return pieces;
    }
    for (rows, is_full) in [(ROWS[1], true), (ROWS[0], false)] {
        let shown = |piece: Piece| if is_full { piece.in_full() } else { piece.in_brief() };
        pieces.push(shown(Piece::table(table(&of.relatives, what, rows)).joined()));
        let left = of.relatives.len().saturating_sub(rows);
        let more = || format!("{} left out.", counted(left, "more is", "more are"));
        pieces.extend((left > 0).then(|| shown(Piece::plain(more()).at(1).joined())));
    }
    pieces
}

fn names(functions: &[String]) -> String {
    let mut said: Vec<String> = functions.iter().take(NAMED_MAX).map(|name| named(name)).collect();
    if functions.len() > NAMED_MAX {
        said.push(counted(functions.len() - NAMED_MAX, "other", "others"));
    }
    listed(&said)
}

fn table(relatives: &[Relative], what: &str, rows: usize) -> Grid {
    let title = if what == "Callers" { "caller" } else { "callee" };
    let mut grid = Grid::named(&[title, "calls away", "share of those (95 %)", ""], &[3]);
    for it in relatives.iter().take(rows) {
        let inlined = if it.is_inlined { "inlined" } else { "" };
        let held = cell(it.share, it.low, it.high);
        grid.push(Tone::Plain, vec![short(&it.name), it.depth.to_string(), held, inlined.to_owned()]);
    }
    grid
}

fn annotated(found: &ProfileFindings, of: &Annotated) -> Vec<Piece> {
    let mut pieces = vec![heading(found, "Lines", &of.pattern, of.profile)];
    if of.functions.is_empty() {
        pieces.push(
            Piece::said(Tone::Doubt, format!("No function name matches {}.", code(&of.pattern))).joined(),
        );
    }
    let profile = found.profiles.get(usize::from(of.profile));
    pieces.extend(of.functions.iter().flat_map(|it| function(profile, it)));
    pieces
}

fn function(profile: Option<&Profile>, of: &AnnotatedFunction) -> Vec<Piece> {
    let held = profile.map_or_else(String::new, |profile| {
        let held = part(of.events.unwrap_or(of.samples), profile.quality.weight());
        let held = of.interval.map_or_else(|| share(held), |[low, high]| share_within(held, low, high));
        format!(", {held} of the {}", whole(&profile.quality))
    });
    let samples = if of.samples == 1 { "sample" } else { "samples" };
    let file = of.file.as_deref().map_or_else(String::new, |file| format!(", {}", visible(file)));
    let head = format!("{}: {} {samples}{held}{file}", named(&of.name), grouped(of.samples));
    let mut pieces = vec![Piece::plain(head)];
    let all = of.events.unwrap_or(of.samples);
    if !of.lines.is_empty() {
        let lines = of.lines.iter().map(|it| {
            let text = it.text.as_deref().unwrap_or_default();
            (it.line.to_string(), Held::of(it.samples, it.events, it.interval), text)
        });
        pieces.push(listing(&format!("Lines of {}", visible(&of.name)), "line", all, lines));
    }
    if !of.instructions.is_empty() {
        let lines = of.instructions.iter().map(|it| {
            let held = Held::of(it.samples, it.events, it.interval);
            (format!("{:x}", it.address), held, it.text.as_str())
        });
        pieces.push(listing(&format!("Instructions of {}", visible(&of.name)), "address", all, lines));
    }
    pieces.extend(of.missing.iter().map(|why| Piece::said(Tone::Doubt, visible(why)).joined()));
    pieces
}

#[derive(Clone, Copy)]
struct Held {
    samples: u64,
    /// Number of events that the samples represent.
    events: u64,
    /// 95 % interval of the share of the function or line; `None` if it is not known.
    interval: Option<[f64; 2]>,
}

impl Held {
    fn of(samples: u64, events: Option<u64>, interval: Option<[f64; 2]>) -> Self {
        Held { samples, events: events.unwrap_or(samples), interval }
    }
}

/// Listing of the lines with samples and their neighbours. A line of dots replaces the lines in between.
fn listing<'t>(
    title: &str,
    place: &str,
    all: u64,
    lines: impl Iterator<Item = (String, Held, &'t str)>,
) -> Piece {
    let lines: Vec<(String, Held, &str)> = lines.collect();
    let is_near = |at: usize| {
        let near = at.saturating_sub(AROUND)..(at + AROUND + 1).min(lines.len());
        lines[near].iter().any(|line| line.1.samples > 0)
    };
    let mut listing = Listing {
        title: title.to_owned(),
        header: ["samples", "share (95 %)", place].map(str::to_owned).to_vec(),
        lines: Vec::new(),
    };
    let mut is_gap = false;
    for (at, (place, samples, text)) in lines.iter().enumerate() {
        if !is_near(at) {
            is_gap = true;
            continue;
        }
        if std::mem::take(&mut is_gap) && !listing.lines.is_empty() {
            let cells = vec![String::new(), String::new(), "…".to_owned()];
            listing.lines.push(Listed { tone: Tone::Faint, cells, text: String::new() });
        }
        listing.lines.push(line(place, *samples, text, all));
    }
    Piece::new(Part::Listing(listing)).joined()
}

fn line(place: &str, held: Held, text: &str, all: u64) -> Listed {
    let of_all = part(held.events, all);
    let shown = held.interval.map_or_else(|| share(of_all), |[low, high]| cell(of_all, low, high));
    let cells = match held.samples {
        0 => vec![String::new(), String::new(), place.to_owned()],
        samples => vec![grouped(samples), shown, place.to_owned()],
    };
    let tone = match held.samples {
        0 => Tone::Faint,
        _ if of_all >= HOT => Tone::Neutral,
        _ => Tone::Plain,
    };
    Listed { tone, cells, text: text.trim_end().replace('\t', TAB) }
}
