//! Statements about all benchmarks together: geometric means, groups, and a factor that nearly all share.

use std::collections::{BTreeMap, HashMap};

use fauxplat_stats::distribution::t_upper_quantile;

use crate::findings::{Group, Ratio, State};

/// Level of the plain intervals of means.
const PLAIN: f64 = 0.05;

/// Share of the benchmarks that a common factor has to fit.
const NEARLY_ALL: f64 = 0.8;

/// Benchmarks below which nothing is called common.
const COMMON_FROM: usize = 5;

/// A geometric mean as a log ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The estimate.
    pub log_ratio: f64,
    /// Half of the plain interval at 95 %; infinite for fewer than two rounds.
    pub half: f64,
}

impl Mean {
    /// As a ratio with its interval.
    pub fn ratio(self) -> Ratio {
        let end = |end: f64| end.is_finite().then(|| end.exp());
        Ratio {
            ratio: self.log_ratio.exp(),
            low: end(self.log_ratio - self.half),
            high: end(self.log_ratio + self.half),
        }
    }
}

/// The geometric mean of several benchmarks, each given by its log ratios and the round of each. Every benchmark counts the
/// same, however many pairs it has.
///
/// A round may move all of its benchmarks alike, so rounds are the clusters of the variance (Liang and Zeger
/// 1986): the influence of a round is the sum of the deviations of its pairs, each by the weight of its benchmark.
pub fn geometric_mean(benchmarks: &[&[(u32, f64)]]) -> Option<Mean> {
    let given: Vec<&[(u32, f64)]> = benchmarks.iter().copied().filter(|pairs| !pairs.is_empty()).collect();
    let count = given.len() as f64;
    let mean_of = |pairs: &[(u32, f64)]| pairs.iter().map(|(_, d)| d).sum::<f64>() / pairs.len() as f64;
    let mut influence: HashMap<u32, f64> = HashMap::new();
    let mut sum = 0.0;
    for pairs in &given {
        let mean = mean_of(pairs);
        sum += mean;
        let weight = 1.0 / (count * pairs.len() as f64);
        pairs.iter().for_each(|(round, d)| *influence.entry(*round).or_default() += weight * (d - mean));
    }
    let rounds = influence.len() as f64;
    let half = match rounds >= 2.0 {
        true => {
            // In the order of the rounds, so that the sum is the same on every machine.
            let sorted: BTreeMap<u32, f64> = influence.into_iter().collect();
            let variance = sorted.values().map(|it| it * it).sum::<f64>() * rounds / (rounds - 1.0);
            t_upper_quantile(PLAIN / 2.0, rounds - 1.0) * variance.sqrt()
        }
        false => f64::INFINITY,
    };
    (count > 0.0).then(|| Mean { log_ratio: sum / count, half })
}

/// The part of a name before its first parameter: before a slash, a bracket, or two colons behind the file of pytest.
pub fn group_of(name: &str) -> &str {
    let from = name.find(".py::").map_or(0, |at| at + ".py::".len());
    let end = name[from..].find(['/', '[', '<', '(']).map_or(name.len(), |at| from + at);
    match &name[..end] {
        "" => name,
        group => group.trim_end(),
    }
}

/// A benchmark among the groups: its group, its state and its pairs.
pub type Member<'a> = (&'a str, State, &'a [(u32, f64)]);

