//! The part of the decision rule that is about slow runs: whether some differ, whose they are, and whether they are all of a
//! difference.

use fauxplat_model::{Side, Verdict};
use fauxplat_stats::distribution::normal_upper_quantile;
use fauxplat_stats::paired::path::{Crossed, crossed};
use fauxplat_stats::paired::rows::Rows;
use fauxplat_stats::paired::score::{Question, Sorted};
use fauxplat_stats::paired::share::usual;
use fauxplat_stats::paired::shift::Shift;
use fauxplat_stats::paired::tail;

use crate::series::{Design, FAR, Series, TYPICAL_SHARE};
use crate::standing::{Standing, bounded};

/// From here on (in z) the largest differences lean to one side, which is no evidence yet.
const LEANING: f64 = 2.0;

/// Whose large differences crossed; of both, those that lean to its side now.
fn side(crossed: Crossed, observed: f64) -> Option<Side> {
    match (crossed.up, crossed.down) {
        (false, false) => None,
        (up, down) if up != down => Some(if up { Side::B } else { Side::A }),
        _ => Some(if observed >= 0.0 { Side::B } else { Side::A }),
    }
}

impl Series {
    /// What follows for the share of much slower runs, and whose they are where they differ.
    pub(crate) fn tail(
        &mut self,
        rows: &Rows,
        design: &Design,
        level: f64,
        (n, closing): (usize, bool),
    ) -> (Verdict, Option<Side>) {
        let own = (1.0 - TYPICAL_SHARE) * level;
        let (d, least) = (&self.d, self.excess.least());
        let observed = tail::observed(&d[..n], least);
        if observed.abs() >= normal_upper_quantile(own / 2.0) - FAR {
            let spent = design.spent(own, &self.looked, closing);
            let keys = |n: usize| tail::keys(rows, &d[..n], least);
            let crossed = self.largest.crossed(&self.looked, &spent, keys);
            if let Some(side) = side(crossed, observed) {
                return (Verdict::Different, Some(side));
            }
        }
        match self.excess.excludes(design.tail_margin, level) {
            true => (Verdict::Equivalent, None),
            false => (Verdict::Inconclusive, None),
        }
    }

    /// Whether slow runs have a share in a *different*, or are all of it: where noise is large, they move the typical
    /// statistic before they are seen for themselves. The largest differences are asked about the shift, since about zero a
    /// shift of all runs moves them too; and typical runs are asked again without them. Where these say nothing and the largest
    /// not enough, there is a difference of which nobody knows yet where it lies, and while time is left it is waited for.
    pub(crate) fn told_apart(
        &self,
        standing: Standing,
        rows: &Rows,
        design: &Design,
        (level, closing): (f64, bool),
    ) -> Standing {
        if standing.typical != Verdict::Different || standing.in_runs || design.question == Question::Mean {
            return standing;
        }
        let unshifted: Vec<f64> = self.d[..standing.n].iter().map(|d| d - standing.estimate).collect();
        if tail::observed(&unshifted, self.excess.least()).abs() < LEANING {
            return standing;
        }
        let tail_side = self.tail_side(&unshifted, rows, design, ((1.0 - TYPICAL_SHARE) * level, closing));
        let in_tail = tail_side.is_some();
        if !in_tail && closing {
            return standing;
        }
        let rest = usual(&unshifted, self.excess.least());
        let rest = Sorted::new(&rest.iter().map(|d| d + standing.estimate).collect::<Vec<_>>());
        let rest = Shift::new(&rest, design.question);
        let (low, high) = rest.interval(standing.critical, &[0.0]);
        match (in_tail, low <= 0.0 && high >= 0.0) {
            (false, false) => standing,
            (false, true) => {
                Standing { typical: Verdict::Inconclusive, verdict: Verdict::Inconclusive, ..standing }
            }
            (true, false) => Standing { tail: Verdict::Different, tail_side, ..standing },
            (true, true) => Standing {
                typical: Verdict::Inconclusive,
                tail: Verdict::Different,
                tail_side,
                estimate: rest.estimate(),
                low: bounded(low),
                high: bounded(high),
                ..standing
            },
        }
    }

    /// The side to which the largest of these differences lie, by all looks so far.
    fn tail_side(
        &self,
        d: &[f64],
        rows: &Rows,
        design: &Design,
        (level, closing): (f64, bool),
    ) -> Option<Side> {
        let least = self.excess.least();
        let observed = tail::observed(d, least);
        if observed.abs() < normal_upper_quantile(level / 2.0) - FAR {
            return None;
        }
        let spent = design.spent(level, &self.looked, closing);
        let keys = |&n: &u32| tail::keys(rows, &d[..n as usize], least);
        side(crossed(&self.looked.iter().map(keys).collect::<Vec<_>>(), &spent), observed)
    }
}
