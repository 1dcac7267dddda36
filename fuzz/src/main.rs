//! Runs the mutator for as long as one likes: `cargo xtask campaign fuzz --mutator`.
//!
//! Inputs are read by a process of their own, which tells the number that it is at, so that one that ends it, hangs it
//! or takes all memory is known; the campaign goes on behind it. What was done stands in the folder of the campaign,
//! and the next one begins there.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a chore starts processes and prints"
)]

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::time::Duration;

use fauxplat_fuzz::{Mutator, TARGETS, Target};
use fauxplat_sys::clock;

/// The word by which this program reads inputs.
const READER: &str = "__reader";

/// A seed that differs from the one of the replay in the tests, so that inputs are not repeated.
const SEED: u64 = 1;

const USAGE: &str = "usage: fuzz --folder FOLDER [--minutes N] [TARGET]…";

/// Time after which a reader has hung on its input.
const HANGS_NS: u64 = 30_000_000_000;
/// Memory limit of a reader, in pages of 4 KiB.
const PAGES_MAX: u64 = (2 << 30) >> 12;
/// Number of crashes after which a target is given up until its bugs are fixed.
const CRASHES_MAX: usize = 20;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [READER, target, from, seconds, counter] => read(target, from, seconds, Path::new(counter)),
        ["--folder", folder, "--minutes", minutes, targets @ ..] => {
            campaign(Path::new(folder), minutes.parse::<f64>().unwrap_or(1.0) * 60.0, targets)
        }
        ["--folder", folder, targets @ ..] => campaign(Path::new(folder), 60.0, targets),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

/// Reads inputs from this number on for the given seconds.
fn read(name: &str, from: &str, seconds: &str, counter: &Path) -> Result<bool, String> {
    let target = find(name)?;
    let (from, seconds): (u64, f64) = from.parse().ok().zip(seconds.parse().ok()).ok_or(USAGE)?;
    let mutator = Mutator::new(target, SEED).map_err(|error| format!("{name}: {error}"))?;
    let counter = File::create(counter).map_err(|error| error.to_string())?;
    let end_ns = clock::monotonic_ns() + (seconds * 1e9) as u64;
    let work = move || {
        for number in from.. {
            // Reading the clock for every input costs little, since inputs take longer.
            counter.write_all_at(&number.to_ne_bytes(), 0).map_err(|error| error.to_string())?;
            if clock::monotonic_ns() > end_ns {
                break;
            }
            (target.run)(&mutator.input(number));
        }
        Ok(true)
    };
    // In a thread with the stack that threads of fauxplat have, and whose folders go with it.
    std::thread::spawn(work).join().unwrap_or(Ok(false))
}

fn find(name: &str) -> Result<&'static Target, String> {
    let known = || TARGETS.iter().map(|target| target.name).collect::<Vec<_>>().join(", ");
    Target::find(name).ok_or_else(|| format!("there is no target {name}; there are {}", known()))
}

/// Runs every target up to this total time, including earlier campaigns.
fn campaign(folder: &Path, seconds: f64, names: &[&str]) -> Result<bool, String> {
    fs::create_dir_all(folder.join("crashes")).map_err(|error| format!("{}: {error}", folder.display()))?;
    let chosen: Vec<&Target> = match names {
        [] => TARGETS.iter().collect(),
        names => names.iter().map(|name| find(name)).collect::<Result<_, _>>()?,
    };
    let mut good = true;
    for target in chosen {
        let state = Progress::load(folder, target).run(seconds)?;
        println!(
            "{:<20} {:>10} inputs in {:>6.0} s (seed {SEED}), {} crashes{}",
            target.name,
            state.number,
            state.seconds,
            state.crashes.len(),
            state.crashes.iter().map(|line| format!("\n    {line}")).collect::<String>()
        );
        good &= state.crashes.is_empty();
    }
    Ok(good)
}

/// Progress of a target.
struct Progress<'a> {
    folder: &'a Path,
    target: &'a Target,
    number: u64,
    seconds: f64,
    crashes: Vec<String>,
}

impl<'a> Progress<'a> {
    fn file(&self) -> PathBuf {
        self.folder.join(format!("{}.progress", self.target.name))
    }

