//! Reports of other machines than this: captured, described, and nonsensical.

#[path = "../../../../topology/tests/machines/drawn.rs"]
mod drawn;
#[path = "../../../../topology/tests/machines/expand.rs"]
mod expand;
mod made;
mod parts;
#[path = "../../../../topology/tests/machines/peer.rs"]
mod peer;
mod peers;
#[path = "../../../../topology/tests/machines/roots.rs"]
mod roots;
mod untold;

use roots::{described, fixture, in_memory, parts_of};
