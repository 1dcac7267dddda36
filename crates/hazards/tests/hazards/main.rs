//! Every hazard on fake machines, on captured machines, on nonsense, and on this machine.

mod cases;
mod declared;
mod edges;
mod fake;
mod hostile;
mod machines;
