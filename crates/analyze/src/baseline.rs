//! A comparison with readings from another time. Its findings say that it is weaker evidence than interleaved runs.

use fauxplat_model::{
    CompareFindings, Comparison, DifferenceIn, Estimand, Extent, Gate, Grade, Metric, Rule, RunFindings,
    Sample, Scope, StoppedBy, VarianceBudget, Verdict,
};
use fauxplat_stats::bootstrap::bca_interval;
use fauxplat_stats::describe::{mean, variance};
use fauxplat_stats::distribution::t_for_z;
use fauxplat_stats::randomise::permutation_p;
use fauxplat_stats::rivals::welch_df;
use fauxplat_stats::series::{autocorrelation, dependence_inflation, drift_variance};
use fauxplat_stats::winsor::{Location, location, winsorise};

use crate::disagreement::disagreement;
use crate::estimate::plain_z;
use crate::judge::Judged;
use crate::level::ratio_between;
use crate::pairing::half_step;
use crate::standing::{beyond_margin, bounded, verdict};
use crate::stored::{Stored, stored};
use crate::summary::{readings, run_findings};
use crate::verdict::elapsed_s;

/// Readings of A from another time, by fauxplat or by another tool.
#[derive(Clone, Copy, Debug)]
pub struct Baseline<'a> {
    pub name: &'a str,
    /// The readings in the order of measurement, in the unit of the metric; none is negative.
    pub values: &'a [f64],
    pub findings: &'a RunFindings,
}

/// Standard deviation of the mean log reading between sessions that is assumed if fewer than [`SESSIONS_MIN`] earlier
/// sessions are known: 1 %, the least that is common in repeated sessions of benchmarks. Differences of about 2 % then
/// cannot be told from a change of the machine.
const SESSION_SD_ASSUMED: f64 = 0.01;

/// Minimum number of earlier sessions from which the variation between sessions is estimated.
const SESSIONS_MIN: usize = 3;

/// Variation of the mean log reading of one unchanged command between sessions, estimated from earlier sessions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SessionLevels {
    /// Variance of the mean log readings of the sessions. The squared standard errors of these means are not
    /// subtracted: little would be gained, and a variance of zero from a few sessions would be mistaken for certainty.
    variance: f64,
    /// Number of sessions from which the variance was estimated.
    sessions: usize,
}

impl SessionLevels {
    /// Estimates the variation from the readings of each session in `metric`; `None` for fewer than three sessions. All
    /// sessions must be of one command. *Paired* differences of identical programs cannot be used: the level of their
    /// session cancels.
    pub fn of<'a>(metric: Metric, sessions: impl IntoIterator<Item = &'a [f64]>) -> Option<Self> {
        let sessions: Vec<&[f64]> = sessions.into_iter().collect();
        let step = step(metric, &sessions, &[]);
        let levels: Vec<f64> = sessions
            .iter()
            .map(|values| Side::of(values, step))
            .filter(|side| side.place.n > 0)
            .map(|side| side.place.estimate)
            .collect();
        let enough = levels.len() >= SESSIONS_MIN;
        enough.then(|| SessionLevels { variance: variance(&levels), sessions: levels.len() })
    }
}

/// Variation between the session of the baseline and the session of the candidate, estimated from these two sessions or
/// from earlier ones.
#[derive(Clone, Copy)]
struct Movement {
    variance: f64,
    /// Degrees of freedom of the variance if it was estimated from a few sessions; `None` counts as infinitely many.
    df: Option<f64>,
}

impl Movement {
    /// Takes the drift within both sessions, or the variation between earlier sessions, whichever gives the wider
    /// interval at this error level. The larger *variance* would be a wrong choice: a few sessions that happen to lie
    /// close together have a small variance with few degrees of freedom, which can give the wider interval.
    fn between(a: &Side, b: &Side, levels: Option<SessionLevels>, level: f64) -> Self {
        let within = Movement { variance: a.drift + b.drift, df: None };
        let known = levels.map_or(SESSION_SD_ASSUMED.powi(2), |levels| levels.variance);
        let df = levels.map(|levels| (levels.sessions - 1) as f64);
        let known = Movement { variance: 2.0 * known, df };
        if known.half_width(level) < within.half_width(level) { within } else { known }
    }

