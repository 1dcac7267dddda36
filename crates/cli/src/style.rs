//! Colour, width and characters of the destination of a report.

use fauxplat_options::{Look, OutputArgs, When};
use fauxplat_report::Style;

/// Whether to use colour: by the option, or else by the environment and the terminal.
fn has_colour(output: &OutputArgs, terminal: bool) -> bool {
    match (output.style, output.colour) {
        (Look::Full | Look::Color, _) | (_, When::Always) => true,
        (Look::Basic | Look::Nocolor, _) | (_, When::Never) => false,
        (Look::Auto | Look::None, When::Auto) => wants_colour(terminal),
    }
}

/// Whether the environment asks for colours, see no-color.org and bixense.com/clicolors. `NO_COLOR` overrides the
/// variables that ask for them.
fn wants_colour(terminal: bool) -> bool {
    let says = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let is_on = |name: &str| says(name).map(|value| value != "0");
    let is_shown = terminal && can_redraw() && is_on("CLICOLOR") != Some(false);
    says("NO_COLOR").is_none() && (is_on("CLICOLOR_FORCE") == Some(true) || is_shown)
}

/// Whether the terminal can move its cursor, and so redraw lines.
pub(crate) fn can_redraw() -> bool {
    std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}

/// Style of a report's destination. The width is that of the variable `COLUMNS`, or else the terminal's, or else the
/// default.
pub(crate) fn style(output: &OutputArgs, terminal: bool) -> Style {
    let colour = has_colour(output, terminal);
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let width = columns.or_else(|| if terminal { seen() } else { None }).unwrap_or(Style::default().width);
    Style { colour, width, unicode: !output.ascii && speaks_unicode() && (!terminal || can_redraw()) }
}

/// Whether the locale is UTF-8. Without any locale variable UTF-8 is assumed.
fn speaks_unicode() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    set.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
