//! Chooses the benchmarks of the next round, so that time is spent on undecided benchmarks.

use super::judge::Judge;

/// Rounds before the first choice by cost: with fewer pairs the time to a decision cannot be estimated.
const RACED_FROM: usize = 8;

/// Indices of the benchmarks that the next round runs. Even rounds run all open benchmarks. Odd rounds run only those
/// that can probably be decided within `left_s` seconds, cheapest first; even rounds correct the estimates for the
/// others.
///
/// `cost_s` holds the seconds that one process takes for each benchmark.
pub fn chosen(judge: &Judge, cost_s: &[f64], left_s: f64, round: u32) -> Vec<usize> {
    let open: Vec<usize> = (0..cost_s.len()).filter(|&at| judge.is_open(at)).collect();
    if round.is_multiple_of(2) || (round as usize) < RACED_FROM {
        return open;
    }
    let takes = |&at: &usize| {
        let more = judge.pairs_to_decide(at) - judge.pairs(at) as f64;
        (2.0 * more * cost_s[at], at)
    };
    let mut by_cost: Vec<(f64, usize)> = open.iter().map(takes).collect();
    by_cost.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut left_s = left_s;
    let is_reached = |&(cost, at): &(f64, usize)| {
        left_s -= cost;
        left_s > 0.0 || judge.pairs(at) < RACED_FROM
    };
    let mut reached: Vec<usize> = by_cost.into_iter().filter(is_reached).map(|(_, at)| at).collect();
    reached.sort_unstable();
    if reached.is_empty() { open } else { reached }
}

#[cfg(test)]
mod tests {
    use fauxplat_stats::draw::Draw;

    use super::*;
    use crate::analysis::Rule;
    use crate::findings::Control;

    #[test]
    fn time_goes_to_what_can_be_decided() {
        let rule =
            Rule { level: 0.01, margin: 0.03, control: Control::Family, gate: None, needs_verdict: false };
        let (mut judge, mut draw) = (Judge::new(3, rule), Draw::new(1, 0));
        for _ in 0..10 {
            judge.pair(0, 0.2 + 0.02 * draw.normal());
            judge.pair(1, 0.3 * draw.normal());
            judge.pair(2, 0.2 + 0.02 * draw.normal());
        }
        judge.look();
        let cost = [0.01, 0.01, 100.0];
        assert_eq!(chosen(&judge, &cost, 0.5, 10), [0, 1, 2]);
        assert_eq!(chosen(&judge, &cost, 0.5, 11), [0], "one is noisy, one takes minutes");
        judge.close(0);
        assert_eq!(chosen(&judge, &cost, 0.001, 11), [1, 2], "where nothing is reached everything goes on");
    }
}
