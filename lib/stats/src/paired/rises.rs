//! Source of a difference between the first and the second of two runs in a row.
//!
//! At the border of two blocks whose neighbouring runs are of one command, a first run follows its own command.
//! Carry-over from another command is absent there; an effect of the program itself, such as slowness in every second
//! run, is not.

use crate::describe::mean;

/// Evidence, as a log likelihood ratio, from which on a program itself is the source. Programs that alternate are rare,
/// and mistaking carry-over for their own effect gives a wrong sign.
const ITSELF: f64 = 5.0;

/// Evidence below which another command is the source.
const ANOTHER: f64 = -3.0;

/// Minimum variance of the rises of a command, as a share of their squared centre, for times that never change.
const LEAST_VARIANCE: f64 = 1e-6;

/// Share of the rises of a kind at either end that are clamped to the others: a single outlier shows nothing.
const TRIMMED: f64 = 0.1;

/// Rises from the first to the second of two runs in a row of one command, as log ratios.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rises {
    /// Rises whose first run followed the same command.
    pub after_itself: Vec<f64>,
    /// Rises whose first run followed another command.
    pub after_another: Vec<f64>,
}

/// Source of a difference between first and second runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Carry-over from the preceding command.
    #[default]
    Another,
    /// The program itself, whichever command ran before.
    Itself,
    /// The evidence is too weak, as when too few runs followed their own command.
    Unclear,
}

/// The source of the difference between the first and the second runs of two commands. Without runs at borders, as in
/// designs that have no borders, the source is taken to be the other command.
pub fn source(commands: &[Rises; 2]) -> Source {
    if commands.iter().all(|rises| rises.after_itself.is_empty()) {
        return Source::Another;
    }
    match evidence(commands) {
        itself if itself > ITSELF => Source::Itself,
        another if another < ANOTHER => Source::Another,
        _ => Source::Unclear,
    }
}

/// Means of the rises of one command, and their noise.
struct Centres {
    /// Mean of the rises whose first run followed another command, and their number.
    another: (f64, f64),
    /// Mean of the rises whose first run followed the same command, and their number.
    itself: (f64, f64),
    /// Sum of squared distances of the rises from the mean of their kind.
    within: f64,
}

impl Centres {
    fn of(rises: &Rises) -> Option<Self> {
        let (usual, borders) = (trimmed(&rises.after_another)?, trimmed(&rises.after_itself)?);
        let squares = |values: &[f64], about: f64| values.iter().map(|it| (it - about).powi(2)).sum::<f64>();
        let (of_usual, of_borders) = (mean(&usual)?, mean(&borders)?);
        Some(Centres {
            another: (of_usual, usual.len() as f64),
            itself: (of_borders, borders.len() as f64),
            within: squares(&usual, of_usual) + squares(&borders, of_borders),
        })
    }

    fn count(&self) -> f64 {
        self.another.1 + self.itself.1
    }

    /// The larger absolute value of the means `another` and `itself`.
    fn size(&self) -> f64 {
        self.another.0.abs().max(self.itself.0.abs())
    }

    fn degrees(&self) -> f64 {
        (self.count() - 2.0).max(1.0)
    }
}

