//! Tests of explanations with simulated machines, for which the true components are known.

mod support;

use fauxplat_analyze::{ExplainFactor, ExplainJudged, ExplainPlaces, explain_findings};
use fauxplat_model::{Component, Metric, Outcome, Phase, Rule, Sample};
use fauxplat_plan::{Coordinates, Crossed};
use fauxplat_stats::draw::Draw;
use support::run;

const RUNS: usize = 16;

/// A simulated machine, by log ratios: the effect of each of 16 displacements of the stack (`stack`), of the second of
/// two CPUs (`cpu`), and of each further position in a block (`place`); the standard deviation between blocks (`load`)
/// and of the noise.
struct Machine {
    stack: fn(usize) -> f64,
    cpu: f64,
    load: f64,
    place: f64,
    noise: f64,
}

const QUIET: Machine = Machine { stack: |_| 0.0, cpu: 0.0, load: 0.0, place: 0.0, noise: 0.005 };

fn explain(machine: &Machine, blocks: usize, seed: u64) -> (ExplainJudged, Vec<Sample>) {
    let mut draw = Draw::new(seed, 0);
    let (mut stacks, mut cpus, mut samples) = (Vec::new(), Vec::new(), Vec::new());
    for block in 0..blocks {
        let mut stack: Vec<u16> = (0..16).collect();
        let mut cpu: Vec<u16> = (0..16).map(|at| at % 2).collect();
        draw.shuffle(&mut stack);
        draw.shuffle(&mut cpu);
        let load = machine.load * draw.normal();
        for position in 0..RUNS {
            let log = (machine.stack)(stack[position].into())
                + machine.cpu * f64::from(cpu[position])
                + load
                + machine.place * position as f64
                + machine.noise * draw.normal();
            let time = (2e6f64.ln() + log).exp() as u64;
            samples.push(run(block as u32, 0, position as u16, &[(Metric::WALL, time)]));
        }
        stacks.push(stack);
        cpus.push(cpu);
    }
    let names = |count: usize, word: &str| (0..count).map(|at| format!("{word} {at}")).collect();
    let factors = [
        ExplainFactor {
            name: "env-size".into(),
            levels: names(16, "offset"),
            is_sample: true,
            at: stacks,
            places: None,
        },
        ExplainFactor {
            name: "cpu".into(),
            levels: names(2, "CPU"),
            is_sample: false,
            at: cpus,
            places: None,
        },
    ];
    (explain_findings(&Rule::default(), &factors, &samples, false, seed), samples)
}

fn component<'a>(judged: &'a ExplainJudged, factor: &str) -> &'a Component {
    judged.findings.components.iter().find(|component| component.factor == factor).unwrap()
}

/// Points of a factor as a share of the points of all factors, without the residual.
fn attributed(judged: &ExplainJudged, factor: &str) -> f64 {
    let points = |component: &&Component| component.factor != "residual";
    let explained: f64 = judged.findings.components.iter().filter(points).map(|one| one.points_percent).sum();
    component(judged, factor).points_percent / explained
}

#[test]
fn a_planted_effect_goes_to_its_factor() {
    let planted: [(&str, Machine); 4] = [
        ("env-size", Machine { stack: |at| 0.04 * f64::from(u8::from(at % 4 == 1)), ..QUIET }),
        ("cpu", Machine { cpu: 0.03, ..QUIET }),
        ("drift", Machine { load: 0.03, ..QUIET }),
        ("order", Machine { place: 0.003, ..QUIET }),
    ];
    for (factor, machine) in &planted {
        for seed in 0..10 {
            let (judged, _) = explain(machine, 40, seed);
            assert!(attributed(&judged, factor) >= 0.8, "{factor} {seed}: {:?}", judged.findings.components);
            assert_eq!(&judged.findings.components[0].factor, factor);
            let level = judged.findings.level;
            assert!(component(&judged, factor).p_adjusted.is_some_and(|p| p <= level), "{factor} {seed}");
            let sum: f64 = judged.findings.components.iter().map(|one| one.points_percent).sum();
            assert!((sum - 100.0 * (judged.findings.worst_over_best_ratio - 1.0)).abs() < 1e-6);
            let shares: f64 = judged.findings.components.iter().map(|one| one.variance_share).sum();
            assert!((shares - 1.0).abs() < 1e-9);
            has_intervals(&judged);
        }
    }
}

/// Checks that the ratio of the slowest to the fastest tenth and the median lie within their intervals, and that the
/// intervals are narrow.
fn has_intervals(judged: &ExplainJudged) {
    let found = &judged.findings;
    let [low, high] = found.worst_over_best_interval.expect("forty blocks have an interval");
    let whole = found.worst_over_best_ratio;
    assert!(low < whole && whole < high && (high / low).ln() < whole.ln(), "{low} {whole} {high}");
    let [low, high] = found.median_interval_ns.expect("so many runs have an interval");
    let median = found.median_ns.expect("runs have a median");
    assert!(low <= median && median <= high && high / low < 1.02, "{low} {median} {high}");
}

