//! Constructed records of `compare` for the tests, equal in every run of them.

use fauxplat_model::document::Findings;
use fauxplat_model::{
    CompareFindings, Comparison, DifferenceIn, Dropped, DroppedReason, Estimand, Grade, Metric,
    QuantileShift, Scope, Secondary, Side, StoppedBy, Tail, VarianceBudget, Verdict,
};

use crate::common::{Owned, header, run};

fn variance() -> VarianceBudget {
    VarianceBudget {
        layout: Some(0.31),
        process: Some(0.55),
        order: 0.04,
        residual: 0.1,
        pair_sd: 0.0071,
        autocorrelation: 0.05,
        position_ratio: 1.001,
        position_low_ratio: 0.999,
        position_high_ratio: 1.003,
    }
}

pub(crate) fn comparison(a: &str, b: &str, verdict: Verdict, effect: f64, half: f64) -> Comparison {
    Comparison {
        a: a.into(),
        b: b.into(),
        metric: Metric::WALL,
        verdict,
        scope: Scope::Binaries,
        grade: Grade::WithinSession,
        extent: None,
        difference_in: Vec::new(),
        beyond_margin: None,
        tail: None,
        estimand: Estimand::Typical,
        gate: None,
        typical: None,
        mean: None,
        mean_verdict: Verdict::Inconclusive,
        carry_over: None,
        modes: None,
        spread: None,
        halves: None,
        tail_halves: None,
        is_mixture: false,
        dropped_lean: None,
        quantiles: Vec::new(),
        effect_ratio: effect,
        ci_low_ratio: effect - half,
        ci_high_ratio: effect + half,
        bootstrap_low_ratio: effect - half,
        bootstrap_high_ratio: effect + half,
        p_value: 0.0002,
        level: 0.01,
        margin: 0.01,
        margin_absolute: None,
        anytime: false,
        pairs: 32,
        dropped_pairs: 0,
        dropped: Vec::new(),
        stopped_by: StoppedBy::Verdict,
        pairs_needed: None,
        variance: variance(),
        secondary: vec![
            Secondary {
                metric: Metric::USER,
                effect_ratio: 1.024,
                ci_low_ratio: 1.019,
                ci_high_ratio: 1.029,
                p_adjusted: 0.0004,
                different: true,
                first_thread: false,
            },
            Secondary {
                metric: Metric::PEAK_MEMORY,
                effect_ratio: 1.0001,
                ci_low_ratio: 0.9995,
                ci_high_ratio: 1.0007,
                p_adjusted: 0.8,
                different: false,
                first_thread: false,
            },
        ],
        replication: None,
        exact: None,
        bounded: None,
        first_thread: false,
    }
}

/// A record of `compare` with two commands and the given comparison.
pub(crate) fn compare(comparison: Comparison) -> Owned {
    let mut owned = run(&[&comparison.a, &comparison.b]);
    owned.header = header("compare");
    let Findings::Run(commands) = owned.findings else { unreachable!("`run` was asked for") };
    owned.findings = Findings::Compare(CompareFindings {
        commands,
        comparisons: vec![comparison],
        winner: None,
        floor_ns: Some(450_000.0),
        elapsed_s: 4.2,
        variants: Vec::new(),
        duet_cpus: None,
        disagreements: Vec::new(),
        profile: None,
    });
    owned
}

/// A record of `compare` with two commands that differ only in their slowest runs.
pub(crate) fn compare_tails() -> Owned {
    let mut apart = comparison("sort", "gsort", Verdict::Different, 1.0004, 0.003);
    apart.difference_in = vec![DifferenceIn::Tail];
    apart.tail = Some(Tail {
        margin: 0.03,
        threshold_ratio: 1.05,
        share_b: 0.08,
        share_b_interval: [0.04, 0.13],
        share_a: 0.005,
        share_a_interval: [0.0, 0.03],
        excess_excluded: 0.13,
        side: Some(Side::B),
    });
    let shift = |quantile: f64, ratio: f64, half: f64| QuantileShift {
        quantile,
        ratio,
        low_ratio: ratio - half,
        high_ratio: ratio + half,
    };
    let typical = (1..9).map(|decile| shift(f64::from(decile) / 10.0, 1.0004, 0.004));
    apart.quantiles = typical.chain([shift(0.9, 1.21, 0.1), shift(0.95, 1.92, 0.2)]).collect();
    compare(apart)
}

