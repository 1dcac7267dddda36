//! One contest of a judge as a report shows it.

use fauxplat_model::{Comparison, Grade, Sample, StoppedBy, Verdict};
use fauxplat_stats::bootstrap::bca_interval;

use crate::budget;
use crate::judge::{Contest, Judge};
use crate::pairing::Pair;
use crate::secondary::secondary;
use crate::series::{Standing, clusters_needed, plain_z};

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
