//! Names and estimated times in the answer.

use crate::findings::{Account, WhyFindings};
use fauxplat_report::say;
use fauxplat_units::Nanos;

/// Maximum number of characters of a name in the answer.
const NAME: usize = 60;
/// Number of characters up to which a function's name below the answer keeps its template arguments, and the maximum
/// number of columns of such a name in a table.
const WIDE: usize = 100;
/// Number of characters up to which names in a sentence of the evidence keep their template arguments.
const LINE: usize = 160;

/// Words for the times whose difference is shown where that of wall time is not.
pub(super) fn shown_in(found: &WhyFindings) -> &'static str {
    let has_waits = found.parts.iter().any(|part| part.account == Account::Blocked);
    if has_waits { "time, without the waits for a CPU," } else { "CPU time" }
}

/// A name cut at its end, since a name without its middle would not be recognized.
pub(super) fn short(name: &str) -> String {
    let name = say::visible(name);
    if name.chars().count() <= NAME {
        return name;
    }
    let begin: String = name.chars().take(NAME - 1).collect();
    format!("{}…", begin.trim_end())
}

/// Where a cause lies, for the answer: a function with its source line, without the folders of the source file, and with
/// its caller.
pub(super) fn at(place: &str) -> String {
    // Function and caller are shortened separately, so that both keep their beginnings.
    if let Some((function, caller)) = place.split_once(CALLED_BY) {
        return format!("{}, called by {}", at(function), at(caller));
    }
    match with_line(place) {
        Some((function, line)) => {
            let file = line.rsplit('/').next().unwrap_or(line);
            format!("{} ({})", cut(function), say::visible(file))
        }
        None => cut(place),
    }
}

/// Text between a function and its caller in the place of a cause.
const CALLED_BY: &str = " called by ";

/// A function and its source line, in a place such as `walk (src/work.c:12)`; `None` without a line.
fn with_line(place: &str) -> Option<(&str, &str)> {
    let (function, line) = place.strip_suffix(')')?.rsplit_once(" (")?;
    let (_, number) = line.rsplit_once(':')?;
    number.parse::<u32>().is_ok().then_some((function, line))
}

/// The name of a function, cut at its end if it is still too long without its template arguments.
fn cut(name: &str) -> String {
    let is_long = say::visible(name).chars().count() > NAME;
    if is_long { short(&say::without_arguments(name)) } else { short(name) }
}

/// Where a cause lies, for its evidence: functions and source line in full, but for the template arguments of long names.
pub(super) fn place(place: &str) -> String {
    let (function, caller) = place.split_once(CALLED_BY).unwrap_or((place, ""));
    let own = match with_line(function) {
        Some((function, line)) => format!("{} ({line})", wide(function)),
        None => wide(function),
    };
    if caller.is_empty() { own } else { format!("{own}{CALLED_BY}{}", wide(caller)) }
}

/// A name, without template arguments if it is long.
pub(super) fn wide(name: &str) -> String {
    if name.chars().count() > WIDE { say::without_arguments(name) } else { name.to_owned() }
}

/// A sentence of the evidence, which is long only if it contains long names of functions. These are then shown without
/// template arguments.
pub(super) fn line(sentence: &str) -> String {
    let is_long = sentence.chars().count() > LINE;
    say::visible(&if is_long { say::without_arguments(sentence) } else { sentence.to_owned() })
}

/// Names of functions for a column of a table. Different names that would become equal without their template arguments
/// keep both ends instead.
pub(super) fn column(full: &[&str]) -> Vec<String> {
    let short: Vec<String> = full.iter().map(|name| say::function(name, WIDE)).collect();
    let is_alike =
        |at: usize| (0..full.len()).any(|other| short[other] == short[at] && full[other] != full[at]);
    let of = |at: usize| match is_alike(at) {
        true => say::shorten(&say::visible(full[at]), WIDE, "…"),
        false => short[at].clone(),
    };
    (0..full.len()).map(of).collect()
}

/// A duration in seconds, rounded to two digits, as text with a suitable unit.
pub(super) fn about(seconds: f64) -> String {
    Nanos::from_secs_f64(rounded(seconds.clamp(0.0, 1e9))).to_string()
}

/// The number rounded to two significant digits; zero if it is not positive.
fn rounded(value: f64) -> f64 {
    let unit = 10f64.powf(value.max(f64::MIN_POSITIVE).log10().floor() - 1.0);
    if value > 0.0 { (value / unit).round() * unit } else { 0.0 }
}
