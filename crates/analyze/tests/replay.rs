//! Tests of comparisons that are drawn from a simulated session of identical programs.

#[path = "../examples/sim/noise.rs"]
mod noise;

use fauxplat_analyze::{Replay, ReplayError, Stand};
use fauxplat_model::{Injected, Metric, Outcome, ReplayRow, Rule, Sample};
use noise::{Machine, Noise, SILENT};

/// Noise of the simulated sessions, with which the ratio of two runs varies by 0.7 %.
const NORMAL: Noise = Noise { short_sd: 0.005, ..SILENT };

fn session(noise: Noise, blocks: usize) -> Vec<Sample> {
    let mut machine = Machine::new(noise, 11);
    (0..blocks).flat_map(|_| machine.block(0.0)).collect()
}

fn row(replay: &Replay, injected: Injected, comparisons: u64) -> ReplayRow {
    let stands: Vec<Stand> =
        (0..comparisons).filter_map(|number| replay.comparison(injected, number)).collect();
    replay.row(injected, &stands)
}

const SAME: [Injected; 2] = [Injected::Nothing, Injected::CarryOver { ratio: 1.05 }];

#[test]
fn identical_programs_are_called_different_no_more_often_than_the_level_says() {
    let rule = Rule { max_pairs: 64, least_span_s: 0.0, ..Rule::default() };
    for noise in [NORMAL, Noise { cauchy: 0.003, ..SILENT }, Noise { mode_gap: 0.05, ..NORMAL }] {
        let samples = session(noise, 120);
        let replay = Replay::new(&rule, &samples, false, 3).unwrap();
        for injected in SAME {
            let row = row(&replay, injected, 60);
            assert!(row.different_interval_95[0] <= rule.level, "{row:?}");
            assert_eq!((row.comparisons, row.wrong_sign), (60, 0));
            assert_eq!(row.different + row.equivalent + row.inconclusive, 60, "{row:?}");
        }
    }
}

#[test]
fn shifts_are_found_and_the_margin_is_not_called_equivalent() {
    let rule = Rule { max_pairs: 64, least_span_s: 0.0, ..Rule::default() };
    let samples = session(NORMAL, 120);
    let replay = Replay::new(&rule, &samples, false, 3).unwrap();
    let shifted = |ratio| row(&replay, Injected::Shift { ratio }, 40);
    let (margin, large) = (shifted(1.01), shifted(1.05));
    assert!(margin.equivalent_interval_95[0] <= rule.level, "{margin:?}");
    assert!(large.different == 40 && large.wrong_sign == 0 && large.equivalent == 0, "{large:?}");
    assert!(large.pairs_p90 < margin.pairs_p90 && large.different_interval_95[1] == 1.0);
}

#[test]
fn slow_runs_keep_programs_from_being_equivalent_as_a_whole() {
    let rule = Rule { max_pairs: 512, least_span_s: 0.0, ..Rule::default() };
    let samples = session(NORMAL, 200);
    let replay = Replay::new(&rule, &samples, false, 3).unwrap();
    let tail = row(&replay, Injected::Tail { share: 0.1, ratio: 2.0 }, 10);
    assert!(tail.equivalent_whole == 0 && tail.different >= 7, "{tail:?}");
}

#[test]
fn the_margin_its_half_and_nothing_are_among_what_is_put_in() {
    let rule = Rule { margin: 0.03, least_span_s: 0.0, ..Rule::default() };
    let samples = session(NORMAL, 30);
    let injected = Replay::new(&rule, &samples, false, 1).unwrap().injected();
    for ratio in [1.003, 1.005, 1.01, 1.015, 1.02, 1.03, 1.05] {
        let is_it =
            |one: &Injected| matches!(one, Injected::Shift { ratio: it } if (it - ratio).abs() < 1e-9);
        assert_eq!(injected.iter().filter(|one| is_it(one)).count(), 1, "{ratio}: {injected:?}");
    }
    assert!(injected.contains(&Injected::Nothing));
}

/// A margin of 0.1 ms: the injected difference is 0.1 ms as a share of the typical time, and the report states that
/// share.
#[test]
fn a_margin_that_is_an_amount_is_put_in_as_the_share_that_it_is() {
    let samples = session(NORMAL, 60);
    let walls: Vec<f64> =
        samples.iter().filter_map(|run| run.get(Metric::WALL)).map(|ns| ns as f64).collect();
    let typical = walls.iter().map(|ns| ns.ln()).sum::<f64>() / walls.len() as f64;
    let rule = Rule { max_pairs: 64, margin_absolute: Some(1e5), least_span_s: 0.0, ..Rule::default() };
    let replay = Replay::new(&rule, &samples, false, 5).unwrap();
    let margin = replay.findings("here".into(), Vec::new()).margin.unwrap();
    assert!((margin / (1e5 / typical.exp()) - 1.0).abs() < 0.02, "{margin}");
    let is_it =
        |one: &Injected| matches!(one, Injected::Shift { ratio } if (ratio - 1.0 - margin).abs() < 1e-9);
    assert!(replay.injected().iter().any(is_it));
    let at_margin = row(&replay, Injected::Shift { ratio: 1.0 + margin }, 40);
    assert!(at_margin.equivalent_interval_95[0] <= rule.level, "{at_margin:?}");
}

#[test]
fn a_comparison_is_the_same_whenever_it_is_drawn() {
    let samples = session(NORMAL, 60);
    let rule = Rule { max_pairs: 64, at_least_s: Some(0.5), least_span_s: 0.0, ..Rule::default() };
    let replay = Replay::new(&rule, &samples, false, 5).unwrap();
    let drawn = |number| replay.comparison(Injected::Nothing, number).unwrap();
    assert_eq!(drawn(7), drawn(7));
    assert_ne!(drawn(7).effect_ratio, drawn(8).effect_ratio);
    // Blocks take twelve milliseconds, so half a second is not enough for more than the usual number of pairs.
    let found = replay.findings("here".into(), Vec::new());
    assert!((found.pair_s - 0.012).abs() < 1e-9 && found.pairs == 120, "{found:?}");
    assert_eq!(found.limit_s, Some(0.5));
}

#[test]
fn too_few_blocks_are_refused_in_words() {
    let mut samples = session(NORMAL, 30);
    samples.iter_mut().take(40).for_each(|sample| sample.outcome = Outcome::Exited(1));
    let error = Replay::new(&Rule::default(), &samples, false, 1).unwrap_err();
    assert_eq!(error, ReplayError::TooFewBlocks(20));
    assert_eq!(error.to_string(), "20 usable blocks are too few to draw from; at least 24 are needed");
    assert!(Replay::new(&Rule::default(), &samples, true, 1).is_ok());
}

/// Drawn blocks get new start times. With the start times of the recorded session, a later block could start before an
/// earlier one, and the least span of time before a verdict would be reached only at the limit.
#[test]
fn a_verdict_comes_once_the_least_span_is_over() {
    let samples = session(NORMAL, 120);
    let rule = Rule { max_time_s: Some(20.0), max_pairs: 4000, least_span_s: 0.5, ..Rule::default() };
    let replay = Replay::new(&rule, &samples, false, 5).unwrap();
    let pair_s = replay.findings("here".into(), Vec::new()).pair_s;
    let large = row(&replay, Injected::Shift { ratio: 1.05 }, 20);
    assert_eq!(large.different, 20);
    assert!((0.5..3.0).contains(&(large.pairs_p90 * pair_s)), "{} of {pair_s} s", large.pairs_p90);
}