/// A record of `compare` with two commands that differ in their slowest runs and, by less than the margin, in typical
/// runs.
pub(crate) fn compare_both() -> Owned {
    let mut owned = compare_tails();
    if let Findings::Compare(found) = &mut owned.findings {
        let both = &mut found.comparisons[0];
        both.difference_in = vec![DifferenceIn::Typical, DifferenceIn::Tail];
        both.beyond_margin = Some(false);
        (both.effect_ratio, both.ci_low_ratio, both.ci_high_ratio) = (1.006, 1.003, 1.009);
    }
    owned
}

/// A record of `compare` with two commands in wall time and in peak memory, with a margin that is an amount.
pub(crate) fn compare_metrics() -> Owned {
    let clear = comparison("sort", "gsort", Verdict::Different, 1.0231, 0.0055);
    let memory = Comparison {
        metric: Metric::PEAK_MEMORY,
        margin: 0.0156,
        margin_absolute: Some(65_536.0),
        secondary: Vec::new(),
        ..comparison("sort", "gsort", Verdict::Equivalent, 1.001, 0.003)
    };
    let mut owned = compare(clear);
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it was compared") };
    found.comparisons.push(memory);
    found.winner = Some(0);
    owned
}

/// A record of `compare` with three commands, the last of which wins.
pub(crate) fn compare_three() -> Owned {
    let names = [
        "sort -n data",
        "gsort -n --parallel=1 --buffer-size=64M --temporary-directory=/tmp data",
        "rsort data",
    ];
    let mut owned = run(&names);
    owned.header = header("compare");
    let Findings::Run(commands) = owned.findings else { unreachable!("`run` was asked for") };
    let mut doubtful = comparison(names[0], names[1], Verdict::Inconclusive, 1.0075, 0.0115);
    doubtful.pairs = 128;
    doubtful.stopped_by = StoppedBy::MaxPairs;
    doubtful.pairs_needed = Some(210);
    doubtful.p_value = 0.21;
    doubtful.dropped_pairs = 20;
    doubtful.dropped = vec![
        Dropped { reason: DroppedReason::HeavySteal, pairs: 19 },
        Dropped { reason: DroppedReason::FailedRun, pairs: 1 },
    ];
    doubtful.variance.autocorrelation = 0.31;
    let clear = comparison(names[0], names[2], Verdict::Different, 0.48, 0.012);
    owned.findings = Findings::Compare(CompareFindings {
        commands,
        comparisons: vec![doubtful, clear],
        winner: Some(2),
        floor_ns: Some(900_000.0),
        elapsed_s: 12.5,
        variants: Vec::new(),
        duet_cpus: None,
        disagreements: Vec::new(),
        profile: None,
    });
    owned
}

/// A record of `compare` with one command and a baseline from another time, in the form that the analysis gives:
/// findings about both, but only one command.
pub(crate) fn against_baseline() -> Owned {
    let mut weaker = comparison("last week's sort", "sort -n data", Verdict::Different, 1.0231, 0.0055);
    weaker.grade = Grade::AgainstBaseline;
    weaker.stopped_by = StoppedBy::MaxPairs;
    weaker.secondary.clear();
    let mut owned = run(&["sort -n data"]);
    owned.header = header("compare");
    let Findings::Run(found) = owned.findings else { unreachable!("`run` was asked for") };
    let mut earlier = found.clone();
    earlier[0].summaries.truncate(1);
    earlier[0].summaries[0].median = 4_900_000.0;
    earlier.extend(found);
    owned.findings = Findings::Compare(CompareFindings {
        commands: earlier,
        comparisons: vec![weaker],
        winner: Some(0),
        floor_ns: None,
        elapsed_s: 1.5,
        variants: Vec::new(),
        duet_cpus: None,
        disagreements: Vec::new(),
        profile: None,
    });
    owned
}

/// A record of `compare` with three commands in which the comparison of the winner with the runner-up follows the
/// others.
pub(crate) fn compare_with_runner_up() -> Owned {
    let mut owned = compare_three();
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("it is a comparison") };
    let (second, best) = (found.comparisons[0].b.clone(), found.comparisons[1].b.clone());
    found.comparisons.push(comparison(&second, &best, Verdict::Different, 0.475, 0.013));
    owned
}
