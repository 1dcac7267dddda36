//! Simulated suites, judged as `suite` judges: how often anything is wrongly called changed, what is found, and how
//! long a look at the data takes.
//!
//! `cargo run -p fauxplat-suite --example suites -- alarms 10000` (or `power`, `carried`), with the number of suites,
//! and with the name of a noise if only one is wanted; or `look`, with the number of benchmarks.

use fauxplat_stats::draw::Draw;
use fauxplat_suite::analysis::{Judge, Rule, chosen};
use fauxplat_suite::findings::{Control, State};

/// Number of benchmarks of a suite.
const BENCHMARKS: usize = 100;

/// Seconds for which a harness is asked to run a benchmark in a process, and seconds that it takes for that, as in
/// `measure`.
fn time_s(max_time_s: f64) -> (f64, f64) {
    let time_s = (max_time_s / (4.0 * 100.0 * BENCHMARKS as f64)).clamp(1e-3, 50e-3);
    (time_s, 2.0 * time_s)
}

/// Noise of processes, as standard deviations of the logarithms of times.
struct Noise {
    /// Noise of each benchmark in each process: layout, frequency, interrupts.
    own: f64,
    /// Noise of a reading that takes 10 ms, which falls with the square root of the time.
    within: f64,
    /// Noise of a process as a whole, which all of its benchmarks share.
    process: f64,
    /// Share of readings that are disturbed, and thereby 5 to 100 % longer.
    disturbed: f64,
    /// Change of the machine between the two processes of a pair.
    drift: f64,
}

const QUIET: Noise = Noise { own: 0.01, within: 0.005, process: 0.005, disturbed: 0.02, drift: 0.005 };
const USUAL: Noise = Noise { own: 0.02, within: 0.01, process: 0.01, disturbed: 0.05, drift: 0.01 };
const BUSY: Noise = Noise { own: 0.03, within: 0.03, process: 0.02, disturbed: 0.15, drift: 0.05 };

/// Judge of a simulated suite at its end. For the first `changed` benchmarks, B differs from A by the log ratio `by`.
fn run(rule: Rule, noise: &Noise, (changed, by): (usize, f64), max_time_s: f64, seed: u64) -> Judge {
    let mut draw = Draw::new(seed, 1);
    let (mut judge, mut took_s, mut round) = (Judge::new(BENCHMARKS, rule), 0.0, 0);
    let (time_s, cost_s) = time_s(max_time_s);
    let own = (noise.own.powi(2) + noise.within.powi(2) * 0.01 / time_s).sqrt();
    let cost = vec![cost_s; BENCHMARKS];
    loop {
        let open = chosen(&judge, &cost, max_time_s - took_s, round);
        for part in open.chunks(20) {
            if took_s >= max_time_s {
                return judge;
            }
            let b_first = draw.below(2) == 0;
            // The second process of a pair runs a moment later, when the machine has changed.
            let moved = noise.drift * draw.normal() * if b_first { -1.0 } else { 1.0 };
            let process = noise.process * (draw.normal() - draw.normal());
            for &at in part {
                let mut side = |shift: f64| {
                    let spike =
                        if draw.uniform() < noise.disturbed { 0.05 / draw.uniform().max(0.05) } else { 0.0 };
                    shift + own * draw.normal() + spike
                };
                let effect = if at < changed { by } else { 0.0 };
                let (a, b) = (side(0.0), side(effect));
                judge.pair(at, b - a + process + moved);
            }
            took_s += 2.0 * cost_s * part.len() as f64;
            judge.look();
        }
        round += 1;
        if open.is_empty() {
            return judge;
        }
    }
}

fn states(judge: &Judge) -> Vec<State> {
    (0..BENCHMARKS).map(|at| judge.state(at)).collect()
}

fn is_changed(state: &State) -> bool {
    matches!(state, State::Slower | State::Faster)
}

const RULE: Rule =
    Rule { level: 0.01, margin: 0.03, control: Control::Family, gate: None, needs_verdict: false };

