//! Slowdown of a victim on another CPU by background loads.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::{LOADED, Running, VICTIM, ours, theirs};
use crate::bench::{failed, quartiles};
use crate::error::ChoreError;

const ROUNDS: usize = 12;
/// Kernels of the victim, and the milliseconds for which each of them runs in a round.
const KERNELS: [(&str, u32); 4] = [("l2", 20), ("llc", 60), ("dram", 60), ("stream", 40)];
const OURS: [&str; 3] = ["l1", "llc", "memory"];
const THEIRS: [&str; 5] = ["--l1cache", "--cache", "--stream", "--memrate", "--vm"];
/// From the start of a load to the moment in which its memory is laid out and its caches are full.
const SETTLE: Duration = Duration::from_millis(400);

/// The victim: one process for all rounds, so that its memory stays where it is.
struct Victim {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Victim {
    fn start() -> Result<Self, ChoreError> {
        let path = crate::cargo::build_example("fauxplat-workers", "victim")?;
        let piped = Command::new(path).arg(VICTIM).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = piped.map_err(|error| failed("victim", &error))?;
        let gone = || failed("victim", &"it has no pipes");
        let orders = child.stdin.take().ok_or_else(gone)?;
        let answers = BufReader::new(child.stdout.take().ok_or_else(gone)?);
        Ok(Victim { child, orders, answers })
    }

    /// Lets the victim run each kernel; returns the CPU time of a unit of each, in nanoseconds.
    fn suffer(&mut self) -> Result<Vec<f64>, ChoreError> {
        let mut each = |(kernel, duration_ms): (&str, u32)| {
            writeln!(self.orders, "{kernel} {duration_ms}").map_err(|error| failed("victim", &error))?;
            let mut line = String::new();
            self.answers.read_line(&mut line).map_err(|error| failed("victim", &error))?;
            let cpu_ns = line.split_whitespace().next().and_then(|digits| digits.parse().ok());
            cpu_ns.ok_or_else(|| failed("victim", &line))
        };
        KERNELS.into_iter().map(&mut each).collect()
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// A background load, and the slowdowns of the victim in all rounds: by kernel, then by round.
struct Load {
    name: String,
    own: bool,
    slowdowns: [Vec<f64>; KERNELS.len()],
}

pub(super) fn run(fauxplat: &Path, rival: bool) -> Result<(), ChoreError> {
    let load = |own| move |name: &str| Load { name: name.to_owned(), own, slowdowns: Default::default() };
    let mut loads: Vec<Load> = OURS.into_iter().map(load(true)).collect();
    loads.extend(THEIRS.into_iter().filter(|_| rival).map(load(false)));
    let mut victim = Victim::start()?;
    victim.suffer()?;
    for round in 0..ROUNDS {
        // The order changes from round to round, so that no load always follows the same other load.
        for place in 0..loads.len() {
            let which = (place * 3 + round) % loads.len();
            let before = victim.suffer()?;
            let running = start(fauxplat, &loads[which])?;
            std::thread::sleep(SETTLE);
            let beside = victim.suffer()?;
            drop(running);
            let after = victim.suffer()?;
            for (kernel, slowdowns) in loads[which].slowdowns.iter_mut().enumerate() {
                slowdowns.push(2.0 * beside[kernel] / (before[kernel] + after[kernel]));
            }
        }
    }
    tell(&loads);
    Ok(())
}

fn start(fauxplat: &Path, load: &Load) -> Result<Running, ChoreError> {
    match load.own {
        true => Running::start(&mut ours(fauxplat, &[format!("{}@{LOADED}", load.name)])),
        false => Running::start(&mut theirs(&[&load.name, "1"])),
    }
}

fn tell(loads: &[Load]) {
    println!(
        "CPU time of a unit of work of a victim on CPU {VICTIM} beside a load on CPU {LOADED}, as a ratio to the mean \
         without the load; medians of {ROUNDS} rounds in turns, with the interval of each median (96 %)"
    );
    for (kernel, (name, _)) in KERNELS.iter().enumerate() {
        println!("  victim {name}:");
        let mut best = [f64::NAN; 2];
        for load in loads {
            let (low, middle, high) = interval(&load.slowdowns[kernel]);
            let whose = if load.own { "fauxplat load" } else { "stress-ng" };
            println!("    {:<26} {middle:.3}  ({low:.3} … {high:.3})", format!("{whose} {}", load.name));
            best[usize::from(!load.own)] = best[usize::from(!load.own)].max(middle);
        }
        let [own, theirs] = best;
        if theirs.is_nan() {
            continue;
        }
        let versus = strongest(loads, kernel);
        let (low, middle, high) = interval(&versus);
        let verdict = match (own >= theirs, high >= 1.0) {
            (true, _) => "",
            (false, true) => "  no difference shown",
            (false, false) => "  BELOW THE GOAL",
        };
        println!(
            "    fauxplat's strongest over stress-ng's strongest load, by rounds: {middle:.3} ({low:.3} … {high:.3}){verdict}"
        );
    }
    println!("  goal: fauxplat's strongest load slows down at least as much as stress-ng's strongest");
}

/// Ratio of fauxplat's strongest load to the strongest of stress-ng, round by round.
fn strongest(loads: &[Load], kernel: usize) -> Vec<f64> {
    let of = |own: bool| {
        let middle = |load: &&Load| quartiles(&load.slowdowns[kernel]).1;
        let some = loads.iter().filter(|load| load.own == own);
        some.max_by(|a, b| middle(a).total_cmp(&middle(b))).map_or(&[][..], |load| &load.slowdowns[kernel])
    };
    of(true).iter().zip(of(false)).map(|(own, theirs)| own / theirs).collect()
}

/// Low end, median and high end: the ends are the third values from either side. They enclose the true median of 12
/// values ([`ROUNDS`]) with a probability of 96 %, by the sign test turned around.
fn interval(values: &[f64]) -> (f64, f64, f64) {
    let mut rising = values.to_vec();
    rising.sort_by(f64::total_cmp);
    let edge = 2.min(rising.len().saturating_sub(1) / 2);
    (rising[edge], quartiles(values).1, rising[rising.len() - 1 - edge])
}
