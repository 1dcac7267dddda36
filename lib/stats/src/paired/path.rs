//! Paths of all sign patterns over the looks, of which a fraction given by the level may cross the bound.

use super::carried::Carried;
use super::rows::Rows;
use super::score::{Question, Sorted, weights};
use crate::distribution::normal_upper_quantile;

/// Factor by which more paths than may cross are preselected for the exact comparison.
const GENEROUS: f64 = 4.0;

/// Test statistic of each path at one look, in standard errors: of all rows of signs, followed by their mirror images.
#[derive(Clone, Debug, PartialEq)]
pub struct Keys(Vec<f32>);

impl Keys {
    /// Keys for how far the values lie above `theta`: of the observed signs, and of other patterns of signs of the same
    /// magnitudes.
    pub fn of(rows: &Rows, sorted: &Sorted, theta: f64, question: Question) -> Keys {
        let (up, down) = sides(rows, sorted, theta, question);
        Keys::from_sides(up, down)
    }

    /// Keys if each command ran twice in a row: all differences count as long as those of second runs, each after a run
    /// of its own command, support them; once carry-over is shown, only the latter count. Every pattern of signs is
    /// judged by this rule, so the test stays exact.
    pub fn after_itself(
        rows: &Rows,
        [all, after_itself]: [&Sorted; 2],
        carried: &Carried,
        theta: f64,
        question: Question,
    ) -> Keys {
        let (mut up, mut down) = sides(rows, all, theta, question);
        let (own_up, own_down) = sides(rows, after_itself, theta, question);
        let keys = rows.sums(carried.by_coin()).into_iter().map(f64::from);
        let own = own_up.into_iter().zip(own_down).zip(keys);
        for ((up, down), ((own_up, own_down), key)) in up.iter_mut().zip(&mut down).zip(own) {
            *up = carried.answer(key, *up, own_up);
            *down = carried.answer(key, *down, own_down);
        }
        Keys::from_sides(up, down)
    }

    /// The larger of two keys of each path, for two questions that share a part of the level.
    pub fn or(mut self, other: &Keys) -> Keys {
        self.0.iter_mut().zip(&other.0).for_each(|(one, other)| *one = one.max(*other));
        self
    }

    /// Keys of plain sums: one value for each toss of a coin, with its full weight.
    pub fn of_sums(rows: &Rows, values: &[f64]) -> Keys {
        let length = values.iter().map(|value| value * value).sum::<f64>().sqrt();
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        let up = rows.sums(&values.iter().map(|value| (scale * value) as f32).collect::<Vec<_>>());
        let down = up.iter().map(|sum| -sum).collect();
        Keys::from_sides(up, down)
    }

    /// Keys from other statistics: upwards for each row, followed by downwards.
    pub(crate) fn from_sides(up: Vec<f32>, down: Vec<f32>) -> Keys {
        let mut keys = up;
        keys.extend(down);
        Keys(keys)
    }
}

/// The keys of each row of signs, upwards and downwards.
fn sides(rows: &Rows, sorted: &Sorted, theta: f64, question: Question) -> (Vec<f32>, Vec<f32>) {
    let about = sorted.about(theta);
    let chosen = weights(&about.r, question);
    let monotone = sorted.by_coin(&about, &chosen.monotone);
    match chosen.shaped.as_deref() {
        None => {
            let up = rows.sums(&monotone);
            let down = up.iter().map(|sum| -sum).collect();
            (up, down)
        }
        Some(shaped) => {
            let both = rows.sums_of([&monotone, &sorted.by_coin(&about, shaped)]);
            let up = both.iter().map(|[one, other]| one.max(*other)).collect();
            (up, both.iter().map(|[one, other]| -one.min(*other)).collect())
        }
    }
}

/// Sides on which the observed path has crossed the bound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Crossed {
    /// Whether the path has crossed upwards, at this look or earlier.
    pub up: bool,
    /// Whether the path has crossed downwards.
    pub down: bool,
    /// The key beyond which paths cross now; infinite if none may.
    pub critical: f64,
}

impl Crossed {
    /// The sides that both this path and that of another statistic have crossed.
    pub fn and(self, other: Crossed) -> Crossed {
        Crossed {
            up: self.up && other.up,
            down: self.down && other.down,
            critical: self.critical.max(other.critical),
        }
    }
}