/// Groups of more than one benchmark, the worst first; none where all benchmarks are of one.
pub fn groups(members: &[Member<'_>]) -> Vec<Group> {
    let mut by_name: BTreeMap<&str, Vec<&Member<'_>>> = BTreeMap::new();
    for member in members.iter().filter(|(_, _, pairs)| !pairs.is_empty()) {
        by_name.entry(member.0).or_default().push(member);
    }
    let several = by_name.len() > 1;
    let group = |(name, members): (&str, Vec<&Member<'_>>)| {
        let pairs: Vec<&[(u32, f64)]> = members.iter().map(|(_, _, pairs)| *pairs).collect();
        let count = |state| members.iter().filter(|(_, of, _)| *of == state).count() as u32;
        Some(Group {
            name: name.to_owned(),
            benchmarks: members.len() as u32,
            slower: count(State::Slower),
            faster: count(State::Faster),
            mean: geometric_mean(&pairs)?.ratio(),
        })
    };
    let is_one = |(_, members): &(&str, Vec<&Member<'_>>)| several && members.len() > 1;
    let mut groups: Vec<Group> = by_name.into_iter().filter(is_one).filter_map(group).collect();
    groups.sort_by(|a, b| b.mean.ratio.total_cmp(&a.mean.ratio));
    groups
}

/// The factor that nearly all benchmarks share, where there is one: the geometric mean differs from one by its interval and by
/// more than the margin, and lies in the simultaneous intervals of nearly all benchmarks, nearly none of which holds one.
pub fn common(mean: Option<Mean>, intervals: &[(f64, f64)], margin: f64) -> Option<Ratio> {
    let mean = mean.filter(|_| intervals.len() >= COMMON_FROM)?;
    let is_apart = mean.log_ratio.abs() > mean.half && mean.log_ratio.abs() > margin.ln_1p();
    let holds =
        |value: f64| intervals.iter().filter(|(low, high)| *low <= value && value <= *high).count() as f64;
    let all = intervals.len() as f64;
    let fits = holds(mean.log_ratio) >= NEARLY_ALL * all && holds(0.0) <= (1.0 - NEARLY_ALL) * all;
    (is_apart && fits).then(|| mean.ratio())
}

#[cfg(test)]
mod tests {
    use fauxplat_stats::draw::Draw;

    use super::*;

    #[test]
    fn groups_are_the_beginnings_of_names() {
        for (name, group) in [
            ("BM_sort<int>/100", "BM_sort"),
            ("BenchmarkLoop/n=64", "BenchmarkLoop"),
            ("a/b.py::test_x[10]", "a/b.py::test_x"),
            ("plain", "plain"),
            ("/root", "/root"),
            ("odd (x)", "odd"),
        ] {
            assert_eq!(group_of(name), group, "{name}");
        }
    }

    #[test]
    fn the_interval_of_a_mean_holds_it_where_rounds_move_all() {
        let missed = (0..400u64).filter(|&seed| {
            let mut draw = Draw::new(seed, 0);
            let rounds: Vec<f64> = (0..12).map(|_| 0.02 * draw.normal()).collect();
            let pairs: Vec<Vec<(u32, f64)>> = (0..10)
                .map(|_| {
                    (0..12)
                        .map(|round| (round, 0.05 + rounds[round as usize] + 0.01 * draw.normal()))
                        .collect()
                })
                .collect();
            let pairs: Vec<&[(u32, f64)]> = pairs.iter().map(Vec::as_slice).collect();
            let mean = geometric_mean(&pairs).unwrap();
            (mean.log_ratio - 0.05).abs() > mean.half
        });
        // Four standard errors of 5 % in 400 are 4.4 points.
        assert!(missed.count() <= 38);
        assert_eq!(geometric_mean(&[]), None);
    }

    #[test]
    fn a_factor_is_common_where_nearly_all_have_it() {
        let mean = Some(Mean { log_ratio: 0.1, half: 0.01 });
        let all = vec![(0.05, 0.15); 10];
        assert!(common(mean, &all, 0.03).is_some());
        assert_eq!(common(mean, &all, 0.2), None, "within the margin");
        let few: Vec<(f64, f64)> =
            (0..10).map(|at| if at < 3 { (-0.1, 0.02) } else { (0.05, 0.15) }).collect();
        assert_eq!(common(mean, &few, 0.03), None);
        assert_eq!(common(mean, &all[..3], 0.03), None);
    }
}
