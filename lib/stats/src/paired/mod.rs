//! A sequential paired test that is exact over all looks, for any noise.
//!
//! If A and B are the same, the coin that orders them makes each log ratio d as likely as −d. Given the magnitudes, the
//! signs of d are thus one draw among all patterns of signs; [`rows`] draws thousands of others. A statistic that
//! weighs the signs by the magnitudes alone gives every pattern a path over the looks, and [`path`] lets the fraction
//! of paths cross that the level allows. The observed path is among them with at most that probability, over all looks
//! together. This holds for any [`score`], so the score that fits the noise is chosen from the magnitudes.

pub mod carried;
mod density;
pub mod path;
pub mod rises;
pub mod rows;
pub mod score;
pub mod share;
pub mod shift;
pub mod tail;

pub use score::{Question, Sorted};

/// The numbers of pairs at the looks: 10, 12, 16, 24, 32, … (alternately × 1.33 and × 1.5) below `max`, and `max`
/// itself. Before ten pairs no pattern of signs is rare enough.
pub fn looks(max: u32) -> Vec<u32> {
    let doubling = (0..).flat_map(|power| [12u32 << power, 16u32 << power]).take(40);
    let below = std::iter::once(10).chain(doubling).take_while(|&n| n < max);
    below.chain([max.max(1)]).collect()
}

/// Share of the level that is spent before the first look. With less, the rarest pattern of ten signs could not cross;
/// with more, too little would be left for late looks.
const LUMP: f64 = 0.25;

/// Cumulative share of the level that may be spent up to look `number` (from 1) of `of`.
pub fn spending(number: usize, of: usize) -> f64 {
    LUMP + (1.0 - LUMP) * (number as f64 / of.max(1) as f64).min(1.0)
}