    /// Half width of a log interval at an error level, if the variation between sessions is the only source of error.
    fn half_width(self, level: f64) -> f64 {
        let z = plain_z(level);
        self.df.map_or(z, |df| t_for_z(z, df)) * self.variance.sqrt()
    }
}

struct Side {
    logs: Vec<f64>,
    place: Location,
    /// Standard error of the mean log reading, widened for autocorrelation.
    se: f64,
    /// Variance of the drift of the log readings within the session.
    drift: f64,
}

impl Side {
    /// Summarises the logarithms of `values`, to each of which `step` is added first.
    fn of(values: &[f64], step: f64) -> Self {
        let logs: Vec<f64> =
            values.iter().map(|value| value + step).filter(|&value| value > 0.0).map(f64::ln).collect();
        let (pulled, _) = winsorise(&logs);
        let place = location(&logs);
        let se = place.se * dependence_inflation(&pulled);
        Side { place, se, drift: drift_variance(&pulled), logs: pulled }
    }
}

/// Amount added to all readings so that each has a logarithm: zero, or, if one of the readings is zero, half of the
/// smallest step of the metric. Leaving out the zeros of one session would bias its mean towards its other readings.
fn step(metric: Metric, values: &[&[f64]], findings: &[&RunFindings]) -> f64 {
    let has_zero = values.iter().any(|values| values.contains(&0.0));
    let summaries = findings.iter().flat_map(|it| &it.summaries);
    let wall_ns = summaries.filter(|it| it.metric == Metric::WALL).map(|it| it.mean);
    if has_zero { half_step(metric.unit(), &wall_ns.collect::<Vec<_>>()) } else { 0.0 }
}

/// Compares the runs of command 0 in `samples` (the candidate) with readings from another time.
///
/// Nothing was interleaved, so randomisation does not protect this comparison. The interval is Welch's on winsorised
/// logarithms, widened for autocorrelation within each session and for the variation between sessions. That variation
/// is the drift within both sessions, or the variation of one unchanged command between earlier sessions if it gives
/// the wider interval; without earlier sessions a standard deviation of 1 % is assumed. A variance of n sessions has n
/// − 1 degrees of freedom, and the corresponding quantile of Student's t (see `half_width`). The p-value is from a
/// studentised permutation test, which knows neither the autocorrelation nor the variation between sessions;
/// *different* needs both.
pub fn baseline_findings(
    rule: &Rule,
    baseline: Baseline,
    samples: &[Sample],
    name: &str,
    ignore_failure: bool,
    levels: Option<SessionLevels>,
    seed: u64,
) -> Judged {
    let values = readings(samples, 0, rule.metric, ignore_failure);
    let findings = run_findings(samples, 1, ignore_failure).remove(0);
    let candidate = Baseline { name, values: &values, findings: &findings };
    let mut judged = stored_findings(rule, [baseline, candidate], levels, seed);
    judged.findings.elapsed_s = elapsed_s(samples);
    judged
}

