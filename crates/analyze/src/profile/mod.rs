//! Findings from the samples of a profile: shares of functions, their callers, and the lines on which their time is
//! spent. A function is identified by its name and its file of code, regardless of its lines and of where it was
//! inlined.

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

use fauxplat_model::{ProfileFindings, Weight};

const LEVEL: f64 = 0.95;

struct Share {
    share: f64,
    low: f64,
    high: f64,
}

impl Share {
    fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }
}

/// A share of the events, with its interval. The moments of samples do not depend on the program, so each sample is a
/// random trial that is weighted by the number of events it stands for.
fn share(part: Weight, all: Weight) -> Share {
    let sums = |weight: Weight| (weight.events as f64, weight.squares);
    let (share, low, high) = fauxplat_stats::proportion::weighted(sums(part), sums(all), LEVEL);
    Share { share, low, high }
}

/// The weight of all samples of a profile, including samples whose stack could not be read, which belong to no
/// function.
fn whole(found: &ProfileFindings, profile: usize) -> Weight {
    let mut sum = Weight::default();
    found.stacks.iter().for_each(|stack| sum += stack.weight(profile));
    let known = found.profiles.get(profile).map_or(0, |it| it.quality.weight());
    let rest = known.saturating_sub(sum.events);
    let mean = if sum.samples > 0 && rest > 0 { sum.events.div_ceil(sum.samples).max(1) } else { 1 };
    sum += Weight { events: rest, ..Weight::of(rest / mean, mean) };
    sum
}

#[cfg(test)]
mod matched;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
