//! Association of one of many attributes with a value: a permutation test over all attributes at once.

use crate::describe::{mean, variance};
use crate::distribution::normal_upper_tail;
use crate::draw::Draw;

/// Values of an attribute, one for every item.
#[derive(Clone, Debug)]
pub enum Attribute {
    /// A level out of a number of levels; [`NO_LEVEL`] stands for an item without any of them.
    Levels {
        /// The level of each item.
        of: Vec<u32>,
        /// Number of levels of the attribute.
        count: usize,
    },
    /// A number for each item, such as a measurement or a rank.
    Number(Vec<f64>),
}

/// The level of an item that has none of the analysed levels.
pub const NO_LEVEL: u32 = u32::MAX;

/// The attribute with the strongest association.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Association {
    /// Index of the attribute among all that were tested.
    pub attribute: usize,
    /// The level whose values stand out most. For a number, 1 if larger numbers are associated with higher values, and
    /// 0 if smaller numbers are.
    pub level: usize,
    /// p-value over all attributes, under the hypothesis that none is associated with the values.
    pub p_value: f64,
}

/// Number of drawn orders at least as extreme as the observed one at which drawing stops (Besag and Clifford 1991,
/// "Sequential Monte Carlo p-values"): a large p-value needs few draws.
const ENOUGH: usize = 50;

/// The attribute with the strongest association, with its p-value over all attributes; `None` if nothing varies.
///
/// Items are compared only within their stratum, and orders are drawn within strata. The statistic of an attribute is
/// the largest standardised deviation of a level's sum of values from that of equally many randomly drawn items,
/// converted to a probability so that an attribute of many levels has no advantage (Šidák). The overall statistic is
/// the maximum over all attributes, both for the observed and for every drawn order, so the p-value holds for all
/// attributes together (Westfall and Young 1993, "Resampling-Based Multiple Testing", max T).
pub fn strongest(
    values: &[f64],
    strata: &[u32],
    attributes: &[Attribute],
    draws: usize,
    seed: u64,
) -> Option<Association> {
    let mut test = Test::new(values, strata, attributes);
    let (attribute, observed) = test.extreme()?;
    let mut draw = Draw::new(seed, 0);
    let (mut made, mut as_extreme) = (0, 0);
    while made < draws && as_extreme < ENOUGH {
        test.shuffle(&mut draw);
        made += 1;
        as_extreme +=
            usize::from(test.extreme().is_some_and(|(_, it)| it.surprise >= observed.surprise - 1e-9));
    }
    let p_value = match as_extreme < ENOUGH {
        true => (as_extreme + 1) as f64 / (made + 1) as f64,
        false => as_extreme as f64 / made as f64,
    };
    Some(Association { attribute, level: observed.level, p_value })
}

/// The most extreme level of an attribute.
#[derive(Clone, Copy, Debug)]
struct Extreme {
    level: usize,
    /// Minus the logarithm of the probability of the level's deviation.
    surprise: f64,
}

/// The input of the test: values in the order of their strata, and precomputed figures of every attribute.
struct Test {
    values: Vec<f64>,
    strata: Vec<std::ops::Range<usize>>,
    attributes: Vec<Prepared>,
    sums: Vec<f64>,
}

/// An attribute of the items in the order of their strata, with the standard deviation of each sum under random orders.
enum Prepared {
    Levels { of: Vec<u32>, errors: Vec<f64>, levels: f64 },
    Number { of: Vec<f64>, error: f64 },
}

impl Test {
    fn new(values: &[f64], strata: &[u32], attributes: &[Attribute]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_key(|&index| strata[index]);
        let mut ranges = Vec::new();
        for group in order.chunk_by(|&a, &b| strata[a] == strata[b]) {
            let start = ranges.last().map_or(0, |last: &std::ops::Range<usize>| last.end);
            ranges.push(start..start + group.len());
        }
        let mut sorted: Vec<f64> = order.iter().map(|&index| values[index]).collect();
        ranges.iter().for_each(|range| centre(&mut sorted[range.clone()]));
        let attributes: Vec<Prepared> =
            attributes.iter().map(|attribute| Prepared::of(attribute, &order, &ranges, &sorted)).collect();
        let widest = attributes.iter().map(Prepared::width).max().unwrap_or(0);
        Test { values: sorted, strata: ranges, attributes, sums: vec![0.0; widest] }
    }

