//! The fastest command, which is named only if it is shown to be faster than the second fastest.

use fauxplat_model::{Comparison, Sample, StoppedBy, Verdict};
use fauxplat_stats::winsor::winsorised_mean;

use crate::comparison::comparison;
use crate::contest::Contest;
use crate::judge::Judge;
use crate::pairing::{Pair, Seen};

/// Index of the command that is faster than the second fastest by a paired test of these two; `None` if that is not
/// shown.
///
/// Choosing the two best commands *after* seeing the data needs no adjustment: the worst case, in which the command
/// that looks best is most often not the true best, is that of just two equal commands (Gutmann and Maymin 1987, "Is
/// the Selected Population the Best?"). In Holm's procedure the test is one further hypothesis beside the comparisons
/// with the first command. The comparison that shows the winner is appended to `comparisons`, unless it is in the list
/// already.
pub(crate) fn winner(
    judge: &Judge,
    blocks: &[Vec<&Sample>],
    comparisons: &mut Vec<Comparison>,
    names: &[String],
) -> Option<usize> {
    if judge.contests.iter().take(judge.commands - 1).any(|contest| contest.censored.is_open()) {
        // If some readings are bounds, the fastest command can be named only if there are two commands.
        let shown =
            comparisons.first().filter(|it| judge.commands == 2 && it.verdict == Verdict::Different)?;
        return Some(usize::from(shown.b_is_better()));
    }
    let (best, second) = front(judge, blocks)?;
    let (a, b) = (best.min(second), best.max(second));
    if a == 0 {
        let shown = comparisons.get(usize::from(b) - 1)?;
        let agrees = shown.b_is_better() == (best == b);
        return (shown.verdict == Verdict::Different && agrees).then_some(usize::from(best));
    }
    let mut contest = contest(judge, blocks, second, best);
    let mut rows = judge.rows.clone();
    rows.grow(contest.series.d.len());
    let (level, closing) = (judge.open_level(), judge.sessions.is_some());
    let standing = contest.series.standing(&rows, &contest.design, level, closing);
    let standing = judge.over_sessions(&contest, standing, level);
    if standing.verdict != Verdict::Different {
        return None;
    }
    contest.decided = Some(standing);
    contest.put_p_value(&rows);
    let shown = comparison(judge, &contest, blocks, names, StoppedBy::Verdict);
    // `b_is_better` uses the estimate for typical runs, and the difference may lie in other runs.
    let wins = shown.b_is_better();
    comparisons.extend(wins.then_some(shown));
    wins.then_some(usize::from(best))
}

/// A contest of two commands over all blocks that the guards accepted, with the same schedule of looks at the data as
/// the comparisons with the first command.
fn contest(judge: &Judge, blocks: &[Vec<&Sample>], reference: u16, candidate: u16) -> Contest {
    let mut contest = judge.contest(0, reference, candidate);
    for (block, seen) in pairs_seen(judge, blocks, reference, candidate) {
        contest.push(&seen);
        contest.kept.push(block);
    }
    contest.settle_margin();
    contest
}

/// The two commands with the best readings (the lowest, or for a rate the highest), the best first, by the mean log
/// ratio to the first command.
fn front(judge: &Judge, blocks: &[Vec<&Sample>]) -> Option<(u16, u16)> {
    let place = |command: u16| {
        let seen = pairs_seen(judge, blocks, 0, command).into_iter();
        let d: Vec<f64> = seen.map(|(_, seen)| seen.log_ratio).collect();
        (!d.is_empty()).then(|| (winsorised_mean(&d), command))
    };
    let mut order: Vec<(f64, u16)> = (1..judge.commands as u16).filter_map(place).collect();
    order.push((0.0, 0));
    order.sort_by(|one, next| one.0.total_cmp(&next.0));
    if judge.rule.metric.more_is_better() {
        order.reverse();
    }
    (order.len() > 1).then(|| (order[0].1, order[1].1))
}

/// Number and readings of each block in which all runs of the two commands count, and which no guard dropped for either
/// of them.
fn pairs_seen(judge: &Judge, blocks: &[Vec<&Sample>], a: u16, b: u16) -> Vec<(u32, Seen)> {
    let good = |pair: &Pair| judge.ignore_failure || pair.runs().all(|run| run.outcome.is_success());
    let of_command = |command: u16| judge.contests.get(usize::from(command).wrapping_sub(1));
    let passed = |number: u32| {
        let contests = [a, b].into_iter().filter_map(of_command);
        contests.into_iter().all(|contest| contest.good.binary_search(&number).is_ok())
    };
    let of_block = |block: &Vec<&Sample>| {
        let pair = Pair::of(block, a, b);
        let number = block.first()?.block;
        let seen = (passed(number) && good(&pair)).then(|| pair.seen(judge.rule.metric))??;
        Some((number, seen))
    };
    blocks.iter().filter_map(of_block).collect()
}
