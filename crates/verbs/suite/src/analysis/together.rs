//! Statements about all benchmarks together: geometric means, groups of benchmarks, and a ratio that nearly all
//! benchmarks share.

use std::collections::BTreeMap;

use crate::findings::{Benchmark, Group, Ratio, State};

/// Share of all benchmarks whose intervals have to contain a common ratio.
const NEARLY_ALL: f64 = 0.8;

/// Fewest benchmarks for which a common ratio is reported.
const COMMON_FROM: usize = 5;

#[derive(Clone, Debug, PartialEq)]
pub struct Together {
    /// Geometric mean of the ratios of all benchmarks; `None` where nothing was measured.
    pub mean: Option<Ratio>,
    /// Ratio that nearly all benchmarks share; `None` where there is none.
    pub common: Option<Ratio>,
    /// Groups of at least two benchmarks, slowest first; empty where there is only one group.
    pub groups: Vec<Group>,
    /// Benchmarks that share the value of a parameter, slowest first, at least two of them and not all.
    pub parameters: Vec<Group>,
}

impl Together {
    pub fn of(benchmarks: &[Benchmark], margin: f64) -> Self {
        let effects: Vec<Option<Ratio>> = benchmarks.iter().map(|it| it.effect).collect();
        let measured: Vec<Ratio> = effects.iter().copied().flatten().collect();
        Together {
            mean: geometric_mean(&measured),
            common: common(&effects, margin),
            groups: groups(benchmarks, |it| vec![it.group.as_str()]),
            parameters: groups(benchmarks, |it| parameters_of(&it.name)),
        }
    }
}

/// Geometric mean of the ratios of several benchmarks, with equal weights; `None` without benchmarks.
///
/// If the simultaneous intervals contain the ratios of all benchmarks, the geometric means of their ends enclose the
/// mean ratio, so that the interval of the mean holds at the level of the suite, at every look. An end is open (`None`)
/// if that end of any benchmark is.
fn geometric_mean(effects: &[Ratio]) -> Option<Ratio> {
    let mean = |ends: Option<Vec<f64>>| -> Option<f64> {
        let ends = ends.filter(|ends| !ends.is_empty())?;
        Some((ends.iter().map(|end| end.ln()).sum::<f64>() / ends.len() as f64).exp())
    };
    let of = |end: fn(&Ratio) -> Option<f64>| mean(effects.iter().map(end).collect());
    Some(Ratio { ratio: of(|it| Some(it.ratio))?, low: of(|it| it.low), high: of(|it| it.high) })
}

/// Group of a benchmark: its name up to the first parameter, which begins at a slash or bracket. In names of pytest the
/// search begins after the file name.
pub fn group_of(name: &str) -> &str {
    let from = name.find(".py::").map_or(0, |at| at + ".py::".len());
    let end = name[from..].find(['/', '[', '<', '(']).map_or(name.len(), |at| from + at);
    match &name[..end] {
        "" => name,
        group => group.trim_end(),
    }
}