/// Log likelihood ratio of the rises: effects of the programs themselves over carry-over between commands. An effect
/// that both programs share, such as a first run with cold caches, is part of both explanations.
///
/// - Programs themselves: the rises of each command have a centre of its own, and the step from borders to other places
///   is equal for both.
/// - Carry-over: the rises at borders have one centre for both commands, and the other rises one for each.
fn evidence(commands: &[Rises; 2]) -> f64 {
    let [Some(a), Some(b)] = commands.each_ref().map(Centres::of) else { return 0.0 };
    let least = LEAST_VARIANCE * a.size().max(b.size()).powi(2);
    let variance = |it: &Centres| (it.within / it.degrees()).max(least);
    // Sum of squares of two weighted values about their common centre.
    let apart = |(one, of_one): (f64, f64), (other, of_other): (f64, f64)| {
        let weights = of_one + of_other;
        if weights > 0.0 { of_one * of_other / weights * (one - other).powi(2) } else { 0.0 }
    };
    let step = |it: &Centres| {
        let weight = it.another.1 * it.itself.1 / it.count() / variance(it);
        (it.another.0 - it.itself.0, weight)
    };
    let border = |it: &Centres| (it.itself.0, it.itself.1 / variance(it));
    let noise = a.degrees() + b.degrees();
    let (itself, another) = (noise + apart(step(&a), step(&b)), noise + apart(border(&a), border(&b)));
    if itself.is_finite() && another.is_finite() {
        0.5 * (a.count() + b.count()) * (another / itself).ln()
    } else {
        0.0
    }
}

/// The values with a share at either end clamped to the others; `None` for no values.
fn trimmed(values: &[f64]) -> Option<Vec<f64>> {
    let mut rising = values.to_vec();
    rising.sort_by(f64::total_cmp);
    let trimmed = (TRIMMED * rising.len() as f64) as usize;
    let (low, high) = (*rising.get(trimmed)?, *rising.get(rising.len() - 1 - trimmed)?);
    Some(values.iter().map(|rise| rise.clamp(low, high)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    /// Rises of `usual` after another command and of `border` after itself, for this number of runs of each kind.
    fn rises(draw: &mut Draw, usual: f64, border: f64, runs: usize) -> Rises {
        let mut around = |centre: f64| (0..runs).map(|_| centre + 0.05 * draw.normal()).collect();
        Rises { after_itself: around(border), after_another: around(usual) }
    }

    #[test]
    fn what_stays_after_itself_is_the_programs_own() {
        let mut draw = Draw::new(1, 0);
        // A alternates strongly, negatively, not at all, and moderately; B alternates in the last two cases.
        for (a, b) in [(0.8, 0.0), (-0.8, 0.0), (0.0, 0.1), (0.4, -0.4)] {
            let own = [rises(&mut draw, a, a, 10), rises(&mut draw, b, b, 10)];
            assert_eq!(source(&own), Source::Itself, "{a} {b}");
            let left = [rises(&mut draw, a, 0.0, 10), rises(&mut draw, b, 0.0, 10)];
            assert_eq!(source(&left), Source::Another, "{a} {b}");
        }
    }

    #[test]
    fn few_or_noisy_runs_tell_nothing() {
        let mut draw = Draw::new(2, 0);
        let small = [rises(&mut draw, 0.01, 0.0, 6), rises(&mut draw, 0.0, 0.0, 6)];
        assert_eq!(source(&small), Source::Unclear);
        let still = Rises { after_itself: vec![0.0; 3], after_another: vec![0.0; 9] };
        assert_eq!(source(&[still.clone(), still]), Source::Unclear);
        // A single outlier at a border is no evidence against all others.
        let mut one = [rises(&mut draw, 0.1, 0.0, 12), rises(&mut draw, 0.0, 0.0, 12)];
        one[0].after_itself[0] = 5.0;
        assert_ne!(source(&one), Source::Itself);
    }

    #[test]
    fn what_first_runs_of_both_cost_alike_is_no_evidence() {
        let mut draw = Draw::new(3, 0);
        // A and B are slower after another command, and A alternates as well.
        for cost in [-0.3, 0.3] {
            let own = [rises(&mut draw, 0.3 + cost, 0.3, 12), rises(&mut draw, cost, 0.0, 12)];
            assert_eq!(source(&own), Source::Itself, "{cost}");
        }
    }

    #[test]
    fn designs_without_borders_keep_what_another_command_left() {
        assert_eq!(source(&[Rises::default(), Rises::default()]), Source::Another);
        let none = Rises { after_itself: Vec::new(), after_another: vec![0.3; 20] };
        assert_eq!(source(&[none.clone(), none]), Source::Another);
    }
}
