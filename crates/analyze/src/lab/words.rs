//! Sentences about the figures and findings of labs.

use fauxplat_model::{Claim, Direction, LabMeasured, Plain, is_no_bound};

use super::Found;

/// The text `words` with the value found in place of `{}`.
pub(super) fn naming(words: &str, found: &Found) -> String {
    let found = match found {
        Found::Value(Plain::Number(number)) => plain_number(*number),
        Found::Value(other) => other.to_string(),
        Found::Absent | Found::Unmeasured => "nothing".to_owned(),
    };
    words.replace("{}", &found)
}

/// A number as text: with all its digits if it is an integer, otherwise with four significant digits.
fn plain_number(number: f64) -> String {
    if number.fract() == 0.0 { number.to_string() } else { short(number) }
}

pub(super) fn figures(claim: &Claim, measured: LabMeasured) -> String {
    let LabMeasured { value, low, high } = measured;
    let interval = match (is_no_bound(low), is_no_bound(high)) {
        _ if low == high => String::new(),
        (true, true) => " (too few runs for an interval)".to_owned(),
        (true, false) => format!(" (at most {})", short(high)),
        (false, true) => format!(" (at least {})", short(low)),
        (false, false) => format!(" ({})", range(low, high)),
    };
    format!("measured {} {}{interval}, published {}", short(value), claim.unit, published(claim))
}

fn published(claim: &Claim) -> String {
    match (claim.low, claim.high) {
        (Some(low), Some(high)) => range(low, high),
        (Some(low), None) => format!("{} or more", short(low)),
        (None, Some(high)) => format!("{} or less", short(high)),
        (None, None) => match claim.direction {
            Some(Direction::Above) => format!("more than {}", short(claim.than)),
            Some(Direction::Below) => format!("less than {}", short(claim.than)),
            Some(Direction::At) | None => short(claim.than),
        },
    }
}

fn range(low: f64, high: f64) -> String {
    if low == high { short(low) } else { format!("{} to {}", short(low), short(high)) }
}

/// A number as text with four significant digits, which is more than the figures of any claim have.
pub(super) fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    format!("{value:.*}", digits.clamp(0, 12) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::NO_BOUND_LOG;

    #[test]
    fn an_interval_without_bounds_is_told_as_none() {
        let claim = Claim { unit: "times".to_owned(), than: 1.0, ..Claim::default() };
        let no_bound = NO_BOUND_LOG.exp();
        let told = |low, high| figures(&claim, LabMeasured { value: 0.9, low, high });
        assert!(told(1.0 / no_bound, no_bound).contains("0.9000 times (too few runs for an interval)"));
        assert!(told(0.8, no_bound).contains("(at least 0.8000)"));
        assert!(told(0.8, 1.1).contains("(0.8000 to 1.100)"));
    }

    #[test]
    fn figures_are_short() {
        assert_eq!([short(1.0), short(213_000_000.0), short(0.012_345)], ["1.000", "213000000", "0.01235"]);
        assert_eq!(short(0.0), "0");
    }
}
