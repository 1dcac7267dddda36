//! The decision rule on one series of log ratios: looks, paths of signs, interval, tail, verdict.

use std::cell::LazyCell;

use fauxplat_model::{Rule, Verdict};
use fauxplat_stats::distribution::{normal_upper_quantile, t_for_z};
use fauxplat_stats::eprocess::EProcess;
use fauxplat_stats::paired::path::{Crossed, Keys};
use fauxplat_stats::paired::rows::Rows;
use fauxplat_stats::paired::score::{Question, Sorted};
use fauxplat_stats::paired::share::ExcessShare;
use fauxplat_stats::paired::shift::Shift;
use fauxplat_stats::paired::{looks, spending, tail};
use fauxplat_stats::randomise::{block_sign_flip_p, run_length, sign_flip_p};
use fauxplat_stats::series::{autocorrelation, autocorrelation_inflation};
use fauxplat_stats::winsor::{location, winsorise};

use crate::paths::Paths;
use crate::standing::{Standing, bounded, verdict};

/// Autocorrelation of the log ratios from which neighbours are no longer taken as independent.
const AUTOCORRELATION_MAX: f64 = 0.2;

/// The share of the level that the typical difference has; the rest is the tail's.
pub(crate) const TYPICAL_SHARE: f64 = 0.8;

/// Paths are drawn out only when the observed one is this far (in z) from the plain bound. Not looking can only keep the
/// observed path from crossing.
pub(crate) const FAR: f64 = 0.6;

/// Up to so many clusters the interval is made of all points whose own paths do not exclude them. Beyond, the critical
/// value about zero is near enough to theirs.
const INVERTED_TO: usize = 24;

/// Halvings that find an end of such an interval, each of which draws out all paths.
const HALVINGS: u32 = 14;

/// What the design fixes before the first look.
#[derive(Clone, Debug)]
pub(crate) struct Design {
    /// Margin of equivalence as a log ratio. It is the same on both sides, so that swapping A and B changes nothing.
    pub(crate) margin: f64,
    /// Excess of much slower runs that counts as none.
    pub(crate) tail_margin: f64,
    /// Whether the e-process decides.
    pub(crate) anytime: bool,
    /// Numbers of clusters after which the data are looked at; the last is the limit.
    pub(crate) looks: Vec<u32>,
    /// Whether the mean is asked for, or what is typical.
    pub(crate) question: Question,
    /// Seed of the drawn sign patterns.
    pub(crate) seed: u64,
}

impl Design {
    /// The design of a rule with a margin, as a ratio, and a limit of clusters.
    pub(crate) fn new(rule: &Rule, margin: f64, seed: u64, clusters_max: u32, question: Question) -> Self {
        Design {
            margin: margin.max(0.0).ln_1p(),
            tail_margin: rule.tail_margin.clamp(0.0, 1.0),
            anytime: rule.anytime,
            looks: looks(clusters_max),
            question,
            seed,
        }
    }

    /// The probability per side that may be used up by each of these looks.
    pub(crate) fn spent(&self, level: f64, looked: &[u32], closing: bool) -> Vec<f64> {
        let of = self.looks.len();
        let part = |look: usize| if closing && look == looked.len() { 1.0 } else { spending(look, of) };
        (1..=looked.len()).map(|look| 0.5 * level * part(look)).collect()
    }
}

/// The log ratios of one comparison, one per cluster, and how far the looks have come.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// One log ratio per kept cluster.
    pub(crate) d: Vec<f64>,
    /// Those that the latest look saw, in order.
    sorted: Sorted,
    /// The excess of large differences to one side.
    pub(crate) excess: ExcessShare,
    /// Looks that were taken.
    pub(crate) looked: Vec<u32>,
    /// Paths about zero, about both ends of the margin, and of the largest differences.
    zero: Paths,
    ends: [Paths; 2],
    pub(crate) largest: Paths,
    /// Kept only when it decides.
    evidence: Option<EProcess>,
}

impl Series {
    pub(crate) fn new(design: &Design) -> Self {
        Series {
            d: Vec::new(),
            sorted: Sorted::default(),
            excess: ExcessShare::new(2.0 * design.margin, design.tail_margin),
            looked: Vec::new(),
            zero: Paths::default(),
            ends: Default::default(),
            largest: Paths::default(),
            evidence: design.anytime.then(|| EProcess::new(design.margin.max(1e-4))),
        }
    }

