//! Reads files of benchmarks that are plain commands.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fauxplat_experiment::Failure;
use fauxplat_model::{CommandLine, Metric};
use fauxplat_options::define::or_stdin;
use fauxplat_options::percent;
use fauxplat_sys::text::read_text;
use regex::Regex;
use serde::Deserialize;

use crate::error::SuiteError;

/// Maximum number of benchmarks in a file, before the filter is applied.
const BENCHMARKS_MAX: usize = 20_000;

/// Maximum number of bytes of all expanded command lines together, since values may be long and used many times.
const TEXT_BYTES_MAX: usize = 64 << 20;

/// Maximum number of bytes of a file of benchmarks.
const BYTES_MAX: usize = 1 << 20;

/// Placeholder for the program of side A or B in a command line.
const PROGRAM: &str = "{program}";

/// A benchmark: one command for each side, A and B.
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    pub name: String,
    pub sides: [CommandLine; 2],
    /// Largest change that counts as none, as a share (0.03 is 3 %); `None` for the margin of the suite.
    pub margin: Option<f64>,
    /// Metric of a run that is compared.
    pub metric: Metric,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default, rename = "benchmark")]
    benchmarks: Vec<Entry>,
    metric: Option<String>,
    /// Table of command-line options, which other code parses.
    #[serde(rename = "defaults")]
    _defaults: Option<toml::Table>,
}

/// A benchmark as written in the file, with placeholders for parameters.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    command: Option<String>,
    a: Option<String>,
    b: Option<String>,
    #[serde(default)]
    env: Vec<String>,
    setup: Option<String>,
    prepare: Option<String>,
    conclude: Option<String>,
    cleanup: Option<String>,
    margin: Option<String>,
    metric: Option<String>,
    #[serde(default)]
    parameters: BTreeMap<String, Vec<toml::Value>>,
}

impl Entry {
    /// Number of benchmarks that the entry expands to; `usize::MAX` on overflow.
    fn count(&self) -> usize {
        self.parameters.values().map(Vec::len).fold(1, usize::saturating_mul)
    }

    /// Upper bound for the bytes of both sides' command lines with these values of the parameters.
    fn bytes(&self, values: &[(&str, String)]) -> usize {
        let of = |text: &String| {
            let filled = |(name, value): &(&str, String)| text.matches(&place(name)).count() * value.len();
            text.len() + values.iter().map(filled).sum::<usize>()
        };
        2 * self.texts().chain([&self.name]).map(of).sum::<usize>()
    }

    /// Texts that may contain placeholders for parameters: command lines and environment variables.
    fn texts(&self) -> impl Iterator<Item = &String> {
        let lines =
            [&self.command, &self.a, &self.b, &self.setup, &self.prepare, &self.conclude, &self.cleanup];
        lines.into_iter().flatten().chain(&self.env)
    }
}

fn names_program(text: &str) -> bool {
    text.contains(PROGRAM)
}

/// Difference between the two sides of a file of benchmarks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Between<'a> {
    /// Programs that replace `{program}` in the commands of A and of B; `None` where none were given.
    pub programs: Option<[&'a str; 2]>,
    /// Whether each side runs in its own folder, so that equal command lines may behave differently.
    pub has_folders: bool,
}

/// Reads a file of benchmarks.
///
/// # Errors
/// Fails where the file cannot be read or is malformed, or no benchmark matches `filter`.
pub fn read(path: &Path, between: Between<'_>, filter: Option<&Regex>) -> Result<Vec<Benchmark>, Failure> {
    let fail = |error: &dyn std::fmt::Display| Failure::input(format!("{}: {error}", path.display()));
    let text = read_text(or_stdin(path), BYTES_MAX).map_err(|error| fail(&error))?;
    let written: Written = toml::from_str(&text).map_err(|error| fail(&error.to_string().trim_end()))?;
    let all = benchmarks(&written, between).map_err(|error| fail(&error))?;
    let is_asked = |it: &Benchmark| filter.is_none_or(|filter| filter.is_match(&it.name));
    let asked: Vec<Benchmark> = all.into_iter().filter(is_asked).collect();
    match asked.is_empty() {
        true => {
            let which = if filter.is_some() { " that --filter lets through" } else { "" };
            Err(Failure::input(SuiteError::NoBenchmarks(path.display().to_string(), which)))
        }
        false => Ok(asked),
    }
}

