//! Constants of a comparison of two programs over the machines of a fleet.

/// Indices of the two compared commands, A and B.
pub(super) const SIDES: [u16; 2] = [0, 1];

/// Minimum number of machines for a sign-flip test: with fewer, its p-value cannot be as small as 5 %.
pub(super) const SIGNS_FROM: usize = 6;

/// Error level of the verdict.
pub(super) const LEVEL: f64 = 0.05;
