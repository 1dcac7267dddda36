//! Catch2: <https://github.com/catchorg/Catch2/blob/devel/docs/benchmarks.md>.

use std::time::Duration;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::unit::number;
use super::{Asked, Chosen, Harness, Output, Reading, Told, Unit, numbered};
use crate::error::SuiteError;

#[derive(Debug)]
pub(super) struct Catch2;

/// Separator between the names of a test case and of a benchmark in that test case.
const BETWEEN: &str = " / ";

impl Harness for Catch2 {
    fn name(&self) -> String {
        "catch2".to_owned()
    }

    fn list(&self, user: &[String], _folder: &str) -> Asked {
        self.briefly(user, 1, 1)
    }

    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError> {
        Ok(self.told(output)?.readings.into_iter().map(|it| it.name).collect())
    }

    /// Selects the test cases of the chosen benchmarks, since Catch2 cannot select a benchmark within a test case.
    fn run(&self, user: &[String], chosen: Chosen<'_>, time: Duration, _folder: &str) -> Asked {
        // Each sample takes at least a few hundred microseconds.
        let samples = (time.as_millis() as u32).clamp(3, 100);
        let mut asked = self.briefly(user, samples, 2);
        let mut cases: Vec<&str> = chosen.only.iter().map(|name| case_of(name)).collect();
        cases.dedup();
        asked.arguments.push(cases.into_iter().map(spelt).collect::<Vec<_>>().join(","));
        asked
    }

    fn told(&self, output: &Output) -> Result<Told, SuiteError> {
        let mut reader = Reader::from_str(&output.stdout);
        let (mut case, mut name, mut is_whole) = (String::new(), String::new(), false);
        let mut found: Vec<(String, f64)> = Vec::new();
        loop {
            match reader.read_event().map_err(|error| SuiteError::output("Catch2", &error.to_string()))? {
                Event::Start(tag) | Event::Empty(tag) => match tag.name().as_ref() {
                    b"TestCase" => case = attribute(&tag, "name")?.unwrap_or_default(),
                    b"BenchmarkResults" => name = attribute(&tag, "name")?.unwrap_or_default(),
                    b"mean" => {
                        let value = attribute(&tag, "value")?.as_deref().and_then(number);
                        found.extend(value.map(|value| (format!("{case}{BETWEEN}{name}"), value)));
                    }
                    _ => {}
                },
                Event::End(tag) => is_whole |= matches!(tag.name().as_ref(), b"Catch" | b"Catch2TestRun"),
                Event::Eof => break,
                _ => {}
            }
        }
        if !is_whole {
            return Err(SuiteError::output("Catch2", "its XML document is incomplete"));
        }
        let names = numbered(found.iter().map(|(name, _)| name.clone()).collect());
        let reading =
            |(name, (_, value)): (String, &(String, f64))| Reading { name, value: *value, unit: Unit::Ns };
        Ok(Told { readings: names.into_iter().zip(&found).map(reading).collect(), missing: Vec::new() })
    }
}

impl Catch2 {
    fn briefly(&self, user: &[String], samples: u32, warm_up_ms: u32) -> Asked {
        let mut asked = Asked::words(["-r", "xml"]);
        asked.pair(user, "--benchmark-samples", samples);
        asked.pair(user, "--benchmark-warmup-time", warm_up_ms);
        asked.word(user, "--benchmark-no-analysis");
        asked
    }
}

fn case_of(name: &str) -> &str {
    name.split_once(BETWEEN).map_or(name, |(case, _)| case)
}

/// Escapes the name of a test case for Catch2's filter syntax, in which commas separate names, brackets enclose tags
/// and stars are wildcards.
fn spelt(case: &str) -> String {
    let mut spelt = String::new();
    for character in case.chars() {
        if matches!(character, ',' | '[' | '*' | '\\' | '"' | '~') {
            spelt.push('\\');
        }
        spelt.push(character);
    }
    spelt
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, SuiteError> {
    let fail = |error: &dyn std::fmt::Display| SuiteError::output("Catch2", &error.to_string());
    match tag.try_get_attribute(name).map_err(|error| fail(&error))? {
        Some(found) => Ok(Some(found.unescape_value().map_err(|error| fail(&error))?.into_owned())),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_captured_output_is_read() {
        let text = include_str!("../../fixtures/catch2.xml");
        let told = Catch2.told(&Output::printed(text)).unwrap();
        let names: Vec<&str> = told.readings.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["plain / work 100", "plain / work, \"1000\" <x>", "odd, [name] \\ * / b"]);
        assert!(told.readings[0].value > 10.0);
        for part in [2, 3] {
            assert!(Catch2.told(&Output::printed(&text[..text.len() * (part - 1) / part])).is_err());
        }
    }

    #[test]
    fn test_cases_are_spelt_as_catch2_reads_them() {
        let all = ["a, [b] / x", "a, [b] / y", "c / z"].map(str::to_owned);
        let asked = Catch2.run(&[], Chosen { all: &all, only: &all }, Duration::from_millis(5), "/x");
        assert_eq!(asked.arguments.last().unwrap(), r"a\, \[b],c");
    }
}