#[expect(clippy::disallowed_macros, reason = "an example prints its figures")]
fn main() {
    let mut words = std::env::args().skip(1);
    let what = words.next().unwrap_or_else(|| "alarms".to_owned());
    let suites: u64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(200);
    let only = words.next();
    for (name, noise) in [("quiet", QUIET), ("usual", USUAL), ("busy", BUSY)] {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        match what.as_str() {
            "alarms" => {
                for control in [Control::Family, Control::Discovery] {
                    let alarm = |seed: &u64| {
                        let run = run(Rule { control, ..RULE }, &noise, (0, 0.0), 300.0, *seed);
                        states(&run).iter().any(is_changed)
                    };
                    let alarms = (0..suites).filter(alarm).count();
                    println!(
                        "{name}, {control:?}: any alarm in {alarms} of {suites} suites of {BENCHMARKS} identical benchmarks"
                    );
                }
            }
            "power" => {
                for (by, max_time_s) in [(0.03, 300.0), (0.05, 300.0), (0.1, 60.0), (0.1, 300.0)] {
                    let (mut all, mut each, mut wrong, mut alike) = (0, 0, 0, 0);
                    for seed in 0..suites {
                        let found = states(&run(RULE, &noise, (3, f64::ln_1p(by)), max_time_s, seed));
                        let hits = found[..3].iter().filter(|it| **it == State::Slower).count();
                        (all, each) = (all + usize::from(hits == 3), each + hits);
                        wrong += usize::from(found[3..].iter().any(is_changed));
                        alike += found[3..].iter().filter(|it| **it == State::Unchanged).count();
                    }
                    println!(
                        "{name}, 3 of {BENCHMARKS} slower by {} % in {max_time_s} s: all three in {all} of {suites}, {each} of {} in \
                         all; others called changed in {wrong} suites, unchanged {:.1} of 97",
                        by * 100.0,
                        3 * suites,
                        alike as f64 / suites as f64
                    );
                }
            }
            "carried" => carried(name, &noise, suites),
            _ => {}
        }
    }
    if what == "look" {
        look(suites as usize);
    }
}

/// Prints for pairs of plain commands, of which a run of A may slow the next run of B down, how often a suite of ten
/// wrongly calls any changed, and how many runs a decision takes: with single runs in turns, and with each side twice
/// in a row.
#[expect(clippy::disallowed_macros, reason = "an example prints its figures")]
fn carried(name: &str, noise: &Noise, suites: u64) {
    for (effect, left) in
        [(0.0, 0.0), (0.05, 0.0), (0.3, 0.0), (0.0, 0.03), (0.0, 0.1), (0.0, 0.5), (-0.05, 0.1)]
    {
        for twice in [false, true] {
            let (mut wrong, mut right, mut runs) = (0, 0, Vec::new());
            for seed in 0..suites {
                let (state, took) = plain(noise, (effect, left), twice, seed);
                wrong += usize::from(
                    is_changed(&state) && (effect == 0.0 || (state == State::Slower) != (effect > 0.0)),
                );
                right += usize::from(if effect == 0.0 {
                    state == State::Unchanged
                } else {
                    is_changed(&state) && (state == State::Slower) == (effect > 0.0)
                });
                runs.push(took as f64);
            }
            let runs = fauxplat_stats::describe::median(&runs).unwrap_or(0.0);
            println!(
                "{name}, {}: B differs by {} %, A leaves {} % to a run of B: changed and not so in {wrong} of {suites}, right in \
                 {right}, {runs} runs at the median",
                if twice { "twice in a row" } else { "once" },
                effect * 100.0,
                left * 100.0,
            );
        }
    }
}

/// State of the first of ten plain commands, and the number of runs that it took, at most about 2,000.
fn plain(noise: &Noise, (effect, left): (f64, f64), twice: bool, seed: u64) -> (State, usize) {
    let mut draw = Draw::new(seed, 5);
    let (mut judge, mut runs) = (Judge::new(10, RULE), 0);
    while judge.is_open(0) && runs < 2000 {
        let in_a_row = if twice && judge.wants_block(0) { 2 } else { 1 };
        let first_side = draw.below(2);
        // Other benchmarks ran in between, so the first run follows none of A.
        let mut last_is_a = false;
        let mut read = [Vec::new(), Vec::new()];
        for position in 0..2 * in_a_row {
            let side = if position < in_a_row { first_side } else { 1 - first_side };
            let spike = if draw.uniform() < noise.disturbed { 0.05 / draw.uniform().max(0.05) } else { 0.0 };
            let shift = effect * side as f64 + if last_is_a && side == 1 { left } else { 0.0 };
            read[side].push(shift + noise.own.hypot(noise.drift) * draw.normal() + spike);
            last_is_a = side == 0;
        }
        let d: Vec<f64> = read[0].iter().zip(&read[1]).map(|(a, b)| b - a).collect();
        match d[..] {
            [first, second] => judge.block(0, [first, second], first_side == 1),
            _ => judge.pair(0, d[0]),
        }
        runs += 2 * in_a_row;
        judge.look();
    }
    (judge.state(0), runs)
}

/// Prints how long a look at the data of many benchmarks takes, with fifty pairs each.
#[expect(clippy::disallowed_macros, reason = "an example prints its figures")]
fn look(benchmarks: usize) {
    let (mut judge, mut draw) = (Judge::new(benchmarks, RULE), Draw::new(1, 0));
    for at in 0..benchmarks {
        (0..50).for_each(|_| judge.pair(at, 0.05 * draw.normal()));
    }
    let began_ns = fauxplat_sys::clock::monotonic_ns();
    (0..10).for_each(|_| judge.look());
    let look_ms = (fauxplat_sys::clock::monotonic_ns() - began_ns) as f64 / 1e7;
    println!("a look at {benchmarks} benchmarks with 50 pairs each: {look_ms:.2} ms");
}