/// Compares two sets of stored readings, without measuring anything.
pub fn stored_findings(
    rule: &Rule,
    [baseline, candidate]: [Baseline; 2],
    levels: Option<SessionLevels>,
    seed: u64,
) -> Judged {
    let values = [baseline.values, candidate.values];
    let step = step(rule.metric, &values, &[baseline.findings, candidate.findings]);
    let ([a, b], name) = (values.map(|values| Side::of(values, step)), candidate.name);
    let movement = Movement::between(&a, &b, levels, rule.level);
    let comparison = comparison(rule, (baseline.name, name), values, (&a, &b), movement, seed);
    let warnings = vec![
        format!(
            "{name} was not interleaved with {}: what changed on the machine in between counts as a difference",
            baseline.name
        ),
        between_sessions(rule.metric, levels),
    ];
    let commands = vec![baseline.findings.clone(), candidate.findings.clone()];
    let winner = (comparison.verdict == Verdict::Different).then(|| usize::from(comparison.b_is_better()));
    let disagreements = disagreement(&[&comparison], [baseline.findings, candidate.findings]);
    let findings = CompareFindings {
        commands,
        comparisons: vec![comparison],
        winner,
        floor_ns: None,
        elapsed_s: 0.0,
        variants: Vec::new(),
        duet_cpus: None,
        disagreements: disagreements.into_iter().collect(),
        profile: None,
    };
    Judged { findings, warnings }
}

/// A sentence about the variation between sessions that the interval allows for. Several metrics that decide have a
/// sentence each, so each names its metric.
fn between_sessions(metric: Metric, levels: Option<SessionLevels>) -> String {
    let (percent, metric) = (|sd: f64| format!("{:.2} %", 100.0 * sd), metric.title());
    match levels {
        None => format!(
            "fewer than {SESSIONS_MIN} earlier sessions of the baseline are known with its {metric}, so {} is assumed \
             as their standard deviation",
            percent(SESSION_SD_ASSUMED)
        ),
        Some(levels) => format!(
            "the {metric} of the baseline had a standard deviation of {} in {} earlier sessions, which the interval \
             allows for",
            percent(levels.variance.sqrt()),
            levels.sessions
        ),
    }
}

fn comparison(
    rule: &Rule,
    names: (&str, &str),
    readings: [&[f64]; 2],
    (a, b): (&Side, &Side),
    movement: Movement,
    seed: u64,
) -> Comparison {
    let effect = b.place.estimate - a.place.estimate;
    let half = half_width(a, b, movement, rule.level);
    let (low, high) = (bounded(effect - half), bounded(effect + half));
    let p_value = permutation_p(&a.logs, &b.logs, seed);
    let pairs = a.logs.len().min(b.logs.len());
    let margin = rule
        .margin_absolute
        .map_or(rule.margin, |amount| ratio_between(amount, a.place.estimate, b.place.estimate));
    let margin_log = margin.max(0.0).ln_1p();
    let (bootstrap_low, bootstrap_high) = bootstrap(a, b, rule.level, seed).unwrap_or((low, high));
    let typical = verdict(low, high, margin_log, || p_value <= rule.level);
    let stored = stored(rule, readings, movement.half_width(rule.level), margin_log);
    let (verdict, extent, difference_in) = concluded(typical, stored.as_ref());
    let comparison = Comparison {
        a: names.0.to_owned(),
        b: names.1.to_owned(),
        metric: rule.metric,
        verdict,
        scope: Scope::Binaries,
        grade: Grade::AgainstBaseline,
        extent,
        difference_in,
        beyond_margin: beyond_margin(low, high, margin_log),
        tail: stored.as_ref().map(|it| it.tail),
        estimand: Estimand::Typical,
        gate: None,
        typical: None,
        mean: stored.as_ref().map(|it| it.mean),
        mean_verdict: stored.as_ref().map_or(Verdict::Inconclusive, |it| it.mean_verdict),
        carry_over: None,
        modes: None,
        spread: None,
        halves: None,
        tail_halves: None,
        is_mixture: false,
        dropped_lean: None,
        quantiles: Vec::new(),
        effect_ratio: effect.exp(),
        ci_low_ratio: low.exp(),
        ci_high_ratio: high.exp(),
        bootstrap_low_ratio: bootstrap_low.exp(),
        bootstrap_high_ratio: bootstrap_high.exp(),
        p_value,
        level: rule.level,
        margin,
        margin_absolute: rule.margin_absolute,
        anytime: false,
        pairs,
        dropped_pairs: 0,
        dropped: Vec::new(),
        stopped_by: StoppedBy::MaxPairs,
        pairs_needed: None,
        variance: variance_budget(a, b, movement.variance),
        secondary: Vec::new(),
        replication: None,
        exact: None,
        bounded: None,
        first_thread: false,
    };
    let gate = rule.gate.map(|question| {
        let state = comparison.gate_state(question);
        Gate { question, margin, state, detectable: None }
    });
    Comparison { gate, ..comparison }
}

