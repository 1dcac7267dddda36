//! Findings from the samples of a profile: shares of functions, their callers, and the lines on which their time goes.
//!
//! A function is a name in a file of code, however many lines it has and wherever it was inlined.

mod annotated;
mod difference;
mod functions;
mod kinship;
mod likeness;
mod relatives;

pub use annotated::annotated;
pub use difference::difference;
pub use functions::shares;
pub use relatives::{callees_of, callers_of};

/// Confidence of the interval of a share.
const LEVEL: f64 = 0.95;

/// A share with its interval.
struct Share {
    share: f64,
    low: f64,
    high: f64,
}

/// Share of `samples` among `all`, with Wilson's interval. Samples of one event come at distances that the program does
/// not know, so each is a trial.
fn share(samples: u64, all: u64) -> Share {
    let (low, high) = fauxplat_stats::proportion::wilson(samples, all, LEVEL);
    Share { share: if all == 0 { 0.0 } else { samples as f64 / all as f64 }, low, high }
}

#[cfg(test)]
mod matched;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
