//! Location, standard error and autocorrelation of a series of log ratios.

use fauxplat_stats::distribution::{normal_upper_quantile, t_for_z};
use fauxplat_stats::randomise::{block_sign_flip_p, run_length, sign_flip_p};
use fauxplat_stats::series::{autocorrelation, autocorrelation_inflation};
use fauxplat_stats::winsor::{location, winsorise};

use crate::standing::bounded;

/// Autocorrelation of the log ratios above which neighbours no longer count as independent.
const AUTOCORRELATION_MAX: f64 = 0.2;

/// Minimum length of a series that can count as autocorrelated; no look at the data has fewer values.
const IN_RUNS_FROM: usize = 10;

/// Location, standard error and autocorrelation of a series, by winsorised means.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimate {
    pub(crate) centre: f64,
    /// Standard error, widened for autocorrelation.
    pub(crate) se: f64,
    df: f64,
    pub(crate) in_runs: bool,
    widening: f64,
}

impl Estimate {
    pub(crate) fn of(d: &[f64]) -> Self {
        let place = location(d);
        let rho = autocorrelation(&winsorise(d).0);
        let in_runs = d.len() >= IN_RUNS_FROM && rho > AUTOCORRELATION_MAX.max(beyond_chance(d.len()));
        let widening = if in_runs { autocorrelation_inflation(rho) } else { 1.0 };
        Estimate { centre: place.estimate, se: place.se * widening, df: place.df, in_runs, widening }
    }

    /// Widens an interval about `centre()` by the factor for autocorrelation; an infinite end is not changed.
    pub(crate) fn widened(&self, (low, high): (f64, f64), centre: impl Fn() -> f64) -> (f64, f64) {
        let wider = |end: f64| match end.is_finite() && self.widening > 1.0 {
            true => centre() + (end - centre()) * self.widening,
            false => end,
        };
        (wider(low), wider(high))
    }

    /// Ends of the interval with the quantile of Student's t that has the tail probability of the normal quantile `z`.
    pub(crate) fn interval(&self, z: f64) -> (f64, f64) {
        let half = if self.se == 0.0 { 0.0 } else { t_for_z(z, self.df) * self.se };
        (bounded(self.centre - half), bounded(self.centre + half))
    }

    /// Sign-flip p-value of `d`, the values of this estimate. If they are autocorrelated, the signs of successive
    /// values are flipped together.
    pub(crate) fn p(&self, d: &[f64], seed: u64) -> f64 {
        if self.in_runs { block_sign_flip_p(d, run_length(d.len()), seed) } else { sign_flip_p(d, seed) }
    }
}

/// Autocorrelation that 5 % of independent series exceed by chance; for fewer than 16 values 1 %, since such series
/// have too few runs of values for flipping them together to show anything.
fn beyond_chance(n: usize) -> f64 {
    let z = if n < 16 { 2.326 } else { 1.645 };
    z / (n as f64).sqrt()
}

/// Critical value of a plain two-sided test of a standard normal statistic.
pub(crate) fn plain_z(level: f64) -> f64 {
    normal_upper_quantile(level / 2.0)
}
