//! Runs from fresh copies of the files of both programs: a copy has other pages in the page cache, and nothing else
//! differs.

use std::fs;

use fauxplat_experiment::Driver;
use fauxplat_sys::workplace::Workplace;

use super::aside::{Effort, Under, elsewhere, pairs};
use crate::evidence::Elsewhere;

/// Differences of both programs in pairs of runs, each from a copy of the program's
/// file.
///
/// # Errors
/// A sentence, if a file cannot be copied or a copied program fails, since it may look for other files beside its own.
pub(super) fn copied(driver: &Driver, effort: Effort) -> Result<Elsewhere, String> {
    let folder = Workplace::make("why", &std::env::temp_dir()).map_err(|error| error.to_string())?;
    let mut both = [driver.commands[0].clone(), driver.commands[1].clone()];
    for (command, side) in both.iter_mut().zip(["a", "b"]) {
        let place = folder.path().join(side);
        let name = command.program.file_name().ok_or("a program has no file name")?;
        fs::create_dir(&place).map_err(|error| error.to_string())?;
        let copy = place.join(name);
        fs::copy(&command.program, &copy)
            .map_err(|error| format!("{}: {error}", command.program.display()))?;
        command.program = copy;
    }
    let pairs = pairs(driver, &both, Under::usual(driver), effort).map_err(|failure| failure.to_string())?;
    Ok(elsewhere(&pairs))
}
