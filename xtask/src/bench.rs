//! Benches: every figure is a ratio whose two sides were measured in one run, in turns.
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
mod profile;
mod regions;
mod start;
mod sweep;
mod topo;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fauxplat_kernels::Caches;
use fauxplat_load::{Generator, Order, Program, Rhythm};
use fauxplat_model::LoadKind;

use crate::cargo::root;
use crate::error::ChoreError;

/// Rounds of a bench, unless told otherwise.
const ROUNDS: u32 = 15;

/// Runs one bench by name, or all.
pub(crate) fn run(words: &[&str]) -> Result<(), ChoreError> {
    match words {
        ["blink"] => blink::run(),
        ["doctor"] => doctor::run(),
        ["fleet", words @ ..] => fleet::run(words),
        ["instrument"] => instrument::run(ROUNDS, None),
        ["instrument", rounds] => instrument::run(rounds.parse().unwrap_or(ROUNDS), None),
        ["instrument", rounds, other] => {
            instrument::run(rounds.parse().unwrap_or(ROUNDS), Some(Path::new(other)))
        }
        ["counters"] => counters::run(ROUNDS),
        ["counting"] => counting::run(ROUNDS),
        ["counting", rounds] => counting::run(rounds.parse().unwrap_or(ROUNDS)),
        ["limit"] => limit::run(ROUNDS),
        ["limit", rounds] => limit::run(rounds.parse().unwrap_or(ROUNDS)),
        ["load", parts @ ..] => load::run(parts),
        ["look", words @ ..] => look(words),
        ["memory"] => memory::run(),
        ["profile"] => profile::run(20),
        ["profile", "differences"] => profile::differences(20),
        ["profile", "differences", times] => profile::differences(times.parse().unwrap_or(20)),
        ["profile", rounds] => profile::run(rounds.parse().unwrap_or(20)),
        ["regions"] => regions::run(ROUNDS),
        ["regions", rounds] => regions::run(rounds.parse().unwrap_or(ROUNDS)),
        ["start"] => start::run(ROUNDS),
        ["topo"] => topo::run(),
        ["verdict"] => verdict::run(),
        ["sweep", parts @ ..] => sweep::run(parts),
        ["contend", parts @ ..] => contend::run(parts),
        ["latency", parts @ ..] => latency::run(parts),
        ["index", parts @ ..] => index::run(parts),
        [] => {
            blink::run()?;
            contend::run(&[])?;
            index::run(&[])?;
            latency::run(&[])?;
            instrument::run(ROUNDS, None)?;
            doctor::run()?;
            fleet::run(&[])?;
            counters::run(ROUNDS)?;
            counting::run(ROUNDS)?;
            limit::run(ROUNDS)?;
            load::run(&[])?;
            look(&[])?;
            memory::run()?;
            regions::run(ROUNDS)?;
            start::run(ROUNDS)?;
            topo::run()?;
            sweep::run(&[])?;
            verdict::run()
        }
        _ => Err(ChoreError::Usage(
            "usage: cargo xtask bench [blink | contend [PART] | counters | counting [ROUNDS] | doctor | fleet [PART] | index [PART] | instrument [ROUNDS [BINARY]] | latency [PART] | limit [ROUNDS] | load [PART] | look [stands] | memory | \
             regions [ROUNDS] | start | sweep [PART] | topo | verdict]",
        )),
    }
}

/// What a look at the data costs the judge.
fn look(words: &[&str]) -> Result<(), ChoreError> {
    crate::cargo::run("fauxplat-analyze", &["--release", "--example", "look"], words)
}

/// The release binary, built if need be.
fn fauxplat() -> Result<PathBuf, ChoreError> {
    crate::cargo::build_release()
}

/// A neighbour on one CPU, at work until it is dropped.
fn burner(cpu: usize, rhythm: Rhythm) -> Result<Generator, ChoreError> {
    let program = Program { path: fauxplat()?, words: vec!["__generator".to_owned()] };
    let cpus = Some(cpu.to_string().parse().map_err(|error| failed("CPU", &error))?);
    let (kind, caches, folder) = (LoadKind::Integer, Caches::default(), std::env::temp_dir());
    let burner = Generator::start(&program, Order { kind, rhythm, cpus, caches, folder });
    let burner = burner.map_err(|error| failed("burner", &error))?;
    burner.work();
    Ok(burner)
}

/// A neighbour that works and rests at random.
fn coming_and_going(cpu: usize) -> Result<Generator, ChoreError> {
    burner(cpu, Rhythm::Random { shortest_ms: 20, longest_ms: 400, seed: cpu as u64 })
}

/// Where programs that only a bench needs are built.
fn scratch() -> Result<PathBuf, ChoreError> {
    let folder = crate::cargo::target()?.join("bench");
    std::fs::create_dir_all(&folder).map_err(|error| failed(&folder.display().to_string(), &error))?;
    Ok(folder)
}

/// Compiles one C file of `benches/`.
fn compile(source: &str, options: &[&str]) -> Result<PathBuf, ChoreError> {
    let name = Path::new(source).file_stem().unwrap_or_default();
    let out = scratch()?.join(name);
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-Wall"]).args(options).arg("-o").arg(&out).arg(root().join("benches").join(source));
    output(&mut cc)?;
    Ok(out)
}

/// Runs a command to its end; anything but success is an error that shows what it said.
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

/// The middle value, and how far the quarters reach.
fn quartiles(values: &[f64]) -> (f64, f64, f64) {
    let mut rising = values.to_vec();
    rising.sort_by(f64::total_cmp);
    let at = |share: f64| rising[((rising.len() - 1) as f64 * share).round() as usize];
    (at(0.25), at(0.5), at(0.75))
}

/// Low end, median and high end of a 95 % interval of the median, by ranks.
fn interval_of_median(values: &[f64]) -> [f64; 3] {
    let mut rising = values.to_vec();
    rising.sort_by(f64::total_cmp);
    let (low, high) =
        fauxplat_stats::describe::median_interval_sorted(&rising, 0.95).unwrap_or((f64::NAN, f64::NAN));
    [low, quartiles(values).1, high]
}

/// One line of a table of ratios.
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
