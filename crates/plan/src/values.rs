//! Values of a parameter: a list with commas, or a range of numbers.

use std::fmt;

/// Why a text is no list of values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValuesError {
    /// An end or a step of a range that is not a number.
    #[error("`{0}` is not a number such as 3 or 0.25")]
    Number(String),
    #[error(
        "{from} to {to} in steps of {step} holds no number: the first must not be above the last, and the step must be above 0"
    )]
    Empty { from: String, to: String, step: String },
    #[error("{from} to {to} in steps of {step} are more than {VALUES_MAX} values")]
    TooMany { from: String, to: String, step: String },
}

/// Greatest number of values. A larger number is most likely a typing error.
const VALUES_MAX: i128 = 10_000;

/// The values of a list `a,b,c`, in which `\,` is a comma and an empty element is an empty value, or of a range `1..8`
/// or `1..8:2`, in which the second end is included if a step falls on it.
///
/// # Errors
/// Fails for a range that cannot be expanded.
pub fn values(text: &str) -> Result<Vec<String>, ValuesError> {
    match text.split_once("..").map(|(from, rest)| (from, rest.split_once(':').unwrap_or((rest, "1")))) {
        Some((from, (to, step))) if [from, to, step].iter().all(|word| Decimal::read(word).is_some()) => {
            range(from, to, step)
        }
        _ => Ok(list(text)),
    }
}

fn list(text: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let last = values.len() - 1;
        match c {
            '\\' if rest.next_if_eq(&',').is_some() => values[last].push(','),
            ',' => values.push(String::new()),
            c => values[last].push(c),
        }
    }
    values
}

/// The numbers of a range as text. The upper end is included if a step falls on it. Decimals are computed exactly.
///
/// # Errors
/// Fails for text that is not a number, and for ranges without a number or with too many.
pub fn range(from: &str, to: &str, step: &str) -> Result<Vec<String>, ValuesError> {
    let read = |word: &str| Decimal::read(word).ok_or_else(|| ValuesError::Number(word.to_owned()));
    let (low, high, width) = (read(from)?, read(to)?, read(step)?);
    let places = low.places.max(high.places).max(width.places);
    let [first, last, stride] = [low, high, width].map(|number| number.in_places(places));
    let [from, to, step] = [from, to, step].map(str::to_owned);
    if stride <= 0 || first > last {
        return Err(ValuesError::Empty { from, to, step });
    }
    if (last - first) / stride >= VALUES_MAX {
        return Err(ValuesError::TooMany { from, to, step });
    }
    let shown = low.places.max(width.places);
    let number = |index: i128| Decimal { digits: first + index * stride, places };
    Ok((0..=(last - first) / stride).map(|index| number(index).rounded_to(shown).to_string()).collect())
}

/// A decimal number, represented exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Decimal {
    /// The number without its decimal point; `places` of its digits stand after the point.
    digits: i128,
    places: u32,
}

/// Greatest number of digits before and after the decimal point. With more, computations could overflow.
const PLACES_MAX: usize = 12;

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (sign, number) = text.strip_prefix('-').map_or((1, text), |number| (-1, number));
        let (whole, behind) = number.split_once('.').unwrap_or((number, ""));
        let is_digits =
            |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()) && part.len() <= PLACES_MAX;
        if number.is_empty() || number == "." || !is_digits(whole) || !is_digits(behind) {
            return None;
        }
        let digits: i128 = format!("0{whole}{behind}").parse().ok()?;
        Some(Decimal { digits: sign * digits, places: behind.len() as u32 })
    }

    fn in_places(self, places: u32) -> i128 {
        self.digits * 10_i128.pow(places - self.places)
    }

    /// The number with fewer decimal places; the dropped digits must be zero.
    fn rounded_to(self, places: u32) -> Self {
        Decimal { digits: self.digits / 10_i128.pow(self.places - places), places }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, places) = (if self.digits < 0 { "-" } else { "" }, self.places as usize);
        let digits = format!("{:0width$}", self.digits.abs(), width = places + 1);
        let (whole, behind) = digits.split_at(digits.len() - places);
        match behind {
            "" => write!(f, "{sign}{whole}"),
            behind => write!(f, "{sign}{whole}.{behind}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<String> {
        values(text).unwrap()
    }

    #[test]
    fn lists_keep_what_is_written() {
        assert_eq!(of("1,10,100"), ["1", "10", "100"]);
        assert_eq!(of(""), [""]);
        assert_eq!(of("a,,b"), ["a", "", "b"]);
        assert_eq!(of(r"a\,b,c\d,\"), ["a,b", r"c\d", r"\"]);
        assert_eq!(of("main..next"), ["main..next"]);
        assert_eq!(of("../a,b"), ["../a", "b"]);
    }

    #[test]
    fn ranges_are_counted_exactly() {
        assert_eq!(of("1..8:2"), ["1", "3", "5", "7"]);
        assert_eq!(of("3..3"), ["3"]);
        assert_eq!(range("0.3", "0.7", "0.2").unwrap(), ["0.3", "0.5", "0.7"]);
        assert_eq!(range("-1", "1", "0.50").unwrap(), ["-1.00", "-0.50", "0.00", "0.50", "1.00"]);
        assert_eq!(range("1", "2.5", "1").unwrap(), ["1", "2"]);
        for (from, to, step) in [("2", "1", "1"), ("1", "2", "0"), ("1", "2", "-1")] {
            assert!(matches!(range(from, to, step), Err(ValuesError::Empty { .. })), "{from} {to} {step}");
        }
        assert_eq!(range("a", "2", "1"), Err(ValuesError::Number("a".into())));
        assert!(matches!(range("0", "999999999999", "0.000000000001"), Err(ValuesError::TooMany { .. })));
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_read_or_refused(text in "\\PC{0,40}") {
            let _read_or_refused = values(&text);
        }

        #[test]
        fn a_list_of_values_without_commas_is_itself(list in prop::collection::vec("[a-z ]{0,5}", 1..5)) {
            prop_assert_eq!(of(&list.join(",")), list);
        }
    }
}