    /// Takes one more cluster; says whether this is a moment to look.
    pub(crate) fn push(&mut self, d: f64, design: &Design) -> bool {
        self.d.push(d);
        self.excess.push(d);
        self.evidence.iter_mut().for_each(|evidence| evidence.push(d));
        let n = self.d.len() as u32;
        let look = design.looks.contains(&n);
        if look {
            self.looked.push(n);
        }
        look || design.anytime
    }

    /// What the latest look says at an error level. When `closing`, no look will follow: what has come since the
    /// last scheduled look is used too, and all of the level that is left is spent.
    pub(crate) fn standing(&mut self, rows: &Rows, design: &Design, level: f64, closing: bool) -> Standing {
        if let Some(evidence) = &self.evidence {
            return self.anytime(evidence, design, level, closing);
        }
        let n = self.d.len() as u32;
        if closing && n > 0 && self.looked.last() != Some(&n) {
            self.looked.push(n);
        }
        let seen = self.looked.last().map_or(0, |&look| look as usize);
        let closing = closing || self.looked.len() == design.looks.len();
        self.sorted.extend(&self.d[self.sorted.len()..seen]);
        let look = (seen, closing);
        let typical = self.typical(rows, design, TYPICAL_SHARE * level, look, closing);
        // What wanders moves the largest differences too.
        let is_steady = !typical.in_runs;
        let (tail, tail_side) = match typical.typical {
            Verdict::Equivalent => self.tail(rows, design, level, look),
            Verdict::Inconclusive if closing && is_steady => self.tail(rows, design, level, look),
            _ => (Verdict::Inconclusive, None),
        };
        let standing = Standing { tail, tail_side, ..typical }.concluded(closing);
        // While it goes on, nobody asks for the estimate and the interval.
        if !closing && standing.verdict == Verdict::Inconclusive {
            return standing;
        }
        let known = match typical.typical == Verdict::Equivalent && !closing {
            true => self.typical(rows, design, TYPICAL_SHARE * level, look, true),
            false => typical,
        };
        let estimate = Shift::new(&self.sorted, design.question).estimate();
        let standing = Standing { tail, tail_side, estimate, ..known }.concluded(closing);
        self.told_apart(standing, rows, design, (level, closing))
    }

    /// Half of a plain interval at the latest look, as a log ratio: how well the difference is known, and nothing of where
    /// it lies. Infinite while nothing is excluded.
    pub(crate) fn half_width(&self, design: &Design, level: f64) -> f64 {
        let seen = self.looked.last().map_or(0, |&look| look as usize);
        let sorted = Sorted::new(&self.d[..seen]);
        let z = plain_z(level);
        let (low, high) = Shift::new(&sorted, design.question).interval(z, &[]);
        let half = 0.5 * (high - low);
        if half.is_nan() { f64::INFINITY } else { half }
    }

    /// What follows for typical runs. The ends of the interval are found if they are wanted or something was found; whether it
    /// lies within the margin is known sooner.
    fn typical(
        &mut self,
        rows: &Rows,
        design: &Design,
        level: f64,
        (n, closing): (usize, bool),
        ends: bool,
    ) -> Standing {
        let sorted = &self.sorted;
        let shift = Shift::new(sorted, design.question);
        let near = Near::of(&shift, design, level);
        if n == 0 || !(closing || near.zero || near.margin) {
            return Standing::open(n);
        }
        let spent = design.spent(level, &self.looked, closing);
        let (d, looked) = (&self.d, &self.looked);
        let keys = |theta: f64| {
            move |n: usize| match n == sorted.len() {
                true => Keys::of(rows, sorted, theta, design.question),
                false => Keys::of(rows, &Sorted::new(&d[..n]), theta, design.question),
            }
        };
        let zero = self.zero.crossed(looked, &spent, keys(0.0));
        let ends = ends || zero.up || zero.down;
        // An interval is needed where something may follow from it.
        if !(ends || near.margin) {
            return Standing::open(n);
        }
        let estimate = Estimate::of(&d[..n]);
        let centre = LazyCell::new(|| shift.estimate());
        let (low, high) = match n <= INVERTED_TO && (closing || zero.up || zero.down) {
            true => inverted(sorted, *centre, |theta, side| {
                Paths::default().crosses(looked, &spent, side, keys(theta))
            }),
            false => hull(&shift, zero.critical, design.margin, ends || estimate.in_runs),
        };
        let (low, high) = estimate.widened((low, high), || *centre);
        let different = (zero.up && low > 0.0 || zero.down && high < 0.0)
            && (!estimate.in_runs || estimate.p(&d[..n], design.seed) <= level);
        let within = -design.margin <= low && high <= design.margin;
        let [above, below] = &mut self.ends;
        let equal = !different
            && within
            && above.crosses(looked, &spent, |crossed| crossed.down, keys(design.margin))
            && below.crosses(looked, &spent, |crossed| crossed.up, keys(-design.margin));
        let typical = match (different, equal) {
            (true, _) => Verdict::Different,
            (_, true) => Verdict::Equivalent,
            _ => Verdict::Inconclusive,
        };
        let half = 0.5 * (high - low);
        let se = if half.is_finite() { half / zero.critical } else { estimate.se };
        Standing {
            se,
            low: bounded(low),
            high: bounded(high),
            critical: zero.critical,
            in_runs: estimate.in_runs,
            typical,
            ..Standing::open(n)
        }
    }

