//! Plans of experiments, drawn from a seed: the order of the trials, and the setup and the levels of each.

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