/// Lets the most extreme paths cross, look by look, and returns whether the observed path has. `spent` is the
/// cumulative probability per side that may be spent up to each look. Whatever the magnitudes, the observed path is a
/// random one of the paths, so it crosses upwards with at most the last of these probabilities, and likewise downwards.
pub fn crossed(looks: &[Keys], spent: &[f64]) -> Crossed {
    Course::default().crossed(looks, spent)
}

/// The paths that have crossed up to the latest look.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// Cumulative probability that could be spent up to each look so far.
    spent: Vec<f64>,
    has_crossed: Vec<bool>,
    count: usize,
    critical: f32,
}

impl Course {
    /// As [`crossed`], but continues from the looks of the previous call, unless their probabilities have changed.
    pub fn crossed(&mut self, looks: &[Keys], spent: &[f64]) -> Crossed {
        let Some(Keys(first)) = looks.first() else {
            return Crossed { critical: f64::INFINITY, ..Crossed::default() };
        };
        let paths = first.len();
        if !spent.starts_with(&self.spent) || self.has_crossed.len() != paths {
            *self = Course { has_crossed: vec![false; paths], ..Course::default() };
        }
        for (keys, &spent) in looks.iter().zip(spent).skip(self.spent.len()) {
            self.take(keys, spent);
        }
        Crossed {
            up: self.has_crossed[0],
            down: self.has_crossed[paths / 2],
            critical: f64::from(self.critical),
        }
    }

    /// Adds a look, at which the most extreme paths cross, until at most the share `spent` of all paths has.
    fn take(&mut self, Keys(keys): &Keys, spent: f64) {
        let allowed = ((spent * keys.len() as f64 + 1e-9) as usize).saturating_sub(self.count);
        self.critical = barrier(keys, &self.has_crossed, (self.count, allowed));
        for (crossed, &key) in self.has_crossed.iter_mut().zip(keys) {
            let now = !*crossed && key > self.critical;
            *crossed |= now;
            self.count += usize::from(now);
        }
        self.spent.push(spent);
    }
}

/// The largest key that may not cross: equal keys cross together or not at all.
fn barrier(keys: &[f32], has_crossed: &[bool], (crossed, allowed): (usize, usize)) -> f32 {
    if allowed == 0 {
        return f32::INFINITY;
    }
    // Keys are approximately normal, so a guessed bound excludes most of them. If the guess leaves too few, all keys
    // are used.
    let far = GENEROUS * (crossed + allowed) as f64 / keys.len() as f64;
    let guess = normal_upper_quantile(far.min(0.5)) as f32;
    let far = open_above(guess, keys, has_crossed);
    let mut open = if far.len() > allowed { far } else { open_above(f32::NEG_INFINITY, keys, has_crossed) };
    if open.len() <= allowed {
        return f32::NEG_INFINITY;
    }
    *open.select_nth_unstable_by(allowed, |one, other| other.total_cmp(one)).1
}

