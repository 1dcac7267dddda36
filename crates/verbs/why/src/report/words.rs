//! Names and estimated times in the answer.

use fauxplat_report::say;
use fauxplat_units::Nanos;

/// Columns of a name in the answer.
const NAME: usize = 60;

/// A name, shortened at its end: the answer is the one sentence that has to be read as a whole, and a name that lacks its
/// middle would not be known.
pub(super) fn short(name: &str) -> String {
    let name = say::visible(name);
    if name.chars().count() <= NAME {
        return name;
    }
    let begin: String = name.chars().take(NAME - 1).collect();
    format!("{}…", begin.trim_end())
}

/// A function with the line of its source, whose folders stand in the evidence.
pub(super) fn at(place: &str) -> String {
    match place.split_once(" (") {
        Some((function, line)) if line.ends_with(')') => {
            let file = line.rsplit('/').next().unwrap_or(line);
            format!("{} ({}", short(function), say::visible(file))
        }
        _ => short(place),
    }
}

/// A time that is estimated.
pub(super) fn about(seconds: f64) -> String {
    Nanos::from_secs_f64(rounded(seconds.clamp(0.0, 1e9))).to_string()
}

/// A number with two digits.
fn rounded(value: f64) -> f64 {
    let unit = 10f64.powf(value.max(f64::MIN_POSITIVE).log10().floor() - 1.0);
    if value > 0.0 { (value / unit).round() * unit } else { 0.0 }
}