    fn shuffle(&mut self, draw: &mut Draw) {
        self.strata.iter().for_each(|range| draw.shuffle(&mut self.values[range.clone()]));
    }

    fn extreme(&mut self) -> Option<(usize, Extreme)> {
        let (values, sums) = (&self.values, &mut self.sums);
        let each = self.attributes.iter().map(|it| it.extreme(values, sums));
        let found = each.enumerate().filter_map(|(index, extreme)| Some((index, extreme?)));
        found.max_by(|(_, a), (_, b)| a.surprise.total_cmp(&b.surprise))
    }
}

fn centre(values: &mut [f64]) {
    let middle = mean(values).unwrap_or(0.0);
    values.iter_mut().for_each(|value| *value -= middle);
}

impl Prepared {
    fn of(attribute: &Attribute, order: &[usize], strata: &[std::ops::Range<usize>], values: &[f64]) -> Self {
        match attribute {
            Attribute::Levels { of, count } => {
                let of: Vec<u32> = order.iter().map(|&index| of[index]).collect();
                let errors = level_errors(&of, *count, strata, values);
                let usable = errors.iter().filter(|&&error| error > 0.0).count();
                // If every item has one of the levels, the sums of the levels are dependent: each is determined by the
                // others.
                let closed = usize::from(!of.contains(&NO_LEVEL));
                Prepared::Levels { of, errors, levels: usable.saturating_sub(closed).max(1) as f64 }
            }
            Attribute::Number(of) => {
                let mut of: Vec<f64> = order.iter().map(|&index| of[index]).collect();
                strata.iter().for_each(|range| centre(&mut of[range.clone()]));
                let part = |range: &std::ops::Range<usize>| {
                    let spread = variance(&of[range.clone()]) * variance(&values[range.clone()]);
                    spread * (range.len() as f64 - 1.0)
                };
                let error = strata.iter().map(part).sum::<f64>().sqrt();
                Prepared::Number { of, error }
            }
        }
    }

    fn width(&self) -> usize {
        match self {
            Prepared::Levels { errors, .. } => errors.len(),
            Prepared::Number { .. } => 0,
        }
    }

    fn extreme(&self, values: &[f64], sums: &mut [f64]) -> Option<Extreme> {
        match self {
            Prepared::Levels { of, errors, levels } => {
                add_up(of, values, &mut sums[..errors.len()]);
                let z = |level: usize| {
                    if errors[level] > 0.0 { (sums[level] / errors[level]).abs() } else { 0.0 }
                };
                let level = (0..errors.len()).max_by(|&a, &b| z(a).total_cmp(&z(b)))?;
                (z(level) > 0.0).then(|| Extreme { level, surprise: surprise(z(level)) - levels.ln() })
            }
            Prepared::Number { of, error } => {
                let sum: f64 = of.iter().zip(values).map(|(number, value)| number * value).sum();
                let level = usize::from(sum > 0.0);
                (*error > 0.0).then(|| Extreme { level, surprise: surprise((sum / error).abs()) })
            }
        }
    }
}

fn add_up(of: &[u32], values: &[f64], sums: &mut [f64]) {
    sums.fill(0.0);
    for (&level, value) in of.iter().zip(values) {
        if let Some(sum) = sums.get_mut(level as usize) {
            *sum += value;
        }
    }
}

/// Standard deviation of the sum of each level under random orders: that of a draw without replacement, by stratum.
fn level_errors(of: &[u32], count: usize, strata: &[std::ops::Range<usize>], values: &[f64]) -> Vec<f64> {
    let mut variances = vec![0.0; count];
    for range in strata {
        let spread = variance(&values[range.clone()]);
        let n = range.len() as f64;
        let mut members: std::collections::BTreeMap<u32, f64> = std::collections::BTreeMap::new();
        of[range.clone()].iter().for_each(|&level| *members.entry(level).or_default() += 1.0);
        for (level, k) in members.into_iter().filter(|(level, _)| *level != NO_LEVEL) {
            variances[level as usize] += spread * k * (n - k) / n;
        }
    }
    variances.into_iter().map(f64::sqrt).collect()
}

