//! Checks whether the first and the second of two successive runs of a command lead to the same conclusion, if the two
//! differ for a reason other than the command that ran before, or for an unknown reason.
//!
//! A program that is slow in every second of its own runs is slow at the same position of every block, in whatever
//! random order the commands run. If only first runs have an extra cost, it looks like a constant difference. A
//! conclusion therefore has to hold at both positions.

use fauxplat_model::Verdict;
use fauxplat_stats::distribution::normal_upper_tail;
use fauxplat_stats::paired::shift::Shift;
use fauxplat_stats::paired::{Question, Sorted};

use crate::design::Design;
use crate::estimate::plain_z;
use crate::series::Series;
use crate::standing::{Sides, Standing, bounded};

impl Series {
    /// Log ratios B over A of the first of two successive runs, and of the second, in the first `n` clusters (blocks).
    fn by_place(&self, n: usize) -> [Vec<f64>; 2] {
        let (second, carried) = (&self.after_itself[..n], &self.carried[..n]);
        [second.iter().zip(carried).map(|(second, carried)| second - carried).collect(), second.to_vec()]
    }

    /// The larger of the p-values of first and of second runs for a difference in the same direction, by a normal
    /// approximation.
    pub(crate) fn p_of_both_places(&self, n: usize) -> f64 {
        let keys = self.by_place(n).map(|values| {
            let sorted = Sorted::new(&values);
            Shift::new(&sorted, Question::Typical).keys(0.0)
        });
        let [first, second] = keys;
        let shown = first.0.min(second.0).max(first.1.min(second.1));
        (2.0 * normal_upper_tail(shown)).min(1.0)
    }

    /// Removes conclusions about typical runs that do not hold for first runs and for second runs. The returned
    /// interval covers the intervals of both.
    pub(crate) fn in_both_places(&self, standing: Standing, design: &Design, level: f64) -> Standing {
        let is_known = standing.low > -f64::INFINITY || standing.typical != Verdict::Inconclusive;
        if !(is_known && self.is_twice() && standing.n > 0 && self.view(standing.n).is_in_doubt()) {
            return standing;
        }
        let (margin, critical) = (design.margin, standing.critical);
        let critical = if critical.is_finite() { critical } else { plain_z(level) };
        let [first, second] = self.by_place(standing.n).map(|values| {
            let sorted = Sorted::new(&values);
            Shift::new(&sorted, Question::Typical).interval(critical, &[-margin, 0.0, margin])
        });
        let (low, high) = (
            bounded(standing.low.min(first.0).min(second.0)),
            bounded(standing.high.max(first.1).max(second.1)),
        );
        let held = Sides::of(low, high, margin);
        let shown = |side: Option<bool>, held: Option<bool>| side.filter(|_| side == held);
        let typical = match standing.typical {
            Verdict::Different if low <= 0.0 && high >= 0.0 => Verdict::Inconclusive,
            Verdict::Equivalent if held != Sides::WITHIN => Verdict::Inconclusive,
            verdict => verdict,
        };
        let beyond =
            Sides { up: shown(standing.beyond.up, held.up), down: shown(standing.beyond.down, held.down) };
        Standing { low, high, typical, beyond, is_in_doubt: true, ..standing }
    }
}
