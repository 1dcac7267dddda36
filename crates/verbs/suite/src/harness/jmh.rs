//! JMH: <https://github.com/openjdk/jmh>.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::{Asked, Chosen, Harness, Missing, Output, Reading, Told, Unit, any_of, numbered};
use crate::error::SuiteError;

#[derive(Debug)]
pub(super) struct Jmh;

/// Name of the results file, since benchmarks print between JMH's own lines on standard output.
const FILE: &str = "jmh.json";

/// Shortest iteration, since the JIT compiler's work would dominate a shorter one.
const ITERATION_MIN: Duration = Duration::from_millis(100);

/// Separator between the name of a method and its parameters.
const BETWEEN: char = ':';

#[derive(Deserialize)]
struct Row {
    benchmark: String,
    #[serde(default)]
    params: BTreeMap<String, String>,
    #[serde(rename = "primaryMetric")]
    primary: Primary,
}

#[derive(Deserialize)]
struct Primary {
    score: Score,
    #[serde(rename = "scoreUnit")]
    unit: String,
}

/// A result of a benchmark: a number, or the text "NaN" where JMH has none.
#[derive(Deserialize)]
#[serde(untagged)]
enum Score {
    Number(f64),
    Word(String),
}

impl Harness for Jmh {
    fn name(&self) -> String {
        "jmh".to_owned()
    }

    fn list(&self, _user: &[String], _folder: &str) -> Asked {
        Asked::words(["-lp"])
    }

    fn listed(&self, output: &Output) -> Result<Vec<String>, SuiteError> {
        let mut lines = output.stdout.lines().skip_while(|line| !line.starts_with("Benchmarks:"));
        if lines.next().is_none() {
            return Err(SuiteError::output("JMH", "no line `Benchmarks:` in the answer to -lp"));
        }
        let mut names: Vec<(String, Vec<String>)> = Vec::new();
        for line in lines.filter(|line| !line.trim().is_empty()) {
            match (parameter(line), names.last_mut()) {
                (Some((name, values)), Some((_, params))) => {
                    let with = |before: &String| {
                        let one = |value: &&str| {
                            format!("{before}{}{name}={value}", if before.is_empty() { "" } else { "," })
                        };
                        values.iter().map(one).collect::<Vec<_>>()
                    };
                    *params = params.iter().flat_map(with).collect();
                }
                _ => names.push((line.trim().to_owned(), vec![String::new()])),
            }
        }
        let of_method = |(name, params): (String, Vec<String>)| {
            params.into_iter().map(move |params| named(&name, &sorted(&params))).collect::<Vec<_>>()
        };
        Ok(names.into_iter().flat_map(of_method).collect())
    }

    /// Selects the methods of the chosen benchmarks; each runs with all its parameters.
    fn run(&self, user: &[String], chosen: Chosen<'_>, time: Duration, folder: &str) -> Asked {
        let mut asked = Asked::words(["-rf", "json", "-rff", &format!("{folder}/{FILE}")]);
        let iteration = format!("{}ms", time.max(ITERATION_MIN).as_millis());
        // JMH measures in a process that it forks.
        asked.pair(user, "-f", 1);
        asked.pair(user, "-wi", 2);
        asked.pair(user, "-w", &iteration);
        asked.pair(user, "-i", 1);
        asked.pair(user, "-r", &iteration);
        let mut methods: Vec<&str> = chosen.only.iter().map(|name| method(name)).collect();
        methods.dedup();
        asked.arguments.push(any_of(methods.into_iter()));
        asked
    }

    fn told(&self, output: &Output) -> Result<Told, SuiteError> {
        let rows: Vec<Row> = serde_json::from_str(output.file_or_stdout(FILE))
            .map_err(|error| SuiteError::json("JMH", &error))?;
        let name = |row: &Row| {
            let params: Vec<String> =
                row.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
            named(&row.benchmark, &params.join(","))
        };
        let names = numbered(rows.iter().map(name).collect());
        let mut told = Told::default();
        for (name, row) in names.into_iter().zip(rows) {
            match row.primary.score {
                Score::Number(score) => {
                    let (value, unit) = Unit::reading(score, &row.primary.unit);
                    told.readings.push(Reading { name, value, unit });
                }
                Score::Word(word) => told.missing.push(Missing { name, why: format!("its score is {word}") }),
            }
        }
        Ok(told)
    }
}

/// Name and values of a parameter from a line such as `  param "size" = {10, 100}`; `None` for other lines.
fn parameter(line: &str) -> Option<(&str, Vec<&str>)> {
    let (name, values) = line.trim().strip_prefix("param \"")?.split_once("\" = {")?;
    Some((name, values.strip_suffix('}')?.split(", ").collect()))
}

/// Parameters in the order of their names, as JMH's results have them.
fn sorted(params: &str) -> String {
    let mut all: Vec<&str> = params.split(',').collect();
    all.sort_unstable();
    all.join(",")
}

fn named(method: &str, params: &str) -> String {
    if params.is_empty() { method.to_owned() } else { format!("{method}{BETWEEN}{params}") }
}

fn method(name: &str) -> &str {
    name.split_once(BETWEEN).map_or(name, |(method, _)| method)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_captured_list_and_its_results_have_the_same_names() {
        let listed = Jmh.listed(&Output::printed(include_str!("../../fixtures/jmh-list.txt"))).unwrap();
        let told = Jmh.told(&Output::printed(include_str!("../../fixtures/jmh.json"))).unwrap();
        let names: BTreeSet<&String> = told.readings.iter().map(|it| &it.name).collect();
        assert_eq!(listed.iter().collect::<BTreeSet<_>>(), names);
        assert!(listed.contains(&"demo.Sorts.sort:order=up,size=100".to_owned()), "{listed:?}");
        assert!(told.readings.iter().all(|it| it.value > 0.0 && it.unit == Unit::Ns));
    }

    #[test]
    fn methods_are_chosen_and_words_of_the_user_win() {
        let all = ["a.B.c:n=1", "a.B.c:n=2", "a.B.cd"].map(str::to_owned);
        let chosen = Chosen { all: &all, only: &all[..2] };
        let user = ["-i", "7"].map(str::to_owned);
        let words = Jmh.run(&user, chosen, Duration::from_millis(5), "/f").arguments;
        assert_eq!(words.last().map(String::as_str), Some(r"^(a\.B\.c)$"));
        assert!(!words.contains(&"-i".to_owned()) && words.contains(&"100ms".to_owned()), "{words:?}");
    }

    #[test]
    fn what_is_no_answer_of_jmh_is_refused() {
        assert!(Jmh.listed(&Output::printed("usage: nothing")).is_err());
        let text = include_str!("../../fixtures/jmh.json");
        assert!(Jmh.told(&Output::printed(&text[..text.len() / 2])).is_err());
        let nan = r#"[{"benchmark": "a.B.c", "primaryMetric": {"score": "NaN", "scoreUnit": "ns/op"}}]"#;
        assert_eq!(Jmh.told(&Output::printed(nan)).unwrap().missing.len(), 1);
    }
}