/// Minus the logarithm of the two-sided probability of z. Where the probability would underflow, the first term of its
/// expansion is used.
fn surprise(z: f64) -> f64 {
    match z < 30.0 {
        true => -(2.0 * normal_upper_tail(z)).ln(),
        false => 0.5 * z * z + (z * 1.253_314).ln(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(of: Vec<u32>) -> Attribute {
        let count = of.iter().filter(|&&level| level != NO_LEVEL).max().map_or(0, |&most| most as usize + 1);
        Attribute::Levels { of, count }
    }

    /// Values that are higher for level 1 of the first attribute, and three attributes without association.
    fn world(draw: &mut Draw, step: f64) -> (Vec<f64>, Vec<Attribute>) {
        let random = |draw: &mut Draw, count| levels((0..100).map(|_| draw.below(count) as u32).collect());
        let first: Vec<u32> = (0..100).map(|index| u32::from(index % 10 == 3)).collect();
        let values = first.iter().map(|&level| draw.normal() + step * f64::from(level)).collect();
        let number = Attribute::Number((0..100).map(|_| draw.normal()).collect());
        (values, vec![random(draw, 12), levels(first), random(draw, 2), number])
    }

    #[test]
    fn what_goes_with_the_values_is_named() {
        let mut draw = Draw::new(4, 0);
        let found = |draw: &mut Draw| {
            let (values, attributes) = world(draw, 2.5);
            strongest(&values, &[0; 100], &attributes, 199, 1).unwrap()
        };
        let right = |it: &Association| it.attribute == 1 && it.p_value <= 0.05;
        assert!((0..20).filter(|_| right(&found(&mut draw))).count() >= 19);
    }

    #[test]
    fn chance_is_told_as_often_as_it_happens() {
        let mut draw = Draw::new(5, 0);
        let small = |draw: &mut Draw| {
            let (values, attributes) = world(draw, 0.0);
            strongest(&values, &[0; 100], &attributes, 199, draw.bits()).unwrap().p_value <= 0.05
        };
        let false_alarms = (0..300).filter(|_| small(&mut draw)).count();
        // 5 % of 300 is 15; three standard deviations are 11.
        assert!((3..=27).contains(&false_alarms), "{false_alarms}");
    }

    #[test]
    fn differences_between_strata_explain_nothing_within() {
        let strata: Vec<u32> = (0..60).map(|index| index / 30).collect();
        let mut draw = Draw::new(6, 0);
        let values: Vec<f64> =
            strata.iter().map(|&stratum| draw.normal() + 50.0 * f64::from(stratum)).collect();
        assert_eq!(strongest(&values, &strata, &[levels(strata.clone())], 99, 1), None);
        let found = strongest(&values, &[0; 60], &[levels(strata.clone())], 99, 1).unwrap();
        assert!(found.p_value <= 0.02, "{found:?}");
    }

    #[test]
    fn numbers_have_a_direction() {
        let values: Vec<f64> = (0..40).map(f64::from).collect();
        let falling: Vec<f64> = values.iter().map(|value| -value).collect();
        let found = strongest(&values, &[0; 40], &[Attribute::Number(falling)], 99, 1).unwrap();
        assert_eq!((found.attribute, found.level, found.p_value), (0, 0, 0.01));
    }

    #[test]
    fn nothing_that_varies_is_no_association() {
        assert_eq!(strongest(&[1.0; 5], &[0; 5], &[levels(vec![0, 0, 1, 1, 1])], 9, 1), None);
        assert_eq!(strongest(&[1.0, 2.0], &[0; 2], &[levels(vec![NO_LEVEL; 2])], 9, 1), None);
        assert_eq!(strongest(&[], &[], &[], 9, 1), None);
    }
}
