//! Benches of fauxplat: every figure is a ratio of two sides that were measured in the same run, in turns.
#![expect(clippy::disallowed_macros, clippy::disallowed_methods, reason = "benches start programs and print")]

mod blink;
mod contend;
mod counters;
mod counting;
mod doctor;
mod fleet;
mod index;
mod instrument;
mod latency;
mod limit;
mod load;
mod memory;
mod pin;
mod profile;
mod regions;
mod start;
mod sweep;
mod topo;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use fauxplat_kernels::Caches;
use fauxplat_load::{Generator, Order, Program, Rhythm};
use fauxplat_model::LoadKind;

use crate::cargo::root;
use crate::error::ChoreError;

/// Default number of rounds of a bench.
const ROUNDS: u32 = 15;
/// Default number of rounds of the bench `profile`.
const PROFILES: u32 = 20;

/// Arguments that a bench takes on the command line.
enum Call {
    /// The bench takes no arguments.
    Plain(fn() -> Result<(), ChoreError>),
    /// The bench takes the number of its rounds, [`ROUNDS`] by default.
    Rounds(fn(u32) -> Result<(), ChoreError>),
    /// The bench takes arguments that this text describes; without arguments it runs all its parts.
    Words(&'static str, fn(&[&str]) -> Result<(), ChoreError>),
}

const BENCHES: [(&str, Call); 20] = [
    ("blink", Call::Plain(blink::run)),
    ("contend", Call::Words("[PART]…", contend::run)),
    ("counters", Call::Rounds(counters::run)),
    ("counting", Call::Rounds(counting::run)),
    ("doctor", Call::Plain(doctor::run)),
    ("fleet", Call::Words("[PART [HOSTS [TIMES [BINARY]]]]", fleet::run)),
    ("index", Call::Words("[PART]…", index::run)),
    ("instrument", Call::Words("[ROUNDS [BINARY]]", of_instrument)),
    ("latency", Call::Words("[PART]…", latency::run)),
    ("limit", Call::Rounds(limit::run)),
    ("load", Call::Words("[PART]…", load::run)),
    ("look", Call::Words("[stands]", look)),
    ("memory", Call::Plain(memory::run)),
    ("pin", Call::Rounds(pin::run)),
    ("profile", Call::Words("[ROUNDS | differences [TIMES] | events [TIMES [BINARY [EVENT]]]]", of_profile)),
    ("regions", Call::Rounds(regions::run)),
    ("start", Call::Rounds(start::run)),
    ("sweep", Call::Words("[PART]…", sweep::run)),
    ("topo", Call::Plain(topo::run)),
    ("verdict", Call::Plain(verdict::run)),
];

static USAGE: LazyLock<String> = LazyLock::new(|| {
    let line = |(name, call): &(&str, Call)| match call {
        Call::Plain(_) => format!("\n  {name}"),
        Call::Rounds(_) => format!("\n  {name} [ROUNDS]"),
        Call::Words(words, _) => format!("\n  {name} {words}"),
    };
    let lines: String = BENCHES.iter().map(line).collect();
    format!("usage: cargo xtask bench [NAME …], all without a name; see benches/README.md{lines}")
});

fn misused() -> ChoreError {
    ChoreError::Usage(USAGE.as_str())
}

pub(crate) fn run(words: &[&str]) -> Result<(), ChoreError> {
    let Some((name, words)) = words.split_first() else {
        return BENCHES.iter().try_for_each(|(_, call)| call.begin(&[]));
    };
    let known = BENCHES.iter().find(|(known, _)| known == name);
    known.map_or_else(|| Err(misused()), |(_, call)| call.begin(words))
}

impl Call {
    fn begin(&self, words: &[&str]) -> Result<(), ChoreError> {
        match (self, words) {
            (Call::Plain(run), []) => run(),
            (Call::Rounds(run), []) => run(ROUNDS),
            (Call::Rounds(run), [rounds]) => run(number(rounds)?),
            (Call::Words(_, run), words) => run(words),
            _ => Err(misused()),
        }
    }
}

fn number(word: &str) -> Result<u32, ChoreError> {
    word.parse().map_err(|_| misused())
}

fn of_instrument(words: &[&str]) -> Result<(), ChoreError> {
    match words {
        [] => instrument::run(ROUNDS, None),
        [rounds] => instrument::run(number(rounds)?, None),
        [rounds, other] => instrument::run(number(rounds)?, Some(Path::new(other))),
        _ => Err(misused()),
    }
}

fn of_profile(words: &[&str]) -> Result<(), ChoreError> {
    match words {
        [] => profile::run(PROFILES),
        ["differences"] => profile::differences(PROFILES),
        ["differences", times] => profile::differences(number(times)?),
        ["events"] => profile::events(None, None, None),
        ["events", times] => profile::events(Some(number(times)?), None, None),
        ["events", times, binary] => profile::events(Some(number(times)?), Some(Path::new(binary)), None),
        ["events", times, binary, event] => {
            profile::events(Some(number(times)?), Some(Path::new(binary)), Some(event))
        }
        [rounds] => profile::run(number(rounds)?),
        _ => Err(misused()),
    }
}

/// Measures how much time the judge of a comparison takes to evaluate the data once.
fn look(words: &[&str]) -> Result<(), ChoreError> {
    crate::cargo::run("fauxplat-analyze", &["--release", "--example", "look"], words)
}

/// Builds the release binary if necessary, and returns its path.
fn fauxplat() -> Result<PathBuf, ChoreError> {
    crate::cargo::build_release()
}

/// Starts a load on one CPU, which works until the returned value is dropped.
fn burner(cpu: usize, rhythm: Rhythm) -> Result<Generator, ChoreError> {
    let program = Program { path: fauxplat()?, words: vec!["__generator".to_owned()] };
    let cpus = Some(cpu.to_string().parse().map_err(|error| failed("CPU", &error))?);
    let (kind, caches, folder) = (LoadKind::Integer, Caches::default(), std::env::temp_dir());
    let burner = Generator::start(&program, Order { kind, rhythm, cpus, caches, folder });
    let burner = burner.map_err(|error| failed("burner", &error))?;
    burner.work();
    Ok(burner)
}

/// Starts a load on one CPU that works and rests in turns of random length, until the returned value is dropped.
fn coming_and_going(cpu: usize) -> Result<Generator, ChoreError> {
    burner(cpu, Rhythm::Random { shortest_ms: 20, longest_ms: 400, seed: cpu as u64 })
}

/// The folder in which programs for benches are built.
fn scratch() -> Result<PathBuf, ChoreError> {
    let folder = crate::cargo::target()?.join("bench");
    std::fs::create_dir_all(&folder).map_err(|error| failed(&folder.display().to_string(), &error))?;
    Ok(folder)
}

/// Compiles a C file of `benches/`, and returns the path of the program.
fn compile(source: &str, options: &[&str]) -> Result<PathBuf, ChoreError> {
    let name = Path::new(source).file_stem().unwrap_or_default();
    let out = scratch()?.join(name);
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-Wall"]).args(options).arg("-o").arg(&out).arg(root().join("benches").join(source));
    output(&mut cc)?;
    Ok(out)
}

/// Runs a command to its end and returns its output. An exit status other than success is an error that quotes the
/// command's error output.
fn output(command: &mut Command) -> Result<Output, ChoreError> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|error| failed(&name, &error))?;
    match output.status.success() {
        true => Ok(output),
        false => Err(failed(&name, &String::from_utf8_lossy(&output.stderr).trim())),
    }
}

