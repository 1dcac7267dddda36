//! Google Benchmark: <https://github.com/google/benchmark/blob/main/docs/user_guide.md>.

use std::time::Duration;

use serde::Deserialize;

use super::names::plain;
use super::{Asked, Chosen, Harness, Missing, Output, Reading, Told, Unit, any_of, numbered};
use crate::error::SuiteError;

#[derive(Debug)]
pub(super) struct Google {
    /// Whether readings are the thread's CPU time, which excludes preemption, and not real time.
    pub(super) cpu: bool,
}

/// Name of the results file, since standard output may contain text of the program itself.
const FILE: &str = "google-benchmark.json";

#[derive(Deserialize)]
struct Document {
    benchmarks: Vec<GoogleRow>,
}

#[derive(Deserialize)]
struct GoogleRow {
    name: String,
    run_name: Option<String>,
    #[serde(default)]
    run_type: String,
    repetition_index: Option<u32>,
    aggregate_name: Option<String>,
    real_time: Option<f64>,
    cpu_time: Option<f64>,
    #[serde(default)]
    time_unit: String,
    #[serde(default)]
    error_occurred: bool,
    #[serde(default)]
    skipped: bool,
    error_message: Option<String>,
}

impl Harness for Google {
    fn name(&self) -> String {
        if self.cpu { "google-benchmark:cpu".to_owned() } else { "google-benchmark".to_owned() }
    }

    fn list(&self, _user: &[String], _folder: &str) -> Asked {
        Asked::words(["--benchmark_list_tests=true"])
    }

    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError> {
        let names = output.stdout.lines().filter(|line| !line.is_empty()).map(str::to_owned);
        Ok(numbered(names.collect()))
    }

    fn run(&self, user: &[String], chosen: Chosen<'_>, time: Duration, folder: &str) -> Asked {
        let mut asked = Asked::words([
            &format!("--benchmark_out={folder}/{FILE}"),
            "--benchmark_out_format=json",
            &format!("--benchmark_filter={}", any_of(chosen.only.iter().map(|name| plain(name, chosen.all)))),
        ]);
        asked.option(user, "--benchmark_min_time", time.as_secs_f64());
        asked.option(user, "--benchmark_repetitions", 1);
        asked
    }

    /// Since version 1.8, Google Benchmark accepts a number of rounds; before, only a number of seconds.
    fn rounds_in_help(&self) -> Option<&'static str> {
        Some("<integer>x")
    }

    fn alone(&self, user: &[String], name: &str, all: &[String], rounds: u64) -> Option<Vec<String>> {
        let mut asked =
            Asked::words([&format!("--benchmark_filter={}", any_of(std::iter::once(plain(name, all))))]);
        asked.option(user, "--benchmark_min_time", format!("{rounds}x"));
        asked.option(user, "--benchmark_repetitions", 1);
        Some(asked.arguments)
    }

    fn told(&self, output: &Output) -> Result<Told, SuiteError> {
        let text = output.file_or_stdout(FILE);
        let document: Document =
            serde_json::from_str(text).map_err(|error| SuiteError::json("Google Benchmark", &error))?;
        let rows: Vec<GoogleRow> = document
            .benchmarks
            .into_iter()
            .filter(|row| row.run_type != "aggregate" && row.aggregate_name.is_none())
            .collect();
        // Repetitions have the name of their benchmark. Of two benchmarks with the same name, each has a row with
        // repetition index 0, so those rows tell the benchmarks apart.
        let first: Vec<&GoogleRow> =
            rows.iter().filter(|row| row.repetition_index.unwrap_or(0) == 0).collect();
        let names = numbered(first.iter().map(|row| row.name().to_owned()).collect());
        let mut told = Told::default();
        let mut next = 0;
        for row in &rows {
            let name = match row.repetition_index.unwrap_or(0) {
                0 => {
                    next += 1;
                    names[next - 1].clone()
                }
                _ => row.name().to_owned(),
            };
            let time = if self.cpu { row.cpu_time } else { row.real_time };
            match time.filter(|_| !row.error_occurred && !row.skipped) {
                Some(value) => {
                    let (value, unit) = Unit::reading(value, &row.time_unit);
                    told.readings.push(Reading { name, value, unit });
                }
                None => {
                    let why = row.error_message.clone().unwrap_or_else(|| "no time was given".to_owned());
                    told.missing.push(Missing { name, why });
                }
            }
        }
        Ok(told)
    }
}

impl GoogleRow {
    fn name(&self) -> &str {
        self.run_name.as_deref().unwrap_or(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured() -> Output {
        Output::printed(include_str!("../../fixtures/google-benchmark.json"))
    }

    #[test]
    fn a_captured_output_is_read() {
        let told = Google { cpu: false }.told(&captured()).unwrap();
        let names: Vec<&str> = told.readings.iter().map(|it| it.name.as_str()).collect();
        assert!(names.contains(&"BM_same") && names.contains(&"BM_same #2"), "{names:?}");
        assert!(names.contains(&"odd, \"quoted\" (name)+[x]/32"), "{names:?}");
        let cpu = Google { cpu: true }.told(&captured()).unwrap();
        assert!(
            cpu.readings
                .iter()
                .zip(&told.readings)
                .all(|(cpu, real)| cpu.name == real.name && cpu.value < real.value)
        );
        let us = told.readings.iter().find(|it| it.name == "BM_loop_us").unwrap();
        assert!(us.unit == Unit::Ns && us.value > 300.0, "microseconds become nanoseconds: {us:?}");
        assert_eq!(told.missing, [Missing { name: "BM_err".into(), why: "no device".into() }]);
    }

    #[test]
    fn half_an_output_is_no_output() {
        let whole = captured().stdout;
        let half = Output::printed(&whole[..whole.len() / 2]);
        assert!(Google { cpu: false }.told(&half).unwrap_err().to_string().contains("Google Benchmark"));
    }

    #[test]
    fn a_name_that_occurs_twice_is_asked_for_once() {
        let all = ["a".to_owned(), "a #2".to_owned(), "b[1]".to_owned()];
        let asked = Google { cpu: false }.run(
            &["--benchmark_min_time=1".to_owned()],
            Chosen { all: &all, only: &all[1..] },
            Duration::from_millis(5),
            "/x",
        );
        assert!(asked.arguments.contains(&r"--benchmark_filter=^(a|b\[1])$".to_owned()), "{asked:?}");
        assert!(!asked.arguments.iter().any(|it| it.starts_with("--benchmark_min_time")), "{asked:?}");
    }

    #[test]
    fn repetitions_have_the_name_of_the_first() {
        let text = r#"{"benchmarks":[
            {"name":"a/repeats:3","run_name":"a","run_type":"iteration","repetition_index":0,"real_time":1.0,"time_unit":"ns"},
            {"name":"a/repeats:3","run_name":"a","run_type":"iteration","repetition_index":1,"real_time":9.0,"time_unit":"ns"},
            {"name":"a/repeats:3","run_name":"a","run_type":"iteration","repetition_index":2,"real_time":2.0,"time_unit":"ns"},
            {"name":"a_mean","run_name":"a","run_type":"aggregate","aggregate_name":"mean","real_time":4.0,"time_unit":"ns"}]}"#;
        let told = Google { cpu: false }.told(&Output::printed(text)).unwrap();
        let values: Vec<(&str, f64)> = told.readings.iter().map(|it| (it.name.as_str(), it.value)).collect();
        assert_eq!(values, [("a", 1.0), ("a", 9.0), ("a", 2.0)]);
    }
}
