//! The shift between A and B: the value about which the paired test finds no difference, and the interval of values
//! that the test does not exclude.

use super::score::{Question, Sorted, weights};

/// Precision of estimates and of the ends of intervals, in standard errors of the shift.
const PRECISION: f64 = 1e-3;

/// Maximum number of steps in the search for an end of an interval; only reached if values are equal apart from
/// rounding.
const STEPS: u32 = 64;

/// Rounding error of a shift that a search has found, as a share of the largest magnitude of the values.
const ROUNDING: f64 = 1e-12;

/// Number of standard errors above which the values count as lopsided, see [`Shift::leans`].
const LEANS: f64 = 1.5;

/// Test statistic of the values against a point, in standard errors, positive if the values lie above the point: by the
/// weights that never decrease with the magnitude, and by the fitted shape of the noise.
#[derive(Clone, Copy, Debug)]
struct Heights {
    monotone: f64,
    shaped: f64,
}

impl Heights {
    fn above(self) -> f64 {
        self.monotone.max(self.shaped)
    }

    fn below(self) -> f64 {
        -self.monotone.min(self.shaped)
    }
}

/// Differences whose shift is estimated.
#[derive(Clone, Debug)]
pub struct Shift<'a> {
    sorted: &'a Sorted,
    question: Question,
}

impl<'a> Shift<'a> {
    /// The shift of sorted differences.
    pub fn new(sorted: &'a Sorted, question: Question) -> Self {
        Shift { sorted, question }
    }

    fn at(&self, theta: f64) -> Heights {
        let about = self.sorted.about(theta);
        let chosen = weights(&about.r, self.question);
        let sum = |weights: &[f64]| weights.iter().zip(&about.sign).map(|(weight, sign)| weight * sign).sum();
        let monotone = sum(&chosen.monotone);
        let shaped = chosen.shaped.as_deref().map_or(monotone, sum);
        Heights { monotone, shaped }
    }

    /// Test statistics of the observed values against a point, in standard errors: how far the values lie above it, and
    /// how far below it.
    pub fn keys(&self, theta: f64) -> (f64, f64) {
        let place = self.at(theta);
        (place.above(), place.below())
    }

    /// The mean for [`Question::Mean`], otherwise the point about which the test statistic of the monotone weights is
    /// zero; zero for no values. Searched from both sides, so that swapping A and B only changes the sign.
    pub fn estimate(&self) -> f64 {
        match self.sorted.range() {
            None => 0.0,
            Some(_) if self.question == Question::Mean => self.sorted.mean(),
            Some((low, high)) => {
                let from_below = self.end(low, high, &[], |place| place.monotone);
                self.exact(0.5 * (from_below + self.end(high, low, &[], |place| -place.monotone)))
            }
        }
    }

    /// The hull of all points whose test statistic by the monotone weights is at most `critical`; all points outside
    /// are excluded. The fitted shape does not narrow the interval. An end that is indistinguishable from a point in
    /// `asked`, such as a margin, is placed on the side that the point's test statistic requires.
    pub fn interval(&self, critical: f64, asked: &[f64]) -> (f64, f64) {
        let end = |side| self.end_of_interval(side, critical, asked, None);
        let low = end(1.0).map_or(f64::NEG_INFINITY, |low| self.exact(low));
        let high = end(-1.0).map_or(f64::INFINITY, |high| self.exact(high));
        // Where most values are equal, both ends are that value, and the two searches may cross by a rounding error.
        if low > high { (0.5 * (low + high), 0.5 * (low + high)) } else { (low, high) }
    }

    /// A point without the rounding error of its search: zero where the point is nearer to zero than any difference
    /// between the values can be known.
    pub fn exact(&self, point: f64) -> f64 {
        let reach = self.sorted.range().map_or(0.0, |(first, last)| first.abs().max(last.abs()).max(1e-9));
        if point.abs() <= ROUNDING * reach { 0.0 } else { point }
    }

    /// The interval of the median by counting the values on each side, which is valid for any shape of the noise. Each
    /// end is one of the values.
    pub fn by_signs(&self, critical: f64) -> (f64, f64) {
        self.sorted.ranked(0.5 * (self.sorted.len() as f64 - critical * (self.sorted.len() as f64).sqrt()))
    }

