//! Tests of sweeps that are decided in several metrics: a common error level, a margin for each metric, and common
//! blocks.

#[path = "support/jitter.rs"]
mod jitter;
mod support;

use fauxplat_analyze::{Decision, SweepJudged, SweepLevel, SweepPanel, SweepSubject};
use fauxplat_model::{AlsoDecided, Metric, Rule, Sample, StoppedBy, SweepAnswer};
use jitter::jitter;
use support::run;

const MIB: f64 = 1_048_576.0;

/// Function that returns the factors of wall time and of peak memory at a level.
type Effect = fn(u16) -> (f64, f64);

fn both(margin_absolute: Option<f64>) -> Rule {
    let also = AlsoDecided { metric: Metric::PEAK_MEMORY, margin: None, margin_absolute };
    Rule { also: vec![also], ..Rule::default() }
}

fn panel(rule: &Rule, levels: u16, seed: u64) -> SweepPanel {
    let level = |number: u16| SweepLevel {
        name: number.to_string(),
        number: Some(number.into()),
        ..Default::default()
    };
    let subject = SweepSubject { factors: vec!["n".to_owned()], unit: None };
    SweepPanel::new(rule, &subject, &(0..levels).map(level).collect::<Vec<_>>(), seed)
}

/// A block of the levels that the panel requests, in a pseudo-random order, with independent noise in each metric.
fn block(panel: &SweepPanel, (number, stream): (u32, u32), effect: Effect) -> Vec<Sample> {
    let noise = |level: u16, metric: u32| jitter(number * 1000 + u32::from(level), stream * 8 + metric);
    let mut order = panel.wanted();
    order.sort_by(|&a, &b| noise(a, 0).total_cmp(&noise(b, 0)));
    let visit = |(position, level): (usize, u16)| {
        let (wall, memory) = effect(level);
        let readings = [
            (Metric::WALL, (5e6 * wall * (0.003 * noise(level, 1)).exp()) as u64),
            (Metric::PEAK_MEMORY, (MIB * memory * (0.003 * noise(level, 2)).exp()) as u64),
        ];
        run(number, level, position as u16, &readings)
    };
    order.into_iter().enumerate().map(visit).collect()
}

/// Findings of a sweep from its first to its last block, and the number of runs in each block.
fn swept(mut panel: SweepPanel, stream: u32, effect: Effect) -> (SweepJudged, Vec<usize>) {
    let (mut samples, mut lengths) = (Vec::new(), Vec::new());
    for number in 0.. {
        let block = block(&panel, (number, stream), effect);
        samples.extend_from_slice(&block);
        lengths.push(block.len());
        if panel.block(&block) == Decision::Stop {
            break;
        }
    }
    (panel.findings(&samples, panel.stopped_by()), lengths)
}

#[test]
fn each_metric_gets_its_own_answer() {
    let (judged, _) = swept(panel(&both(None), 6, 1), 1, |level| (1.0, 1.0 + 0.1 * f64::from(level % 2)));
    let found = judged.findings;
    assert_eq!((found.metric, found.finding.answer), (Metric::WALL, SweepAnswer::NoEffect));
    let also = &found.also[0];
    assert_eq!((also.metric, also.finding.answer), (Metric::PEAK_MEMORY, SweepAnswer::Effect));
    // Every second of six levels needs 10 % more memory: two levels differ by 0 or by 10 %, typically (root mean
    // square) by 7.4 %.
    assert!((1.06..1.09).contains(&also.finding.difference_ratio), "{}", also.finding.difference_ratio);
    let median = also.levels[1].median_ns.unwrap();
    assert!((median / MIB - 1.1).abs() < 0.01, "{median}");
    // Each metric gets half of the error level.
    assert_eq!((found.finding.level, also.finding.level), (0.005, 0.005));
    assert_eq!((found.stopped_by, also.stopped_by), (StoppedBy::Verdict, StoppedBy::Verdict));
    assert!(found.has_effect() && found.by_metric().len() == 2);
    assert_eq!(found.by_metric()[1].finding, also.finding);
}

#[test]
fn a_metric_is_judged_as_it_would_be_alone_at_its_part_of_the_level() {
    let effect: Effect = |level| (1.0 + 0.02 * f64::from(u8::from(level == 3)), 1.0);
    let (judged, _) = swept(panel(&both(None), 6, 5), 3, effect);
    let alone = Rule { level: 0.005, ..Rule::default() };
    let (single, _) = swept(panel(&alone, 6, 5), 3, effect);
    assert_eq!(judged.findings.finding, single.findings.finding);
    assert_eq!(judged.findings.levels, single.findings.levels);
    assert!(single.findings.also.is_empty());
}

