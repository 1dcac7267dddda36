//! Flame graphs: readable as static SVG drawings, with a script for zooming, searching and turning them upside down.

use maud::{Markup, html};

use super::Drawing;
use crate::calls::Kind;
use crate::parts::{Bar, Flame};
use crate::svg::{self, Anchor, text, text_width};
use crate::words::{grouped, shorten, spaced, visible};

const WIDTH: f64 = 1200.0;
const GAP: f64 = 8.0;
/// Height of a bar, and distance from one row of bars to the next, in pixels.
const BAR: f64 = 17.0;
const ROW: f64 = 18.0;
/// Height above the bars for title, legend, and controls, in pixels.
const TOP: f64 = 76.0;
const SIZE: f64 = 11.0;
/// Width in pixels of a character of the names, which are set in a monospace font.
const COLUMN: f64 = 6.7;
/// Minimum number of characters that must fit into a bar for it to show its name, shortened if necessary.
const COLUMNS_MIN: usize = 3;
const NAME_MAX: usize = 1000;
/// Changes of a function's share from which on its colour is one step stronger.
const STEPS: [f64; 7] = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1];

/// The script for zooming and searching, a constant that contains nothing of a profile.
pub(crate) const SCRIPT: &str = include_str!("flame.js");

/// Style rules of the bars, with colours for the steps of a change. Colour is never the only sign, since each bar has
/// its numbers.
const STYLE: &str = "\
.bar text{pointer-events:none;font-family:ui-monospace,'DejaVu Sans Mono',monospace}\
.bar rect{stroke:var(--ground);stroke-width:.6}.bar{cursor:pointer;outline:none}\
.bar:focus rect{stroke:var(--ink);stroke-width:2}.bar.above rect{opacity:.55}.bar.gone{display:none}\
.searched .bar rect{opacity:.3}.searched .bar.found rect{opacity:1;stroke:var(--ink)}\
.late{display:none;cursor:pointer;text-decoration:underline}.live .late{display:inline}\
.more{fill:#d62728}.less{fill:#0072b2}.same{fill:var(--t0)}\
.s0{fill-opacity:.1}.s1{fill-opacity:.18}.s2{fill-opacity:.28}.s3{fill-opacity:.38}.s4{fill-opacity:.5}\
.s5{fill-opacity:.62}.s6{fill-opacity:.75}";

/// Draws the flame graph with the root at the bottom.
pub(super) fn draw(of: &Flame) -> Drawing {
    let rows = of.bars.iter().map(|bar| bar.depth + 1).max().unwrap_or(1);
    let bottom = TOP + rows as f64 * ROW + GAP;
    let height = bottom + of.notes.len() as f64 * ROW + GAP;
    let totals: Vec<String> = of.totals.iter().map(u64::to_string).collect();
    let geometry = [GAP, WIDTH - 2.0 * GAP, TOP, ROW, COLUMN].map(|it| it.to_string()).join(" ");
    let names: Vec<String> = of.names.iter().map(|name| told(name)).collect();
    let body = html! {
        g.flame data-totals=(totals.join(" ")) data-rows=(rows) data-geometry=(geometry) {
            (text(GAP, 18.0, Anchor::Start, svg::TEXT_SIZE + 2.0, "strong", &shorten(&visible(&of.title), 120, "…")))
            (legend(of))
            (switches(of, &names))
            g.bars {
                @for bar in &of.bars { (self::bar(of, bar, rows)) }
            }
            @for (place, note) in of.notes.iter().enumerate() {
                (text(GAP, bottom + (place as f64 + 0.7) * ROW, Anchor::Start, svg::TEXT_SIZE, "faint", note))
            }
        }
    };
    Drawing::new(WIDTH, height, &of.title, &of.description, body).alive(STYLE, SCRIPT)
}

fn told(name: &str) -> String {
    spaced(&shorten(&visible(name), NAME_MAX, "…"))
}

fn bar(of: &Flame, bar: &Bar, rows: usize) -> Markup {
    let last = of.totals.len() - 1;
    let scale = (WIDTH - 2.0 * GAP) / of.totals[last].max(1) as f64;
    let (start, samples) = bar.spans[last];
    let (x, width) = (GAP + start as f64 * scale, samples as f64 * scale);
    let y = TOP + (rows - 1 - bar.depth) as f64 * ROW;
    let name = told(&bar.name);
    let gone = if samples == 0 { " gone" } else { "" };
    let spans: Vec<String> = bar.spans.iter().map(|(start, samples)| format!("{start} {samples}")).collect();
    html! {
        g class=(format!("bar{gone}")) data-depth=(bar.depth) data-spans=(spans.join(" ")) {
            title { (name) "\n" (numbers(of, bar)) }
            (svg::plain_rect(x, y, width, BAR, &class(of, bar)))
            (text(x + 3.0, y + BAR - 4.5, Anchor::Start, SIZE, "", &fitting(&name, width)))
        }
    }
}

/// The text on a bar: its name, shortened in the middle; empty if there is no room. `width` is in pixels.
fn fitting(name: &str, width: f64) -> String {
    let columns = ((width - 6.0) / COLUMN).max(0.0) as usize;
    if columns < COLUMNS_MIN { String::new() } else { shorten(name, columns, "…") }
}

