//! What stands around the runs of an experiment: a tuned machine, loads, control groups, a held clock, built programs.
//!
//! Every verb has them by the same words. What stands for the whole experiment is made at its beginning; what belongs to
//! some of its runs is a [`Scene`], made while nothing is under way. All of it is taken away when this is dropped,
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

/// What stands around the runs of an experiment.
#[derive(Debug, Default)]
pub struct Surroundings {
    /// The machine as it was changed; put back when this is dropped.
    pub(crate) tuned: Option<Tuned>,
    /// The loads that are held beside all of it.
    pub(crate) loads: Option<Loads>,
    /// What the user has run after the whole.
    pub(crate) cleanup: around::Cleanup,
    /// The groups of commands with limits, and the one of our own workers.
    pub(crate) groups: Groups,
    pub(crate) own_group: Option<OwnGroup>,
    /// What builds the programs.
    programs: Option<ProgramBuilds>,
    /// Whether each block gets a layout of its own from now on.
    draws_layouts: bool,
    scenes: Option<Scenes>,
}

impl Surroundings {
    /// The programs that are built, if any are.
    pub fn programs(&self) -> Option<&ProgramBuilds> {
        self.programs.as_ref()
    }

    /// What the loads did so far.
    pub fn load_accounts(&self) -> Vec<fauxplat_model::LoadAccount> {
        self.loads.as_ref().map(Loads::accounts).unwrap_or_default()
    }

    /// Why, when none of the loads works any more.
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

    /// Gives each block a layout of its own from now on, where blocks draw them; whether they do.
    pub fn draw_layouts(&mut self) -> bool {
        self.draws_layouts = self.programs.as_ref().is_some_and(ProgramBuilds::redraws);
        self.draws_layouts
    }

    /// What a verdict is about.
    pub fn scope(&self) -> Scope {
        match &self.programs {
            Some(programs) if self.draws_layouts => programs.scope(),
            _ => Scope::Binaries,
        }
    }

    /// Takes the programs away: which layouts were measured, and what a reader must know of them.
    pub fn close_programs(&mut self) -> (Vec<fauxplat_model::Variant>, Vec<String>) {
        self.programs.take().map(ProgramBuilds::close).unwrap_or_default()
    }

    /// What must stand around a trial.
    pub(crate) fn scene(&self, command: &Command, trial: &Trial) -> Scene {
        Scene::of(command, trial).with_layout(self.draws_layouts.then_some(trial.block))
    }

    /// Makes the scene of a trial. The layout of a block is built before its first run, so that no build ever runs
    /// beside a measured one.
    pub(crate) fn enter(
        &mut self,
        machine: &Machine,
        command: &Command,
        trial: &Trial,
    ) -> Result<(), Failure> {
        if let Some(programs) = self.programs.as_mut().filter(|_| self.draws_layouts) {
            match programs.draw(trial.block) {
                // The executor is about to see it too, and ends the experiment as interrupted.
                Err(_) if signal::stop_requested() => return Ok(()),
                drawn => drawn?,
            }
        }
        if Scene::of(command, trial) == Scene::default() && self.scenes.is_none() {
            return Ok(());
        }
        self.scenes.get_or_insert_with(|| Scenes::new(machine)).enter(command, trial)
    }

    /// Puts our own workers under the limit of a condition; what a reader must know of it.
    pub(crate) fn limit_ourselves(&mut self, limit: &Limit) -> Result<Vec<String>, Failure> {
        if limit.is_none() {
            return Ok(Vec::new());
        }
        let group = self.own_group.insert(OwnGroup::enter(limit)?);
        Ok(group.notes())
    }
}

/// Refuses what a condition states and workers of our own cannot have: it would be recorded and not hold.
///
/// # Errors
/// The first statement of this kind.
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
            "{what}: this verb measures threads of fauxplat itself, which it cannot hold for; leave it out"
        ))),
    }
}
