//! Names and estimated times in the answer.

use fauxplat_report::say;
use fauxplat_units::Nanos;

/// Maximum number of characters of a name in the answer.
const NAME: usize = 60;

/// A name cut at its end, since a name without its middle would not be recognized.
pub(super) fn short(name: &str) -> String {
    let name = say::visible(name);
    if name.chars().count() <= NAME {
        return name;
    }
    let begin: String = name.chars().take(NAME - 1).collect();
    format!("{}…", begin.trim_end())
}

/// A function with its source line, where the folders of the source file are left out.
pub(super) fn at(place: &str) -> String {
    match place.split_once(" (") {
        Some((function, line)) if line.ends_with(')') => {
            let file = line.rsplit('/').next().unwrap_or(line);
            format!("{} ({}", short(function), say::visible(file))
        }
        _ => short(place),
    }
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
