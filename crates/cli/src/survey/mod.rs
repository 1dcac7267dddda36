//! Sweeping: from a factor to commands, what must stand around their runs, and who says what is visited next.

mod builds;
mod folders;
mod groups;
mod levels;
mod offer;
mod scene;
mod tour;

pub(crate) use levels::{Prepared, prepare};
pub(crate) use tour::Tour;