fn benchmarks(written: &Written, between: Between<'_>) -> Result<Vec<Benchmark>, SuiteError> {
    let count = written.benchmarks.iter().map(Entry::count).fold(0, usize::saturating_add);
    if count > BENCHMARKS_MAX {
        return Err(SuiteError::TooMany);
    }
    let (mut all, mut bytes) = (Vec::new(), 0);
    for entry in &written.benchmarks {
        for values in combinations(&entry.parameters)? {
            bytes += entry.bytes(&values);
            if bytes > TEXT_BYTES_MAX {
                return Err(SuiteError::TooLong);
            }
            all.push(benchmark(entry, &values, written.metric.as_deref(), between)?);
        }
    }
    if between.programs.is_some()
        && !written.benchmarks.iter().any(|entry| entry.texts().any(|text| names_program(text)))
    {
        return Err(SuiteError::UnusedPrograms);
    }
    let mut names = BTreeSet::new();
    match all.iter().find(|it| !names.insert(&it.name)) {
        Some(twice) => Err(SuiteError::Benchmark(twice.name.clone(), "its name occurs twice".to_owned())),
        None => Ok(all),
    }
}

/// The benchmark that an entry yields with these values of its parameters.
fn benchmark(
    entry: &Entry,
    values: &[(&str, String)],
    metric: Option<&str>,
    Between { programs, has_folders }: Between<'_>,
) -> Result<Benchmark, SuiteError> {
    let name = named(&entry.name, values);
    let wrong = |why: &str| SuiteError::Benchmark(name.clone(), why.to_owned());
    if name.trim().is_empty() {
        return Err(wrong("a name is empty"));
    }
    let lines = match (&entry.command, &entry.a, &entry.b) {
        (Some(command), None, None) if has_folders || command.contains(PROGRAM) => [command, command],
        (Some(_), None, None) => {
            return Err(wrong(
                "both sides are the same: write {program} in its command, or give it `a` and `b`",
            ));
        }
        (None, Some(a), Some(b)) => [a, b],
        _ => return Err(wrong("it has either a `command` with {program}, or both `a` and `b`")),
    };
    if programs.is_none() && entry.texts().any(|text| names_program(text)) {
        return Err(wrong("its command names {program}: give the two programs after the file"));
    }
    let side = |side: usize| {
        let full = |line: &String| {
            let line = filled(line, values);
            programs.map_or(line.clone(), |programs| line.replace(PROGRAM, programs[side]))
        };
        CommandLine {
            command: full(lines[side]),
            name: Some(format!("{name} ({})", ["A", "B"][side])),
            env: entry.env.iter().map(full).collect(),
            setup: entry.setup.as_ref().map(full),
            prepare: entry.prepare.as_ref().map(full),
            conclude: entry.conclude.as_ref().map(full),
            cleanup: entry.cleanup.as_ref().map(full),
            ..CommandLine::default()
        }
    };
    let margin = entry.margin.as_deref().map(percent).transpose().map_err(|why| wrong(&why))?;
    let metric = entry.metric.as_deref().or(metric).map_or(Ok(Metric::WALL), known);
    let metric = metric.map_err(|why| wrong(&why))?;
    Ok(Benchmark { sides: [side(0), side(1)], margin, metric, name })
}

fn known(name: &str) -> Result<Metric, String> {
    Metric::from_name(name)
        .filter(|metric| metric.is_built_in() && !metric.more_is_better())
        .ok_or_else(|| format!("`{name}` is no metric that every run has, such as wall, cpu or user"))
}

/// All combinations of the values of the parameters, each as pairs of name and value; the first parameter varies
/// slowest.
fn combinations(
    parameters: &BTreeMap<String, Vec<toml::Value>>,
) -> Result<Vec<Vec<(&str, String)>>, SuiteError> {
    let mut all: Vec<Vec<(&str, String)>> = vec![Vec::new()];
    for (name, values) in parameters {
        let texts = values.iter().map(|value| match value {
            toml::Value::String(text) => Ok(text.clone()),
            toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => {
                Ok(value.to_string())
            }
            _ => Err(SuiteError::Parameter(name.clone())),
        });
        let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
        if texts.is_empty() {
            return Err(SuiteError::NoValues(name.clone()));
        }
        let mut longer = Vec::new();
        for before in &all {
            longer.extend(
                texts.iter().map(|text| [before.as_slice(), &[(name.as_str(), text.clone())]].concat()),
            );
        }
        all = longer;
    }
    Ok(all)
}

/// Name of a benchmark with these values of its parameters: inserted at their placeholders, and appended as
/// `/name=value` for parameters without a placeholder.
fn named(name: &str, values: &[(&str, String)]) -> String {
    let rest = values.iter().filter(|(parameter, _)| !name.contains(&place(parameter)));
    let rest: String = rest.map(|(parameter, value)| format!("/{parameter}={value}")).collect();
    filled(name, values) + &rest
}

fn filled(line: &str, values: &[(&str, String)]) -> String {
    values.iter().fold(line.to_owned(), |line, (name, value)| line.replace(&place(name), value))
}

