//! Pages that a verb makes by itself, in the style of reports.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::parts::{Part, Series};
use crate::render::{drawings, html as rendered};
use crate::svg;

/// A whole page that loads nothing: its title, what stands in its body, and a style and a script of its own beside those of
/// reports. Both are constants of the verb and hold nothing that anybody else wrote.
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

/// Data for the script of a page, in an element of that id. A script reads them as JSON, and no text in them ends the element.
pub fn data(id: &'static str, json: &str) -> Markup {
    let safe = json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    html! { script type="application/json" id=(id) { (PreEscaped(safe)) } }
}

/// A series as a drawing for such a page.
pub fn drawing(series: Series) -> Markup {
    drawings::draw(&Part::Series(series)).map_or_else(|| html! {}, |drawing| drawing.inline())
}
