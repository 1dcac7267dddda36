//! Primitives of SVG drawings, shared by topology maps and plots.
//!
//! Every primitive is [`Markup`] of `maud`, which escapes every text and every attribute, so that a drawing is valid
//! XML whatever text it contains. Coordinates are in pixels, y grows downwards; they have two decimals, so that equal
//! drawings are equal files. Colours are classes of [`document`]'s style sheet, which follows the reader's light or
//! dark theme on a transparent background.

mod axis;

use maud::{Markup, PreEscaped, html};
use unicode_width::UnicodeWidthStr;

use crate::words::{shorten, spaced, visible};

pub use axis::Axis;

/// Default size of text, in pixels.
pub const TEXT_SIZE: f64 = 12.0;

/// Style classes of shapes and text: series and kinds are numbered, never named by the meaning of a colour.
///
/// The numbered colours are those of Okabe and Ito ("Color universal design", 2008), which colour-blind readers can
/// distinguish, as strokes and text over tints of the same hue. On a dark background the tints are darker and the ink
/// is lighter. Heat is a single hue with growing intensity, and numbers repeat the information.
pub(crate) const STYLE: &str = "\
svg{color-scheme:light dark;--ink:#1f2328;--faint:#6e7781;--rule:#d0d7de;--ground:#fff;\
--t0:#f6f8fa;--t1:#dcecf7;--t2:#fbe7cc;--t3:#d5efe6;--t4:#f6e0ec;--t5:#fbf6c4;--t6:#e8e8f4}\
@media (prefers-color-scheme:dark){svg{--ink:#e6edf3;--faint:#9198a1;--rule:#3d444d;--ground:#0d1117;\
--t0:#161b22;--t1:#12324a;--t2:#4a3310;--t3:#103d30;--t4:#46263a;--t5:#45410f;--t6:#2a2a45}}\
text{font-family:system-ui,'DejaVu Sans',Arial,sans-serif;fill:var(--ink)}\
.faint{fill:var(--faint)}.strong{font-weight:600}\
.box{stroke:var(--faint);stroke-width:1}.off{stroke-dasharray:4 3;opacity:.55}\
.tint0{fill:var(--t0)}.tint1{fill:var(--t1)}.tint2{fill:var(--t2)}.tint3{fill:var(--t3)}.tint4{fill:var(--t4)}\
.tint5{fill:var(--t5)}.tint6{fill:var(--t6)}\
.rule{stroke:var(--rule);stroke-width:1;fill:none}.ink{stroke:var(--ink);stroke-width:1;fill:none}\
.line{fill:none;stroke-width:1.6;stroke-linejoin:round}\
.line1{stroke:#0072b2}.line2{stroke:#d55e00}.line3{stroke:#009e73}.line4{stroke:#cc79a7}.line5{stroke:#e69f00}\
.line6{stroke:#56b4e9}\
.dot1{fill:#0072b2}.dot2{fill:#d55e00}.dot3{fill:#009e73}.dot4{fill:#cc79a7}.dot5{fill:#e69f00}\
.dot6{fill:#56b4e9}.band{opacity:.18;stroke:none}\
.heat0{fill:#d55e00;fill-opacity:.02}.heat1{fill:#d55e00;fill-opacity:.12}.heat2{fill:#d55e00;fill-opacity:.22}\
.heat3{fill:#d55e00;fill-opacity:.32}.heat4{fill:#d55e00;fill-opacity:.44}.heat5{fill:#d55e00;fill-opacity:.56}\
.heat6{fill:#d55e00;fill-opacity:.68}.heat7{fill:#d55e00;fill-opacity:.8}";

/// A whole SVG drawing of `width` by `height` pixels, scaled by the viewer. Title and description are for screen
/// readers.
pub fn document(width: f64, height: f64, title: &str, description: &str, body: &Markup) -> String {
    // The style sheet is a constant of this module and contains no special character of XML.
    let style = html! { style { (PreEscaped(STYLE)) } };
    let drawing = element(width, height, title, description, &style, body);
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", drawing.into_string())
}

pub(crate) fn inline(width: f64, height: f64, title: &str, description: &str, body: &Markup) -> Markup {
    element(width, height, title, description, &html! {}, body)
}

fn element(width: f64, height: f64, title: &str, description: &str, style: &Markup, body: &Markup) -> Markup {
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {} {}", number(width), number(height)))
            width=(number(width)) height=(number(height)) role="img" {
            title { (shown(title)) }
            desc { (shown(description)) }
            (style)
            (body)
        }
    }
}

/// Horizontal position of a text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins at the position.
    Start,
    /// The text is centred on the position.
    Middle,
    /// The text ends at the position.
    End,
}

