//! Parses the levels in the text of a sweep: `LOW..HIGH`, `LOW..HIGH:STEP`, or a list.

use fauxplat_model::Factor;

use super::{FactorError, LEVELS_MAX};

/// The levels that a range or a list denotes, as text: the entries of a list as written, and the numbers of a range in
/// decimal digits.
pub(super) fn items(factor: &Factor, text: &str) -> Result<Vec<String>, FactorError> {
    match text.contains("..") {
        true => Ok(numbers(factor, text)?.iter().map(u64::to_string).collect()),
        false => {
            let items: Vec<String> = text.split(',').map(|item| item.trim().to_owned()).collect();
            match items.iter().any(String::is_empty) {
                true if text.is_empty() => Err(FactorError::Empty(factor.to_string())),
                true => Err(not_a_range(factor, text)),
                false => Ok(items),
            }
        }
    }
}

/// The numbers from the lower end of a range in steps, up to and including the upper end if a step falls on it.
fn numbers(factor: &Factor, text: &str) -> Result<Vec<u64>, FactorError> {
    let fail = || not_a_range(factor, text);
    let (ends, step) = text.split_once(':').map_or((text, "1"), |(ends, step)| (ends, step));
    let (low, high) = ends.split_once("..").ok_or_else(fail)?;
    let number = |digits: &str| digits.trim().parse::<u64>().map_err(|_| fail());
    let (low, high, step) = (number(low)?, number(high)?, number(step)?);
    if step == 0 {
        return Err(fail());
    }
    if low > high {
        return Err(FactorError::Reversed { factor: factor.to_string(), range: text.to_owned() });
    }
    let count = usize::try_from((high - low) / step).unwrap_or(usize::MAX).saturating_add(1);
    match count > LEVELS_MAX {
        true => Err(FactorError::TooMany { factor: factor.to_string(), count, most: LEVELS_MAX }),
        false => Ok((0..count as u64).map(|index| low + index * step).collect()),
    }
}

fn not_a_range(factor: &Factor, text: &str) -> FactorError {
    FactorError::Range { factor: factor.to_string(), range: text.to_owned() }
}
