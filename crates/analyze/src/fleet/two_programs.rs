//! Constants of a comparison of two programs over machines.

/// Indices of the two compared commands.
pub(super) const SIDES: [u16; 2] = [0, 1];

/// Minimum number of machines for a test of signs: with fewer, it cannot reach 5 %.
pub(super) const SIGNS_FROM: usize = 6;

/// The level of the verdict.
pub(super) const LEVEL: f64 = 0.05;
