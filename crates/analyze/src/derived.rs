//! Figures from counts of the same run: rates of misses, instructions per cycle, the clock frequency.
//!
//! A figure is absent if a count that it needs was not measured. Figures are computed run by run and summarised by
//! their median: a ratio of the medians of two counts may occur in no run.

use std::collections::BTreeSet;

use fauxplat_model::{Derived, Metric, Sample, metrics_of};
use fauxplat_stats::describe::{median, sorted};
use fauxplat_stats::order::median_interval;

use crate::analysed::counts;

/// A figure computed from counts: the sum of `above` over the sum of `below`, times `times`. Counts are named without
/// their source; a count with a leading `-` is subtracted.
struct Figure {
    name: &'static str,
    above: &'static [&'static str],
    below: &'static [&'static str],
    times: f64,
    unit: &'static str,
}

const SHARE: (f64, &str) = (100.0, "%");
const PER_THOUSAND: (f64, &str) = (1000.0, "per 1000 instructions");
const PLAIN: (f64, &str) = (1.0, "");

const fn figure(
    name: &'static str,
    above: &'static [&'static str],
    below: &'static [&'static str],
    (times, unit): (f64, &'static str),
) -> Figure {
    Figure { name, above, below, times, unit }
}

/// Figures, each of which is computed for every source that has all its counts.
const FIGURES: &[Figure] = &[
    figure("instructions per cycle", &["instructions"], &["cycles"], PLAIN),
    figure("front-end stalls", &["stalled-cycles-frontend"], &["cycles"], SHARE),
    figure("back-end stalls", &["stalled-cycles-backend"], &["cycles"], SHARE),
    figure("branch misses", &["branch-misses"], &["branches"], SHARE),
    figure("branch misses", &["branch-misses"], &["instructions"], PER_THOUSAND),
    figure("L1d misses", &["l1d-misses"], &["loads", "stores"], SHARE),
    figure("L1d load misses", &["l1d-misses"], &["l1d-loads"], SHARE),
    figure("L1d misses", &["l1d-misses"], &["instructions"], PER_THOUSAND),
    figure("LL misses", &["llc-misses"], &["instructions"], PER_THOUSAND),
    figure("cache misses", &["cache-misses"], &["cache-references"], SHARE),
    figure("cache misses", &["cache-misses"], &["instructions"], PER_THOUSAND),
    // Use of the issue slots of a core: Yasin, "A top-down method for performance analysis and counters architecture",
    // ISPASS 2014. The kernel counts each category in slots.
    figure("retiring", &["topdown-retiring"], SLOTS, SHARE),
    figure("bad speculation", &["topdown-bad-spec"], SLOTS, SHARE),
    figure("front-end bound", &["topdown-fe-bound"], SLOTS, SHARE),
    figure("back-end bound", &["topdown-be-bound"], SLOTS, SHARE),
    figure("retiring: heavy operations", &["topdown-heavy-ops"], SLOTS, SHARE),
    figure("retiring: light operations", &["topdown-retiring", "-topdown-heavy-ops"], SLOTS, SHARE),
    figure("bad speculation: branches", &["topdown-br-mispredict"], SLOTS, SHARE),
    figure("bad speculation: machine clears", &["topdown-bad-spec", "-topdown-br-mispredict"], SLOTS, SHARE),
    figure("front-end bound: latency", &["topdown-fetch-lat"], SLOTS, SHARE),
    figure("front-end bound: bandwidth", &["topdown-fe-bound", "-topdown-fetch-lat"], SLOTS, SHARE),
    figure("back-end bound: memory", &["topdown-mem-bound"], SLOTS, SHARE),
    figure("back-end bound: core", &["topdown-be-bound", "-topdown-mem-bound"], SLOTS, SHARE),
];

const SLOTS: &[&str] = &["slots"];

/// Sources of counts, with the suffix of their counts' names (`:u` for counts of user mode alone).
const SOURCES: [(&str, &str); 3] = [("pmu", ""), ("pmu", ":u"), ("simulated", "")];

/// Function that returns a metric of the run or shift with this index.
type Get<'g> = &'g dyn Fn(usize, Metric) -> Option<u64>;

/// Returns the derived figures of the runs of one command, and a sentence about each figure that is impossible, such as
/// a share above 100 %.
pub(crate) fn derived(samples: &[Sample], command: u16, ignore_failure: bool) -> (Vec<Derived>, Vec<String>) {
    let runs: Vec<&Sample> =
        samples.iter().filter(|sample| sample.command == command && counts(sample, ignore_failure)).collect();
    let mut found = figures(runs.len(), &|at, metric| runs[at].get(metric));
    found.extend(of_regions(&runs));
    let doubts =
        found.iter().filter(|it| it.unit == SHARE.1 && it.high.unwrap_or(it.median) > SHARE.0).map(|it| {
            format!(
                "{} come to more than 100 % ({}): one of the counts cannot be what its name says",
                it.name, it.formula
            )
        });
    let doubts = doubts.collect();
    (found, doubts)
}

