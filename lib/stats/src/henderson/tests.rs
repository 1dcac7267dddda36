//! The components of variance on tables whose components are known.

use super::*;
use crate::draw::Draw;

/// A random balanced design of 16 runs per block with known components: a sampled factor of 16 levels, a factor of
/// exactly 2 levels, blocks, places in the block, and noise of one.
fn design(seed: u64, blocks: usize, sampled_sd: f64, two: f64, block_sd: f64) -> (Vec<f64>, Vec<Factor>) {
    let mut draw = Draw::new(seed, 0);
    let sampled: Vec<f64> = (0..16).map(|_| sampled_sd * draw.normal()).collect();
    let mut columns: [Vec<u16>; 4] = Default::default();
    let mut values = Vec::new();
    for block in 0..blocks {
        let load = block_sd * draw.normal();
        let mut orders: [Vec<u16>; 2] = [(0..16).collect(), (0..16).map(|at| at % 2).collect()];
        orders.iter_mut().for_each(|order| draw.shuffle(order));
        for (place, (&one, &other)) in (0u16..).zip(orders[0].iter().zip(&orders[1])) {
            let levels = [one, other, block as u16, place];
            columns.iter_mut().zip(levels).for_each(|(column, level)| column.push(level));
            values.push(sampled[usize::from(levels[0])] + two * f64::from(levels[1]) + load + draw.normal());
        }
    }
    let factor = |(levels, count, is_sample): (Vec<u16>, usize, bool)| Factor { levels, count, is_sample };
    let [a, b, c, d] = columns;
    let factors = [(a, 16, true), (b, 2, false), (c, blocks, true), (d, 16, false)].map(factor).to_vec();
    (values, factors)
}

#[test]
fn known_components_are_found_on_average() {
    let (mut sums, sweeps) = ([0.0; 5], 60);
    for seed in 0..sweeps {
        let (values, factors) = design(seed, 40, 1.0, 2.0, 0.7);
        let parts = components(&values, &factors).unwrap();
        let found = parts.factors.iter().map(|part| part.variance).chain([parts.residual]);
        sums.iter_mut().zip(found).for_each(|(sum, variance)| *sum += variance / sweeps as f64);
    }
    // Two levels that are 2 apart have a mean square of one.
    for (mean, (truth, allowed)) in
        sums.iter().zip([(1.0, 0.15), (1.0, 0.05), (0.49, 0.06), (0.0, 0.02), (1.0, 0.03)])
    {
        assert!((mean - truth).abs() < allowed, "{sums:?}");
    }
}

#[test]
fn intervals_of_shares_cover() {
    for (sampled_sd, two, block_sd) in [(1.0, 2.0, 0.7), (0.3, 0.0, 2.0), (0.0, 0.5, 0.0)] {
        let components_true = [sampled_sd * sampled_sd, two * two / 4.0, block_sd * block_sd, 0.0, 1.0];
        let total: f64 = components_true.iter().sum();
        let mut covers = [0; 5];
        for seed in 0..100 {
            let (values, factors) = design(1000 + seed, 24, sampled_sd, two, block_sd);
            let shares = shares(&components(&values, &factors).unwrap(), 0.05, seed);
            for (covers, (share, truth)) in covers.iter_mut().zip(shares.iter().zip(components_true)) {
                let truth = truth / total;
                *covers += usize::from(share.low <= truth + 1e-9 && truth - 1e-9 <= share.high);
            }
        }
        // Of 100 intervals of 95 %, 95 are expected to cover; 88 is the 0.4 % quantile.
        assert!(covers.iter().all(|&covers| covers >= 88), "{sampled_sd} {two} {block_sd}: {covers:?}");
    }
}

#[test]
fn nothing_is_found_where_nothing_is() {
    let false_finds = (0..200).filter(|&seed| {
        let (values, factors) = design(seed, 12, 0.0, 0.0, 3.0);
        components(&values, &factors).unwrap().factors[0].p_value <= 0.05
    });
    // 10 are expected; 20 is beyond the 99.9 % quantile.
    assert!(false_finds.count() < 20);
}

#[test]
fn levels_have_effects_and_spikes_do_not_matter() {
    let (mut values, factors) = design(5, 24, 0.0, 2.0, 0.5);
    values[17] += 200.0;
    let parts = components(&values, &factors).unwrap();
    let [low, high] = parts.factors[1].levels[..] else { panic!("two levels") };
    assert!((high.effect - 1.0).abs() < 0.2 && (low.effect + 1.0).abs() < 0.2, "{low:?} {high:?}");
    assert!(low.high < 0.0 && high.low > 0.0 && low.runs == 192);
    assert!(parts.factors.iter().all(|part| part.efficiency > 0.85), "nearly orthogonal");
    let contributions = parts.contributions(1, &factors[1].levels);
    assert!(contributions.iter().all(|&part| part.abs() > 0.8 && part.abs() < 1.2));
}

#[test]
fn too_little_data() {
    let factor = Factor { levels: vec![0, 1], count: 2, is_sample: false };
    assert!(components(&[1.0, 2.0], std::slice::from_ref(&factor)).is_none());
    assert!(components(&[], &[]).is_none());
    let equal = Factor { levels: vec![0, 1, 0, 1], count: 2, is_sample: false };
    let parts = components(&[3.0; 4], &[equal]).unwrap();
    assert_eq!((parts.factors[0].variance, parts.residual), (0.0, 0.0));
    assert!(shares(&parts, 0.05, 1).iter().all(|share| share.share == 0.0));
}
