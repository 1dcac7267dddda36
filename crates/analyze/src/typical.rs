//! Tests typical runs at a look at the data (an interim analysis): whether they differ, by how much, and on which side
//! of the margin.

use std::cell::LazyCell;

use fauxplat_model::Verdict;
use fauxplat_stats::distribution::normal_upper_quantile;
use fauxplat_stats::paired::path::Crossed;
use fauxplat_stats::paired::rows::Rows;
use fauxplat_stats::paired::shift::Shift;
use fauxplat_stats::paired::{Question, Sorted};

use crate::asked::Asked;
use crate::design::Design;
use crate::estimate::Estimate;
use crate::paths::Paths;
use crate::series::{FAR, Look, Series, TYPICAL_SHARE, View};
use crate::standing::{Sides, Standing, bounded};

/// Maximum number of clusters for which the interval is the set of log ratios that a test of their own does not reject.
/// With more clusters, the critical value of the test about zero is accurate enough for all log ratios.
const INVERTED_TO: usize = 24;

/// Number of bisection steps to an end of such an interval, each of which computes a test.
const HALVINGS: u32 = 14;

impl Series {
    /// State of the comparison of typical runs at a look at the data. The ends of the interval are computed with
    /// `ends`, or if a difference is shown; otherwise it is only decided whether the interval lies within the margin,
    /// which is cheaper.
    pub(crate) fn typical(&mut self, rows: &Rows, design: &Design, look: Look, ends: bool) -> Standing {
        let level = TYPICAL_SHARE * look.level;
        let view = self.view(look.n);
        let sorted = view.active();
        let shift = Shift::new(sorted, design.question);
        let near = Near::of(sorted, design, level);
        if look.n == 0 || !(look.closing || near.zero || near.margin) {
            return Standing { parted: view.is_parted(), ..Standing::open(look.n) };
        }
        let spent = design.spent(level, &self.looked, look.closing);
        let looked = self.looked.clone();
        let mut zero = std::mem::take(&mut self.zero);
        let is_parted = view.is_parted();
        let question = design.asked_of_zero();
        let crossed = Asked { series: self, rows, looked: &looked, spent: &spent, question, is_parted }
            .crossed(&mut zero, 0.0);
        self.zero = zero;
        let ends = ends || crossed.up || crossed.down || design.gate.is_some();
        // The interval is needed only if *equivalent* or an answer of a gate may follow from it.
        if !(ends || near.margin) {
            return Standing { parted: view.is_parted(), ..Standing::open(look.n) };
        }
        let question = design.question;
        let asked = Asked { series: self, rows, looked: &looked, spent: &spent, question, is_parted };
        let estimate = Estimate::of(self.active(is_parted, look.n));
        let centre = LazyCell::new(|| shift.estimate());
        let is_inverted = look.n <= INVERTED_TO && (look.closing || crossed.up || crossed.down);
        let (low, high) = match is_inverted {
            true => {
                inverted(sorted, *centre, |theta, side| asked.crosses(&mut Paths::default(), theta, side))
            }
            false => hull(&view, crossed.critical, design, ends || estimate.in_runs),
        };
        let (low, high) = estimate.widened((low, high), || *centre);
        let leans = ends && design.question == Question::Typical && shift.leans(*centre);
        let (low, high) = if leans { reaching(&shift, (low, high), crossed.critical) } else { (low, high) };
        let (low, high) = (shift.exact(low), shift.exact(high));
        let sides = self.sides(rows, design, look, (low, high));
        let agrees = || !estimate.in_runs || estimate.p(&self.d[..look.n], design.seed) <= level;
        let (up, down) = different(crossed, (low, high), estimate.in_runs, sides, agrees);
        let middle = match (ends, leans) {
            (false, _) => 0.0,
            (true, true) => shift.exact(shift.median()),
            (true, false) => *centre,
        };
        // If most pairs are equal, the typical pair is equal too, whatever the log ratios of the other pairs are.
        let (up, down) = (up && middle > 0.0, down && middle < 0.0);
        let (low, high) = (if up { low.max(0.0) } else { low }, if down { high.min(0.0) } else { high });
        let half = 0.5 * (high - low);
        let se = if half.is_finite() { half / crossed.critical } else { estimate.se };
        // If no difference is shown, none beyond the margin is shown either.
        let sides = sides.agreeing(up, down);
        Standing {
            se,
            estimate: middle.clamp(low, high),
            low: bounded(low),
            high: bounded(high),
            critical: crossed.critical,
            in_runs: estimate.in_runs,
            parted: view.is_parted(),
            leans,
            beyond: sides,
            typical: match (up || down, sides) {
                (true, _) => Verdict::Different,
                (_, Sides::WITHIN) => Verdict::Equivalent,
                _ => Verdict::Inconclusive,
            },
            ..Standing::open(look.n)
        }
    }

    /// Log ratios of the first `n` clusters: of the runs that follow their own command if only those decide
    /// (`is_parted`), otherwise of all.
    pub(crate) fn active(&self, is_parted: bool, n: usize) -> &[f64] {
        if is_parted { &self.after_itself[..n] } else { &self.d[..n] }
    }