/// Derived figures over `runs` runs or shifts, whose counts `get` returns.
pub(crate) fn figures(runs: usize, get: Get<'_>) -> Vec<Derived> {
    let mut found = of_sources(&SOURCES, runs, get);
    found.extend(clock(runs, get));
    found
}

/// Derived figures of counts within marked regions of the program, over all runs.
fn of_regions(runs: &[&Sample]) -> Vec<Derived> {
    let of = |metric: Metric| Some((metric.name().split_once(':')?.0, metric.region()?));
    let regions: BTreeSet<(&str, &str)> =
        metrics_of(runs.iter().copied()).into_iter().filter_map(of).collect();
    let figures = |(source, region): (&str, &str)| {
        let found =
            of_sources(&[(source, ""), (source, ":u")], runs.len(), &|at, metric| runs[at].get(metric));
        let named = |it: Derived| Derived { name: format!("{region}: {}", it.name), ..it };
        found.into_iter().map(named).collect::<Vec<_>>()
    };
    regions.into_iter().flat_map(figures).collect()
}

fn of_sources(sources: &[(&str, &str)], runs: usize, get: Get<'_>) -> Vec<Derived> {
    let mut found = Vec::new();
    for (source, modes) in sources {
        let metrics = |names: &[&str]| -> Option<Vec<SignedMetric>> {
            let part = |name: &&str| {
                let (sign, plain) = name.strip_prefix('-').map_or((1.0, *name), |plain| (-1.0, plain));
                Some((sign, Metric::from_name(&format!("{source}:{plain}{modes}"))?))
            };
            names.iter().map(part).collect()
        };
        for figure in FIGURES {
            let Some((above, below)) = metrics(figure.above).zip(metrics(figure.below)) else { continue };
            found.extend(of_runs((runs, get), (&above, &below), figure));
        }
    }
    found
}

/// Sentences about impossible derived figures (shares above 100 %), for each of `commands` commands.
pub fn doubts(samples: &[Sample], commands: usize, ignore_failure: bool) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for doubt in (0..commands as u16).flat_map(|command| derived(samples, command, ignore_failure).1) {
        if !all.contains(&doubt) {
            all.push(doubt);
        }
    }
    all
}

/// A metric with the sign (1 or −1) with which it is added.
type SignedMetric = (f64, Metric);