    /// The median of the values; zero for no values.
    pub fn median(&self) -> f64 {
        self.sorted.middle()
    }

    /// Whether no shift of symmetric noise explains the values: the values on one side of their median lie further out,
    /// or more values lie on one side of `theta`, another estimate of the centre. The median is then the best estimate
    /// of the typical difference.
    pub fn leans(&self, theta: f64) -> bool {
        let (below, above) = self.sorted.sides(theta);
        let sides = (above as f64 - below as f64) / ((above + below).max(1) as f64).sqrt();
        sides.abs() > LEANS || self.sorted.signed_ranks(self.sorted.middle()).abs() > LEANS
    }

    /// Whether the interval lies within `-margin` and `margin`, which must be among the points in `asked`. Only on
    /// which side of a margin each end lies is determined, not the exact ends.
    pub fn is_within(&self, margin: f64, critical: f64, asked: &[f64]) -> bool {
        let end = |side: f64| self.end_of_interval(side, critical, asked, Some(-side * margin));
        end(1.0).is_some_and(|low| -margin <= low) && end(-1.0).is_some_and(|high| high <= margin)
    }

    /// The lower end of the interval, or the upper one if `side` is −1; `None` if nothing is excluded. With `wanted`,
    /// any value on the correct side of that point may be returned.
    fn end_of_interval(&self, side: f64, critical: f64, asked: &[f64], wanted: Option<f64>) -> Option<f64> {
        let (first, last) = self.sorted.range()?;
        // Beyond all values every sign is equal, so a point not excluded there is excluded nowhere.
        let reach = (last - first).max(first.abs()).max(last.abs()).max(1e-9);
        let (first, last) = (first - 1e-9 * reach, last + 1e-9 * reach);
        let (outermost, innermost) = if side > 0.0 { (first, last) } else { (last, first) };
        let beyond = |place: Heights| side * place.monotone - critical;
        let is_beyond = |theta: f64| {
            self.certainly(theta, critical)
                .map_or_else(|| beyond(self.at(theta)) > 0.0, |above| above == (side > 0.0))
        };
        if !is_beyond(outermost) {
            return None;
        }
        let inwards = |wanted: &f64| self.is_inwards((outermost, innermost), *wanted, is_beyond);
        if let Some(wanted) = wanted.filter(inwards) {
            return Some(wanted);
        }
        Some(self.end(outermost, innermost, asked, beyond))
    }

    /// Whether the test statistic exceeds `critical` because the values lie above a point (true) or below it (false),
    /// if all but a few are so clearly on one side that the weights do not matter; otherwise `None`. Half of the capped
    /// magnitudes are at least the cap over 2.224, and none of the few exceeds the cap, so the statistic is at least √n
    /// · (0.2248 − 2 · few / n); for ranks and signs it is larger.
    fn certainly(&self, theta: f64, critical: f64) -> Option<bool> {
        let n = self.sorted.len() as f64;
        let (below, above) = self.sorted.sides(theta);
        let few = 0.5 * n * (0.2248 - (critical + 0.5) / n.sqrt());
        let is_known = self.question != Question::Mean && critical >= 0.0;
        // Values at the point itself are on neither side.
        match (n - above as f64 <= few, n - below as f64 <= few) {
            (true, _) if is_known => Some(true),
            (_, true) if is_known => Some(false),
            _ => None,
        }
    }

    /// Whether the end between two points certainly lies further inwards than `wanted`. The bisection takes the same
    /// steps as the search for the end itself, down to a standard error.
    fn is_inwards(
        &self,
        (mut outside, mut inside): (f64, f64),
        wanted: f64,
        is_beyond: impl Fn(f64) -> bool,
    ) -> bool {
        let error = self.error();
        for _ in 0..STEPS {
            let (way, middle) = (inside - outside, outside + 0.5 * (inside - outside));
            if (outside - wanted) * way >= 0.0 {
                return true;
            }
            if (inside - wanted) * way <= 0.0 || way.abs() <= error {
                return false;
            }
            match is_beyond(middle) {
                true => outside = middle,
                false => inside = middle,
            }
        }
        false
    }

