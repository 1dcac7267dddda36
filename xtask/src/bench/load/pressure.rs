//! How much background loads slow down a victim on another CPU.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::{LOADED, Running, VICTIM, ours, theirs};
use crate::bench::{failed, quartiles};
use crate::error::ChoreError;

const ROUNDS: usize = 12;
/// Kernels that the victim runs, and the milliseconds for which each of these runs in a round.
const KERNELS: [(&str, u32); 4] = [("l2", 20), ("llc", 60), ("dram", 60), ("stream", 40)];
const OURS: [&str; 3] = ["l1", "llc", "memory"];
const THEIRS: [&str; 5] = ["--l1cache", "--cache", "--stream", "--memrate", "--vm"];
/// Time from the start of a load until it has laid out its memory and filled its caches.
const SETTLE: Duration = Duration::from_millis(400);

/// The victim of the loads: one process for all rounds, so that its memory stays in place.
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

    /// Lets the victim run each of [`KERNELS`], and returns the CPU time that a unit of work of each takes, in
    /// nanoseconds.
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

/// A background load, and the slowdowns of the victim beside it: by kernel, and then by round.
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
        // The order of the loads changes from round to round, so that no load always follows the same other one.
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

/// Slowdown by fauxplat's strongest load divided by that by stress-ng's strongest, for each round.
fn strongest(loads: &[Load], kernel: usize) -> Vec<f64> {
    let of = |own: bool| {
        let middle = |load: &&Load| quartiles(&load.slowdowns[kernel]).1;
        let some = loads.iter().filter(|load| load.own == own);
        some.max_by(|a, b| middle(a).total_cmp(&middle(b))).map_or(&[][..], |load| &load.slowdowns[kernel])
    };
    of(true).iter().zip(of(false)).map(|(own, theirs)| own / theirs).collect()
}

/// Low end, median and high end, where the ends are the third smallest and the third largest value. With [`ROUNDS`],
/// 12, values, the ends enclose the true median with a probability of 96 %, by the sign test.
fn interval(values: &[f64]) -> (f64, f64, f64) {
    let mut rising = values.to_vec();
    rising.sort_by(f64::total_cmp);
    let edge = 2.min(rising.len().saturating_sub(1) / 2);
    (rising[edge], quartiles(values).1, rising[rising.len() - 1 - edge])
}
