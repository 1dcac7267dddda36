//! Tables for the operator of a fleet: false positives in fleets of several shapes; how often odd machines are found
//! although they mask each other, or although an old BIOS on other machines masks them; and how often machines that
//! change are found. The seeds differ from those with which the thresholds were chosen.

use fauxplat_analyze::fleet::{FleetQuestion, fleet_findings, fleet_watch};
use fauxplat_model::{FleetFindings, FleetWatchFindings, Metric, NodeState, NodeVisit, NoticeKind};
use fauxplat_stats::draw::Draw;

use crate::fleets::{Drawn, Spread, World, name};

/// The first seed; a fleet uses this number plus its own.
const SEEDS: u64 = 5_000_000;

const RUNS: usize = 5;

/// Name of a table, and the function that prints it; each line of the table is computed from the given number of
/// fleets.
type Table = (&'static str, fn(usize));

/// Prints the tables whose names contain `word`. Each line is computed from `fleets` fleets.
pub(crate) fn print(fleets: usize, word: &str) {
    println!("{fleets} fleets a line, seeds from {SEEDS} on\n");
    let tables: [Table; 3] = [("found", found), ("watch", watched), ("flags", false_flags)];
    tables.iter().filter(|(name, _)| name.contains(word)).for_each(|(_, table)| table(fleets));
}

fn judged(world: World, seed: u64) -> FleetFindings {
    let question = FleetQuestion::of(Metric::WALL, seed);
    let mut drawn = Drawn::new(world, seed);
    if let Some(plan) = &fleet_findings(&drawn.evidence, &question).again {
        drawn.measure_again(plan);
    }
    fleet_findings(&drawn.evidence, &question)
}

fn count(found: &FleetFindings, state: NodeState) -> usize {
    found.nodes.iter().filter(|node| node.state == state).count()
}

fn seeds(fleets: usize) -> impl Iterator<Item = u64> {
    (0..fleets as u64).map(|at| SEEDS + at)
}

/// Prints the numbers of machines that are flagged in fleets without an odd machine, by kind of flag.
fn false_flags(fleets: usize) {
    println!(
        "| machines | spread | falsely confirmed a fleet | falsely fast | falsely scattered | fleets |\n| --- | --- | --- | --- | --- | --- |"
    );
    let plain = |machines| World { told: false, ..World::of(machines, RUNS, 0.015, 0.01) };
    let with_small = World { small: 20, ..plain(60) };
    let only_small = World { small: 40, ..plain(40) };
    let with_old = World { bios_every: 20, bios_slower: 0.03, ..World::of(500, RUNS, 0.015, 0.01) };
    for (title, world) in [
        ("7", plain(7)),
        ("20", plain(20)),
        ("60, of which 20 in groups of 5", with_small),
        ("40, all in groups of 5", only_small),
        ("100", plain(100)),
        ("500", plain(500)),
        ("500, 5 % with a BIOS that is 3 % slower", with_old),
    ] {
        for spread in Spread::ALL {
            let all: Vec<FleetFindings> =
                seeds(fleets).map(|seed| judged(World { spread, ..world }, seed)).collect();
            let mean = |of: &dyn Fn(&FleetFindings) -> usize| {
                all.iter().map(of).sum::<usize>() as f64 / fleets as f64
            };
            let notices =
                |kind| move |it: &FleetFindings| it.notices.iter().filter(|n| n.kind == kind).count();
            println!(
                "| {title} | {spread:?} | {:.3} | {:.3} | {:.3} | {fleets} |",
                mean(&|it| count(it, NodeState::Confirmed)),
                mean(&notices(NoticeKind::Fast)),
                mean(&notices(NoticeKind::Scatter)),
            );
        }
    }
    println!();
}

/// Prints how often all odd machines of a fleet are found.
fn found(fleets: usize) {
    println!(
        "| odd machines | suspect, noisy or confirmed | confirmed | fleets |\n| --- | --- | --- | --- |"
    );
    let few = |odd| World { odd, slower: 1.0, told: false, ..World::of(7, RUNS, 0.015, 0.01) };
    let beside = World {
        odd: 1,
        slower: 0.15,
        bios_every: 20,
        bios_slower: 0.03,
        ..World::of(1000, RUNS, 0.015, 0.01)
    };
    let in_small = World {
        odd: 1,
        slower: 1.0,
        small: 5,
        odd_last: true,
        told: false,
        ..World::of(60, RUNS, 0.015, 0.01)
    };
    for (title, world, odd) in [
        ("1 of 7, twice as slow", few(1), 1),
        ("2 of 7, twice as slow", few(2), 2),
        ("3 of 7, twice as slow", few(3), 3),
        ("1 in a group of 5 beside a group of 55, twice as slow", in_small, 1),
        ("1 of 1000, 15 % slower, beside 5 % with a BIOS that is 3 % slower", beside, 1),
    ] {
        let all: Vec<FleetFindings> = seeds(fleets).map(|seed| judged(world, seed)).collect();
        let is_odd = |node: &str| match world.odd_last {
            true => node == name(world.machines - 1),
            false => (0..odd).any(|at| node == name(at)),
        };
        let share = |states: &[NodeState]| {
            let is_found = |found: &&FleetFindings| {
                found.nodes.iter().filter(|it| is_odd(&it.node) && states.contains(&it.state)).count() == odd
            };
            all.iter().filter(is_found).count() as f64 / fleets as f64
        };
        let first = share(&[NodeState::Suspect, NodeState::Noisy, NodeState::Confirmed]);
        println!("| {title} | {first:.3} | {:.3} | {fleets} |", share(&[NodeState::Confirmed]));
    }
    println!();
}

/// Distribution of the noise of visits.
#[derive(Clone, Copy, Debug)]
enum Noise {
    Normal,
    /// Student's t with 5 degrees of freedom, scaled to variance 1.
    Heavy,
    /// Normal, with a standard deviation that differs between machines: its logarithm has a standard deviation of 0.5.
    Uneven,
}

/// Simulated visits of a fleet with a noise of 1 %, in which machine 0 is slower by the share `slower` from visit `at`
/// on.
fn visits(
    machines: usize,
    (count, at): (usize, usize),
    slower: f64,
    noise: Noise,
    seed: u64,
) -> Vec<NodeVisit> {
    let mut draw = Draw::new(seed, 0);
    let mut all = Vec::new();
    for machine in 0..machines {
        let own = if matches!(noise, Noise::Uneven) { (0.5 * draw.normal()).exp() } else { 1.0 };
        for place in 0..count {
            let heavy = if matches!(noise, Noise::Heavy) { (draw.chi_square(5.0) / 3.0).sqrt() } else { 1.0 };
            let shift = if machine == 0 && place >= at { slower.ln_1p() } else { 0.0 };
            let median = 1e8 * (0.01 * own * draw.normal() / heavy + shift).exp();
            all.push(NodeVisit {
                node: name(machine),
                fleet: format!("{place:04}"),
                at_utc_ns: place as i64,
                median,
                mean: Some(median * (0.003 * draw.normal().abs()).exp()),
                facts: std::collections::BTreeMap::new(),
            });
        }
    }
    all
}

fn watch(of: &[NodeVisit], seed: u64) -> FleetWatchFindings {
    fleet_watch(of, "program", &FleetQuestion::of(Metric::WALL, seed))
}

/// Prints how often changes of a machine over its visits are found.
fn watched(fleets: usize) {
    println!(
        "| machines | visits | one machine | noise | found | another reported | smallest detectable % | fleets |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    );
    for (machines, span, slower, title) in [
        (10, (12, 9), 2.0, "3 times as slow in the last 3 visits"),
        (100, (12, 9), 2.0, "3 times as slow in the last 3 visits"),
        (1000, (12, 9), 2.0, "3 times as slow in the last 3 visits"),
        (10, (20, 15), 0.1, "10 % slower in the last 5 visits"),
        (100, (20, 15), 0.1, "10 % slower in the last 5 visits"),
        (1000, (20, 15), 0.1, "10 % slower in the last 5 visits"),
        (10, (12, 12), 0.0, "no change"),
        (100, (12, 12), 0.0, "no change"),
        (1000, (12, 12), 0.0, "no change"),
        (100, (20, 20), 0.0, "no change"),
        (100, (50, 50), 0.0, "no change"),
    ] {
        for noise in [Noise::Normal, Noise::Heavy, Noise::Uneven] {
            let fleets = if machines == 1000 { fleets.min(200) } else { fleets };
            let all: Vec<FleetWatchFindings> =
                seeds(fleets).map(|seed| watch(&visits(machines, span, slower, noise, seed), seed)).collect();
            let told = |found: &FleetWatchFindings, odd: bool| {
                let mut changed = found.nodes.iter().filter(|node| !node.changes.is_empty());
                changed.any(|node| (slower > 0.0 && node.node == name(0)) == odd)
            };
            let share = |of: &dyn Fn(&FleetWatchFindings) -> bool| {
                all.iter().filter(|it| of(it)).count() as f64 / fleets as f64
            };
            let smallest: Vec<f64> = all.iter().filter_map(|it| Some(it.smallest?.ratio)).collect();
            println!(
                "| {machines} | {} | {title} | {noise:?} | {:.3} | {:.3} | {:.1} | {fleets} |",
                span.0,
                share(&|it| told(it, true)),
                share(&|it| told(it, false) || !it.whole.is_empty()),
                100.0 * (fauxplat_stats::describe::median(&smallest).unwrap_or(f64::NAN) - 1.0),
            );
        }
    }
}
