//! A comparison against readings that were taken at another time. It is weaker, and says so.

use fauxplat_model::{
    CompareFindings, Comparison, Grade, Rule, RunFindings, Sample, Scope, StoppedBy, VarianceBudget, Verdict,
};
use fauxplat_stats::bootstrap::bca_interval;
use fauxplat_stats::describe::mean;
use fauxplat_stats::distribution::t_for_z;
use fauxplat_stats::randomise::permutation_p;
use fauxplat_stats::rivals::welch_df;
use fauxplat_stats::series::{autocorrelation, dependence_inflation, drift_variance};
use fauxplat_stats::winsor::{Location, location, winsorise};

use crate::judge::Judged;
use crate::series::{beyond_margin, plain_z, verdict};
use crate::summary::{readings, run_findings};
use crate::verdict::elapsed_s;

/// Readings of A that were taken at another time, by us or by another tool.
#[derive(Clone, Copy, Debug)]
pub struct Baseline<'a> {
    /// What the report calls it.
    pub name: &'a str,
    /// The readings in the order in which they were taken, in the unit of the metric; positive.
    pub values: &'a [f64],
    /// Findings about it for the report.
    pub findings: &'a RunFindings,
}

/// Standard deviation of a session's level that is assumed while the history does not know better: one per cent, the
/// least that repeated sessions of benchmarks commonly show. With it, a baseline cannot tell differences of two per
/// cent or so from a machine that changed, which is the truth about baselines.
const SESSION_SD_ASSUMED: f64 = 0.01;

/// One side of the comparison, on the scale of logarithms.
struct Side {
    logs: Vec<f64>,
    place: Location,
    /// Standard error widened for autocorrelation.
    se: f64,
    /// Variance of the slow movement within the session.
    drift: f64,
}

impl Side {
    fn of(values: &[f64]) -> Self {
        let logs: Vec<f64> = values.iter().filter(|&&value| value > 0.0).map(|value| value.ln()).collect();
        let (pulled, _) = winsorise(&logs);
        let place = location(&logs);
        let se = place.se * dependence_inflation(&pulled);
        Side { place, se, drift: drift_variance(&pulled), logs: pulled }
    }
}

/// Compares the runs of command 0 in `samples` (the candidate) with readings from another time.
///
/// Nothing was interleaved, so no coin protects this comparison. The interval is Welch's on winsorised logarithms,
/// widened (1) for autocorrelation within each session, and (2) for movement between the two: by the slow movement that
/// they show within themselves (a machine that wanders while it is watched wanders at least as much in between), or by
/// twice `session_variance` if that is larger. This is the variance of the log level of one unchanged command between
/// sessions (not of a paired effect, in which it cancels); 1 % squared is assumed when it is unknown. The p-value is a
/// studentised permutation test, which knows of neither; *different* needs both.
pub fn baseline_findings(
    rule: &Rule,
    baseline: Baseline,
    samples: &[Sample],
    name: &str,
    ignore_failure: bool,
    session_variance: Option<f64>,
    seed: u64,
) -> Judged {
    let a = Side::of(baseline.values);
    let b = Side::of(&readings(samples, 0, rule.metric, ignore_failure));
    let session = (a.drift + b.drift).max(2.0 * session_variance.unwrap_or(SESSION_SD_ASSUMED.powi(2)));
    let comparison = comparison(rule, (baseline.name, name), &a, &b, session, seed);
    let mut warnings = vec![format!(
        "{name} was not interleaved with {}: what changed on the machine in between counts as a difference",
        baseline.name
    )];
    if session_variance.is_none() {
        let assumed = 100.0 * SESSION_SD_ASSUMED;
        warnings.push(format!(
            "no earlier sessions of it are known, so {assumed} % is assumed as their standard deviation"
        ));
    }
    let mut commands = vec![baseline.findings.clone()];
    commands.extend(run_findings(samples, 1, ignore_failure));
    let winner = (comparison.verdict == Verdict::Different).then(|| usize::from(comparison.b_is_better()));
    let findings = CompareFindings {
        commands,
        comparisons: vec![comparison],
        winner,
        floor_ns: None,
        elapsed_s: elapsed_s(samples),
        variants: Vec::new(),
        duet_cpus: None,
    };
    Judged { findings, warnings }
}

