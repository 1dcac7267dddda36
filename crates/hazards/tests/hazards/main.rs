//! Every hazard on fake machines, on captured ones, on nonsense, and on this one.

mod cases;
mod declared;
mod edges;
mod fake;
mod hostile;
mod machines;
