//! Location, error and dependence of a series of log ratios.

use fauxplat_stats::distribution::{normal_upper_quantile, t_for_z};
use fauxplat_stats::randomise::{block_sign_flip_p, run_length, sign_flip_p};
use fauxplat_stats::series::{autocorrelation, autocorrelation_inflation};
use fauxplat_stats::winsor::{location, winsorise};

use crate::standing::bounded;

/// Autocorrelation of the log ratios above which neighbours no longer count as independent.
const AUTOCORRELATION_MAX: f64 = 0.2;

/// Minimum length of a series whose autocorrelation is judged; the first look already has it.
const IN_RUNS_FROM: usize = 10;

/// Location, error and dependence of a series, by winsorised means.
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

    /// An interval widened about its centre, according to the autocorrelation.
    pub(crate) fn widened(&self, (low, high): (f64, f64), centre: impl Fn() -> f64) -> (f64, f64) {
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

/// The autocorrelation that chance exceeds in one of twenty series, or in one of a hundred short series: in those,
/// flipping signs in runs could show nothing.
fn beyond_chance(n: usize) -> f64 {
    let z = if n < 16 { 2.326 } else { 1.645 };
    z / (n as f64).sqrt()
}

/// Critical z of a plain two-sided test.
pub(crate) fn plain_z(level: f64) -> f64 {
    normal_upper_quantile(level / 2.0)
}