/// A text with its baseline at `y`, of `size` pixels, at the horizontal position that `anchor` gives relative to `x`.
pub fn text(x: f64, y: f64, anchor: Anchor, size: f64, class: &str, content: &str) -> Markup {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    html! {
        text x=(number(x)) y=(number(y)) text-anchor=(anchor) font-size=(number(size)) class=(class) {
            (shown(content))
        }
    }
}

/// A rectangle with rounded corners. `hint` is the tooltip.
pub fn rect(x: f64, y: f64, width: f64, height: f64, class: &str, hint: &str) -> Markup {
    html! {
        rect x=(number(x)) y=(number(y)) width=(number(width)) height=(number(height)) rx="3" class=(class) {
            @if !hint.is_empty() { title { (shown(hint)) } }
        }
    }
}

/// A rectangle with sharp corners. `hint` is the tooltip.
pub(crate) fn bar(x: f64, y: f64, width: f64, height: f64, class: &str, hint: &str) -> Markup {
    html! {
        rect x=(number(x)) y=(number(y)) width=(number(width)) height=(number(height)) class=(class) {
            title { (shown(hint)) }
        }
    }
}

/// A rectangle with sharp corners and no tooltip.
pub(crate) fn plain_rect(x: f64, y: f64, width: f64, height: f64, class: &str) -> Markup {
    html! {
        rect x=(number(x)) y=(number(y)) width=(number(width)) height=(number(height)) class=(class) {}
    }
}

pub fn line(from: (f64, f64), to: (f64, f64), class: &str) -> Markup {
    html! {
        line x1=(number(from.0)) y1=(number(from.1)) x2=(number(to.0)) y2=(number(to.1)) class=(class) {}
    }
}

pub fn polyline(points: &[(f64, f64)], class: &str) -> Markup {
    html! { polyline points=(joined(points)) class=(class) {} }
}

/// A closed, filled shape, such as the band of an interval: the upper edge forwards, then the lower edge backwards.
pub fn polygon(points: &[(f64, f64)], class: &str) -> Markup {
    html! { polygon points=(joined(points)) class=(class) {} }
}

/// A dot. `hint` is the tooltip.
pub fn dot(x: f64, y: f64, radius: f64, class: &str, hint: &str) -> Markup {
    html! {
        circle cx=(number(x)) cy=(number(y)) r=(number(radius)) class=(class) {
            @if !hint.is_empty() { title { (shown(hint)) } }
        }
    }
}

/// Approximate width of a text in pixels: sans-serif letters are on average a little over half as wide as high.
pub fn text_width(content: &str, size: f64) -> f64 {
    visible(content).width() as f64 * size * 0.58
}

/// A text, shortened in the middle so that it fits into `room` pixels.
pub(crate) fn fitting(content: &str, size: f64, room: f64) -> String {
    let columns = (room / (size * 0.58)).max(4.0) as usize;
    shorten(&visible(content), columns, "…")
}

/// A coordinate as text with at most two decimals. NaN and infinities become 0, since XML readers would refuse the
/// drawing.
fn number(value: f64) -> String {
    let rounded = if value.is_finite() { (value * 100.0).round() / 100.0 } else { 0.0 };
    // Minus zero would make equal drawings different files.
    (rounded + 0.0).to_string()
}

fn joined(points: &[(f64, f64)]) -> String {
    let pairs: Vec<String> = points.iter().map(|&(x, y)| format!("{},{}", number(x), number(y))).collect();
    pairs.join(" ")
}

/// A text in the form for drawings: hidden characters, of which XML forbids some, are written as their codes.
fn shown(content: &str) -> String {
    spaced(&visible(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_stands_in_a_drawing_breaks_it() {
        let body = text(1.0, f64::NAN, Anchor::Middle, TEXT_SIZE, "a\"b", "<b>&\u{1b}[0m");
        let drawing = document(10.0, 20.005, "a & b", "<none>", &body);
        assert!(
            drawing.contains("&lt;b&gt;&amp;\\u{1b}[0m") && drawing.contains("class=\"a&quot;b\""),
            "{drawing}"
        );
        assert!(drawing.contains("<title>a &amp; b</title>") && drawing.contains("y=\"0\""), "{drawing}");
        assert!(!drawing.contains('\u{1b}'), "{drawing}");
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!([1.0, 0.1 + 0.2, -0.001, f64::INFINITY].map(number), ["1", "0.3", "0", "0"]);
        let shape = polygon(&[(0.0, 1.0), (2.5, 3.0)], "band").into_string();
        assert_eq!(shape, "<polygon points=\"0,1 2.5,3\" class=\"band\"></polygon>");
    }
}
