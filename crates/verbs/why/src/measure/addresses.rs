//! Runs at other addresses: at random ones where the comparison had fixed ones, and the reverse.

use fauxplat_experiment::Driver;
use fauxplat_model::{Aslr, EnvPad};

use super::aside::{Effort, Under, elsewhere, pairs};
use crate::evidence::Readdressed;

/// Difference of both programs in pairs of runs whose stack, heap and libraries have random addresses if they had fixed
/// ones in the comparison, and the reverse.
///
/// # Errors
/// A sentence, if the kernel cannot place memory in that way, or a command then fails.
pub(super) fn readdressed(driver: &Driver, effort: Effort) -> Result<Readdressed, String> {
    let header = &driver.header;
    let is_kernel_random = header.machine.randomize_va_space.is_none_or(|value| value != 0);
    let was_random = header.condition.aslr != Aslr::Off && is_kernel_random;
    if !was_random && !is_kernel_random {
        return Err("kernel.randomize_va_space is 0, so that addresses are the same in every run".to_owned());
    }
    let (aslr, env_pad) = if was_random { (Aslr::Off, EnvPad::None) } else { (Aslr::On, EnvPad::Random) };
    let mut both = [driver.commands[0].clone(), driver.commands[1].clone()];
    for command in &mut both {
        command.condition.aslr = aslr;
    }
    let under = Under { env_pad, ..Under::usual(driver) };
    let pairs = pairs(driver, &both, under, effort).map_err(|failure| failure.to_string())?;
    Ok(Readdressed { is_random: !was_random, more: elsewhere(&pairs) })
}