    fn load(folder: &'a Path, target: &'a Target) -> Self {
        let mut state = Progress { folder, target, number: 0, seconds: 0.0, crashes: Vec::new() };
        let text = fs::read_to_string(state.file()).unwrap_or_default();
        let mut lines = text.lines();
        if let Some((number, seconds)) = lines.next().and_then(|line| line.split_once(' ')) {
            (state.number, state.seconds) = (number.parse().unwrap_or(0), seconds.parse().unwrap_or(0.0));
            state.crashes = lines.map(str::to_owned).collect();
        }
        state
    }

    fn save(&self) -> Result<(), String> {
        let text = format!("{} {:.1}\n{}\n", self.number, self.seconds, self.crashes.join("\n"));
        let fresh = self.file().with_extension("new");
        let written = fs::write(&fresh, text).and_then(|()| fs::rename(&fresh, self.file()));
        written.map_err(|error| format!("{}: {error}", self.file().display()))
    }

    fn run(mut self, seconds: f64) -> Result<Self, String> {
        while self.seconds < seconds && self.crashes.len() < CRASHES_MAX {
            let begun_ns = clock::monotonic_ns();
            // Short legs: ending the campaign loses less than one.
            let leg = (seconds - self.seconds).min(20.0);
            let crash = self.leg(leg)?;
            self.seconds += (clock::monotonic_ns() - begun_ns) as f64 / 1e9;
            if let Some(how) = crash {
                self.keep(&how)?;
            }
            self.save()?;
        }
        Ok(self)
    }

    /// Runs one reader process; returns a description of its crash, if it crashed.
    fn leg(&mut self, seconds: f64) -> Result<Option<String>, String> {
        let place = tempfile::tempdir_in(memory()).map_err(|error| error.to_string())?;
        let (counter, said) = (place.path().join("counter"), place.path().join("said"));
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let stderr = File::create(&said).map_err(|error| error.to_string())?;
        let mut reader = Command::new(program);
        reader.args([READER, self.target.name, &self.number.to_string(), &seconds.to_string()]).arg(&counter);
        let spawned = reader.env("TMPDIR", place.path()).stderr(stderr).spawn();
        let mut child = spawned.map_err(|error| error.to_string())?;
        let ended = watch(&mut child, &counter);
        self.number = at(&counter).unwrap_or(self.number);
        let last = fs::read_to_string(&said).unwrap_or_default();
        let line = last.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned();
        Ok(ended.map(|how| format!("{how}: {line}")))
    }

    /// Notes a crash, keeps its input, and continues after it.
    fn keep(&mut self, how: &str) -> Result<(), String> {
        let mutator = Mutator::new(self.target, SEED).map_err(|error| error.to_string())?;
        let path = self.folder.join("crashes").join(format!("{}-{}", self.target.name, self.number));
        fs::write(&path, mutator.input(self.number))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        self.crashes.push(format!("{}: {how}", path.display()));
        self.number += 1;
        Ok(())
    }
}

/// Memory, where there is a file system in it: most targets write files.
fn memory() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// Number of the input that a reader is at.
fn at(counter: &Path) -> Option<u64> {
    fs::read(counter).ok()?.try_into().ok().map(u64::from_ne_bytes)
}

/// Waits for the end of a reader; returns a description of a crash or hang, if there was one.
fn watch(child: &mut Child, counter: &Path) -> Option<String> {
    let (mut seen, mut since_ns) = (None, clock::monotonic_ns());
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return (!status.success()).then(|| status.to_string());
        }
        let (now, now_ns) = (at(counter), clock::monotonic_ns());
        if now != seen {
            (seen, since_ns) = (now, now_ns);
        }
        let statm = fs::read_to_string(format!("/proc/{}/statm", child.id())).unwrap_or_default();
        let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
        let why = match pages {
            Some(pages) if pages > PAGES_MAX => Some("it took more than 2 GiB"),
            _ if now_ns - since_ns > HANGS_NS => Some("it took more than 30 s"),
            _ => None,
        };
        if let Some(why) = why {
            let _ended = (child.kill(), child.wait());
            return Some(why.to_owned());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
