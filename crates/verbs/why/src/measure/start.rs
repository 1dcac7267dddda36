//! The start of both programs without their own work: the loader maps and links everything, and ends before the first
//! instruction of the program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use fauxplat_experiment::{Driver, Failure};
use fauxplat_model::{Command, Metric, Placement};
use fauxplat_stats::describe::median;

use super::aside::{Effort, Under, differences, pairs};
use crate::analysis::amount;
use crate::evidence::{Held, Start};

/// Variables by which the loader of the GNU C library maps and links everything, and ends before the program begins, as
/// for `ldd -r`; see ld.so(8).
const LINK_ALL: [&str; 3] = ["LD_TRACE_LOADED_OBJECTS=1", "LD_WARN=yes", "LD_BIND_NOW=yes"];
/// Set-user-ID and set-group-ID bits of a file's mode. The loader of such a program ignores the variables, so that the
/// program itself would run.
const WITH_RIGHTS: u32 = 0o6000;

/// Times the start of both programs; `None` where one has no loader that can stop before the program begins.
///
/// # Errors
/// The loader cannot be started.
pub(super) fn start(driver: &Driver, held: [&Held; 2], effort: Effort) -> Result<Option<Start>, Failure> {
    let [Some(a), Some(b)] = [0, 1].map(|side| listing(&driver.commands[side], held[side])) else {
        return Ok(None);
    };
    let pairs = pairs(driver, &[a, b], Under::on(driver, Placement::Free), effort)?;
    let walls = |side: usize| {
        let all: Vec<f64> =
            pairs.iter().filter_map(|pair| Some(pair[side].get(Metric::WALL)? as f64)).collect();
        median(&all).unwrap_or(0.0)
    };
    Ok(Some(Start {
        medians_ns: [walls(0), walls(1)],
        more_ns: amount(&differences(&pairs, Metric::WALL), 0.01),
    }))
}

/// A command that only loads and links a program; `None` where the program itself could begin.
fn listing(command: &Command, held: &Held) -> Option<Command> {
    let loader = held.loader.as_ref()?.rsplit('/').next()?;
    let is_of_glibc = ["ld-linux", "ld64.so", "ld-2."].iter().any(|name| loader.starts_with(name));
    let program = held.program.as_ref()?;
    let mode = fs::metadata(program).ok()?.permissions().mode();
    if !is_of_glibc || mode & WITH_RIGHTS != 0 {
        return None;
    }
    let mut listing = command.clone();
    listing.argv = vec![program.clone()];
    listing.program = PathBuf::from(program);
    (listing.prepare, listing.conclude) = (None, None);
    listing.condition.env_set.extend(LINK_ALL.map(str::to_owned));
    listing.condition.cpu = Placement::Free;
    Some(listing)
}
