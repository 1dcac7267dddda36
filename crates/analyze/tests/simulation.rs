//! A small version, with fixed seeds, of the simulation in `examples/sim`: it fails when the rule loses its error
//! rate, its power or its thrift.

#[path = "../examples/sim/cells.rs"]
mod cells;
#[path = "../examples/sim/noise.rs"]
mod noise;

use cells::{Cell, reference_cells, run, shapes, share_error};
use fauxplat_model::Rule;

const REPETITIONS: usize = 100;

/// Three standard errors: with two dozen figures and fixed seeds, a change of the rule is found and luck is not.
const Z: f64 = 3.0;

#[test]
fn reference_figures_hold() {
    for (cell, (different, equivalent, pairs)) in reference_cells() {
        let tally = run(&cell, REPETITIONS, 2);
        let near = |count: usize, share: f64| {
            let error = Z * share_error(share.clamp(0.01, 0.99), REPETITIONS);
            assert!(
                (tally.share(count) - share).abs() <= error,
                "{}: {} not {share}",
                cell.name,
                tally.share(count)
            );
        };
        different.inspect(|&share| near(tally.different, share));
        equivalent.inspect(|&share| near(tally.equivalent, share));
        let (mean, error) = tally.pairs_mean();
        pairs.inspect(|&pairs| {
            assert!((mean - pairs).abs() <= Z * error + 0.5, "{}: {mean} not {pairs}", cell.name)
        });
    }
}

#[test]
fn no_shape_of_noise_exceeds_the_level() {
    let mut false_verdicts = 0;
    let mut comparisons = 0;
    for (name, noise) in shapes() {
        let cell = Cell { name, noise, effect: 0.0, rule: Rule::default() };
        let tally = run(&cell, 3 * REPETITIONS, 2);
        false_verdicts += tally.different;
        comparisons += tally.pairs.len();
        // Ten in 300 would come once in a thousand times at a true 1 %.
        assert!(tally.different < 10, "{name}: {}", tally.different);
    }
    let level = Rule::default().level;
    let limit = comparisons as f64 * (level + Z * share_error(level, comparisons));
    assert!(false_verdicts as f64 <= limit, "{false_verdicts} of {comparisons}");
}

#[test]
fn the_interval_covers_the_truth_after_stopping() {
    for effect in [0.0, 0.005, 0.02] {
        let (mut cell, _) = reference_cells().swap_remove(0);
        cell.effect = effect;
        let tally = run(&cell, 3 * REPETITIONS, 2);
        assert!(
            tally.share(tally.covered) >= 0.95 - Z * share_error(0.95, 300),
            "{effect}: {}",
            tally.covered
        );
    }
}

#[test]
fn the_e_process_is_valid_and_finds_one_per_cent() {
    let rule = Rule { anytime: true, level: 0.05, ..Rule::default() };
    let cell = |effect| Cell { name: "anytime", noise: cells::REFERENCE, effect, rule: rule.clone() };
    let same = run(&cell(0.0), 2 * REPETITIONS, 2);
    assert!(same.share(same.different) <= 0.05, "{}", same.different);
    let slower = run(&cell(0.01), REPETITIONS, 2);
    assert!(slower.share(slower.different) >= 0.85, "{}", slower.different);
    assert_eq!(slower.wrong_sign, 0);
}
