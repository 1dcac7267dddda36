//! HTML pages that a verb composes, in the style of reports.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::parts::{Part, Series};
use crate::render::{drawings, html as rendered};
use crate::svg;

/// A complete HTML page that loads nothing from elsewhere: title, body, and the page's style and script besides those
/// of reports. Style and script are constants of the verb and must not contain foreign text.
pub fn page(title: &str, body: &Markup, (own_style, own_script): (&'static str, &'static str)) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(rendered::POLICY);
                meta name="viewport" content="width=device-width,initial-scale=1";
                title { (title) }
                style { (PreEscaped(rendered::STYLE)) (PreEscaped(svg::STYLE)) (PreEscaped(own_style)) }
            }
            body { (body) script { (PreEscaped(own_script)) } }
        }
    }
    .into_string()
}

/// An element with the given id that holds JSON data for the script of a page. No text in the data can end the element.
pub fn data(id: &'static str, json: &str) -> Markup {
    let safe = json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    html! { script type="application/json" id=(id) { (PreEscaped(safe)) } }
}

pub fn drawing(series: Series) -> Markup {
    drawings::draw(&Part::Series(series)).map_or_else(|| html! {}, |drawing| drawing.inline())
}
