//! The part of the decision rule about slow runs: whether a command has more of them, and whether they are the whole
//! difference.

use std::cmp::Ordering;

use fauxplat_model::{Side, Verdict};
use fauxplat_stats::distribution::normal_upper_quantile;
use fauxplat_stats::paired::path::{Crossed, crossed};
use fauxplat_stats::paired::rows::Rows;
use fauxplat_stats::paired::share::{threshold_of, usual};
use fauxplat_stats::paired::shift::Shift;
use fauxplat_stats::paired::{Question, Sorted, tail};

use crate::design::Design;
use crate::series::{FAR, Look, Series, TYPICAL_SHARE};
use crate::standing::{Standing, bounded};

/// Absolute value of the statistic of the largest differences (in z) from which on they are tested exactly; far from
/// significant by itself.
const LEANING: f64 = 2.0;

/// Command with the higher readings in the largest differences: the side on which the test statistic has crossed its
/// critical value; if it has on both, the side that is ahead at the latest look at the data.
pub(crate) fn side(crossed: Crossed, observed: f64) -> Option<Side> {
    match (crossed.up, crossed.down) {
        (false, false) => None,
        (up, down) if up != down => Some(if up { Side::B } else { Side::A }),
        _ => Some(if observed >= 0.0 { Side::B } else { Side::A }),
    }
}

impl Series {
    /// Decides whether slow runs are a part of a *different*, or all of it: under much noise, slow runs change the test
    /// of typical runs before they are detected themselves. The largest differences are tested relative to the
    /// estimated shift, since relative to zero a shift of all runs would count too, and typical runs are then tested
    /// without them. If typical runs then show nothing and the largest differences too little, it is unknown where the
    /// difference lies, and the verdict is postponed unless this is the last look at the data.
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
        // If no typical difference is shown, none beyond the margin is shown either.
        let open = Standing {
            typical: Verdict::Inconclusive,
            verdict: Verdict::Inconclusive,
            beyond: standing.beyond.agreeing(false, false),
            low: bounded(low.min(standing.low)),
            high: bounded(high.max(standing.high)),
            ..standing
        };
        match (in_tail, low <= 0.0 && high >= 0.0) {
            (false, false) => standing,
            (false, true) => open,
            (true, false) => Standing {
                tail: Verdict::Different,
                tail_about: standing.estimate,
                tail_side,
                gate_side: tail_side.filter(|&side| self.plain_side(seen) == Some(side)),
                ..standing
            },
            // The typical difference is not shown, so slow runs must be counted relative to zero: a side that is shown
            // only relative to the estimated shift does not tell which command is slower.
            (true, true) => match self.side_of_plain(tail_side, seen, rows, design, look) {
                None if closing => standing,
                None => open,
                tail_side => Standing {
                    typical: Verdict::Inconclusive,
                    tail: Verdict::Different,
                    tail_side,
                    gate_side: tail_side,
                    beyond: standing.beyond.agreeing(false, false),
                    estimate: Shift::new(&all, design.question).median().clamp(low, high),
                    low: bounded(low),
                    high: bounded(high),
                    ..standing
                },
            },
        }
    }

    /// Command that is much slower in more of the pairs, relative to a log ratio of zero; `None` if both are in equally
    /// many.
    fn plain_side(&self, seen: &[f64]) -> Option<Side> {
        let threshold = threshold_of(seen, self.excess.least());
        let count = |sign: f64| seen.iter().filter(|&&d| d * sign > threshold).count();
        match count(1.0).cmp(&count(-1.0)) {
            Ordering::Greater => Some(Side::B),
            Ordering::Less => Some(Side::A),
            Ordering::Equal => None,
        }
    }

    /// Command with more slow pairs, counted about zero, if that is shown: by the test about the estimated shift, whose
    /// side is `shifted`, or by the same test about zero; otherwise `None`.
    fn side_of_plain(
        &self,
        shifted: Option<Side>,
        seen: &[f64],
        rows: &Rows,
        design: &Design,
        look: Look,
    ) -> Option<Side> {
        let most = self.plain_side(seen)?;
        let is_shown = shifted == Some(most) || self.tail_side(seen, rows, design, look) == Some(most);
        is_shown.then_some(most)
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
