//! The side of the margin that a gate concerns.

/// The change that a gate asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// B is slower by more than the margin.
    Slower,
    /// B is faster by more than the margin.
    Faster,
    /// B is slower or faster by more than the margin.
    Changed,
}
