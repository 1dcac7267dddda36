//! Executes plans: trials go to the spawner, samples come back one by one as they land.

mod counters;
mod executor;
mod floor;
mod request;
mod shifts;
mod steering;
mod throttle;
mod together;

pub use counters::Counters;
pub use executor::Executor;
pub use fauxplat_launch::{LaunchError, Launcher, Program, Table};
pub use floor::{floor_image, floor_program};
pub use shifts::{Cells, execute_cells, execute_shifts};
pub use steering::{Next, RunError, Steering, Stopped};
pub use throttle::ThrottleCounter;
