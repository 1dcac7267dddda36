//! Changes the machine for an experiment, and restores exactly the previous state.
//!
//! A *knob* is a single setting; a *profile* is a list of settings of knobs. A setting that can be limited to the
//! command, or lasts only while a descriptor is open, is made in that way and ends by itself. Every other change is
//! written to the *journal* and synced to the disk before the machine is changed, and a *guardian* process that no
//! signal of a terminal reaches restores the machine when the tuning process ends for any reason. If the guardian is
//! killed as well, the next fauxplat that tunes or restores does so from the journal. See ARCHITECTURE.md for details.

mod apply;
mod catalog;
mod changes;
mod cpusets;
mod error;
mod guardian;
mod hotplug;
mod hurry;
mod journal;
mod keeper;
mod knob;
mod knobs;
mod lock;
mod place;
mod plan;
mod profile;
mod remainder;
mod repair;
mod restore;
mod root;
mod setting;
mod status;
mod tasks;
mod told;
mod tuned;
mod undo;
mod witness;

pub use apply::Tuning;
pub use catalog::{catalog, preview};
pub use error::{Back, TuneError};
pub use guardian::serve as guard;
pub use keeper::ends_with;
pub use place::default_journal;
pub use profile::{Settings, settings};
pub use remainder::remainder;
pub use restore::{Restore, restore};
pub use root::Root;
pub use status::{Status, status};
pub use told::first_failure;
pub use tuned::{ProcessScope, Tuned};
