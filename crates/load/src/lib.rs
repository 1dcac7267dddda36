//! Disturbances: work that is not measured and stands beside what is.

mod burner;

pub use burner::{Burner, Rhythm};
