//! Surroundings of single runs outside of their processes: load beside them, the clock frequency of their CPUs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use fauxplat_load::{Generator, LoadError, Rhythm};
use fauxplat_model::{Background, Beside, Command, KnobOutcome, LoadKind, Topology, Trial};
use fauxplat_tuning::{Root, Tuned, Tuning};
use fauxplat_units::{Cpu, CpuSet};

use super::loads;
use crate::hidden::GUARDIAN_VERB;
use crate::{Failure, Machine};

/// Background load and clock frequency during a run, and the layout of built programs. Only runs with equal scenes may
/// be under way together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scene {
    background: Background,
    /// CPU of the run, if its background load depends on that CPU; otherwise `None`.
    cpu: Option<Cpu>,
    frequency_khz: Option<u32>,
    /// Block for which the layout of the built programs was drawn; `None` if no layouts are drawn.
    layout: Option<u32>,
}

impl Scene {
    /// The scene of a trial, without the layout of built programs.
    pub(super) fn of(command: &Command, trial: &Trial) -> Self {
        let condition = &command.condition;
        let is_beside_it =
            matches!(condition.background, Background::Burner { beside: Beside::Same | Beside::Other, .. });
        let cpu = trial.setup.cpus.as_ref().and_then(CpuSet::first).filter(|_| is_beside_it);
        Scene { background: condition.background, cpu, frequency_khz: condition.frequency_khz, layout: None }
    }

    pub(super) fn with_layout(self, layout: Option<u32>) -> Self {
        Scene { layout, ..self }
    }
}

/// The background load and the clock frequency that are set up at present.
#[derive(Debug)]
pub(crate) struct Scenes {
    allowed: CpuSet,
    /// Every burner (a process that loads one CPU) started so far, by its CPU and its share of the CPU's time in per
    /// cent. Burners that are not needed now are paused, since starting one takes time.
    burners: HashMap<(Cpu, u8), Generator>,
    topology: Topology,
    held: Option<(u32, Tuned)>,
}

/// Pause after starting a burner. The burner computes at once, but the scheduler needs a moment to move the tasks that
/// it displaces.
const SETTLE: std::time::Duration = std::time::Duration::from_millis(2);

impl Scenes {
    pub(super) fn new(machine: &Machine) -> Self {
        let (allowed, topology) = (machine.allowed().clone(), machine.topology().clone());
        Scenes { allowed, burners: HashMap::new(), topology, held: None }
    }

    /// Sets up the background load and the clock frequency of a trial.
    pub(super) fn enter(&mut self, command: &Command, trial: &Trial) -> Result<(), Failure> {
        self.burners.values().for_each(Generator::rest);
        self.hold_clock(command.condition.frequency_khz)?;
        let background = command.condition.background;
        let Background::Burner { beside, percent } = background else { return Ok(()) };
        let cpus: CpuSet = match beside {
            Beside::All => self.allowed.clone(),
            Beside::Same => one_cpu(background, trial)?,
            Beside::Other => self.allowed.without(&one_cpu(background, trial)?).iter().take(1).collect(),
        };
        for cpu in cpus.iter() {
            match self.burner(cpu, percent) {
                // The executor will see the user's request to stop too, and end the experiment as interrupted.
                Err(LoadError::Interrupted) => return Ok(()),
                burner => burner?.work(),
            }
        }
        std::thread::sleep(SETTLE);
        Ok(())
    }

    fn burner(&mut self, cpu: Cpu, percent: u8) -> Result<&Generator, LoadError> {
        Ok(match self.burners.entry((cpu, percent)) {
            Entry::Occupied(there) => there.into_mut(),
            Entry::Vacant(free) => {
                let order = loads::order(LoadKind::Integer, Rhythm::Share(percent), cpu, &self.topology);
                free.insert(Generator::start(&loads::program(), order)?)
            }
        })
    }

    /// Fixes the clock of all CPUs at a frequency in kHz; `None` releases the clock. The journal of `tune` ensures that
    /// the former settings are restored.
    fn hold_clock(&mut self, khz: Option<u32>) -> Result<(), Failure> {
        if self.held.as_ref().map(|(khz, _)| *khz) == khz {
            return Ok(());
        }
        // The earlier frequency is released first, since its lower bound may be above the upper bound of the next one.
        if let Some((_, tuned)) = self.held.take() {
            tuned.restore()?;
        }
        if let Some(khz) = khz {
            self.held = held_at(khz)?.map(|tuned| (khz, tuned));
            std::thread::sleep(SETTLE);
        }
        Ok(())
    }
}

/// Fixes the clock of all CPUs at a frequency. Returns `None` if the user stopped fauxplat meanwhile; the executor will
/// see the request too, and end the experiment as interrupted.
fn held_at(khz: u32) -> Result<Option<Tuned>, Failure> {
    let words = [format!("min-freq={khz}"), format!("max-freq={khz}")];
    let argv = ["frequency".to_owned(), khz.to_string()];
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
        guardian_verb: GUARDIAN_VERB,
    };
    // The message names the frequency, since the user does not know the settings (knobs) that fix it.
    let tuned = match tuning.apply() {
        Err(error) if error.is_stopped() => return Ok(None),
        applied => applied.map_err(|error| Failure::from(error).within(&format!("frequency {khz} kHz")))?,
    };
    let holds = |outcome| matches!(outcome, KnobOutcome::Changed | KnobOutcome::Already);
    match tuned.changes.iter().find(|change| !holds(change.outcome)) {
        None => Ok(Some(tuned)),
        Some(change) => {
            let why = change.reason.as_deref().unwrap_or("refused");
            Err(Failure::machine(format!("frequency={khz}: {}: {why}", change.target)))
        }
    }
}

fn one_cpu(background: Background, trial: &Trial) -> Result<CpuSet, Failure> {
    let known = trial.setup.cpus.clone().filter(|cpus| cpus.len() == 1 && !trial.setup.idle);
    known.ok_or_else(|| {
        Failure::usage(format!(
            "background={background}: it is not known on which CPU the command runs; say --cpu N"
        ))
    })
}
