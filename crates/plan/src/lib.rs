//! Seeded, ordered plans from definitions.
//!
//! A plan is a function from the number of a block to its trials, not a list: a comparison does not know in advance how
//! many blocks it will need, and any block can be drawn again from the seed alone.

mod blocks;
mod crossed;
mod definition;
mod expand;
mod factor;
mod lab;
mod seeded;
mod values;

pub use blocks::{Layout, Plan};
pub use crossed::{Coordinates, Crossed, RUNS_PER_BLOCK};
pub use definition::{BYTES_MAX, DefinitionError, parse};
pub use expand::{ExpandError, Expanded, RUNS_MAX, expand, places};
pub use factor::{FactorError, Offer, Sweep, apply, parse_sweep, stack_class};
pub use lab::{LabSettings, asked, consulted, parse_lab};
pub use values::{ValuesError, range, values};