/// Keys of at least `least` of paths that have not crossed.
fn open_above(least: f32, keys: &[f32], has_crossed: &[bool]) -> Vec<f32> {
    let open = keys.iter().zip(has_crossed).filter(|(key, crossed)| **key >= least && !**crossed);
    open.map(|(&key, _)| key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;
    use crate::paired::{looks, spending};

    type Noise = fn(&mut Draw) -> f64;

    /// Share of series of 64 pairs that cross on either side at any look, at a level of 5 %.
    fn rate(mut noise: impl FnMut(&mut Draw) -> f64, series: u64) -> f64 {
        let schedule = looks(64);
        let mut crossings = 0;
        for seed in 0..series {
            let mut draw = Draw::new(seed, 9);
            let mut rows = Rows::new(1, 0.05, seed);
            rows.grow(64);
            let d: Vec<f64> = (0..64)
                .map(|_| if draw.below(2) == 0 { noise(&mut draw) } else { -noise(&mut draw) })
                .collect();
            let keys = |&n: &u32| Keys::of(&rows, &Sorted::new(&d[..n as usize]), 0.0, Question::Typical);
            let all: Vec<Keys> = schedule.iter().map(keys).collect();
            let spent: Vec<f64> =
                (1..=schedule.len()).map(|look| 0.025 * spending(look, schedule.len())).collect();
            let crossed = crossed(&all, &spent);
            crossings += u32::from(crossed.up || crossed.down);
        }
        f64::from(crossings) / series as f64
    }

    #[test]
    fn the_level_holds_over_all_looks_whatever_the_noise() {
        // Four standard errors of 5 % in 400 are 4.4 points.
        let noises: [(&str, Noise); 4] = [
            ("normal", |draw| 1.0 + draw.normal()),
            ("Cauchy", |draw| draw.normal() / draw.uniform()),
            ("modes", |draw| [0.0, 25.0, 0.0, -25.0][draw.below(4)] + draw.normal()),
            ("counts", |draw| draw.below(4) as f64),
        ];
        for (name, noise) in noises {
            let rate = rate(noise, 400);
            assert!(rate <= 0.094, "{name}: {rate}");
        }
    }

    #[test]
    fn a_barrier_lets_as_many_cross_as_are_allowed_and_no_ties() {
        let mut draw = Draw::new(3, 0);
        for scale in [0.01, 1.0, 100.0] {
            let keys: Vec<f32> = (0..4000).map(|_| (scale * draw.normal()) as f32).collect();
            let has_crossed: Vec<bool> = (0..4000).map(|_| draw.below(50) == 0).collect();
            for allowed in [1, 7, 300, 3000] {
                let barrier = barrier(&keys, &has_crossed, (0, allowed));
                let crossing =
                    keys.iter().zip(&has_crossed).filter(|(key, crossed)| **key > barrier && !**crossed);
                assert_eq!(crossing.count(), allowed, "{scale}");
            }
        }
        let ties = [2.0, 2.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(barrier(&ties, &[false; 8], (0, 2)), 2.0);
        assert_eq!(barrier(&ties, &[false; 8], (0, 3)), 1.0);
        assert_eq!(barrier(&ties, &[true; 8], (8, 3)), f32::NEG_INFINITY);
    }

    #[test]
    fn ten_of_one_sign_are_rare_enough_for_one_per_cent() {
        let mut rows = Rows::new(1, 0.01, 1);
        rows.grow(10);
        let d: Vec<f64> = (0..10).map(|i| 1.0 + 0.1 * f64::from(i)).collect();
        let keys = [Keys::of(&rows, &Sorted::new(&d), 0.0, Question::Typical)];
        // Ten positive signs are one of 2^10 equally frequent patterns, so 16 of the 16,384 paths have them.
        assert!(crossed(&keys, &[16.0 / 16384.0]).up);
        assert_eq!(
            crossed(&keys, &[15.9 / 16384.0]),
            Crossed { critical: crossed(&keys, &[15.9 / 16384.0]).critical, ..Crossed::default() }
        );
        assert!(!crossed(&keys, &[16.0 / 16384.0]).down);
        let zeros = [Keys::of(&rows, &Sorted::new(&[0.0; 10]), 0.0, Question::Typical)];
        assert!(!crossed(&zeros, &[0.4]).up);
        assert_eq!(crossed(&[], &[]).critical, f64::INFINITY);
    }

    #[test]
    fn a_course_that_goes_on_is_the_one_that_begins_anew() {
        let mut draw = Draw::new(6, 0);
        let mut rows = Rows::new(1, 0.01, 6);
        rows.grow(48);
        let d: Vec<f64> = (0..48).map(|_| 0.3 + draw.normal()).collect();
        let keys = |n: usize| Keys::of(&rows, &Sorted::new(&d[..n]), 0.0, Question::Typical);
        let looks: Vec<Keys> = [10, 12, 16, 24, 32, 48].map(keys).into();
        let mut course = Course::default();
        // The level increases, decreases again, and the last look spends the rest.
        for (till, level) in [(1, 0.01), (2, 0.01), (3, 0.04), (5, 0.04), (5, 0.04), (5, 0.01), (6, 0.01)] {
            let mut spent: Vec<f64> = (1..=till).map(|look| level * spending(look, 6)).collect();
            assert_eq!(course.crossed(&looks[..till], &spent), crossed(&looks[..till], &spent));
            spent[till - 1] = level;
            assert_eq!(course.clone().crossed(&looks[..till], &spent), crossed(&looks[..till], &spent));
        }
    }
}
