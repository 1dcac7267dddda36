//! What stands around a run and cannot be put into its process: load beside it.

use fauxplat_load::{Burner, Rhythm};
use fauxplat_model::{Background, Beside, Command, Trial};
use fauxplat_units::CpuSet;

use crate::failure::Failure;

/// The load that stands now.
pub(super) struct Scene {
    allowed: CpuSet,
    seed: u64,
    burners: Vec<Burner>,
}

/// A burner that was just started computes from then on; the scheduler needs a moment to move what it displaces.
const SETTLE: std::time::Duration = std::time::Duration::from_millis(2);

impl Scene {
    pub(super) fn new(allowed: CpuSet, seed: u64) -> Self {
        Scene { allowed, seed, burners: Vec::new() }
    }

    /// A number for the scene of a trial: equal for trials that may be under way together.
    pub(super) fn number(command: &Command, trial: &Trial) -> u64 {
        let Background::Burner { beside, percent } = command.condition.background else { return 0 };
        let cpu = match beside {
            Beside::All => 0,
            Beside::Same | Beside::Other => {
                trial.setup.cpus.as_ref().and_then(CpuSet::first).map_or(0, |cpu| u64::from(cpu.0) + 1)
            }
        };
        cpu << 16 | (beside as u64 + 1) << 8 | u64::from(percent)
    }

    /// Makes the scene of a trial.
    pub(super) fn enter(&mut self, command: &Command, trial: &Trial) -> Result<(), Failure> {
        self.burners.clear();
        let Background::Burner { beside, percent } = command.condition.background else { return Ok(()) };
        let own = || {
            one_cpu(trial).ok_or_else(|| {
                Failure::usage(format!(
                    "background={}: it is not known on which CPU the command runs; say --cpu N",
                    command.condition.background
                ))
            })
        };
        let cpus: CpuSet = match beside {
            Beside::All => self.allowed.clone(),
            Beside::Same => own()?,
            Beside::Other => self.allowed.without(&own()?).iter().take(1).collect(),
        };
        let rhythm = if percent == 100 { Rhythm::Always } else { Rhythm::Share(percent) };
        for cpu in cpus.iter() {
            let place: CpuSet = [cpu].into_iter().collect();
            let seed = self.seed.wrapping_add(u64::from(cpu.0));
            self.burners.push(Burner::start(Some(&place), rhythm, seed).map_err(Failure::machine)?);
        }
        std::thread::sleep(SETTLE);
        Ok(())
    }
}

/// The one CPU on which a trial runs, if it is known.
fn one_cpu(trial: &Trial) -> Option<CpuSet> {
    trial.setup.cpus.clone().filter(|cpus| cpus.len() == 1 && !trial.setup.idle)
}
