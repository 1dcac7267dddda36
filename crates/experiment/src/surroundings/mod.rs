//! Surroundings of the runs of an experiment: a tuned machine, loads, control groups, a fixed clock frequency, built
//! programs.
//!
//! Every verb has the same options for these surroundings. Those of the whole experiment are set up at its beginning.
//! Surroundings of single runs form a `Scene`, which is set up while no run is under way. Everything is undone on drop,
//! however the experiment ends.

pub(crate) mod around;
pub mod duet;
pub(crate) mod folders;
mod groups;
pub mod loads;
pub mod programs;
mod scenes;
mod scope_unit;
pub mod tuning;

use fauxplat_load::Loads;
use fauxplat_model::{Command, Condition, Limit, Scope, Trial};
use fauxplat_sys::signal;
use fauxplat_tuning::Tuned;

pub(crate) use groups::Groups;
pub use groups::OwnGroup;
pub use programs::ProgramBuilds;
pub(crate) use scenes::{Scene, Scenes};
pub(crate) use scope_unit::with_groups;

use crate::{Failure, Machine};

#[derive(Debug, Default)]
pub struct Surroundings {
    /// Settings of the machine that were changed, and are restored on drop.
    pub(crate) tuned: Option<Tuned>,
    pub(crate) loads: Option<Loads>,
    /// The user's shell lines to run at the end.
    pub(crate) cleanup: around::Cleanup,
    pub(crate) groups: Groups,
    pub(crate) own_group: Option<OwnGroup>,
    programs: Option<ProgramBuilds>,
    /// Whether a new layout of the programs is drawn for each block from now on.
    draws_layouts: bool,
    scenes: Option<Scenes>,
}

impl Surroundings {
    pub fn programs(&self) -> Option<&ProgramBuilds> {
        self.programs.as_ref()
    }

    pub fn load_accounts(&self) -> Vec<fauxplat_model::LoadAccount> {
        self.loads.as_ref().map(Loads::accounts).unwrap_or_default()
    }

    /// The reason why all loads have ended; `None` if some still work.
    pub(crate) fn loads_are_over(&self) -> Option<String> {
        self.loads.as_ref().and_then(Loads::all_over)
    }

    pub(crate) fn new(
        tuned: Option<Tuned>,
        cleanup: around::Cleanup,
        programs: Option<ProgramBuilds>,
    ) -> Self {
        Surroundings { tuned, cleanup, programs, ..Surroundings::default() }
    }

    /// Lets a layout of the programs be drawn for each block from now on, if the builds support that; returns whether
    /// they do.
    pub fn draw_layouts(&mut self) -> bool {
        self.draws_layouts = self.programs.as_ref().is_some_and(ProgramBuilds::redraws);
        self.draws_layouts
    }

    pub fn scope(&self) -> Scope {
        match &self.programs {
            Some(programs) if self.draws_layouts => programs.scope(),
            _ => Scope::Binaries,
        }
    }

    /// Ends the use of the built programs; returns the measured layouts, and warnings for the report.
    pub fn close_programs(&mut self) -> (Vec<fauxplat_model::Variant>, Vec<String>) {
        self.programs.take().map(ProgramBuilds::close).unwrap_or_default()
    }

    pub(crate) fn scene(&self, command: &Command, trial: &Trial) -> Scene {
        Scene::of(command, trial).with_layout(self.draws_layouts.then_some(trial.block))
    }

    /// Sets up the surroundings of a trial. The layout of a block is built before its first run, so that no build
    /// overlaps with a measured run.
    pub(crate) fn enter(
        &mut self,
        machine: &Machine,
        command: &Command,
        trial: &Trial,
    ) -> Result<(), Failure> {
        if let Some(programs) = self.programs.as_mut().filter(|_| self.draws_layouts) {
            match programs.draw(trial.block) {
                // The executor will see the user's request to stop too, and end the experiment as interrupted.
                Err(_) if signal::stop_requested() => return Ok(()),
                drawn => drawn?,
            }
        }
        if Scene::of(command, trial) == Scene::default() && self.scenes.is_none() {
            return Ok(());
        }
        self.scenes.get_or_insert_with(|| Scenes::new(machine)).enter(command, trial)
    }

    /// Puts the threads of fauxplat under the limit of a condition; returns notes about the limit for the report.
    pub(crate) fn limit_ourselves(&mut self, limit: &Limit) -> Result<Vec<String>, Failure> {
        if limit.is_none() {
            return Ok(Vec::new());
        }
        let group = self.own_group.insert(OwnGroup::enter(limit)?);
        Ok(group.notes())
    }
}

/// Refuses conditions that threads of fauxplat cannot have, since they would be recorded without being true.
///
/// # Errors
/// Fails for the first such condition.
pub(crate) fn refuse_for_workers(condition: &Condition) -> Result<(), Failure> {
    let usual = Condition::default();
    let refused = [
        ("background", condition.background != usual.background),
        ("frequency", condition.frequency_khz.is_some()),
        ("huge pages", condition.huge_pages != usual.huge_pages),
        ("memory policy", condition.memory_policy != usual.memory_policy),
        ("places of threads", condition.pin_threads != usual.pin_threads),
        ("stack limit", condition.stack_limit != usual.stack_limit),
        ("timeout", condition.timeout.is_some()),
    ];
    match refused.into_iter().find(|(_, stated)| *stated) {
        None => Ok(()),
        Some((what, _)) => Err(Failure::usage(format!(
            "{what}: this verb measures threads of fauxplat itself, to which this setting cannot apply; leave it out"
        ))),
    }
}
