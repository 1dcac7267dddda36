//! A rule that knows the noise: what a gate could do at best.

/// Bins of a density, and what they cover on either side of zero.
const BINS: usize = 4000;
const REACH: f64 = 1.0;
/// Density, as a share of a bin's own width, where nothing was drawn.
const LEAST: f64 = 1e-7;

/// The density of the differences that blocks of two identical programs have, from many that were drawn.
pub(crate) struct Density {
    logs: Vec<f64>,
}

impl Density {
    /// Drawn differences are smoothed with a kernel of a tenth of their own middle half's width.
    pub(crate) fn of(mut drawn: Vec<f64>) -> Self {
        drawn.sort_by(f64::total_cmp);
        let middle = drawn[3 * drawn.len() / 4] - drawn[drawn.len() / 4];
        let width = 2.0 * REACH / BINS as f64;
        let mut counts = vec![0.0; BINS];
        drawn.iter().for_each(|&d| counts[bin(d)] += 1.0 / drawn.len() as f64);
        let (sd, reach) = ((0.1 * middle / width).max(0.5), (0.4 * middle / width).ceil().max(2.0) as isize);
        let weight = |by: isize| (-0.5 * (by as f64 / sd).powi(2)).exp();
        let sum: f64 = (-reach..=reach).map(weight).sum();
        let smooth = |at: usize| -> f64 {
            let near =
                |by: isize| counts.get(at.checked_add_signed(by)?).map(|count| count * weight(by) / sum);
            (-reach..=reach).filter_map(near).sum()
        };
        Density { logs: (0..BINS).map(|at| (smooth(at) + LEAST).ln()).collect() }
    }

    fn log(&self, d: f64) -> f64 {
        self.logs[bin(d)]
    }

    /// Blocks until a sequential probability-ratio test decides between a change of `margin` and one of `effect`, both as
    /// logarithms, with this error on either side; `None` if the differences end before, and whether it decides for
    /// `effect`.
    pub(crate) fn decided(
        &self,
        differences: impl Iterator<Item = f64>,
        (margin, effect): (f64, f64),
        error: f64,
    ) -> Option<(usize, bool)> {
        let bound = ((1.0 - error) / error).ln();
        let mut evidence = 0.0;
        differences.enumerate().find_map(|(at, d)| {
            evidence += self.log(d - effect) - self.log(d - margin);
            (evidence.abs() >= bound).then_some((at + 1, evidence > 0.0))
        })
    }
}

fn bin(d: f64) -> usize {
    ((d + REACH) / (2.0 * REACH) * BINS as f64).clamp(0.0, BINS as f64 - 1.0) as usize
}
