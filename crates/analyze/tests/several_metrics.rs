//! Tests of the judge with several metrics at once: a common error level, and a margin for each metric.

#[path = "support/jitter.rs"]
mod jitter;
#[path = "support/rule.rs"]
mod rule;
#[path = "support/mod.rs"]
mod support;

use fauxplat_analyze::{Decision, Judge, Judged};
use fauxplat_model::{AlsoDecided, Metric, MetricChange, Rule, Sample, StoppedBy, Verdict};
use jitter::jitter;
use rule::rule;
use support::run;

const MIB: f64 = 1_048_576.0;

/// A block in which each command has a wall time and a peak memory, each with noise of its own, multiplied by the
/// command's `factors`.
fn block(number: u32, stream: u32, factors: &[(f64, f64)]) -> Vec<Sample> {
    let one = |command: u16| {
        let (wall, memory) = factors[usize::from(command)];
        let noise = |metric: u32| (0.003 * jitter(number, stream + 10 * metric + u32::from(command))).exp();
        let readings = [
            (Metric::WALL, (5e6 * wall * noise(0)) as u64),
            (Metric::PEAK_MEMORY, (MIB * memory * noise(1)) as u64),
        ];
        run(number, command, command, &readings)
    };
    (0..factors.len() as u16).map(one).collect()
}

fn both(margin_absolute: Option<f64>) -> Rule {
    let also = AlsoDecided { metric: Metric::PEAK_MEMORY, margin: None, margin_absolute };
    Rule { also: vec![also], ..rule() }
}

fn judged(rule: &Rule, stream: u32, factors: &[(f64, f64)]) -> Judged {
    let mut judge = Judge::new(rule, factors.len(), stream.into());
    let mut samples = Vec::new();
    for number in 0.. {
        let block = block(number, stream, factors);
        samples.extend_from_slice(&block);
        if judge.block(&block) == Decision::Stop {
            break;
        }
    }
    let names: Vec<String> = ["a", "b", "c"][..factors.len()].iter().map(|&name| name.to_owned()).collect();
    judge.findings(&samples, &names, judge.stopped_by())
}

#[test]
fn each_metric_gets_its_own_answer_and_the_last_one_ends_it() {
    let found = judged(&both(None), 1, &[(1.0, 1.0), (1.05, 1.0)]).findings;
    let shown: Vec<_> = found.comparisons.iter().map(|it| (it.metric, it.verdict, it.stopped_by)).collect();
    let wall = (Metric::WALL, Verdict::Different, StoppedBy::Verdict);
    assert_eq!(shown[0], wall);
    assert_eq!((shown[1].0, shown[1].1), (Metric::PEAK_MEMORY, Verdict::Equivalent));
    // A comparison that was decided earlier keeps the figures of the look at the data that decided it.
    assert!(found.comparisons[0].pairs < found.comparisons[1].pairs, "{:?}", found.comparisons);
    assert_eq!((found.winner, found.with_first(1).len(), found.metrics().len()), (Some(0), 2, 2));
    let told = |metric| found.comparisons[0].secondary.iter().any(|it| it.metric == metric);
    assert!(!told(Metric::PEAK_MEMORY) && found.comparisons[1].secondary.is_empty());
}

#[test]
fn several_commands_come_metric_by_metric_and_the_winner_is_of_the_first() {
    let found = judged(&both(None), 3, &[(1.0, 1.0), (0.9, 1.2), (0.8, 1.4)]).findings;
    let shown: Vec<_> =
        found.comparisons.iter().map(|it| (it.metric, it.a.as_str(), it.b.as_str())).collect();
    let (wall, memory) = (Metric::WALL, Metric::PEAK_MEMORY);
    let expected =
        [(wall, "a", "b"), (wall, "a", "c"), (memory, "a", "b"), (memory, "a", "c"), (wall, "b", "c")];
    assert_eq!(shown, expected);
    assert_eq!((found.winner, found.with_first(2).len()), (Some(2), 4));
}

#[test]
fn the_first_metric_by_itself_says_what_it_said_before() {
    let alone = judged(&rule(), 5, &[(1.0, 1.0), (1.05, 1.0)]).findings.comparisons.remove(0);
    let asked = judged(&both(None), 5, &[(1.0, 1.0), (1.05, 1.0)]).findings.comparisons.remove(0);
    assert_eq!((alone.verdict, alone.metric), (asked.verdict, asked.metric));
    // With two metrics, each has half of the error level, so its interval is at least as wide as with one metric.
    let width = |it: &fauxplat_model::Comparison| it.ci_high_ratio / it.ci_low_ratio;
    assert!(alone.pairs < asked.pairs || width(&alone) <= width(&asked) + 1e-12);
}

#[test]
fn an_absolute_margin_is_a_share_of_what_both_have() {
    let of = |a: f64, b: f64, margin: f64| {
        let found = judged(&both(Some(margin)), 7, &[(1.0, a), (1.0, b)]).findings;
        let memory = &found.comparisons[1];
        assert_eq!(memory.margin_absolute, Some(margin));
        (memory.verdict, memory.margin, memory.beyond_margin)
    };
    // 3 % of a mebibyte are about 30 KiB, between the two margins.
    let (verdict, margin, _) = of(1.0, 1.03, 65_536.0);
    assert_eq!(verdict, Verdict::Different, "a difference is one, whatever the margin");
    assert!((margin - 64.0 / 1024.0 / 1.015).abs() < 0.001, "{margin}");
    assert_eq!(of(1.0, 1.03, 65_536.0).2, Some(false));
    assert_eq!(of(1.0, 1.03, 8192.0).2, Some(true));
    assert_eq!(of(1.0, 1.0, 65_536.0).0, Verdict::Equivalent);
    // The margin as a ratio does not depend on which command uses more memory.
    assert!((of(1.03, 1.0, 65_536.0).1 - margin).abs() < 1e-4);
}