fn of_runs(
    (runs, get): (usize, Get<'_>),
    (above, below): (&[SignedMetric], &[SignedMetric]),
    figure: &Figure,
) -> Option<Derived> {
    let sum = |run: usize, parts: &[SignedMetric]| -> Option<f64> {
        parts.iter().map(|(sign, metric)| get(run, *metric).map(|value| sign * value as f64)).sum()
    };
    let ratio = |run: usize| {
        let (above, below) = (sum(run, above)?, sum(run, below)?);
        (below > 0.0).then_some(figure.times * above / below)
    };
    let formula = format!("{} / {}", written(above), written(below));
    summed((0..runs).filter_map(ratio).collect(), figure.name, formula, figure.unit)
}

/// The sum as text, for example `a`, or `(a + b − c)`.
fn written(parts: &[SignedMetric]) -> String {
    let sign = |(at, (sign, _)): (usize, &SignedMetric)| match (at, *sign > 0.0) {
        (0, _) => "",
        (_, true) => " + ",
        (_, false) => " − ",
    };
    let all: String = parts.iter().enumerate().map(|it| format!("{}{}", sign(it), it.1.1.name())).collect();
    if parts.len() == 1 { all } else { format!("({all})") }
}

/// Mean clock frequency of the CPU while it ran the program, in GHz: cycles over CPU time. Cycles of user mode cannot
/// be used, since CPU time includes the kernel.
fn clock(runs: usize, get: Get<'_>) -> Option<Derived> {
    let cycles = Metric::from_name("pmu:cycles")?;
    let ghz = |run: usize| {
        let (cycles, cpu_ns) = (get(run, cycles)? as f64, get(run, Metric::CPU)? as f64);
        (cpu_ns > 0.0).then_some(cycles / cpu_ns)
    };
    let formula = "pmu:cycles / cpu".to_owned();
    summed((0..runs).filter_map(ghz).collect(), "clock", formula, "GHz")
}

fn summed(values: Vec<f64>, name: &str, formula: String, unit: &str) -> Option<Derived> {
    let [low, high] = median_interval(&sorted(&values), 0.95).map_or([None; 2], |ends| ends.map(Some));
    let (name, unit) = (name.to_owned(), unit.to_owned());
    Some(Derived { name, formula, unit, n: values.len(), median: median(&values)?, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Readings;

    fn run(readings: &[(&str, u64)]) -> Sample {
        let metric = |name: &str| Metric::from_id(name).unwrap();
        Sample::of(readings.iter().map(|(name, value)| (metric(name), *value)).collect::<Readings>())
    }

    #[test]
    fn figures_are_of_the_same_run_and_missing_where_a_part_is() {
        let runs = [
            run(&[("pmu:instructions", 3000), ("pmu:cycles", 1000), ("cpu", 500)]),
            run(&[("pmu:instructions", 3100), ("pmu:cycles", 1000), ("cpu", 500)]),
            run(&[("pmu:branch-misses", 5), ("pmu:branches", 100)]),
        ];
        let (found, doubts) = derived(&runs, 0, false);
        let of = |name: &str| found.iter().find(|it| it.name == name).unwrap();
        assert_eq!((of("instructions per cycle").n, of("instructions per cycle").low), (2, None));
        assert_eq!((of("branch misses").median, of("branch misses").unit.as_str()), (5.0, "%"));
        assert_eq!((of("clock").median, of("clock").formula.as_str()), (2.0, "pmu:cycles / cpu"));
        assert_eq!((found.len(), doubts.len()), (3, 0));
        assert_eq!(derived(&runs, 1, false), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_doubt_of_several_commands_is_said_once() {
        let impossible = [
            ("pmu:branch-misses", 200),
            ("pmu:branches", 100),
            ("pmu:cache-misses", 30),
            ("pmu:cache-references", 20),
        ];
        let of = |command| Sample { command, ..run(&impossible) };
        let once = doubts(&[of(0)], 1, false);
        assert!(once.len() > 1, "{once:?}");
        assert_eq!(doubts(&[of(0), of(1)], 2, false), once);
    }

    #[test]
    fn a_region_has_figures_of_its_own() {
        let counts = [("pmu:instructions", 3000), ("pmu:cycles", 1000)];
        let inside = [("region.hot:instructions", 900), ("region.hot:cycles", 600), ("region.hot:wall", 5)];
        let (found, _) = derived(&[run(&[&counts[..], &inside].concat())], 0, false);
        let told: Vec<(&str, f64)> = found.iter().map(|it| (it.name.as_str(), it.median)).collect();
        assert_eq!(told, [("instructions per cycle", 3.0), ("hot: instructions per cycle", 1.5)]);
        assert_eq!(found[1].formula, "region.hot:instructions / region.hot:cycles");
    }

    #[test]
    fn slots_are_told_by_where_they_went() {
        let parts = [
            ("slots", 1000),
            ("topdown-be-bound", 400),
            ("topdown-mem-bound", 300),
            ("topdown-retiring", 250),
        ];
        let named = parts.map(|(name, value)| (format!("pmu:{name}"), value));
        let (found, doubts) =
            derived(&[run(&named.each_ref().map(|(name, value)| (name.as_str(), *value)))], 0, false);
        let shares: Vec<(&str, f64)> = found.iter().map(|it| (it.name.as_str(), it.median)).collect();
        let expected = [
            ("retiring", 25.0),
            ("back-end bound", 40.0),
            ("back-end bound: memory", 30.0),
            ("back-end bound: core", 10.0),
        ];
        assert_eq!((shares, doubts), (expected.to_vec(), Vec::new()));
        assert_eq!(found[3].formula, "(pmu:topdown-be-bound − pmu:topdown-mem-bound) / pmu:slots");
    }

    #[test]
    fn a_share_above_all_is_doubted_and_nothing_is_divided_by_zero() {
        let odd = run(&[("pmu:branch-misses", 7), ("pmu:branches", 5), ("pmu:instructions", 0)]);
        let (found, doubts) = derived(&[odd], 0, false);
        assert_eq!((found.len(), doubts.len()), (1, 1), "{found:?}");
        let simulated = run(&[("simulated:l1d-misses", 1), ("simulated:loads", 3), ("simulated:stores", 1)]);
        let (found, _) = derived(&[simulated], 0, false);
        assert_eq!(
            (found[0].median, found[0].formula.as_str()),
            (25.0, "simulated:l1d-misses / (simulated:loads + simulated:stores)")
        );
    }
}