fn comparison(rule: &Rule, names: (&str, &str), a: &Side, b: &Side, session: f64, seed: u64) -> Comparison {
    let effect = b.place.estimate - a.place.estimate;
    let sampling = a.se.hypot(b.se);
    let df = welch_df(a.se.powi(2), a.place.df as usize + 1, b.se.powi(2), b.place.df as usize + 1);
    let half = half_width(sampling.hypot(session.sqrt()), rule.level, df);
    let (low, high) = (crate::series::bounded(effect - half), crate::series::bounded(effect + half));
    let p_value = permutation_p(&a.logs, &b.logs, seed);
    let pairs = a.logs.len().min(b.logs.len());
    let (bootstrap_low, bootstrap_high) = bootstrap(a, b, rule.level, seed).unwrap_or((low, high));
    Comparison {
        a: names.0.to_owned(),
        b: names.1.to_owned(),
        metric: rule.metric,
        verdict: verdict(low, high, rule.margin.max(0.0).ln_1p(), || p_value <= rule.level),
        scope: Scope::Binaries,
        grade: Grade::AgainstBaseline,
        extent: None,
        difference_in: Vec::new(),
        beyond_margin: beyond_margin(low, high, rule.margin.max(0.0).ln_1p()),
        tail: None,
        mean: None,
        effect_ratio: effect.exp(),
        ci_low_ratio: low.exp(),
        ci_high_ratio: high.exp(),
        bootstrap_low_ratio: bootstrap_low.exp(),
        bootstrap_high_ratio: bootstrap_high.exp(),
        p_value,
        level: rule.level,
        margin: rule.margin,
        anytime: false,
        pairs,
        dropped_pairs: 0,
        dropped: Vec::new(),
        stopped_by: StoppedBy::MaxPairs,
        pairs_needed: None,
        variance: variance_budget(a, b, session),
        secondary: Vec::new(),
    }
}

/// Half of the interval: none if nothing varies at all.
fn half_width(se: f64, level: f64, df: f64) -> f64 {
    if se == 0.0 { 0.0 } else { t_for_z(plain_z(level), df) * se }
}

/// Difference of two bootstrap intervals, added in quadrature side by side (Zou and Donner 2008, "Construction of
/// confidence limits about effect measures: a general approach").
fn bootstrap(a: &Side, b: &Side, level: f64, seed: u64) -> Option<(f64, f64)> {
    let (a_low, a_high) = bca_interval(&a.logs, level, seed)?;
    let (b_low, b_high) = bca_interval(&b.logs, level, seed ^ 1)?;
    let (a_mid, b_mid) = (a.place.estimate, b.place.estimate);
    let effect = b_mid - a_mid;
    Some((effect - (b_mid - b_low).hypot(a_high - a_mid), effect + (b_high - b_mid).hypot(a_mid - a_low)))
}

/// Without pairs there is no order and no layout; what can be said is how much the sessions wander.
fn variance_budget(a: &Side, b: &Side, session: f64) -> VarianceBudget {
    let plain = |side: &Side| if side.logs.len() > 1 { side.place.sd().powi(2) } else { 0.0 };
    let total = plain(a) + plain(b);
    let order = if total > 0.0 { (session / total).min(1.0) } else { 0.0 };
    VarianceBudget {
        layout: None,
        process: None,
        order,
        residual: if total > 0.0 { 1.0 - order } else { 0.0 },
        pair_sd: total.sqrt(),
        autocorrelation: mean(&[autocorrelation(&a.logs), autocorrelation(&b.logs)]).unwrap_or(0.0),
        position_ratio: 1.0,
        position_low_ratio: 1.0,
        position_high_ratio: 1.0,
    }
}
