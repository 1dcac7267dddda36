//! Tables of simulated fleets: false flags where no machine is odd, odd machines that are found, and the time of the
//! analysis.

#![expect(clippy::disallowed_methods, reason = "the time of the analysis is what is measured")]

use std::time::Instant;

use fauxplat_analyze::fleet::{FleetQuestion, fleet_findings};
use fauxplat_model::{FleetFindings, Metric, NodeState};
use fauxplat_stats::changepoint::Scanner;
use fauxplat_stats::draw::Draw;

use crate::fleets::{Drawn, Spread, World, name};

/// Standard deviations between machines and between runs, as in the publications on fleets with which the figures are
/// compared.
const NOISES: [(f64, f64); 3] = [(0.005, 0.01), (0.015, 0.01), (0.02, 0.03)];

const RUNS: usize = 5;

fn question(seed: u64) -> FleetQuestion {
    FleetQuestion::of(Metric::WALL, seed)
}

/// Findings after the first measurement, and findings after suspects were measured again.
fn judged(world: World, seed: u64) -> (FleetFindings, FleetFindings) {
    let mut drawn = Drawn::new(world, seed);
    let first = fleet_findings(&drawn.evidence, &question(seed));
    if let Some(plan) = &first.again {
        drawn.measure_again(plan);
    }
    let second = fleet_findings(&drawn.evidence, &question(seed));
    (first, second)
}

fn count(found: &FleetFindings, state: NodeState) -> usize {
    found.nodes.iter().filter(|node| node.state == state).count()
}

/// Prints all tables. Each line is computed from `fleets` fleets, or from fewer if the fleets of the line are large.
pub(crate) fn print(fleets: usize) {
    println!("{fleets} fleets a line\n");
    false_flags(fleets);
    power(fleets);
    facts(fleets.min(200));
    changes(fleets);
}

/// Prints the numbers of machines that are flagged in fleets without an odd machine.
fn false_flags(fleets: usize) {
    println!(
        "| machines | spread | between % | suspects a fleet | confirmed a fleet | fleets |\n| --- | --- | --- | --- | --- | --- |"
    );
    for machines in [20, 50, 100, 500, 2000, 10_000] {
        let fleets = (fleets * 2000 / machines.max(2000)).max(20);
        for spread in Spread::ALL {
            let world = World { spread, told: false, ..World::of(machines, RUNS, 0.015, 0.01) };
            let all: Vec<_> = (0..fleets as u64).map(|seed| judged(world, seed)).collect();
            let mean = |of: &dyn Fn(&(FleetFindings, FleetFindings)) -> usize| {
                all.iter().map(of).sum::<usize>() as f64 / fleets as f64
            };
            println!(
                "| {machines} | {spread:?} | 1.5 | {:.3} | {:.3} | {fleets} |",
                mean(&|(first, _)| count(first, NodeState::Suspect)),
                mean(&|(_, second)| count(second, NodeState::Confirmed)),
            );
        }
    }
    println!();
}

/// Prints how often a single odd machine is found.
fn power(fleets: usize) {
    println!(
        "| machines | between / within % | slower by % | suspect | confirmed | smallest detectable slowdown % |\n| --- | --- | --- | --- | --- | --- |"
    );
    for (machines, noises) in [(20, &NOISES[1..2]), (100, &NOISES[..]), (300, &NOISES[2..])] {
        for &(between, within) in noises {
            for slower in [0.05, 0.10] {
                let fleets = (fleets * 100 / machines.max(100)).max(20);
                let world =
                    World { odd: 1, slower, told: false, ..World::of(machines, RUNS, between, within) };
                let all: Vec<_> = (0..fleets as u64).map(|seed| judged(world, seed)).collect();
                let is = |found: &FleetFindings, state| {
                    found.nodes.iter().any(|it| it.node == name(0) && it.state == state)
                };
                let share = |of: &dyn Fn(&(FleetFindings, FleetFindings)) -> bool| {
                    all.iter().filter(|it| of(it)).count() as f64 / fleets as f64
                };
                let least: Vec<f64> =
                    all.iter().filter_map(|(first, _)| first.groups[0].smallest_detectable).collect();
                println!(
                    "| {machines} | {} / {} | {} | {:.2} | {:.2} | {:.1} |",
                    between * 100.0,
                    within * 100.0,
                    slower * 100.0,
                    share(&|(first, _)| is(first, NodeState::Suspect)),
                    share(&|(_, second)| is(second, NodeState::Confirmed)),
                    100.0 * (fauxplat_stats::describe::median(&least).unwrap_or(f64::NAN) - 1.0),
                );
            }
        }
    }
    println!();
}

