//! Paired, sequential and resampling statistics on slices of numbers.
//!
//! Every function is pure: what is random takes its seed as an argument, and the same call gives the same answer
//! on every machine. METHODOLOGY.md says in plain words how a comparison uses these pieces.

pub mod bootstrap;
pub mod components;
pub mod describe;
pub mod distribution;
pub mod draw;
pub mod eprocess;
pub mod multiple;
pub mod randomise;
pub mod rivals;
pub mod series;
pub mod spending;
pub mod winsor;