    /// What the e-process says now.
    fn anytime(&self, evidence: &EProcess, design: &Design, level: f64, closing: bool) -> Standing {
        let estimate = Estimate::of(&self.d);
        let (low, high) = evidence.interval(level);
        let p = evidence.p_value();
        let typical = verdict(low, high, design.margin, || p <= level);
        let is_equal = typical == Verdict::Equivalent && self.excess.excludes(design.tail_margin, level);
        let standing = Standing {
            estimate: estimate.centre,
            se: estimate.se,
            low: bounded(low),
            high: bounded(high),
            p: Some(p),
            in_runs: estimate.in_runs,
            typical,
            tail: if is_equal { Verdict::Equivalent } else { Verdict::Inconclusive },
            ..Standing::open(self.d.len())
        };
        standing.concluded(closing)
    }

    /// The smallest level at which the same looks would have called the commands different, or the e-process's p. Only the
    /// tests count that stand behind the verdict: where neighbours are alike, that in which signs are flipped in runs too.
    pub(crate) fn p_value(&mut self, rows: &Rows, design: &Design, closing: bool, shown: &Standing) -> f64 {
        if let Some(evidence) = &self.evidence {
            return evidence.p_value();
        }
        if self.looked.is_empty() {
            return 1.0;
        }
        let (d, looked) = (&self.d, &self.looked);
        let crosses = |paths: &mut Paths, level: f64, keys: &dyn Fn(usize) -> Keys| {
            let all = paths.crossed(looked, &design.spent(level, looked, closing), keys);
            all.up || all.down
        };
        let zero = &mut self.zero;
        let typical = smallest_level(|level| {
            crosses(zero, level, &|n| Keys::of(rows, &Sorted::new(&d[..n]), 0.0, design.question))
        });
        let typical = match shown.in_runs {
            true => typical.max(Estimate::of(&d[..shown.n]).p(&d[..shown.n], design.seed)),
            false => typical,
        };
        let (largest, least) = (&mut self.largest, self.excess.least());
        let is_asked = !shown.in_runs || shown.typical == Verdict::Equivalent;
        let tail = match is_asked && tail::observed(d, least).abs() > 2.0 {
            true => smallest_level(|level| crosses(largest, level, &|n| tail::keys(rows, &d[..n], least))),
            false => 1.0,
        };
        (typical / TYPICAL_SHARE).min(tail / (1.0 - TYPICAL_SHARE)).min(1.0)
    }
}

/// Where the observed path may have crossed.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// Zero.
    zero: bool,
    /// Both ends of the margin, towards zero.
    margin: bool,
}

impl Near {
    fn of(shift: &Shift, design: &Design, level: f64) -> Self {
        let bound = match design.question {
            Question::Typical => normal_upper_quantile(level / 2.0) - FAR,
            // One value can outweigh all others, so that even equal signs are not far out.
            Question::Mean => 0.0,
        };
        let (above, below) = shift.keys(0.0);
        let margin = shift.keys(design.margin).1 >= bound && shift.keys(-design.margin).0 >= bound;
        Near { zero: above.max(below) >= bound, margin }
    }
}