    /// Approximate standard error of the shift, from the quartiles.
    fn error(&self) -> f64 {
        self.sorted.middle_half() / 1.349 / (self.sorted.len() as f64).sqrt()
    }

    /// The zero between `outside`, where `beyond` is positive, and `inside`, where it is not. The test statistic does
    /// not change monotonically, so bisection is used down to a standard error; closer, it is nearly linear.
    fn end(&self, outside: f64, inside: f64, asked: &[f64], beyond: impl Fn(Heights) -> f64) -> f64 {
        let mut bracket = Bracket { outside: (outside, f64::NAN), inside: (inside, f64::NAN) };
        let (near, enough) = (self.error(), PRECISION * self.error());
        for step in 0..STEPS {
            let width = (bracket.outside.0 - bracket.inside.0).abs();
            if width <= enough {
                break;
            }
            let share = if width > near || step % 3 == 0 { 0.5 } else { bracket.secant() };
            bracket.ask(bracket.at(share), |theta| beyond(self.at(theta)));
        }
        asked.iter().for_each(|&theta| bracket.ask(theta, |theta| beyond(self.at(theta))));
        bracket.at(0.5)
    }
}

/// Two points between which the searched zero lies, each with the value of the function there: positive at `outside`,
/// not positive at `inside`; NaN while unknown.
#[derive(Clone, Copy, Debug)]
struct Bracket {
    outside: (f64, f64),
    inside: (f64, f64),
}

impl Bracket {
    /// The point at this share of the way from outside to inside.
    fn at(&self, share: f64) -> f64 {
        self.outside.0 + share * (self.inside.0 - self.outside.0)
    }

    /// Position of the zero of the straight line through both points, as a share of the way from outside to inside.
    fn secant(&self) -> f64 {
        let share = self.outside.1 / (self.outside.1 - self.inside.1);
        if share.is_nan() { 0.5 } else { share.clamp(0.01, 0.99) }
    }

    /// Whether a point lies between the two points, both excluded.
    fn holds(&self, theta: f64) -> bool {
        let (outside, inside) = (self.outside.0, self.inside.0);
        theta > outside.min(inside) && theta < outside.max(inside)
    }

