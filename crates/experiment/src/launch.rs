//! Chooses the launcher of an experiment.

use std::rc::Rc;

use fauxplat_launch::{LaunchError, Launcher, Program, Spawner, Table};
use fauxplat_model::Command;

use crate::extra::Extra;
use crate::hidden::SPAWNER_VERB;
use crate::{Executor, Failure};

/// Function that starts a launcher for a table of programs: a spawner, or a simulated launcher on a described machine.
#[derive(Clone)]
pub struct Launch(Rc<Start>);

type Start = dyn Fn(Table) -> Result<Box<dyn Launcher>, LaunchError>;

impl Launch {
    pub fn by(start: impl Fn(Table) -> Result<Box<dyn Launcher>, LaunchError> + 'static) -> Self {
        Launch(Rc::new(start))
    }

    /// Starts programs by a spawner, a process of this binary.
    pub fn spawner() -> Self {
        let program = Program::this_binary(SPAWNER_VERB);
        Launch::by(move |table| Ok(Box::new(Spawner::start(&program, table)?)))
    }

    pub(crate) fn executor(&self, commands: &[Command], extra: &Extra) -> Result<Executor, Failure> {
        Ok(Executor::new(|table| (self.0)(table), commands, extra)?)
    }
}

impl std::fmt::Debug for Launch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Launch")
    }
}