/// Returns the verdict that follows from typical runs, slow runs and the mean; the extent of an *equivalent*; and the
/// parts (typical runs, slow runs, mean) in which a *different* lies. `typical` is the verdict of typical runs.
fn concluded(typical: Verdict, stored: Option<&Stored>) -> (Verdict, Option<Extent>, Vec<DifferenceIn>) {
    let is = |wanted: Verdict, of: fn(&Stored) -> Verdict| stored.is_some_and(|it| of(it) == wanted);
    let in_parts = [
        (typical == Verdict::Different, DifferenceIn::Typical),
        (is(Verdict::Different, |it| it.tail_verdict), DifferenceIn::Tail),
        (is(Verdict::Different, |it| it.mean_verdict), DifferenceIn::Mean),
    ];
    let difference_in: Vec<DifferenceIn> =
        in_parts.into_iter().filter(|(is_different, _)| *is_different).map(|(_, part)| part).collect();
    let verdict = if difference_in.is_empty() { typical } else { Verdict::Different };
    let is_whole =
        is(Verdict::Equivalent, |it| it.tail_verdict) && is(Verdict::Equivalent, |it| it.mean_verdict);
    let extent = if is_whole { Extent::Whole } else { Extent::Typical };
    (verdict, (verdict == Verdict::Equivalent).then_some(extent), difference_in)
}

/// Half width of the log interval of B over A: the half widths by the variation between runs and by that between
/// sessions, each with the quantile of its own degrees of freedom, added in quadrature. The interval holds its level
/// whichever of the two variances is larger (Banerjee 1960, "Approximate confidence interval for linear functions of
/// means of k populations when the population variances are not equal"): since the distribution function of χ² with one
/// degree of freedom is concave, the probability that χ² stays below a sum weighted by the true shares is at least the
/// equally weighted sum of the probabilities. Satterthwaite's degrees of freedom of the sum depend on the *estimated*
/// variances instead: three sessions that happen to be alike would give the sum the many degrees of freedom of the
/// runs.
fn half_width(a: &Side, b: &Side, movement: Movement, level: f64) -> f64 {
    let runs = a.se.hypot(b.se);
    let df = welch_df(a.se.powi(2), a.place.df as usize + 1, b.se.powi(2), b.place.df as usize + 1);
    let of_runs = if runs == 0.0 { 0.0 } else { t_for_z(plain_z(level), df) * runs };
    of_runs.hypot(movement.half_width(level))
}

/// Interval of the log ratio B over A, from the bootstrap intervals of both sides: the distances of the ends from the
/// estimates are added in quadrature (Zou and Donner 2008, "Construction of confidence limits about effect measures: a
/// general approach").
fn bootstrap(a: &Side, b: &Side, level: f64, seed: u64) -> Option<(f64, f64)> {
    let (a_low, a_high) = bca_interval(&a.logs, level, seed)?;
    let (b_low, b_high) = bca_interval(&b.logs, level, seed ^ 1)?;
    let (a_mid, b_mid) = (a.place.estimate, b.place.estimate);
    let effect = b_mid - a_mid;
    Some((effect - (b_mid - b_low).hypot(a_high - a_mid), effect + (b_high - b_mid).hypot(a_mid - a_low)))
}

/// Shares of the variance of readings that were not interleaved. Without pairs, the effects of order and layout cannot
/// be separated: `order` is the share of the variation between sessions, whose variance is `session`.
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