#[test]
fn an_experiment_that_ends_early_has_a_margin_too() {
    let mut judge = Judge::new(&both(Some(65_536.0)), 2, 1);
    let samples: Vec<Sample> =
        (0..3).flat_map(|number| block(number, 1, &[(1.0, 1.0), (1.0, 1.0)])).collect();
    for block in samples.chunks(2) {
        judge.block(block);
    }
    let names = ["a".to_owned(), "b".to_owned()];
    let found = judge.findings(&samples, &names, StoppedBy::Interrupt).findings;
    let memory = &found.comparisons[1];
    assert_eq!((memory.pairs, memory.verdict), (3, Verdict::Inconclusive));
    assert!((memory.margin - 64.0 / 1024.0).abs() < 0.001, "{}", memory.margin);
    let nothing = Judge::new(&both(Some(65_536.0)), 2, 1).findings(&[], &names, StoppedBy::Interrupt);
    assert_eq!(nothing.findings.comparisons.len(), 2);
}

/// A hundred comparisons of identical programs in two metrics with independent noise. At an error level of 5 % for both
/// metrics together, at most 5 comparisons are expected to be wrong; four standard errors are 9 more.
#[test]
fn the_level_is_that_of_all_metrics_together() {
    let rule = Rule { level: 0.05, max_pairs: 24, ..both(None) };
    let is_wrong = |stream: u32| {
        let found = judged(&rule, 100 + 37 * stream, &[(1.0, 1.0), (1.0, 1.0)]).findings;
        found.comparisons.iter().any(|it| it.verdict == Verdict::Different)
    };
    let wrong = (0..100).filter(|&stream| is_wrong(stream)).count();
    assert!(wrong <= 14, "{wrong}");
}

#[test]
fn counts_and_times_that_disagree_are_found_and_others_are_not() {
    let counted = |factors: [(f64, f64); 2]| {
        let instructions = Metric::from_id("pmu:instructions").unwrap();
        let as_counts = |mut run: Sample| {
            let memory = run.get(Metric::PEAK_MEMORY).unwrap();
            run.readings = [(Metric::WALL, run.get(Metric::WALL).unwrap()), (instructions, memory)].into();
            run
        };
        let mut judge = Judge::new(&rule(), 2, 5);
        let mut samples = Vec::new();
        for number in 0..200 {
            let block: Vec<Sample> = block(number, 9, &factors).into_iter().map(as_counts).collect();
            samples.extend_from_slice(&block);
            if judge.block(&block) == Decision::Stop {
                break;
            }
        }
        let names = ["a", "b"].map(str::to_owned);
        judge.findings(&samples, &names, judge.stopped_by()).findings.disagreements
    };
    let ways = |factors| -> Vec<[Option<bool>; 2]> {
        let way = |it: MetricChange| (!it.is_same).then_some(it.change.ratio > 1.0);
        counted(factors).iter().map(|it| [way(it.count), way(it.time)]).collect()
    };
    assert_eq!(ways([(1.0, 1.0), (1.03, 0.97)]), [[Some(false), Some(true)]]);
    assert_eq!(ways([(1.0, 1.0), (1.05, 1.0)]), [[None, Some(true)]]);
    assert_eq!(ways([(1.0, 1.0), (1.0, 0.9)]), [[Some(false), None]]);
    let told = counted([(1.0, 1.0), (1.0, 0.9)]);
    assert_eq!(told[0].time.margin, Some(0.01));
    for agreed in [[(1.0, 1.0), (1.05, 1.05)], [(1.0, 1.0), (1.0, 1.0)], [(1.0, 1.0), (0.9, 0.95)]] {
        assert_eq!(counted(agreed), []);
    }
}

/// The margin of instructions is 10 %, the margin of wall time 1 %.
#[test]
fn each_metric_that_disagrees_has_its_own_margin() {
    let instructions = Metric::from_id("pmu:instructions").unwrap();
    let wide = AlsoDecided { metric: instructions, margin: Some(0.1), margin_absolute: None };
    let rule = Rule { also: vec![wide], ..rule() };
    let mut judge = Judge::new(&rule, 2, 5);
    let mut samples = Vec::new();
    for number in 0..200 {
        let mut block = block(number, 9, &[(1.0, 1.0), (1.05, 1.03)]);
        for run in &mut block {
            let (wall, memory) = (run.get(Metric::WALL).unwrap(), run.get(Metric::PEAK_MEMORY).unwrap());
            run.readings = [(Metric::WALL, wall), (instructions, memory)].into();
        }
        samples.extend_from_slice(&block);
        if judge.block(&block) == Decision::Stop {
            break;
        }
    }
    let names = ["a", "b"].map(str::to_owned);
    let found = judge.findings(&samples, &names, judge.stopped_by()).findings.disagreements;
    assert_eq!(found.len(), 1, "{found:?}");
    // 3 % more instructions are equivalent within 10 %, and the finding states that margin.
    assert!(found[0].count.is_same && !found[0].time.is_same, "{found:?}");
    assert_eq!((found[0].count.margin, found[0].time.margin), (Some(0.1), Some(0.01)));
}