fn place(parameter: &str) -> String {
    format!("{{{parameter}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, programs: Option<[&str; 2]>) -> Result<Vec<Benchmark>, SuiteError> {
        benchmarks(&toml::from_str(text).unwrap(), Between { programs, has_folders: false })
    }

    #[test]
    fn commands_are_filled_for_each_side_and_each_combination() {
        let text = "metric = 'cpu'\n[[benchmark]]\nname = 'sort {n}'\ncommand = '{program} {n} {way}'\nprepare = 'drop {n}'\n\
                    margin = '5%'\nparameters = { n = [10, 20], way = ['up', 'down'] }\n\
                    [[benchmark]]\nname = 'own'\na = 'old x'\nb = 'new x'\nmetric = 'wall'\n";
        let all = parsed(text, Some(["./a -q", "./b"])).unwrap();
        let names: Vec<&str> = all.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(
            names,
            ["sort 10/way=up", "sort 10/way=down", "sort 20/way=up", "sort 20/way=down", "own"]
        );
        let commands = |at: usize| [0, 1].map(|side: usize| all[at].sides[side].command.as_str());
        assert_eq!(commands(2), ["./a -q 20 up", "./b 20 up"]);
        assert_eq!(commands(4), ["old x", "new x"]);
        assert_eq!(all[0].sides[1].prepare.as_deref(), Some("drop 10"));
        assert_eq!((all[0].margin, all[0].metric, all[4].metric), (Some(0.05), Metric::CPU, Metric::WALL));
    }

    /// A file of a few hundred bytes can ask for more benchmarks than fit into memory.
    #[test]
    fn parameters_are_counted_before_they_are_multiplied_out() {
        let values: Vec<String> = (0..100).map(|value| value.to_string()).collect();
        let list = |name: String| format!("{name} = [{}]", values.join(","));
        let text = |parameters: usize| {
            let lists: Vec<String> = (0..parameters).map(|at| list(format!("p{at}"))).collect();
            format!("[[benchmark]]\nname='x'\na='1'\nb='2'\nparameters={{{}}}", lists.join(","))
        };
        assert_eq!(parsed(&text(2), None).unwrap().len(), 10_000);
        for parameters in [3, 9, 20] {
            let error = parsed(&text(parameters), None).unwrap_err().to_string();
            assert!(error.contains("20000"), "{error}");
        }
        let long = "y".repeat(100_000);
        let often = format!(
            "[[benchmark]]\nname='x'\na='{}'\nb='2'\nparameters={{p=['{long}']}}",
            "{p}".repeat(1000)
        );
        assert!(parsed(&often, None).unwrap_err().to_string().contains("64 MiB"));
        let twice = text(2) + &text(2).replace("'x'", "'y'") + "\n" + &text(2).replace("'x'", "'z'");
        assert!(parsed(&twice.replace("}[[", "}\n[["), None).is_err());
        let none = "[[benchmark]]\nname='x'\na='1'\nb='2'\nparameters={n=[]}";
        assert!(parsed(none, None).unwrap_err().to_string().contains("no values"));
    }

    #[test]
    fn programs_that_no_command_names_are_refused() {
        let both = Some(["./a", "./b"]);
        let text = "[[benchmark]]\nname='x'\na='1'\nb='2'";
        assert!(parsed(text, both).unwrap_err().to_string().contains("{program}"));
        assert!(parsed(&format!("{text}\nenv=['P={{program}}']"), both).is_ok());
        assert!(parsed(&format!("{text}\nsetup='make {{program}}'"), both).is_ok());
    }

    #[test]
    fn a_benchmark_without_two_sides_is_refused() {
        let why = |text: &str, programs| parsed(text, programs).unwrap_err().to_string();
        let both = Some(["a", "b"]);
        assert!(why("[[benchmark]]\nname='x'\ncommand='sort'", both).contains("both sides are the same"));
        assert!(why("[[benchmark]]\nname='x'\na='sort'", both).contains("both `a` and `b`"));
        assert!(why("[[benchmark]]\nname='x'\ncommand='{program}'", None).contains("two programs"));
        assert!(why("[[benchmark]]\nname=' '\na='1'\nb='2'", None).contains("empty"));
        let twice = "[[benchmark]]\nname='x'\na='1'\nb='2'\n[[benchmark]]\nname='x'\na='1'\nb='2'";
        assert!(why(twice, None).contains("twice"));
        let rate = "[[benchmark]]\nname='x'\na='1'\nb='2'\nmetric='speed'";
        assert!(why(rate, None).contains("`speed`"));
        let nested = "[[benchmark]]\nname='x'\na='1'\nb='2'\nparameters={n=[[1]]}";
        assert!(why(nested, None).contains("parameter n"));
    }
}
