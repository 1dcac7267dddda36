//! Where a difference between the first and the second of two runs in a row comes from.
//!
//! What another command leaves is gone where a command follows itself: at the border of two blocks whose neighbouring runs
//! are of one command. What a program does by itself, such as one that is slow in every second run, is there as well.

use crate::describe::mean;

/// Evidence, as the logarithm of a ratio of likelihoods, from which on a program itself is the source. Programs that
/// alternate are rare, and taking what another command left for their own turns a sign.
const ITSELF: f64 = 5.0;

/// Evidence from which on another command is the source, where both sources were possible.
const ANOTHER: f64 = -1.0;

/// Least variance of the rises of a command, as a share of their squared centre, where times never change.
const LEAST_VARIANCE: f64 = 1e-6;

/// Share of the rises after another command, at either end, that count no further than the others, and beyond which no rise
/// at a border counts, unless zero does: a single far reading shows nothing.
const TRIMMED: f64 = 0.1;

/// Rises from the first to the second of two runs in a row of one command, as log ratios.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rises {
    /// Where the first of the two followed the same command.
    pub after_itself: Vec<f64>,
    /// Where it followed another command.
    pub after_another: Vec<f64>,
}

/// Source of a difference between first and second runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// The command before, which left something.
    #[default]
    Another,
    /// The program itself, whichever command ran before.
    Itself,
    /// Too few runs followed their own command to tell.
    Unclear,
}

/// The source of what lies between the first and the second runs of two commands. Without any run at a border it is taken
/// for the other command, as in designs that have no borders.
pub fn source(commands: &[Rises; 2]) -> Source {
    if commands.iter().all(|rises| rises.after_itself.is_empty()) {
        return Source::Another;
    }
    match commands.iter().map(evidence).sum::<f64>() {
        itself if itself > ITSELF => Source::Itself,
        another if another < ANOTHER => Source::Another,
        _ => Source::Unclear,
    }
}

/// Logarithm of how much likelier the rises at borders are if the program itself makes them, so that all rises have one
/// centre, than if another command does, so that those at borders lie about zero. The noise is known from the rises alone.
fn evidence(rises: &Rises) -> f64 {
    let Some((low, high)) = bounds(&rises.after_another) else { return 0.0 };
    let within = |values: &[f64], low: f64, high: f64| -> Vec<f64> {
        values.iter().map(|rise| rise.clamp(low, high)).collect()
    };
    let usual = within(&rises.after_another, low, high);
    let borders = within(&rises.after_itself, low.min(0.0), high.max(0.0));
    let centre = mean(&usual).unwrap_or(0.0);
    let squares =
        |values: &[f64], about: f64| -> f64 { values.iter().map(|rise| (rise - about).powi(2)).sum() };
    let count = (usual.len() + borders.len()) as f64;
    let least = LEAST_VARIANCE * centre * centre * count;
    let about = |border: f64| (squares(&usual, centre) + squares(&borders, border)).max(least);
    let (itself, another) = (about(centre), about(0.0));
    if itself > 0.0 && another > 0.0 { 0.5 * count * (another / itself).ln() } else { 0.0 }
}

/// The values beyond which a share of all lies, at either end.
fn bounds(values: &[f64]) -> Option<(f64, f64)> {
    let mut rising = values.to_vec();
    rising.sort_by(f64::total_cmp);
    let trimmed = (TRIMMED * rising.len() as f64) as usize;
    Some((*rising.get(trimmed)?, *rising.get(rising.len() - 1 - trimmed)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;

    /// Rises of `usual` after another command and of `border` after itself, in so many runs of each kind.
    fn rises(draw: &mut Draw, usual: f64, border: f64, runs: usize) -> Rises {
        let mut around = |centre: f64| (0..runs).map(|_| centre + 0.05 * draw.normal()).collect();
        Rises { after_itself: around(border), after_another: around(usual) }
    }

    #[test]
    fn what_stays_after_itself_is_the_programs_own() {
        let mut draw = Draw::new(1, 0);
        // A alternates, by much and by little; B does.
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
        // A single far reading at a border is no evidence against all others.
        let mut one = [rises(&mut draw, 0.1, 0.0, 12), Rises::default()];
        one[0].after_itself[0] = 5.0;
        assert_eq!(source(&one), Source::Another);
    }

    #[test]
    fn designs_without_borders_keep_what_another_command_left() {
        assert_eq!(source(&[Rises::default(), Rises::default()]), Source::Another);
        let none = Rises { after_itself: Vec::new(), after_another: vec![0.3; 20] };
        assert_eq!(source(&[none.clone(), none]), Source::Another);
    }
}
