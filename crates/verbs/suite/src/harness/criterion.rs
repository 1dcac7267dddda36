//! criterion.rs: <https://bheisler.github.io/criterion.rs/book/user_guide/command_line_options.html>.

use std::time::Duration;

use serde::Deserialize;

use super::names::plain;
use super::{Asked, Chosen, Harness, Output, Reading, Told, Unit, any_of, numbered};
use crate::error::SuiteError;

#[derive(Debug)]
pub(super) struct Criterion;

/// The smallest sample size that criterion.rs accepts.
const SAMPLES: u32 = 10;

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
}

#[derive(Deserialize)]
struct Sample {
    iters: Vec<f64>,
    times: Vec<f64>,
}

impl Harness for Criterion {
    fn name(&self) -> String {
        "criterion".to_owned()
    }

    fn list(&self, user: &[String], _folder: &str) -> Asked {
        let mut asked = Asked::default();
        asked.word(user, "--bench");
        asked.arguments.extend(["--list", "--format", "terse"].map(str::to_owned));
        asked
    }

    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError> {
        let names =
            output.stdout.lines().filter_map(|line| line.strip_suffix(": benchmark")).map(str::to_owned);
        Ok(numbered(names.collect()))
    }

    /// Sets a separate folder for results, so that the user's stored results are neither read nor written.
    fn run(&self, user: &[String], chosen: Chosen<'_>, time: Duration, folder: &str) -> Asked {
        let mut asked = Asked { env: vec![format!("CRITERION_HOME={folder}")], ..Asked::default() };
        asked.word(user, "--bench");
        asked.word(user, "--noplot");
        asked.pair(user, "--warm-up-time", 0.5 * time.as_secs_f64());
        asked.pair(user, "--measurement-time", time.as_secs_f64());
        asked.pair(user, "--sample-size", SAMPLES);
        asked.pair(user, "--nresamples", 1000);
        asked.arguments.push(any_of(chosen.only.iter().map(|name| plain(name, chosen.all))));
        asked
    }

    fn told(&self, output: &Output) -> Result<Told, SuiteError> {
        let fail = |error: serde_json::Error| SuiteError::json("criterion", &error);
        let mut readings = Vec::new();
        for (path, text) in output.files.iter().filter(|(path, _)| path.ends_with("new/benchmark.json")) {
            let name = serde_json::from_str::<Benchmark>(text).map_err(fail)?.full_id;
            let beside = path.replace("new/benchmark.json", "new/sample.json");
            let sample = output.files.iter().find(|(path, _)| *path == beside);
            let Some((_, sample)) = sample else { continue };
            let sample: Sample = serde_json::from_str(sample).map_err(fail)?;
            let each: Vec<f64> =
                sample.times.iter().zip(&sample.iters).map(|(time, iters)| time / iters).collect();
            // The median is taken since a single disturbed sample out of ten would move the mean.
            let value = fauxplat_stats::describe::median(&each);
            readings.extend(value.map(|value| Reading { name, value, unit: Unit::Ns }));
        }
        if readings.is_empty() {
            return Err(SuiteError::output(
                "criterion",
                "the program wrote no samples to the folder of CRITERION_HOME",
            ));
        }
        Ok(Told { readings, missing: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured() -> Output {
        let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        Output {
            stdout: String::new(),
            files: vec![
                file(
                    "group_with, _odd_/f/10/new/benchmark.json",
                    include_str!("../../fixtures/criterion-benchmark.json"),
                ),
                file(
                    "group_with, _odd_/f/10/new/sample.json",
                    include_str!("../../fixtures/criterion-sample.json"),
                ),
                file(
                    "group_with, _odd_/f/10/base/benchmark.json",
                    include_str!("../../fixtures/criterion-benchmark.json"),
                ),
            ],
        }
    }

    #[test]
    fn captured_files_are_read() {
        let told = Criterion.told(&captured()).unwrap();
        assert_eq!(told.readings.len(), 1);
        assert_eq!(told.readings[0].name, "group/with, \"odd\"/f/10");
        assert!(told.readings[0].value > 1.0 && told.readings[0].value < 1000.0, "{told:?}");
    }

    #[test]
    fn lists_and_filters_have_the_names_of_the_user() {
        let listed =
            Criterion.listed(&Output::printed("work 100: benchmark\na: b: benchmark\nx: test\n")).unwrap();
        assert_eq!(listed, ["work 100", "a: b"]);
        let asked =
            Criterion.run(&[], Chosen { all: &listed, only: &listed[..1] }, Duration::from_millis(20), "/x");
        assert_eq!(asked.arguments.last().unwrap(), "^(work 100)$");
        assert_eq!(asked.env, ["CRITERION_HOME=/x"]);
    }

    #[test]
    fn half_a_file_is_an_error() {
        let mut half = captured();
        half.files[1].1.truncate(30);
        assert!(Criterion.told(&half).is_err());
        assert!(Criterion.told(&Output::default()).is_err());
    }
}
