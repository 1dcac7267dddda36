//! `lines:REGEX`: any program that prints one benchmark a line.

use std::time::Duration;

use regex::{Regex, RegexBuilder};

use super::names::medians;
use super::unit::number;
use super::{Asked, Chosen, Harness, Missing, Output, Reading, Told, Unit};
use crate::error::SuiteError;

/// Lines that match a pattern. Its groups are `name`, `value` and `unit`; without names they are the first, the second and
/// the third.
#[derive(Debug)]
pub(super) struct Lines {
    pattern: Regex,
}

impl Lines {
    /// Lines that match this pattern.
    ///
    /// # Errors
    /// The pattern is invalid, or has fewer than two groups.
    pub(super) fn new(pattern: &str) -> Result<Self, SuiteError> {
        let fail = |why: String| SuiteError::Pattern { pattern: pattern.to_owned(), why };
        let compiled = RegexBuilder::new(pattern).multi_line(true).build().map_err(|error| {
            fail(
                error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned(),
            )
        })?;
        match compiled.captures_len() {
            0..=2 => Err(fail(
                "it needs two groups, the name and the number, as in '^(\\S+): ([0-9.]+) (ns)'".to_owned(),
            )),
            _ => Ok(Lines { pattern: compiled }),
        }
    }
}

impl Harness for Lines {
    fn name(&self) -> String {
        format!("lines:{}", self.pattern.as_str())
    }

    fn list(&self, _user: &[String], _folder: &str) -> Asked {
        Asked::default()
    }

    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError> {
        Ok(medians(self.told(output)?.readings).into_iter().map(|it| it.name).collect())
    }

    fn run(&self, _user: &[String], _chosen: Chosen<'_>, _time: Duration, _folder: &str) -> Asked {
        Asked::default()
    }

    fn told(&self, output: &Output) -> Result<Told, SuiteError> {
        let mut told = Told::default();
        for found in self.pattern.captures_iter(&output.stdout) {
            let group = |name: &str, number: usize| {
                found.name(name).or_else(|| found.get(number)).map_or("", |it| it.as_str())
            };
            let (name, value, unit) =
                (group("name", 1).trim().to_owned(), group("value", 2), group("unit", 3));
            match number(value) {
                Some(value) => {
                    let (value, unit) = Unit::reading(value, unit.trim());
                    told.readings.push(Reading { name, value, unit });
                }
                None => told.missing.push(Missing { name, why: format!("`{value}` is no number") }),
            }
        }
        match told.readings.is_empty() && told.missing.is_empty() {
            true => Err(SuiteError::output("lines", "none of its lines matches")),
            false => Ok(told),
        }
    }

    fn can_choose(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_benchmarks() {
        let lines = Lines::new(r"^(.+): ([0-9.,]+) (\S+)$").unwrap();
        let told = lines.told(&Output::printed("a, b: 1,5 us\nhello\nc/d: 7 ns\nrate: 3 MB/s\n")).unwrap();
        let row =
            |name: &str, value, unit: &str| Reading { name: name.into(), value, unit: unit.parse().unwrap() };
        assert_eq!(
            told.readings,
            [row("a, b", 1500.0, "ns"), row("c/d", 7.0, "ns"), row("rate", 3.0, "MB/s")]
        );
        assert!(lines.told(&Output::printed("nothing")).is_err());
    }

    #[test]
    fn groups_may_have_names() {
        let lines = Lines::new(r"(?<value>\d+) for (?<name>\w+)").unwrap();
        assert_eq!(lines.told(&Output::printed("5 for x")).unwrap().readings[0].name, "x");
    }

    #[test]
    fn patterns_that_cannot_tell_a_benchmark_are_refused() {
        for bad in ["(a)", "a", "(", "a{5,2}(b)(c)"] {
            let error = Lines::new(bad).unwrap_err().to_string();
            assert!(!error.contains('\n') && error.contains("lines:"), "{error}");
        }
    }
}