#[test]
fn whoever_is_done_asks_for_nothing_more() {
    // A single level of 300 has a peak in memory. The blocks that confirm the peak visit few levels; the wall time,
    // already decided, requests none.
    let peak: Effect = |level| (1.0, if level == 77 { 1.5 } else { 1.0 });
    let (judged, lengths) = swept(panel(&both(None), 300, 2), 2, peak);
    let found = judged.findings;
    assert_eq!((found.finding.answer, found.finding.peaks_total), (SweepAnswer::NoEffect, 0));
    let also = &found.also[0];
    assert_eq!((also.finding.answer, also.finding.peaks[0].level.as_str()), (SweepAnswer::Effect, "77"));
    assert_eq!(found.runs_done, lengths.iter().sum::<usize>());
    let (widest, last) = (lengths.iter().max().unwrap(), lengths.last().unwrap());
    assert!(*widest == 300 && *last < 60, "{lengths:?}");
    // The metrics share blocks: the number of blocks is that of the metric that takes longer, not the sum over both.
    let blocks =
        |stages: &[fauxplat_model::SweepStage]| stages.iter().map(|stage| stage.blocks).sum::<usize>();
    assert_eq!(lengths.len(), blocks(&also.stages).max(blocks(&found.stages)));
}

#[test]
fn an_amount_is_a_margin_too() {
    let effect: Effect = |level| (1.0, 1.0 + 0.1 * f64::from(level % 2));
    let of = |bytes: f64| swept(panel(&both(Some(bytes)), 4, 7), 7, effect).0.findings.also.remove(0).finding;
    let (narrow, wide) = (of(65_536.0), of(262_144.0));
    assert_eq!((narrow.answer, wide.answer), (SweepAnswer::Effect, SweepAnswer::NoEffect));
    // The median over the readings of all levels is 1.05 MiB.
    assert!((wide.margin - 0.25 / 1.05).abs() < 0.01, "{}", wide.margin);
    assert_eq!((narrow.margin_absolute, wide.margin_absolute), (Some(65_536.0), Some(262_144.0)));
    // After an interrupt before the first look at the data, the amount is converted into a share by the readings so
    // far.
    let mut early = panel(&both(Some(65_536.0)), 4, 7);
    let samples = block(&early, (0, 7), effect);
    early.block(&samples);
    let finding = early.findings(&samples, StoppedBy::Interrupt).findings.also.remove(0).finding;
    assert_eq!(finding.answer, SweepAnswer::Undecided);
    assert!((finding.margin - 0.0625 / 1.05).abs() < 0.01, "{}", finding.margin);
}

#[test]
fn a_metric_that_nothing_has_is_named() {
    let mut rule = both(None);
    rule.also[0].metric = Metric::RATE;
    let mut panel = panel(&rule, 3, 1);
    assert_eq!(panel.unread(), None, "nothing was run yet");
    let samples = block(&panel, (0, 1), |_| (1.0, 1.0));
    panel.block(&samples);
    assert_eq!(panel.unread(), Some(Metric::RATE));
    // If every run fails, the command is at fault, not the metric.
    let mut failing = self::panel(&rule, 3, 1);
    let mut samples = block(&failing, (0, 1), |_| (1.0, 1.0));
    samples.iter_mut().for_each(|sample| sample.outcome = fauxplat_model::Outcome::Exited(1));
    failing.block(&samples);
    assert_eq!(failing.unread(), None);
}

/// The probability of any false effect in any metric is at most the level, however many metrics are decided.
#[test]
fn metrics_are_one_family() {
    let sweeps = 200;
    let also = |metric| AlsoDecided { metric, margin: None, margin_absolute: None };
    let rule = Rule {
        level: 0.1,
        max_pairs: 12,
        also: [Metric::PEAK_MEMORY, Metric::USER, Metric::CPU].map(also).to_vec(),
        ..Rule::default()
    };
    let is_wrong = |stream: u32| {
        let mut panel = panel(&rule, 4, stream.into());
        let mut samples = Vec::new();
        for number in 0..12 {
            // Each metric has independent noise that exceeds the margin, so that only the test prevents a false effect.
            let noise = |level: u16, metric: u32| jitter(number * 64 + u32::from(level), stream * 8 + metric);
            let mut order = panel.wanted();
            order.sort_by(|&a, &b| noise(a, 0).total_cmp(&noise(b, 0)));
            let readings = |level| {
                let metrics = rule.decided().into_iter().map(|(metric, _)| metric).zip(1..);
                let read =
                    metrics.map(|(metric, at)| (metric, (5e6 * (0.1 * noise(level, at)).exp()) as u64));
                read.collect::<Vec<_>>()
            };
            let block: Vec<Sample> =
                order.iter().map(|&level| run(number, level, 0, &readings(level))).collect();
            samples.extend_from_slice(&block);
            if panel.block(&block) == Decision::Stop {
                break;
            }
        }
        panel.findings(&samples, panel.stopped_by()).findings.has_effect()
    };
    let wrong = (0..sweeps).filter(|&stream| is_wrong(stream)).count();
    // With the whole error level for each of four metrics, 28 % of the sweeps would be wrong. At an error rate of 10 %,
    // more than 35 wrong sweeps in 200 occur with a probability of 1 in 1000.
    assert!((1..=35).contains(&wrong), "{wrong} of {sweeps}");
}