    /// Position of the difference relative to each end of the margin, where the test about that end and the interval,
    /// from `low` to `high`, agree; otherwise unknown.
    fn sides(&mut self, rows: &Rows, design: &Design, look: Look, (low, high): (f64, f64)) -> Sides {
        let (margin, looked) = (design.margin, self.looked.clone());
        let spent = design.spent(TYPICAL_SHARE * look.level, &looked, look.closing);
        let mut ends = std::mem::take(&mut self.ends);
        let [above, below] = &mut ends;
        let is_parted = self.view(look.n).is_parted();
        let asked = Asked {
            series: self,
            rows,
            looked: &looked,
            spent: &spent,
            question: design.question,
            is_parted,
        };
        let crosses =
            |paths: &mut Paths, theta: f64, side: fn(Crossed) -> bool| asked.crosses(paths, theta, side);
        let up = match (low > margin, high <= margin) {
            (true, _) => crosses(above, margin, |crossed| crossed.up).then_some(true),
            (_, true) => crosses(above, margin, |crossed| crossed.down).then_some(false),
            _ => None,
        };
        let down = match (high < -margin, low >= -margin) {
            (true, _) => crosses(below, -margin, |crossed| crossed.down).then_some(true),
            (_, true) => crosses(below, -margin, |crossed| crossed.up).then_some(false),
            _ => None,
        };
        self.ends = ends;
        Sides { up, down }
    }
}

/// Extends an interval so that it includes the interval of the median by the sign test.
fn reaching(shift: &Shift, (low, high): (f64, f64), critical: f64) -> (f64, f64) {
    let (first, last) = shift.by_signs(critical);
    (low.min(first), high.max(last))
}

/// Whether typical runs of B are shown to be higher than those of A, and whether they are shown to be lower. The test
/// about zero decides, since its weights can use more information than an interval. If it rejects on both sides, or if
/// successive log ratios are correlated, the interval has to exclude zero too.
fn different(
    crossed: Crossed,
    (low, high): (f64, f64),
    in_runs: bool,
    sides: Sides,
    agrees: impl Fn() -> bool,
) -> (bool, bool) {
    let needs_interval = in_runs || crossed.up && crossed.down;
    let up = crossed.up && if needs_interval { low > 0.0 } else { high > 0.0 };
    let down = crossed.down && if needs_interval { high < 0.0 } else { low < 0.0 };
    // `agrees` is the test that flips the signs of neighbouring pairs together, which needs many pairs. It is not
    // needed if a difference beyond the margin is shown, which is more.
    let (is_above, is_below) = (sides.up == Some(true), sides.down == Some(true));
    (up && (is_above || agrees()), down && (is_below || agrees()))
}

/// Whether a test may reject, judged by the plain normal bound; its exact critical value is computed only then.
#[derive(Clone, Copy, Debug)]
struct Near {
    zero: bool,
    /// Whether both ends of the margin may be rejected towards zero, as an *equivalent* needs; with a gate, whether
    /// either end may be rejected on either side.
    margin: bool,
}

impl Near {
    fn of(sorted: &Sorted, design: &Design, level: f64) -> Self {
        let bound = match design.question {
            // In a test of the mean a single value can outweigh all others, so the normal bound does not apply.
            Question::Mean => 0.0,
            _ => normal_upper_quantile(level / 2.0) - FAR,
        };
        let at = |theta: f64, question| Shift::new(sorted, question).keys(theta);
        let (above, below) = at(0.0, design.asked_of_zero());
        let ends = [at(-design.margin, design.question), at(design.margin, design.question)];
        let is_far = |(above, below): (f64, f64)| above.max(below) >= bound;
        let margin = match design.gate {
            Some(_) => ends.into_iter().any(is_far),
            None => ends[1].1 >= bound && ends[0].0 >= bound,
        };
        Near { zero: above.max(below) >= bound, margin }
    }
}

/// The interval of the log ratio, as its lower and upper end. With `ends` false it is only decided whether the interval
/// lies within the margin; the result then is the margin itself, or unbounded. The interval includes that of the log
/// ratios that have to support the deciding ones ([`View::backing`]).
fn hull(view: &View, critical: f64, design: &Design, ends: bool) -> (f64, f64) {
    let asked = [-design.margin, 0.0, design.margin];
    let backing = view.backing().map(|(own, slack)| (own, critical - slack));
    let of = |(sorted, critical): (&Sorted, f64)| {
        let shift = Shift::new(sorted, design.question);
        match ends {
            true => shift.interval(critical, &asked),
            false if shift.is_within(design.margin, critical, &asked) => (-design.margin, design.margin),
            false => (f64::NEG_INFINITY, f64::INFINITY),
        }
    };
    let all = of((view.active(), critical));
    backing
        .filter(|(_, critical)| *critical > 0.0)
        .map(of)
        .map_or(all, |own| (all.0.min(own.0), all.1.max(own.1)))
}

/// The interval from the lowest to the highest log ratio that is not rejected; `crosses` says whether the test about a
/// log ratio rejects on a side. Zero is tested first, so that interval and verdict agree.
fn inverted(sorted: &Sorted, centre: f64, crosses: impl Fn(f64, fn(Crossed) -> bool) -> bool) -> (f64, f64) {
    let Some((first, last)) = sorted.range() else { return (f64::NEG_INFINITY, f64::INFINITY) };
    // Distance beyond the outermost values that is large enough for the sign of their differences to be certain despite
    // rounding errors.
    let beyond = 1e-3 * (last - first).max(first.abs()).max(last.abs()).max(1e-6);
    let end = |outermost: f64, is_excluded: &dyn Fn(f64) -> bool| {
        let from = [0.0, outermost].into_iter().find(|&from| {
            let is_before = (from - centre) * (outermost - centre) > 0.0;
            is_before && is_excluded(from)
        })?;
        let (mut outside, mut inside) = (from, centre);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (outside + inside);
            if is_excluded(middle) { outside = middle } else { inside = middle }
        }
        Some(outside)
    };
    let low = end(first - beyond, &|theta| crosses(theta, |crossed| crossed.up));
    let high = end(last + beyond, &|theta| crosses(theta, |crossed| crossed.down));
    (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY))
}
