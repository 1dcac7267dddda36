//! The part of the decision rule about slow runs: whether a command has more of them, and whether they are the whole
//! difference.

use fauxplat_model::{Side, Verdict};
use fauxplat_stats::distribution::normal_upper_quantile;
use fauxplat_stats::paired::path::{Crossed, crossed};
use fauxplat_stats::paired::rows::Rows;
use fauxplat_stats::paired::share::usual;
use fauxplat_stats::paired::shift::Shift;
use fauxplat_stats::paired::{Question, Sorted, tail};

use crate::design::Design;
use crate::series::{FAR, Look, Series, TYPICAL_SHARE};
use crate::standing::{Standing, bounded};

/// Absolute value of the statistic of the largest differences (in z) above which they are tested exactly; not
/// significant by itself.
const LEANING: f64 = 2.0;

/// Command with the higher readings in the largest differences: the side whose course crossed the critical value; if
/// both did, the side that is ahead at the latest look at the data.
pub(crate) fn side(crossed: Crossed, observed: f64) -> Option<Side> {
    match (crossed.up, crossed.down) {
        (false, false) => None,
        (up, down) if up != down => Some(if up { Side::B } else { Side::A }),
        _ => Some(if observed >= 0.0 { Side::B } else { Side::A }),
    }
}

impl Series {
    /// Decides whether slow runs are part of a *different*, or all of it: where noise is large, slow runs change the
    /// test of typical runs before they are detected themselves. The largest differences are tested about the estimated
    /// shift, since about zero a shift of all runs would count as well, and typical runs are tested again without them.
    /// If typical runs then show nothing and the largest differences not enough, it is unknown where the difference
    /// lies, and the verdict is postponed unless this is the last look at the data.
    pub(crate) fn told_apart(
        &self,
        standing: Standing,
        rows: &Rows,
        design: &Design,
        look: Look,
    ) -> Standing {
        let closing = look.closing;
        let is_asked = design.question != Question::Mean
            && !standing.in_runs
            && !standing.parted
            && !standing.is_in_doubt;
        if standing.typical != Verdict::Different || !is_asked {
            return standing;
        }
        let seen = &self.pairs[..standing.n * self.group];
        let unshifted: Vec<f64> = seen.iter().map(|d| d - standing.estimate).collect();
        if tail::observed(&unshifted, self.excess.least()).abs() < LEANING {
            return standing;
        }
        let tail_side = self.tail_side(&unshifted, rows, design, look);
        let in_tail = tail_side.is_some();
        if !in_tail && closing {
            return standing;
        }
        let rest = usual(&unshifted, self.excess.least());
        let rest = Sorted::new(&rest.iter().map(|d| d + standing.estimate).collect::<Vec<_>>());
        let rest = Shift::new(&rest, design.question);
        // The typical pair is the median of all pairs including the large ones, so its interval must not be narrower
        // than the interval of that median.
        let all = Sorted::new(seen);
        let (first, last) = Shift::new(&all, design.question).by_signs(standing.critical);
        let (low, high) = rest.interval(standing.critical, &[0.0]);
        let (low, high) = (low.min(first), high.max(last));
        match (in_tail, low <= 0.0 && high >= 0.0) {
            (false, false) => standing,
            (false, true) => {
                Standing { typical: Verdict::Inconclusive, verdict: Verdict::Inconclusive, ..standing }
            }
            (true, false) => {
                Standing { tail: Verdict::Different, tail_about: standing.estimate, tail_side, ..standing }
            }
            (true, true) => Standing {
                typical: Verdict::Inconclusive,
                tail: Verdict::Different,
                tail_about: standing.estimate,
                tail_side,
                estimate: Shift::new(&all, design.question).median().clamp(low, high),
                low: bounded(low),
                high: bounded(high),
                ..standing
            },
        }
    }

    /// Command with the higher readings in the largest of the differences `d`, by a test over all looks at the data so
    /// far; `None` if that is not shown.
    fn tail_side(&self, d: &[f64], rows: &Rows, design: &Design, look: Look) -> Option<Side> {
        let level = (1.0 - TYPICAL_SHARE) * look.level;
        let least = self.excess.least();
        let observed = tail::observed(d, least);
        if observed.abs() < normal_upper_quantile(level / 2.0) - FAR {
            return None;
        }
        let spent = design.spent(level, &self.looked, look.closing);
        let keys = |&n: &u32| tail::keys(rows, &d[..n as usize * self.group], self.group, least);
        side(crossed(&self.looked.iter().map(keys).collect::<Vec<_>>(), &spent), observed)
    }
}
