//! Analysis of the evidence about two programs: from observations to causes, without further measurements.

mod account;
mod causes;
mod chain;
mod differences;
mod names;
mod shares;

use fauxplat_stats::distribution::t_upper_quantile;
use fauxplat_stats::winsor::location;

pub use account::{Difference, account};
pub use chain::{Chain, explain, explain_until};
pub(crate) use names::kind_in;

use crate::evidence::Amount;

/// Robust mean of some differences with its interval at the error level `level`: outliers are pulled in, and the
/// interval is wider for it.
pub fn amount(values: &[f64], level: f64) -> Amount {
    let found = location(values);
    if found.df < 1.0 {
        return Amount { value: found.estimate, low: f64::NEG_INFINITY, high: f64::INFINITY };
    }
    let reach = t_upper_quantile(level / 2.0, found.df) * found.se;
    Amount { value: found.estimate, low: found.estimate - reach, high: found.estimate + reach }
}
