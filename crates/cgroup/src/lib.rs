//! Control groups, version 1 and 2, behind one API: limits on a program and everything that it starts.
//!
//! A group belongs to the process that made it, and is removed when its [`Group`] is dropped. A process that is killed
//! drops nothing, so a process that makes groups first removes the groups of dead owners ([`Host::remove_stale`]). See
//! `cgroups(7)` and the kernel's documents on cgroup v1 and v2.

mod above;
mod controller;
mod error;
mod group;
mod held;
mod hierarchy;
mod host;
mod oom;
mod owner;
mod scope_unit;
mod set;
mod turn;
mod usage;

pub use controller::Controller;
pub use error::CgroupError;
pub use group::{Group, Inside};
pub use host::Host;
pub use oom::Pausing;
pub use scope_unit::ScopeUnit;
