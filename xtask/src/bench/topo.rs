//! Time that fauxplat needs to read the topology of the machine, compared with `lscpu` and `lstopo`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::{ROUNDS, failed, fauxplat, output, print_ratio, quartiles, scratch};
use crate::cargo::root;
use crate::error::ChoreError;
use crate::expand;

/// Number of runs of each tool on a machine; as a run takes milliseconds, many are affordable.
const LOOKS: u32 = 4 * ROUNDS;

/// Name of the machine with 512 CPUs, among the descriptions in `fixtures/sysfs/machines`.
const LARGE: &str = "five-hundred-twelve";

/// A program to time, and the goal for its time in milliseconds.
struct Kind {
    name: &'static str,
    argv: Vec<String>,
    goal_ms: Option<f64>,
    times_ms: Vec<f64>,
}

/// The programs that read the same machine, run in turns so that all of them see the same disturbances.
struct Race(Vec<Kind>);

impl Race {
    /// Adds a program to those that are timed; if it is not installed, prints a message instead.
    fn add(&mut self, name: &'static str, program: &Path, words: &[&str], goal_ms: Option<f64>) {
        let there =
            Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if there.is_err() {
            return println!("  {} is not installed: its ratio is left out", program.display());
        }
        let program = [program.display().to_string()];
        let argv = program.into_iter().chain(words.iter().map(|&word| word.to_owned())).collect();
        self.0.push(Kind { name, argv, goal_ms, times_ms: Vec::new() });
    }

    fn run(&mut self) -> Result<(), ChoreError> {
        for round in 0..LOOKS as usize {
            let kinds = self.0.len();
            for turn in 0..kinds {
                let kind = &mut self.0[(round + turn) % kinds];
                let started = Instant::now();
                output(Command::new(&kind.argv[0]).args(&kind.argv[1..]))?;
                kind.times_ms.push(started.elapsed().as_secs_f64() * 1e3);
            }
        }
        Ok(())
    }

    fn print(&self) {
        for kind in &self.0 {
            let (low, middle, high) = quartiles(&kind.times_ms);
            let goal = match kind.goal_ms {
                Some(goal_ms) if middle < goal_ms => format!("  goal: below {goal_ms} ms"),
                Some(goal_ms) => format!("  ABOVE THE GOAL of {goal_ms} ms"),
                None => String::new(),
            };
            println!("  {:<46} {middle:.2} ms (quartiles {low:.2} … {high:.2}){goal}", kind.name);
        }
    }

    /// Prints the ratio of the time of `ours` to that of `theirs`, each taken within a round.
    fn print_ratio(&self, ours: &str, theirs: &str, goal: &str) {
        let times = |name: &str| self.0.iter().find(|kind| kind.name == name).map(|kind| &kind.times_ms);
        let (Some(our_times), Some(their_times)) = (times(ours), times(theirs)) else { return };
        let ratios: Vec<f64> =
            our_times.iter().zip(their_times).map(|(ours, theirs)| ours / theirs).collect();
        print_ratio(&format!("{ours} : {theirs}"), &ratios, goal);
    }
}

pub(super) fn run() -> Result<(), ChoreError> {
    let fauxplat = fauxplat()?;
    let [lscpu, lstopo] = ["lscpu", "lstopo-no-graphics"].map(Path::new);
    println!("Time of a look at this machine, {LOOKS} interleaved looks of each kind");
    let mut here = Race(Vec::new());
    here.add("fauxplat topo", &fauxplat, &["topo"], Some(10.0));
    here.add("fauxplat topo --format lscpu", &fauxplat, &["topo", "--format", "lscpu"], None);
    here.add("fauxplat --version: the start alone", &fauxplat, &["--version"], None);
    here.add("lscpu", lscpu, &[], None);
    here.add("lscpu -p", lscpu, &["-p"], None);
    here.add("lstopo-no-graphics", lstopo, &["--of", "console"], None);
    here.run()?;
    here.print();
    println!("as ratios, within each round:");
    here.print_ratio("fauxplat topo", "lscpu", "goal: below 1");
    here.print_ratio("fauxplat topo", "lstopo-no-graphics", "goal: below 1");
    here.print_ratio("fauxplat topo --format lscpu", "lscpu -p", "");
    large(&fauxplat, lscpu, lstopo)
}

/// Times the tools on the files of a machine with 512 CPUs, which all of them read.
fn large(fauxplat: &Path, lscpu: &Path, lstopo: &Path) -> Result<(), ChoreError> {
    let tree = large_tree()?;
    let tree = tree.to_str().ok_or_else(|| failed("the tree", &"its path is not text"))?;
    println!("Time for a tree of 512 CPUs, {LOOKS} interleaved looks of each kind");
    let mut there = Race(Vec::new());
    there.add("fauxplat topo", fauxplat, &["topo", "--sysroot", tree], Some(100.0));
    there.add("lscpu", lscpu, &["--sysroot", tree], None);
    there.add("lstopo-no-graphics", lstopo, &["--of", "console", "--input", tree], None);
    there.run()?;
    there.print();
    println!("as ratios, within each round:");
    there.print_ratio("fauxplat topo", "lscpu", "");
    there.print_ratio("fauxplat topo", "lstopo-no-graphics", "");
    Ok(())
}

fn large_tree() -> Result<PathBuf, ChoreError> {
    let description = root().join("fixtures/sysfs/machines").join(format!("{LARGE}.txt"));
    let text = std::fs::read_to_string(&description).map_err(ChoreError::at(&description))?;
    let tree = scratch()?.join(LARGE);
    if tree.exists() {
        std::fs::remove_dir_all(&tree).map_err(ChoreError::at(&tree))?;
    }
    expand::expand(&text, &tree).map_err(ChoreError::at(&tree))?;
    Ok(tree)
}