fn failed(what: &str, why: &dyn std::fmt::Display) -> ChoreError {
    ChoreError::Bench(format!("{what}: {why}"))
}

/// Lower quartile, median and upper quartile of some values.
fn quartiles(values: &[f64]) -> (f64, f64, f64) {
    let mut rising = values.to_vec();
    rising.sort_by(f64::total_cmp);
    let at = |share: f64| rising[((rising.len() - 1) as f64 * share).round() as usize];
    (at(0.25), at(0.5), at(0.75))
}

/// Low end, median and high end, where the ends are those of a 95 % confidence interval of the median, by order
/// statistics.
fn interval_of_median(values: &[f64]) -> [f64; 3] {
    let mut rising = values.to_vec();
    rising.sort_by(f64::total_cmp);
    let [low, high] = fauxplat_stats::order::median_interval(&rising, 0.95).unwrap_or([f64::NAN; 2]);
    [low, quartiles(values).1, high]
}

/// Prints a row of a table of ratios: median, its 95 % interval, quartiles and the goal.
fn print_ratio(name: &str, ratios: &[f64], goal: &str) {
    match ratios.is_empty() {
        true => println!("  {name:<46} not measured"),
        false => {
            let (low, middle, high) = quartiles(ratios);
            let [from, _, to] = interval_of_median(ratios);
            println!(
                "  {name:<46} {middle:.3}  (95 % interval {from:.3} … {to:.3}; quartiles {low:.3} … {high:.3})  {goal}"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bench_has_its_row_in_the_readme() {
        let readme = std::fs::read_to_string(root().join("benches/README.md")).unwrap();
        let rows: Vec<&str> =
            readme.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
        let mut names: Vec<&str> = BENCHES.iter().map(|(name, _)| *name).collect();
        assert!(names.is_sorted());
        let mut told = rows.clone();
        told.sort_unstable();
        names.sort_unstable();
        assert_eq!(told, names);
    }

    #[test]
    fn what_is_no_bench_is_told_how_they_are_called() {
        for words in [&["dance"][..], &["topo", "3"], &["limit", "many"], &["instrument", "1", "a", "b"]] {
            let error = run(words).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains("\n  instrument [ROUNDS [BINARY]]\n"), "{error}");
        }
    }
}
