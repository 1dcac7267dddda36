//! The start of both programs alone: the loader maps and links everything, and ends before their first instruction.

use std::path::PathBuf;

use fauxplat_experiment::{Driver, Failure};
use fauxplat_model::{Command, Metric, Placement};
use fauxplat_stats::describe::median;

use super::aside::{Effort, differences, pairs};
use crate::analysis::amount;
use crate::evidence::{Held, Start};

/// Variables by which the loader of the GNU C library links every function, as for `ldd -r`, see ld.so(8).
const LINK_ALL: [&str; 2] = ["LD_WARN=yes", "LD_BIND_NOW=yes"];

/// Times the start of both; `None` where one has no loader that can list what it loads.
///
/// # Errors
/// The loader cannot be started.
pub(super) fn start(driver: &Driver, held: [&Held; 2], effort: Effort) -> Result<Option<Start>, Failure> {
    let [Some(a), Some(b)] = [0, 1].map(|side| listing(&driver.commands[side], held[side])) else {
        return Ok(None);
    };
    let pairs = pairs(driver, &[a, b], Placement::Free, effort)?;
    let walls = |side: usize| {
        let all: Vec<f64> = pairs.iter().filter_map(|pair| Some(pair[side].get(Metric::WALL)? as f64)).collect();
        median(&all).unwrap_or(0.0)
    };
    Ok(Some(Start {
        medians_ns: [walls(0), walls(1)],
        more_ns: amount(&differences(&pairs, Metric::WALL), 0.01),
    }))
}

/// The command that lists what a program loads.
fn listing(command: &Command, held: &Held) -> Option<Command> {
    let loader = held.loader.clone().filter(|_| !held.program.is_empty())?;
    let mut listing = command.clone();
    listing.argv = vec![loader.clone(), "--list".to_owned(), held.program.clone()];
    listing.program = PathBuf::from(loader);
    (listing.prepare, listing.conclude) = (None, None);
    listing.condition.env_set.extend(LINK_ALL.map(str::to_owned));
    listing.condition.cpu = Placement::Free;
    Some(listing)
}
