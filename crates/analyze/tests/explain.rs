//! Explanations of machines that do not exist, whose parts are known.

mod support;

use fauxplat_analyze::{ExplainFactor, ExplainJudged, explain_findings};
use fauxplat_model::{Component, Metric, Outcome, Rule, Sample};
use fauxplat_stats::draw::Draw;
use support::run;

const RUNS: usize = 16;

/// Effects as log ratios: of 16 displacements of the stack, of two CPUs, of blocks, of the place in the block; noise.
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
        ExplainFactor { name: "env-size".into(), levels: names(16, "offset"), is_sample: true, at: stacks },
        ExplainFactor { name: "cpu".into(), levels: names(2, "CPU"), is_sample: false, at: cpus },
    ];
    (explain_findings(&Rule::default(), &factors, &samples, false, seed), samples)
}

fn component<'a>(judged: &'a ExplainJudged, factor: &str) -> &'a Component {
    judged.findings.components.iter().find(|component| component.factor == factor).unwrap()
}

/// Share of a factor among all that is explained.
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
        }
    }
}

#[test]
fn two_factors_at_once_keep_apart() {
    let machine = Machine { cpu: 0.03, load: 0.05, ..QUIET };
    let (judged, _) = explain(&machine, 40, 3);
    // Variances: CPU 0.03²/4, load 0.05², noise 0.005².
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
    // 5 nominally; 12 is the 99.9 % quantile.
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