/// Values of parameters in a benchmark's name: the parts after its group, such as `int` and `100` in `BM_sort<int>/100`.
fn parameters_of(name: &str) -> Vec<&str> {
    let from = name.find(group_of(name)).map_or(0, |at| at + group_of(name).len());
    let mut parts: Vec<&str> =
        name[from..].split(['/', '[', ']', '<', '>', '(', ')', ',']).map(str::trim).collect();
    parts.retain(|part| !part.is_empty());
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// Groups of benchmarks that share a key, slowest first: those of at least two benchmarks, but not of all that were
/// measured.
fn groups<'a>(benchmarks: &'a [Benchmark], keys: impl Fn(&'a Benchmark) -> Vec<&'a str>) -> Vec<Group> {
    let mut by_key: BTreeMap<&str, Vec<(State, Ratio)>> = BTreeMap::new();
    let mut measured = 0;
    for (it, effect) in benchmarks.iter().filter_map(|it| Some((it, it.effect?))) {
        measured += 1;
        for key in keys(it) {
            by_key.entry(key).or_default().push((it.state, effect));
        }
    }
    let group = |(name, members): (&str, Vec<(State, Ratio)>)| {
        let effects: Vec<Ratio> = members.iter().map(|(_, effect)| *effect).collect();
        let count = |state| members.iter().filter(|(of, _)| *of == state).count() as u32;
        Some(Group {
            name: name.to_owned(),
            benchmarks: members.len() as u32,
            slower: count(State::Slower),
            faster: count(State::Faster),
            mean: geometric_mean(&effects)?,
        })
    };
    let is_one = |(_, members): &(&str, Vec<(State, Ratio)>)| members.len() > 1 && members.len() < measured;
    let mut groups: Vec<Group> = by_key.into_iter().filter(is_one).filter_map(group).collect();
    groups.sort_by(|a, b| b.mean.ratio.total_cmp(&a.mean.ratio));
    groups
}

/// The ratio that nearly all benchmarks share. There is such a ratio if the interval of the geometric mean excludes
/// one, the mean lies beyond the margin, and the simultaneous intervals of nearly all benchmarks contain the mean and
/// exclude one. `effects` has `None` for benchmarks that were not measured.
fn common(effects: &[Option<Ratio>], margin: f64) -> Option<Ratio> {
    let measured: Vec<Ratio> = effects.iter().copied().flatten().collect();
    let mean = geometric_mean(&measured).filter(|_| effects.len() >= COMMON_FROM)?;
    let is_apart = !mean.holds(1.0) && mean.ratio.ln().abs() > margin.ln_1p();
    let holds = |value: f64| effects.iter().filter(|it| it.is_none_or(|it| it.holds(value))).count() as f64;
    let all = effects.len() as f64;
    let fits = holds(mean.ratio) >= NEARLY_ALL * all && holds(1.0) <= (1.0 - NEARLY_ALL) * all;
    (is_apart && fits).then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(ratio: f64, low: f64, high: f64) -> Ratio {
        Ratio { ratio, low: Some(low), high: Some(high) }
    }

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
    fn benchmarks_of_one_parameter_are_a_group_across_names() {
        assert_eq!(parameters_of("BM_sort<int, less>/100/100"), ["100", "int", "less"]);
        assert_eq!(parameters_of("sort/lines=1000"), ["lines=1000"]);
        assert_eq!(parameters_of("a/b.py::test_x[10-y]"), ["10-y"]);
        assert_eq!(parameters_of("plain"), [] as [&str; 0]);
        let rule = crate::analysis::Rule {
            level: 0.01,
            margin: 0.03,
            control: crate::findings::Control::Family,
            gate: None,
            needs_verdict: false,
        };
        let benchmark = |(name, ratio): (&str, f64)| Benchmark {
            effect: Some(self::ratio(ratio, ratio, ratio)),
            ..crate::analysis::not_measured(name, String::new(), &rule)
        };
        let all = [("sort/8", 1.0), ("sort/64", 4.0), ("find/8", 1.0), ("find/64", 1.0), ("start", 1.0)];
        let together = Together::of(&all.map(benchmark), 0.03);
        let told = |groups: &[Group]| -> Vec<(String, u32, f64)> {
            groups.iter().map(|it| (it.name.clone(), it.benchmarks, it.mean.ratio)).collect()
        };
        assert_eq!(told(&together.groups), [("sort".to_owned(), 2, 2.0), ("find".to_owned(), 2, 1.0)]);
        assert_eq!(told(&together.parameters), [("64".to_owned(), 2, 2.0), ("8".to_owned(), 2, 1.0)]);
    }

    #[test]
    fn the_mean_is_that_of_the_ratios_and_of_the_ends() {
        let mean = geometric_mean(&[ratio(1.0, 0.5, 2.0), ratio(4.0, 2.0, 8.0)]).unwrap();
        assert_eq!(mean, ratio(2.0, 1.0, 4.0));
        let open = Ratio { high: None, ..ratio(4.0, 2.0, 8.0) };
        let mean = geometric_mean(&[ratio(1.0, 0.5, 2.0), open]).unwrap();
        assert_eq!((mean.low.is_some(), mean.high), (true, None));
        assert_eq!(geometric_mean(&[]), None);
        // Simultaneous intervals that all exclude 1 imply that the mean excludes 1 too.
        let slower = [ratio(1.1, 1.0, 1.2), ratio(1.02, 1.001, 1.04), ratio(1.5, 1.2, 1.9)];
        assert!(!geometric_mean(&slower).unwrap().holds(0.999));
    }

    #[test]
    fn a_factor_is_common_where_nearly_all_have_it() {
        let all = vec![Some(ratio(1.1, 1.05, 1.15)); 10];
        assert!(common(&all, 0.03).is_some());
        assert_eq!(common(&all, 0.2), None, "within the margin");
        let few: Vec<Option<Ratio>> =
            (0..10).map(|at| if at < 3 { Some(ratio(0.99, 0.9, 1.02)) } else { all[0] }).collect();
        assert_eq!(common(&few, 0.03), None);
        assert_eq!(common(&all[..3], 0.03), None);
        let missing: Vec<Option<Ratio>> = (0..10).map(|at| all[0].filter(|_| at > 2)).collect();
        assert_eq!(common(&missing, 0.03), None, "three were not measured");
    }
}
