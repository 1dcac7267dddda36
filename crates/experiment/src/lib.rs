//! Experiments: a definition is carried out, and all samples and evidence are recorded, stored and reported.
//!
//! A [`Driver`] begins (the machine is tuned and read, loads and groups are created, commands are resolved), runs the
//! trials of a [`Steering`](steer::Steering), and finishes: every change is undone and every measurement is kept, also
//! after an interruption or an error. See ARCHITECTURE.md.

mod abreast;
mod again;
mod begin;
mod checks;
mod commands;
mod control;
mod counters;
mod cpus;
mod doubts;
mod driver;
mod ending;
mod event;
mod executor;
mod extra;
mod failure;
mod feed;
mod floor;
pub mod header;
pub mod hidden;
mod launch;
mod led;
mod machine;
pub mod measure;
mod median;
mod memory;
mod meter;
mod not_measured;
mod notice;
mod part;
mod read_back;
mod recorder;
pub mod relation;
mod request;
pub mod series;
mod served;
mod shifts;
mod shipping;
mod simulated;
pub mod steer;
pub mod surroundings;
mod sweep;
mod threads;
mod throttle;
mod together;
mod untimed;

pub use begin::{Beginning, check_store_name, open_record, open_store};
pub use commands::resolve;
pub use cpus::{check_cpus, check_placement};
pub use driver::{Driver, Finished, aside};
pub use ending::Ending;
pub use event::{Event, Listener, Listeners};
pub use executor::Executor;
pub use extra::Extra;
pub use failure::{Failure, Kind};
pub use fauxplat_launch::{LaunchError, Launcher, Program, Table};
pub use feed::{Feed, Next, RunError, Stopped};
pub use floor::{floor_image, floor_program};
pub use launch::Launch;
pub use machine::Machine;
pub use meter::printed::Printed;
pub use meter::region_page::{Marked, Slot, marked};
pub use meter::simulator;
pub use notice::{NOTICE_LIMIT, Notice};
pub use served::Served;
pub use shifts::Span;
pub use steer::Standing;
pub use sweep::Prepared;
pub use throttle::ThrottleCounter;
