//! Figures and findings of labs in words.

use fauxplat_model::{Claim, Direction, LabMeasured, Plain};

use super::Found;

/// Words in which `{}` stands for what was found.
pub(super) fn naming(words: &str, found: &Found) -> String {
    let found = match found {
        Found::Value(Plain::Number(number)) => plain_number(*number),
        Found::Value(other) => other.to_string(),
        Found::Absent | Found::Unmeasured => "nothing".to_owned(),
    };
    words.replace("{}", &found)
}

/// What is measured has as many digits as a figure, what is counted all of them.
fn plain_number(number: f64) -> String {
    if number.fract() == 0.0 { number.to_string() } else { short(number) }
}

pub(super) fn figures(claim: &Claim, measured: LabMeasured) -> String {
    let LabMeasured { value, low, high } = measured;
    let interval = if low == high { String::new() } else { format!(" ({})", range(low, high)) };
    format!("measured {} {}{interval}, published {}", short(value), claim.unit, published(claim))
}

/// The published figures in words.
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

/// Four significant digits are more than any claim has.
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

    #[test]
    fn figures_are_short() {
        assert_eq!([short(1.0), short(213_000_000.0), short(0.012_345)], ["1.000", "213000000", "0.01235"]);
        assert_eq!(short(0.0), "0");
    }
}