/// Prints how often each fact is reported: in one kind of fleet a tenth of the machines has an old BIOS and is 4 %
/// slower, in the other no fact matters.
fn facts(fleets: usize) {
    println!(
        "| facts of 500 machines | right fact named first | wrong fact named | fleets |\n| --- | --- | --- | --- |"
    );
    for (title, slower) in [("one BIOS, on 10 % of machines, 4 % slower", 0.04), ("no fact matters", 0.0)] {
        let world = World { bios_every: 10, bios_slower: slower, ..World::of(500, RUNS, 0.015, 0.01) };
        let found: Vec<FleetFindings> = (0..fleets as u64)
            .map(|seed| fleet_findings(&Drawn::new(world, seed).evidence, &question(seed)))
            .collect();
        let first = found
            .iter()
            .filter(|it| it.facts_explained.first().is_some_and(|fact| fact.fact == "bios"))
            .count();
        let other =
            found.iter().filter(|it| it.facts_explained.iter().any(|fact| fact.fact != "bios")).count();
        println!("| {title} | {first} | {other} | {fleets} |");
    }
    println!();
}

/// Prints how often changes over time are found: series with a noise of 2 %, into which changes are injected.
fn changes(series: usize) {
    println!("| series | change reported | place within 2 | drawn series |\n| --- | --- | --- | --- |");
    let mut scanner = Scanner::new(4, 1);
    let mut draw = Draw::new(77, 0);
    let cases = [
        ("no change", 50, 0.0, 50),
        ("no change", 200, 0.0, 200),
        ("no change", 500, 0.0, 500),
        ("one spike of 30 %", 200, 0.30, 100),
        ("5 % slower from value 150 on", 200, 0.05, 150),
        ("2 % slower from value 150 on", 200, 0.02, 150),
        ("5 % slower in the last 5 values", 200, 0.05, 195),
    ];
    for (title, length, step, at) in cases {
        let spike = title.contains("spike");
        let (mut told, mut near) = (0, 0);
        for _ in 0..series {
            let is_in = |place: usize| if spike { place == at } else { place >= at };
            let values: Vec<f64> = (0..length)
                .map(|place| 0.02 * draw.normal() + if is_in(place) { step } else { 0.0 })
                .collect();
            let found = scanner.changes(&values, 0.01);
            told += usize::from(!found.is_empty());
            near += usize::from(found.iter().any(|change| change.at.abs_diff(at) <= 2));
        }
        let share = |count: usize| count as f64 / series as f64;
        println!("| {title}, n = {length} | {:.3} | {:.3} | {series} |", share(told), share(near));
    }
}

/// Prints the time and the memory of analysing 10,000 machines with 100 runs each.
pub(crate) fn speed() {
    let world = World {
        blocks: 10,
        runs_per_block: 10,
        bios_every: 10,
        bios_slower: 0.04,
        odd: 5,
        slower: 0.15,
        ..World::of(10_000, 10, 0.015, 0.01)
    };
    let drawn = Drawn::new(world, 1);
    let made = peak_mib();
    let began = Instant::now();
    let found = fleet_findings(&drawn.evidence, &question(1));
    let took = began.elapsed().as_secs_f64();
    println!(
        "10,000 machines x 100 runs judged in {took:.2} s, {} suspects, {} facts; peak memory {} MiB, {made} MiB of it before",
        count(&found, NodeState::Suspect),
        found.facts_explained.len(),
        peak_mib()
    );
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) / 1024
}
