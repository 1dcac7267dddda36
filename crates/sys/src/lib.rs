//! Kernel calls and clocks, one safe function each.
