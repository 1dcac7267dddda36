//! Paired, sequential and resampling statistics on slices of numbers.
//!
//! Every function is pure: randomness comes from a seed in the arguments, and equal calls give equal results on every
//! machine. METHODOLOGY.md describes how a comparison uses these functions.
#![warn(missing_docs)]

pub mod additive;
pub mod association;
pub mod bets;
pub mod bootstrap;
pub mod changepoint;
pub mod components;
pub mod crossed;
pub mod describe;
pub mod distribution;
pub mod draw;
pub mod eprocess;
pub mod fold;
pub mod halves;
pub mod henderson;
pub mod levels;
pub mod linear;
pub mod mean_ratio;
pub mod modes;
pub mod multiple;
pub mod noncentral;
pub mod order;
pub mod outlying;
pub mod paired;
pub mod permute;
pub mod proportion;
pub mod randomise;
pub mod rivals;
pub mod running;
pub mod series;
pub mod shift;
pub mod simultaneous;
pub mod smooth;
pub mod spending;
pub mod steps;
pub mod tail;
pub mod winsor;