/// Text about a bar with its number of samples, and their share of the whole; for two profiles also the change.
fn numbers(of: &Flame, bar: &Bar) -> String {
    let line = |profile: usize| {
        let samples = bar.spans[profile].1;
        let word = of.unit[usize::from(samples != 1)];
        format!("{} {word}, {:.2} % of the {}", grouped(samples), 100.0 * of.share(bar, profile), of.whole)
    };
    let Some(change) = of.change(bar) else { return format!("{}{}", line(0), remark(bar.kind)) };
    let lines = (0..of.names.len()).map(|profile| {
        let name = shorten(&visible(&of.names[profile]), 60, "…");
        format!("{name}: {}", line(profile))
    });
    let lines: Vec<String> = lines.collect();
    let sign = if change < 0.0 { '−' } else { '+' };
    format!("{}\n{sign}{:.2} points{}", lines.join("\n"), 100.0 * change.abs(), remark(bar.kind))
}

fn remark(kind: Kind) -> String {
    match kind {
        Kind::Frame | Kind::User => String::new(),
        kind => format!("; {}", kind.name()),
    }
}

/// The style class for the colour of a bar: for two profiles by the change, for one profile by the kind of code.
fn class(of: &Flame, bar: &Bar) -> String {
    match of.change(bar) {
        Some(change) => change_class(change),
        None => format!("tint{}", tint(bar.kind)),
    }
}

fn change_class(change: f64) -> String {
    let step = STEPS.iter().rposition(|&from| change.abs() >= from);
    match (step, change > 0.0) {
        (Some(step), true) => format!("more s{step}"),
        (Some(step), false) => format!("less s{step}"),
        (None, _) => "same".to_owned(),
    }
}

fn tint(kind: Kind) -> usize {
    match kind {
        Kind::Frame => 0,
        Kind::User => 2,
        Kind::Inlined => 5,
        Kind::Kernel => 1,
        Kind::Jit => 3,
        Kind::Unknown => 4,
    }
}

fn legend(of: &Flame) -> Markup {
    let entries: Vec<(String, String)> = match of.names.len() {
        0 | 1 => Kind::OF_CODE
            .into_iter()
            .filter(|&kind| of.bars.iter().any(|bar| bar.kind == kind))
            .map(|kind| (format!("tint{}", tint(kind)), kind.name().to_owned()))
            .collect(),
        _ => vec![
            ("more s4".to_owned(), format!("a larger share of the {} than in the first command", of.whole)),
            ("less s4".to_owned(), "a smaller share".to_owned()),
            ("same".to_owned(), "a change of 0.1 points at most; full colour from 10 points on".to_owned()),
        ],
    };
    let mut x = GAP;
    html! {
        @for (class, name) in &entries {
            @let at = x;
            @let () = x += 22.0 + text_width(name, svg::TEXT_SIZE) + 16.0;
            (svg::rect(at, 28.0, 16.0, 14.0, &format!("box {class}"), ""))
            (text(at + 22.0, 40.0, Anchor::Start, svg::TEXT_SIZE, "", name))
        }
    }
}

/// The controls for zooming and searching, which are visible only if the script runs.
fn switches(of: &Flame, names: &[String]) -> Markup {
    let mut entries = vec![("search", "search (/)".to_owned()), ("turn", "upside down (i)".to_owned())];
    entries.push(("reset", "whole (Escape)".to_owned()));
    if of.names.len() > 1 {
        let [first, .., last] = names else { return html! {} };
        let short = |name: &str| shorten(name, 24, "…");
        entries.push(("widths", format!("widths of {} or of {} (w)", short(last), short(first))));
    }
    let mut x = GAP;
    html! {
        @for (action, name) in &entries {
            @let at = x;
            @let () = x += text_width(name, svg::TEXT_SIZE) + 20.0;
            g.late data-do=(action) role="button" tabindex="0" { (text(at, 62.0, Anchor::Start, svg::TEXT_SIZE, "", name)) }
        }
        g.status { (text(x + 12.0, 62.0, Anchor::Start, svg::TEXT_SIZE, "strong", "")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colour_of_a_change_grows_to_ten_points() {
        let classes = [0.0, 0.0009, -0.001, 0.003, -0.03, 0.1, 0.9].map(change_class);
        assert_eq!(classes, ["same", "same", "less s0", "more s1", "less s4", "more s6", "more s6"]);
        assert_eq!(change_class(f64::NAN), "same");
    }

    #[test]
    fn names_stand_where_they_have_room() {
        assert_eq!(fitting("parse_line", 10.0), "");
        assert_eq!(fitting("parse_line", 45.0), "pa…ne");
        assert_eq!(fitting("parse_line", 200.0), "parse_line");
    }

    #[test]
    fn the_script_fits_into_a_page_and_into_a_drawing() {
        for end in ["]]>", "</script", "<!--"] {
            assert!(!SCRIPT.contains(end), "{end}");
        }
        for loads in ["src=", "http:", "import", "url(", "fetch(", "eval("] {
            assert!(!SCRIPT.contains(loads), "{loads}");
        }
        assert!(STYLE.chars().all(|c| !"<&>".contains(c)));
    }

    /// A control (switch) of the drawing consists only of its text, so without pointer events on text it could not be
    /// clicked.
    #[test]
    fn switches_take_the_pointer() {
        let rules = STYLE.split('}').filter(|rule| rule.contains("pointer-events:none"));
        assert!(rules.clone().count() > 0 && rules.clone().all(|rule| !rule.contains("late")));
    }
}