/// The interval; where its ends are not wanted, one that lies within the margin if the interval does.
fn hull(shift: &Shift, critical: f64, margin: f64, ends: bool) -> (f64, f64) {
    let asked = [-margin, 0.0, margin];
    match ends {
        true => shift.interval(critical, &asked),
        false if shift.is_within(margin, critical, &asked) => (-margin, margin),
        false => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

/// The hull of all points that are not excluded, when whether the path about a point crosses to a side is asked of
/// `crosses`. Zero is asked first, so that the interval and the verdict cannot disagree.
fn inverted(sorted: &Sorted, centre: f64, crosses: impl Fn(f64, fn(Crossed) -> bool) -> bool) -> (f64, f64) {
    let Some((first, last)) = sorted.range() else { return (f64::NEG_INFINITY, f64::INFINITY) };
    // Far enough for the sign of the nearest value to count: sums are rounded.
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

/// By halving on a logarithmic scale; a millionth is as good as nothing.
fn smallest_level(mut crosses: impl FnMut(f64) -> bool) -> f64 {
    let (mut low, mut high) = (1e-6f64, 1.0f64);
    if !crosses(high) {
        return 1.0;
    }
    for _ in 0..16 {
        let middle = (low * high).sqrt();
        if crosses(middle) { high = middle } else { low = middle }
    }
    high
}

/// Location, error and dependence of a series by winsorised means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    /// Winsorised mean.
    pub(crate) centre: f64,
    /// Standard error, widened.
    pub(crate) se: f64,
    df: f64,
    in_runs: bool,
    widening: f64,
}

impl Estimate {
    /// Of a series of log ratios.
    pub(crate) fn of(d: &[f64]) -> Self {
        let place = location(d);
        let rho = autocorrelation(&winsorise(d).0);
        let in_runs = d.len() >= 16 && rho > AUTOCORRELATION_MAX.max(1.645 / (d.len() as f64).sqrt());
        let widening = if in_runs { autocorrelation_inflation(rho) } else { 1.0 };
        Estimate { centre: place.estimate, se: place.se * widening, df: place.df, in_runs, widening }
    }

    /// An interval about a centre, widened by as much as neighbours are alike.
    fn widened(&self, (low, high): (f64, f64), centre: impl Fn() -> f64) -> (f64, f64) {
        let wider = |end: f64| match end.is_finite() && self.widening > 1.0 {
            true => centre() + (end - centre()) * self.widening,
            false => end,
        };
        (wider(low), wider(high))
    }

    /// Ends of the interval whose critical value is `z` before the correction for few clusters.
    pub(crate) fn interval(&self, z: f64) -> (f64, f64) {
        let half = if self.se == 0.0 { 0.0 } else { t_for_z(z, self.df) * self.se };
        (bounded(self.centre - half), bounded(self.centre + half))
    }

    /// Sign-flip p-value of the same values.
    pub(crate) fn p(&self, d: &[f64], seed: u64) -> f64 {
        if self.in_runs { block_sign_flip_p(d, run_length(d.len()), seed) } else { sign_flip_p(d, seed) }
    }
}

/// Critical z of a plain two-sided test.
pub(crate) fn plain_z(level: f64) -> f64 {
    normal_upper_quantile(level / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixteen neighbours that are alike are six runs of signs, which no pattern of theirs makes rare enough: the interval may
    /// exclude zero then, and neither verdict nor p may say *different*.
    #[test]
    fn p_is_that_of_runs_where_neighbours_are_alike() {
        let mut design = Design::new(&Rule::default(), 0.01, 1, 16, Question::Typical);
        design.looks = vec![16];
        let mut rows = Rows::new(1, 0.01, 1);
        rows.grow(16);
        let mut series = Series::new(&design);
        for n in 0..16 {
            series.push(0.03 + 0.005 * (f64::from(n) / 1.5).sin(), &design);
        }
        let standing = series.standing(&rows, &design, 0.01, true);
        assert!(standing.in_runs && standing.low > 0.0, "{standing:?}");
        assert_eq!(standing.verdict, Verdict::Inconclusive);
        let p = series.p_value(&rows, &design, true, &standing);
        assert!(p > 0.01, "{p}");
    }
}
