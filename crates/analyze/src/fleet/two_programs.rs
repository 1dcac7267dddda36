//! Constants of a comparison of two programs over machines.

/// The two programs, by the index of their command.
pub(super) const SIDES: [u16; 2] = [0, 1];

/// Signs of fewer machines than this cannot reach 5 % however they fall.
pub(super) const SIGNS_FROM: usize = 6;

/// The level of the verdict.
pub(super) const LEVEL: f64 = 0.05;
