//! Kinds of programs on which verdicts are tried: everyday comparisons and difficult ones.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::cargo::root;
use crate::error::ChoreError;

pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Command line of the program; two if the compared commands differ in their arguments.
    pub(super) commands: Vec<String>,
    /// Time limit in seconds; `None` for the usual limit.
    pub(super) seconds: Option<u32>,
    /// Whether the two commands differ in their slow runs.
    pub(super) has_tail: bool,
}

impl Kind {
    fn new(name: &'static str, command: String) -> Self {
        Kind { name, commands: vec![command], seconds: None, has_tail: false }
    }

    /// All kinds, with their programs and data below `folder`. The amount of work of each program is calibrated once
    /// and stored, so that a continued campaign runs the same programs.
    pub(super) fn all(folder: &Path) -> Result<Vec<Kind>, ChoreError> {
        let place = |name: &str| folder.join(name).display().to_string();
        let [work, threads, mutex, sync, walk, sometimes] =
            ["work", "verdict/threads", "verdict/mutex", "verdict/sync", "verdict/walk", "verdict/sometimes"]
                .map(|source| compile(source, folder));
        let (work, sometimes) = (sized(folder, &work?, &[], 5.0)?, sized(folder, &sometimes?, &[], 5.0)?);
        let (threads, mutex) = (sized(folder, &threads?, &["4"], 4.0)?, sized(folder, &mutex?, &[], 3.0)?);
        let numbers = place("numbers.txt");
        fs::write(&numbers, lines(8000)).map_err(ChoreError::at(&numbers))?;
        Ok(vec![
            Kind::new("arithmetic", work),
            Kind::new("sleep", "sleep 0.005".to_owned()),
            Kind::new("python", "python3 -c pass".to_owned()),
            Kind::new("sort", format!("sort -n {numbers}")),
            Kind::new("walk", format!("{} 64 200000", walk?.display())),
            Kind::new("threads", threads),
            Kind { seconds: Some(60), ..Kind::new("mutex", mutex) },
            Kind::new("fsync", format!("{} {} 2560", sync?.display(), place("written"))),
            Kind {
                seconds: Some(60),
                ..Kind::new("pipeline", format!("sh -c 'sort {numbers} | uniq | wc -l'"))
            },
            Kind::new("true", "/usr/bin/true".to_owned()),
            Kind::new("perl", "perl -e 'for $i (1 .. 60000) { $x += $i }'".to_owned()),
            Kind {
                commands: vec![format!("{sometimes} 0"), format!("{sometimes} 50")],
                has_tail: true,
                ..Kind::new("sometimes", String::new())
            },
        ])
    }
}

/// Lines of numbers to sort, the same in every call.
pub(super) fn lines(count: usize) -> String {
    let mut random = 88_172_645_463_325_252_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        format!("{}\n", random % 100_000)
    };
    (0..count).map(|_| next()).collect()
}

pub(super) fn compile(source: &str, folder: &Path) -> Result<PathBuf, ChoreError> {
    let source = root().join("benches").join(source).with_extension("c");
    let out = folder.join(source.file_stem().unwrap_or_default());
    if !out.exists() {
        let mut cc = Command::new("cc");
        let status = cc.args(["-O2", "-Wall", "-pthread", "-o"]).arg(&out).arg(&source).arg("-lm").status();
        if !status.map_err(ChoreError::at("cc"))?.success() {
            return Err(ChoreError::Bench(format!("{} does not compile", source.display())));
        }
    }
    Ok(out)
}

/// Command line of the program with these first arguments, and with as many rounds as take about `ms` milliseconds.
fn sized(folder: &Path, program: &Path, first: &[&str], ms: f64) -> Result<String, ChoreError> {
    let rounds = sized_rounds(folder, program, first, ms)?.to_string();
    let words: Vec<&str> = first.iter().copied().chain([rounds.as_str()]).collect();
    Ok(format!("{} {}", program.display(), words.join(" ")))
}

/// Number of rounds, given to a program after the arguments `first`, with which it takes about `ms` milliseconds;
/// measured once and stored.
pub(super) fn sized_rounds(
    folder: &Path,
    program: &Path,
    first: &[&str],
    ms: f64,
) -> Result<u64, ChoreError> {
    const PROBE: f64 = 500_000.0;
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let known = folder.join(format!("{name}.rounds"));
    let rounds = match fs::read_to_string(&known) {
        Ok(rounds) => rounds,
        Err(_) => {
            let mut best_ms = f64::INFINITY;
            for _ in 0..9 {
                let begun = Instant::now();
                let mut probe = Command::new(program);
                // The argument after the rounds is 0, for the programs that take another one.
                let status = probe.args(first).arg(PROBE.to_string()).arg("0").stdout(Stdio::null()).status();
                status.map_err(ChoreError::at(program))?;
                best_ms = best_ms.min(begun.elapsed().as_secs_f64() * 1e3);
            }
            let rounds = (PROBE * ms / best_ms).round().to_string();
            fs::write(&known, &rounds).map_err(ChoreError::at(&known))?;
            rounds
        }
    };
    rounds.trim().parse().map_err(|_| ChoreError::Bench(format!("{} holds no number", known.display())))
}