    /// Replaces one of the two points by a point between them. The value of the other one is halved, so that it is
    /// replaced eventually, too ("Illinois"; Dowell and Jarratt 1971).
    fn ask(&mut self, theta: f64, value: impl Fn(f64) -> f64) {
        if !self.holds(theta) {
            return;
        }
        let value = value(theta);
        if value > 0.0 {
            (self.outside, self.inside.1) = ((theta, value), 0.5 * self.inside.1);
        } else {
            (self.inside, self.outside.1) = ((theta, value), 0.5 * self.outside.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    #[test]
    fn the_shift_is_found_and_inside_its_interval() {
        let mut draw = Draw::new(4, 0);
        let d: Vec<f64> =
            (0..200).map(|_| 3.0 + [0.0, 25.0, 0.0, -25.0][draw.below(4)] + draw.normal()).collect();
        let sorted = Sorted::new(&d);
        let shift = Shift::new(&sorted, Question::Typical);
        let estimate = shift.estimate();
        let (low, high) = shift.interval(3.0, &[]);
        assert!((estimate - 3.0).abs() < 0.6, "{estimate}");
        assert!(low < 3.0 && 3.0 < high && low < estimate && estimate < high, "{low} {high}");
        // The standard error of the mean is √(312/200), so its interval would be ± 3.7.
        assert!(high - low < 3.0, "{low} {high}");
        let mean = Shift::new(&sorted, Question::Mean).estimate();
        assert!((mean - crate::describe::mean(&d).unwrap()).abs() < 1e-6);
    }

    #[test]
    fn whether_the_interval_lies_within_a_margin_is_what_its_ends_say() {
        let mut within = 0;
        for seed in 0..60 {
            let mut draw = Draw::new(seed, 1);
            let gap = [0.0, 4.0, 25.0][draw.below(3)];
            let value = |draw: &mut Draw| [0.0, gap, 0.0, -gap][draw.below(4)] + draw.normal();
            let d: Vec<f64> = (0..60 + 7 * seed as usize).map(|_| value(&mut draw)).collect();
            let sorted = Sorted::new(&d);
            let shift = Shift::new(&sorted, Question::Typical);
            let (low, high) = shift.interval(3.0, &[]);
            let ends = [low, high, 0.0].map(|end| end.abs().min(9.0));
            for margin in ends.into_iter().flat_map(|end| [0.5 * end, end - 1e-4, end, end + 1e-4, 2.0 * end])
            {
                let asked = [-margin, 0.0, margin];
                let (low, high) = shift.interval(3.0, &asked);
                let is_within = -margin <= low && high <= margin;
                assert_eq!(shift.is_within(margin, 3.0, &asked), is_within, "{seed} {margin} {low} {high}");
                within += u32::from(is_within);
            }
        }
        assert!((100..700).contains(&within), "{within}");
    }

    #[test]
    fn a_mixture_leans_and_a_shift_does_not() {
        let values = |seed, share: f64| -> Vec<f64> {
            let mut draw = Draw::new(seed, 3);
            (0..200).map(|_| draw.normal() + if draw.uniform() < share { 20.0 } else { 0.0 }).collect()
        };
        let leans = |share| {
            (0..200)
                .filter(|&seed| {
                    let sorted = Sorted::new(&values(seed, share));
                    let shift = Shift::new(&sorted, Question::Typical);
                    shift.leans(shift.estimate())
                })
                .count()
        };
        assert!(leans(0.3) == 200 && leans(0.0) < 40, "{} {}", leans(0.3), leans(0.0));
        let sorted = Sorted::new(&values(1, 0.3));
        let (low, high) = Shift::new(&sorted, Question::Typical).by_signs(2.6);
        assert!(low < 0.57 && 0.57 < high && high < 2.0, "{low} {high}");
        let few = Sorted::new(&[1.0, 2.0, 3.0]);
        assert_eq!(Shift::new(&few, Question::Typical).by_signs(2.6), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn most_values_may_be_equal() {
        for seed in 0..2000 {
            let mut draw = Draw::new(seed, 7);
            let (share, lean) = (0.3 + 0.6 * draw.uniform(), draw.uniform());
            let value = |draw: &mut Draw| match (draw.uniform() < share, draw.uniform() < lean) {
                (true, _) => 0.0,
                (_, true) => 2f64.ln() * (1 + draw.below(3)) as f64,
                (_, false) => -(2f64.ln()) * (1 + draw.below(3)) as f64,
            };
            let d: Vec<f64> = (0..20 + draw.below(200)).map(|_| value(&mut draw)).collect();
            let sorted = Sorted::new(&d);
            let shift = Shift::new(&sorted, Question::Typical);
            let critical = 2.0 + 3.0 * draw.uniform();
            for asked in [&[][..], &[0.0], &[-0.02, 0.0, 0.02]] {
                let (low, high) = shift.interval(critical, asked);
                let is_rounding = |end: f64| end != 0.0 && end.abs() < 1e-12;
                assert!(low <= high && !is_rounding(low) && !is_rounding(high), "{seed}: {low} {high}");
            }
            assert!(!(shift.estimate() != 0.0 && shift.estimate().abs() < 1e-12));
        }
    }

    #[test]
    fn equal_values_and_none() {
        let sorted = Sorted::new(&[0.5; 20]);
        let shift = Shift::new(&sorted, Question::Typical);
        assert!((shift.estimate() - 0.5).abs() < 1e-9);
        let (low, high) = shift.interval(3.0, &[]);
        assert!((low - 0.5).abs() < 1e-6 && (high - 0.5).abs() < 1e-6, "{low} {high}");
        assert_eq!(shift.interval(5.0, &[]), (f64::NEG_INFINITY, f64::INFINITY));
        let none = Sorted::new(&[]);
        assert_eq!(Shift::new(&none, Question::Typical).estimate(), 0.0);
    }
}