#[test]
fn few_blocks_have_no_interval_of_the_whole() {
    let (judged, _) = explain(&QUIET, 8, 1);
    assert_eq!(judged.findings.worst_over_best_interval, None);
    assert!(judged.findings.median_interval_ns.is_some());
}

#[test]
fn two_factors_at_once_keep_apart() {
    let machine = Machine { cpu: 0.03, load: 0.05, ..QUIET };
    let (judged, _) = explain(&machine, 40, 3);
    // The variances of the log time: of the CPU 0.03²/4, of the load 0.05², of the noise 0.005².
    let total = 0.000_225 + 0.0025 + 0.000_025;
    let cpu = component(&judged, "cpu");
    assert!(cpu.low <= 0.000_225 / total && 0.000_225 / total <= cpu.high, "{cpu:?}");
    let drift = component(&judged, "drift");
    assert!(drift.low <= 0.0025 / total && 0.0025 / total <= drift.high, "{drift:?}");
    let [low, high] = cpu.levels.as_slice() else { panic!("two CPUs") };
    let ratio = high.ratio / low.ratio;
    assert!((ratio - 0.03f64.exp()).abs() < 0.003 && high.level == "CPU 1", "{ratio}");
    assert!(component(&judged, "env-size").p_adjusted.is_some_and(|p| p > 0.01));
}

#[test]
fn nothing_is_named_where_there_is_only_noise() {
    let named = (0..100).filter(|&seed| {
        let (judged, _) = explain(&QUIET, 12, 500 + seed);
        judged.findings.components.iter().any(|one| one.p_adjusted.is_some_and(|p| p <= 0.05))
    });
    // At an error level of 5 %, 5 wrong answers in 100 are expected; 12 is the 99.9 % quantile.
    let named = named.count();
    assert!(named <= 12, "{named}");
}

#[test]
fn failed_runs_are_left_out_and_said() {
    let (_, mut samples) = explain(&QUIET, 12, 1);
    for sample in samples.iter_mut().step_by(5) {
        sample.outcome = Outcome::Exited(1);
    }
    let judged = explain_findings(&Rule::default(), &[], &samples, false, 1);
    assert_eq!((judged.findings.runs, judged.findings.failures), (153, 39));
    assert!(judged.warnings[0].contains("39 of 192 runs failed"), "{:?}", judged.warnings);
    let none = explain_findings(&Rule::default(), &[], &[], false, 1);
    assert!(none.findings.components.is_empty() && none.findings.median_ns.is_none());
}

#[test]
fn a_reading_of_zero_is_no_failure_and_a_missing_one_is_said() {
    let (_, mut samples) = explain(&QUIET, 12, 1);
    for (number, sample) in samples.iter_mut().enumerate() {
        let user = if number.is_multiple_of(3) { 0 } else { 1_000_000 };
        sample.readings = [(Metric::USER, user)].into_iter().collect();
    }
    let rule = Rule { metric: Metric::USER, ..Rule::default() };
    let judged = explain_findings(&rule, &[], &samples, false, 1);
    assert_eq!((judged.findings.runs, judged.findings.failures), (192, 0));
    assert!(judged.warnings.iter().all(|line| !line.contains("left out")), "{:?}", judged.warnings);
    for sample in samples.iter_mut().take(20) {
        sample.readings = [(Metric::WALL, 2_000_000)].into_iter().collect();
    }
    let judged = explain_findings(&rule, &[], &samples, false, 1);
    assert_eq!((judged.findings.runs, judged.findings.failures), (172, 0));
    assert!(
        judged.warnings[0].contains("20 of 192 runs have no reading of the user"),
        "{:?}",
        judged.warnings
    );
}

