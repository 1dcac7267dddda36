//! From a judge that is done to the findings that a report shows.

use fauxplat_model::{CompareFindings, Comparison, Grade, Metric, Sample, StoppedBy, Verdict};
use fauxplat_stats::bootstrap::bca_interval;
use fauxplat_stats::multiple::holm;

use crate::budget;
use crate::judge::{Contest, Judge, Judged};
use crate::pairing::{Pair, blocks};
use crate::secondary::secondary;
use crate::series::{Standing, clusters_needed, plain_z};
use crate::summary::run_findings;
use crate::winner::winner;

/// A verdict of which more than this share of the pairs was dropped carries a warning.
const DROPPED_SHARE_MAX: f64 = 0.1;

/// Everything about a judge whose contests are all closed.
pub(crate) fn judged(judge: &Judge, samples: &[Sample], names: &[String], stopped_by: StoppedBy) -> Judged {
    let all_blocks = blocks(samples);
    let mut comparisons: Vec<Comparison> = judge
        .contests
        .iter()
        .map(|contest| comparison(judge, contest, &all_blocks, names, stopped_by))
        .collect();
    let adjusted = holm(&comparisons.iter().map(|comparison| comparison.p_value).collect::<Vec<_>>());
    comparisons.iter_mut().zip(adjusted).for_each(|(comparison, p)| comparison.p_value = p);
    let mut warnings: Vec<String> = judge
        .contests
        .iter()
        .zip(&comparisons)
        .flat_map(|(contest, shown)| warnings(contest, shown))
        .collect();
    warnings.dedup();
    let winner = winner(judge, &all_blocks, &mut comparisons, names);
    let findings = CompareFindings {
        commands: run_findings(samples, judge.commands, judge.ignore_failure),
        comparisons,
        winner,
        floor_ns: None,
        elapsed_s: elapsed_s(samples),
        variants: Vec::new(),
        duet_cpus: None,
    };
    Judged { findings, warnings }
}

/// The pairs of a contest that were kept.
fn kept_pairs<'a>(blocks: &[Vec<&'a Sample>], contest: &Contest) -> Vec<Pair<'a>> {
    let kept = |run: &&Sample| contest.kept.binary_search(&run.block).is_ok();
    let kept_blocks = blocks.iter().filter(|block| block.first().is_some_and(kept));
    kept_blocks.map(|block| Pair::of(block, contest.reference, contest.candidate)).collect()
}

/// What a command is called.
fn name(names: &[String], command: u16) -> String {
    names.get(usize::from(command)).cloned().unwrap_or_else(|| format!("command {}", command + 1))
}

/// One contest as a report shows it.
pub(crate) fn comparison(
    judge: &Judge,
    contest: &Contest,
    blocks: &[Vec<&Sample>],
    names: &[String],
    stopped_by: StoppedBy,
) -> Comparison {
    let level = judge.open_level();
    let standing = contest.decided.unwrap_or_else(|| contest.series.standing(&contest.design, level, true));
    let d = &contest.series.d;
    let pairs = kept_pairs(blocks, contest);
    let bootstrap = bca_interval(d, judge.rule.level, contest.design.seed);
    let (bootstrap_low, bootstrap_high) = bootstrap.unwrap_or((standing.low, standing.high));
    Comparison {
        a: name(names, contest.reference),
        b: name(names, contest.candidate),
        metric: judge.rule.metric,
        verdict: standing.verdict,
        scope: judge.scope,
        grade: if judge.tau2.is_some() { Grade::Replicated } else { Grade::WithinSession },
        effect_ratio: standing.estimate.exp(),
        ci_low_ratio: standing.low.exp(),
        ci_high_ratio: standing.high.exp(),
        bootstrap_low_ratio: bootstrap_low.exp(),
        bootstrap_high_ratio: bootstrap_high.exp(),
        p_value: standing.p.unwrap_or_else(|| contest.series.p_value(&contest.design)),
        level: judge.rule.level,
        margin: judge.rule.margin,
        anytime: judge.rule.anytime,
        pairs: standing.n * judge.pairs_per_block as usize,
        dropped_pairs: contest.guard.dropped_pairs(),
        dropped: contest.guard.dropped().to_vec(),
        stopped_by: if standing.verdict == Verdict::Inconclusive { stopped_by } else { StoppedBy::Verdict },
        pairs_needed: pairs_needed(judge, contest, &standing, level),
        variance: budget::budget(&pairs, d, judge.rule.metric),
        secondary: secondary(judge, &pairs, contest.design.seed),
    }
}

/// For an inconclusive comparison: how many pairs would probably decide.
fn pairs_needed(judge: &Judge, contest: &Contest, standing: &Standing, level: f64) -> Option<usize> {
    let inconclusive = standing.verdict == Verdict::Inconclusive && standing.n >= 2;
    let clusters = inconclusive.then(|| clusters_needed(standing, &contest.design, plain_z(level)))?;
    clusters.map(|clusters| clusters * judge.pairs_per_block as usize)
}

/// What a reader of this comparison must know.
fn warnings(contest: &Contest, shown: &Comparison) -> Vec<String> {
    let mut warnings = Vec::new();
    let pair = format!("{} against {}", shown.b, shown.a);
    let measured = shown.pairs + shown.dropped_pairs;
    if shown.dropped_pairs as f64 > DROPPED_SHARE_MAX * measured as f64 {
        warnings.push(format!("{pair}: {} of {measured} pairs were dropped", shown.dropped_pairs));
    }
    if contest.decided.is_some_and(|standing| standing.in_runs) {
        warnings.push(format!(
            "{pair}: neighbouring pairs are alike (autocorrelation {:.2}), so their signs were flipped in runs and the \
             interval is wider",
            shown.variance.autocorrelation
        ));
    }
    if shown.metric == Metric::WALL
        && shown.dropped.iter().any(|d| d.reason == fauxplat_model::DroppedReason::HeavySteal)
    {
        warnings.push(format!("{pair}: the hypervisor took the CPU away; `--metric cpu` depends on it less"));
    }
    warnings
}

/// From the start of the experiment to the end of its last run, in seconds.
pub(crate) fn elapsed_s(samples: &[Sample]) -> f64 {
    let end = |sample: &Sample| sample.started_ns + sample.get(Metric::WALL).unwrap_or(0);
    samples.iter().map(end).max().unwrap_or(0) as f64 / 1e9
}
