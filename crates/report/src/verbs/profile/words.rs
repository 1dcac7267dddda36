//! How shares, intervals and names are written in all reports of profiles.

use fauxplat_model::{ProfileQuality, Whole};

use crate::parts::spans;
use crate::words::{TIE, shorten, visible};

/// Maximum width of a function's name in columns: names of templates and closures may have thousands of characters.
const NAME_MAX: usize = 200;
/// Maximum width of a file's name beside a function, in columns.
const FILE_MAX: usize = 24;
/// Maximum number of rows of a table in a brief and in a full report.
pub(super) const ROWS: [usize; 2] = [15, 40];
/// Share from which on per cents have one decimal; smaller ones have two.
const COARSE: f64 = 0.00995;

/// A function's or program's name as a marked word of a sentence.
pub(super) fn named(name: &str) -> String {
    spans::named(&short(name))
}

/// A function's or program's name in a table, shortened.
pub(super) fn short(name: &str) -> String {
    shorten(&visible(name), NAME_MAX, "…")
}

/// The last component of a file's path, shortened for a table.
pub(super) fn file(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    shorten(&visible(name), FILE_MAX, "…")
}

/// Name of the quantity of which the samples of a profile show the parts.
pub(super) fn whole(quality: &ProfileQuality) -> String {
    match (quality.whole(), quality.event.split(':').next().unwrap_or_default()) {
        (Whole::CpuTime, _) => "CPU time".to_owned(),
        (Whole::WaitingTime, _) => "waiting time".to_owned(),
        (Whole::Events, "") => "samples".to_owned(),
        (Whole::Events, other) => visible(other),
    }
}

/// A share as a number of per cent, with as many digits as suit the share `like`.
fn digits(share: f64, like: f64) -> String {
    let percent = share * 100.0 + 0.0;
    match like.abs() {
        _ if !percent.is_finite() => "?".to_owned(),
        like if like >= COARSE => format!("{percent:.1}"),
        _ => format!("{percent:.2}"),
    }
}

/// A share in per cent, such as `41.2 %`.
pub(super) fn share(share: f64) -> String {
    format!("{}{TIE}%", digits(share, share))
}

/// A share with its interval, such as `41.2 % (39.8–42.6 %)`, for a sentence.
pub(super) fn share_within(value: f64, low: f64, high: f64) -> String {
    format!("{}{TIE}% ({}–{}{TIE}%)", digits(value, value), digits(low, value), digits(high, value))
}

/// A share and its interval for a cell of a table.
pub(super) fn cell(value: f64, low: f64, high: f64) -> String {
    format!("{}{TIE}% ({}–{})", digits(value, value), digits(low, value), digits(high, value))
}

/// A difference of shares as a number of per cent with its sign, such as `+5.1`.
pub(super) fn signed(value: f64) -> String {
    match digits(value, 1.0) {
        shown if shown == "?" => shown,
        shown => match shown.trim_start_matches('-') {
            "0.0" => "0.0".to_owned(),
            magnitude => format!("{}{magnitude}", if value < 0.0 { '−' } else { '+' }),
        },
    }
}

/// A difference with its interval, such as `+5.1 (+4.3 to +5.9)`, for a cell of a table.
pub(super) fn signed_cell(value: f64, low: f64, high: f64) -> String {
    format!("{} ({} to {})", signed(value), signed(low), signed(high))
}

/// The absolute value of a difference of shares, as a number of per cent.
pub(super) fn magnitude(value: f64) -> String {
    digits(value.abs(), 1.0)
}

/// A part as a share of a whole; 0 if the whole is 0.
pub(super) fn part(part: u64, whole: u64) -> f64 {
    if whole > 0 { part as f64 / whole as f64 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::spaced;

    #[test]
    fn shares_have_the_digits_that_say_something() {
        assert_eq!(spaced(&share_within(0.412, 0.398, 0.426)), "41.2 % (39.8–42.6 %)");
        assert_eq!(spaced(&cell(0.0031, 0.0012, 0.0051)), "0.31 % (0.12–0.51)");
        assert_eq!(spaced(&share(f64::NAN)), "? %");
        assert_eq!(spaced(&share(0.0)), "0.00 %");
    }

    #[test]
    fn differences_have_a_sign_and_zero_has_none() {
        assert_eq!(signed_cell(0.051, 0.043, 0.059), "+5.1 (+4.3 to +5.9)");
        assert_eq!(signed_cell(-0.0004, -0.02, 0.0003), "0.0 (−2.0 to 0.0)");
        assert_eq!([signed(f64::INFINITY), magnitude(-0.012)], ["?", "1.2"]);
    }

    #[test]
    fn clocks_count_time_and_all_else_itself() {
        let of = |event: &str| whole(&ProfileQuality { event: event.into(), ..ProfileQuality::default() });
        assert_eq!(
            ["cpu-clock", "cycles:u", "off-cpu", "page-faults", ""].map(of),
            ["CPU time", "CPU time", "waiting time", "page-faults", "samples"]
        );
    }

    #[test]
    fn a_file_is_its_last_step() {
        assert_eq!(
            ["/usr/lib/libc.so.6", "[kernel]", "", "/a/"].map(file),
            ["libc.so.6", "[kernel]", "", "a"]
        );
    }
}
