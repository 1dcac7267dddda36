//! What stands around a run and cannot be put into its process: load beside it, the clock of its CPU.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use fauxplat_load::{Generator, Rhythm};
use fauxplat_model::{Background, Beside, Command, KnobOutcome, LoadKind, Topology, Trial};
use fauxplat_tuning::{Root, Tuned, Tuning};
use fauxplat_units::{Cpu, CpuSet};

use crate::disturb;
use crate::failure::Failure;

/// The load that stands now, and the clock that is held.
pub(super) struct Scene {
    allowed: CpuSet,
    /// Every burner that was needed so far, by CPU and share. Those that are not needed now rest: starting one is work.
    burners: HashMap<(Cpu, u8), Generator>,
    topology: Topology,
    held: Option<(u32, Tuned)>,
}

/// A burner that was just started computes from then on; the scheduler needs a moment to move what it displaces.
const SETTLE: std::time::Duration = std::time::Duration::from_millis(2);

impl Scene {
    pub(super) fn new(allowed: CpuSet) -> Self {
        let (topology, _) = fauxplat_topology::read(Path::new("/"));
        Scene { allowed, burners: HashMap::new(), topology, held: None }
    }

    /// A number for the scene of a trial: equal for trials that may be under way together.
    pub(super) fn number(command: &Command, trial: &Trial) -> u64 {
        let clock = u64::from(command.condition.frequency_khz.unwrap_or(0)) << 32;
        let Background::Burner { beside, percent } = command.condition.background else { return clock };
        let cpu = match beside {
            Beside::All => 0,
            Beside::Same | Beside::Other => {
                trial.setup.cpus.as_ref().and_then(CpuSet::first).map_or(0, |cpu| u64::from(cpu.0) + 1)
            }
        };
        clock | cpu << 16 | (beside as u64 + 1) << 8 | u64::from(percent)
    }

    /// Makes the scene of a trial.
    pub(super) fn enter(&mut self, command: &Command, trial: &Trial) -> Result<(), Failure> {
        self.burners.values().for_each(Generator::rest);
        self.hold_clock(command.condition.frequency_khz)?;
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
        for cpu in cpus.iter() {
            self.burner(cpu, percent)?.work();
        }
        std::thread::sleep(SETTLE);
        Ok(())
    }

    /// The burner of a CPU and a share, started when it is first needed.
    fn burner(&mut self, cpu: Cpu, percent: u8) -> Result<&Generator, Failure> {
        Ok(match self.burners.entry((cpu, percent)) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(free) => {
                let order = disturb::order(LoadKind::Integer, Rhythm::Share(percent), cpu, &self.topology);
                free.insert(Generator::start(&disturb::program(), order)?)
            }
        })
    }
}

impl Scene {
    /// Holds the clock of all CPUs at a frequency, or lets it go. The journal of `tune` puts it back whatever happens.
    fn hold_clock(&mut self, khz: Option<u32>) -> Result<(), Failure> {
        if self.held.as_ref().map(|(khz, _)| *khz) == khz {
            return Ok(());
        }
        // The earlier frequency goes first: its lower end would stand above the next one's upper end.
        if let Some((_, tuned)) = self.held.take() {
            tuned.restore()?;
        }
        let Some(khz) = khz else { return Ok(()) };
        let words = [format!("min-freq={khz}"), format!("max-freq={khz}")];
        let argv = ["sweep".to_owned(), format!("frequency={khz}")];
        let tuning = Tuning {
            root: Root::new(Path::new("/")),
            journal: fauxplat_tuning::default_journal(),
            settings: fauxplat_tuning::settings(&words)?,
            command: false,
            machine_wide: true,
            all_or_nothing: true,
            wait: false,
            replace: false,
            max: None,
            argv: &argv,
            guardian_verb: crate::GUARDIAN_VERB,
        };
        let tuned = tuning.apply()?;
        let holds = |outcome| matches!(outcome, KnobOutcome::Changed | KnobOutcome::Already);
        let refused = tuned.changes.iter().find(|change| !holds(change.outcome));
        if let Some(change) = refused {
            let why = change.reason.as_deref().unwrap_or("refused");
            return Err(Failure::machine(format!("frequency={khz}: {}: {why}", change.target)));
        }
        self.held = Some((khz, tuned));
        std::thread::sleep(SETTLE);
        Ok(())
    }
}

/// The one CPU on which a trial runs, if it is known.
fn one_cpu(trial: &Trial) -> Option<CpuSet> {
    trial.setup.cpus.clone().filter(|cpus| cpus.len() == 1 && !trial.setup.idle)
}
