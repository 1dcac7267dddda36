//! `lines:REGEX`: programs that print each benchmark on a line.

use regex::{Captures, Regex, RegexBuilder};

use super::unit::number;
use super::{Harness, Missing, Output, Reading, Told, Unit, numbered};
use crate::error::SuiteError;

/// Reads benchmarks from the lines that match a pattern: name, value and unit are the groups `name`, `value` and
/// `unit`, or the first, second and third group where groups have no names.
#[derive(Debug)]
pub(super) struct Lines {
    pattern: Regex,
}

impl Lines {
    /// A reader of lines that match `pattern`.
    ///
    /// # Errors
    /// Fails for an invalid pattern or one with fewer than two groups.
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

    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError> {
        Ok(self.told(output)?.readings.into_iter().map(|it| it.name).collect())
    }

    /// Lines with equal names in the output of one process are different benchmarks.
    fn told(&self, output: &Output) -> Result<Told, SuiteError> {
        self.rows(&output.stdout, numbered)
    }

    /// Lines with equal names in a stored file are readings of one benchmark in several processes.
    fn stored(&self, text: &str) -> Result<Told, SuiteError> {
        self.rows(text, |names| names)
    }

    fn can_choose(&self) -> bool {
        false
    }
}

impl Lines {
    /// Readings from the matching lines of a text; `named` turns the names on the lines into those of benchmarks.
    fn rows(&self, text: &str, named: impl Fn(Vec<String>) -> Vec<String>) -> Result<Told, SuiteError> {
        let group = |found: &Captures<'_>, name: &str, number: usize| {
            let group = found.name(name).or_else(|| found.get(number));
            group.map_or(String::new(), |it| it.as_str().trim().to_owned())
        };
        let rows = self.pattern.captures_iter(text);
        let rows: Vec<[String; 3]> = rows
            .map(|found| {
                [("name", 1), ("value", 2), ("unit", 3)].map(|(name, number)| group(&found, name, number))
            })
            .collect();
        let names = named(rows.iter().map(|[name, ..]| name.clone()).collect());
        let mut told = Told::default();
        for (name, [_, value, unit]) in names.into_iter().zip(rows) {
            match number(&value) {
                Some(value) => {
                    let (value, unit) = Unit::reading(value, &unit);
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
    fn names_that_occur_twice_are_numbered() {
        let lines = Lines::new(r"^(.+): (\S+) (ns)$").unwrap();
        let told = lines.told(&Output::printed("a: 1 ns\nb: 2 ns\na: ? ns\na: 9 ns\n")).unwrap();
        let names: Vec<&str> = told.readings.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "a #3"]);
        assert_eq!(told.missing[0].name, "a #2");
        let told = lines.stored("a: 1 ns\na: 9 ns\n").unwrap();
        assert_eq!(told.readings.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["a", "a"]);
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