/// An explanation of two displacements and two commands, with the plan that the verb `explain` uses, on a simulated
/// machine where `log` returns the log ratio of a run's time without noise.
fn planned(blocks: u32, seed: u64, log: impl Fn(&Coordinates) -> f64) -> ExplainJudged {
    let plan = Crossed { commands: 2, cpus: None, stack: true, heap: true, seed };
    let mut draw = Draw::new(seed, 9);
    let mut samples = Vec::new();
    let all: Vec<Vec<Coordinates>> = (0..blocks).map(|block| plan.coordinates(block)).collect();
    for (block, coordinates) in (0..).zip(&all) {
        for (trial, at) in plan.block(block, Phase::Measured).iter().zip(coordinates) {
            // On average every fiftieth run has a spike, which no factor explains.
            let spike = if draw.uniform() < 0.02 { 0.2 } else { 0.0 };
            let time = (2e6f64.ln() + log(at) + 0.01 * draw.normal() + spike).exp() as u64;
            samples.push(run(block, at.command, trial.position, &[(Metric::WALL, time)]));
        }
    }
    let at = |pick: fn(&Coordinates) -> u16| -> Vec<Vec<u16>> {
        all.iter().map(|block| block.iter().map(pick).collect()).collect()
    };
    let names = |count: u16| (0..count).map(|at| at.to_string()).collect::<Vec<_>>();
    let factor = |name: &str, count, pick, slots: Option<fn(&Coordinates) -> u16>| ExplainFactor {
        name: name.into(),
        levels: names(count),
        is_sample: slots.is_some(),
        at: at(pick),
        places: slots.map(|slots| ExplainPlaces { names: names(256), at: at(slots) }),
    };
    let factors = [
        factor("env-size", 16, |at| at.stack, Some(Coordinates::stack_slot)),
        factor("heap", 16, |at| at.heap, Some(Coordinates::heap_slot)),
        factor("command", 2, |at| at.command, None),
    ];
    explain_findings(&Rule::default(), &factors, &samples, false, seed)
}

fn is_named(judged: &ExplainJudged, factor: &str) -> bool {
    component(judged, factor).p_adjusted.is_some_and(|p| p <= judged.findings.level)
}

#[test]
fn one_slow_place_of_a_page_is_found_and_named() {
    // With only sixteen displacements for a whole session, this place would be missing with a probability of 15 in 16.
    for seed in 0..5 {
        let judged = planned(64, seed, |at| if at.stack_slot() == 171 { 0.6 } else { 0.0 });
        let place = component(&judged, "env-size-place");
        assert!(is_named(&judged, "env-size-place") && !is_named(&judged, "heap-place"), "{seed}: {place:?}");
        let slowest = place.levels.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio)).unwrap();
        assert_eq!(slowest.level, "171", "{seed}");
        assert!((slowest.ratio.ln() - 0.6).abs() < 0.1, "{slowest:?}");
        // The variance between places, 0.6² / 256, is far above that of the noise, 0.01², even after winsorising.
        assert!(place.variance_share > 0.6, "{place:?}");
        let findings = &judged.findings;
        let shares: f64 = findings.components.iter().map(|one| one.variance_share).sum();
        let points: f64 = findings.components.iter().map(|one| one.points_percent).sum();
        assert!((shares - 1.0).abs() < 1e-9);
        assert!((points - 100.0 * (findings.worst_over_best_ratio - 1.0)).abs() < 1e-6, "{points}");
    }
}

#[test]
fn places_that_had_too_few_runs_are_said_to_be_in_the_residual() {
    // Every second place of a page is slower, so that no level of the displacement stands out. Each place has one run
    // in 16 blocks, so with 24 blocks only two thirds of the runs are at places with two runs.
    let odd = |at: &Coordinates| if at.stack_slot().is_multiple_of(2) { 0.0 } else { 0.4 };
    let said =
        |blocks| planned(blocks, 1, odd).warnings.iter().filter(|line| line.contains("env-size")).count();
    assert_eq!((said(24), said(64)), (1, 0));
    let told = planned(64, 1, odd);
    assert!(is_named(&told, "env-size-place") && !is_named(&told, "env-size"));
}

#[test]
fn places_and_pairs_are_not_named_where_there_is_only_noise() {
    let named = |seed: &u64| {
        let judged = planned(48, 100 + seed, |_| 0.0);
        let pair = judged.findings.interaction.as_ref().is_some_and(|pair| pair.p_adjusted <= 0.05);
        pair || judged.findings.components.iter().any(|one| one.p_adjusted.is_some_and(|p| p <= 0.05))
    };
    let wrong = (0..12).filter(named).count();
    // Less than one false result in 12 is expected; five would occur with a probability of 1 in 4000.
    assert!(wrong <= 4, "{wrong} of 12");
}

#[test]
fn what_two_factors_do_only_together_is_offered() {
    let together =
        |at: &Coordinates| if at.stack.is_multiple_of(2) == (at.command == 0) { 0.02 } else { 0.0 };
    let judged = planned(60, 3, together);
    let pair = judged.findings.interaction.as_ref().unwrap();
    assert_eq!(pair.factors, ["env-size", "command"]);
    assert!(pair.p_adjusted <= 0.01 && pair.low > 0.2 && pair.variance_share < 1.0, "{pair:?}");
    assert!(!is_named(&judged, "env-size") && !is_named(&judged, "command"), "{:?}", judged.findings);
    // Twelve blocks are too few for places within the levels and for interactions of displacements, but enough for the
    // other components.
    let few = planned(12, 3, together).findings;
    assert!(few.components.iter().all(|one| !one.factor.ends_with("place")));
    assert_eq!(few.interaction.unwrap().factors[1], "command");
}
