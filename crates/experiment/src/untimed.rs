//! Runs that are no trials: held while a tool attaches, or traced for their process tree. They are prepared and
//! concluded like trials, and not timed.

use fauxplat_launch::{LaunchError, Request, RunEnd};
use fauxplat_model::{Outcome, Process, Setup};

use crate::request::{numbered_request, outcome_of, request_of};
use crate::{Executor, Failure, RunError};

impl Executor {
    /// Runs a command once, and calls `attach` with its process id while the process exists and its program has not
    /// begun. The run is no sample. Returns `None` if the user stopped the run.
    ///
    /// # Errors
    /// Fails if the command cannot be launched or its `prepare` failed. An error of `attach` ends the run and is
    /// returned.
    pub fn hold(
        &mut self,
        command: u16,
        setup: &Setup,
        attach: impl FnOnce(i32) -> Result<(), Failure>,
    ) -> Result<Option<Outcome>, Failure> {
        self.commands[usize::from(command)].begun += 1;
        self.prepare(command)?;
        let outcome = self.run_held(command, setup, attach);
        // `conclude` is run in any case, so that prepared resources are not left behind.
        let concluded = self.conclude(command);
        let outcome = outcome?;
        concluded?;
        Ok(outcome)
    }

    fn run_held(
        &mut self,
        command: u16,
        setup: &Setup,
        attach: impl FnOnce(i32) -> Result<(), Failure>,
    ) -> Result<Option<Outcome>, Failure> {
        let (entry, request) = self.untimed_request(command, setup);
        match self.launcher.hold(request) {
            Err(LaunchError::Stopped) => return Ok(None),
            held => {
                let held = held?;
                attach(held.pid())?;
                held.begin();
            }
        }
        let reply = self.launcher.next_reply()?;
        match self.launcher.start_error(entry, reply.end) {
            Some(error) => Err(error.into()),
            None => Ok((reply.end != RunEnd::Aborted).then(|| outcome_of(reply.end))),
        }
    }

    /// Index of the command in the launcher's table, and a request for an untimed run with the number of the command's
    /// latest run.
    fn untimed_request(&self, command: u16, setup: &Setup) -> (u32, Request) {
        let places = &self.commands[usize::from(command)];
        (places.run, Request { number: places.number(), ..request_of(places.run, setup, 0) })
    }

    pub(crate) fn begun(&self, command: u16) -> u32 {
        self.commands[usize::from(command)].begun
    }

    /// Resets the numbers of the runs of all commands, so that untimed runs before the first trial do not count.
    pub(crate) fn begin_anew(&mut self) {
        self.commands.iter_mut().for_each(|places| places.begun = 0);
    }

    /// Process tree of one untimed, traced run of a command; `None` if the user stopped the run.
    ///
    /// # Errors
    /// Fails if the command cannot be launched, or its `prepare` failed.
    pub fn tree(&mut self, command: u16, setup: &Setup) -> Result<Option<Vec<Process>>, Failure> {
        self.commands[usize::from(command)].begun += 1;
        self.prepare(command)?;
        let tree = self.run_traced(command, setup);
        let concluded = self.conclude(command);
        let tree = tree?;
        concluded?;
        Ok(tree)
    }

    fn run_traced(&mut self, command: u16, setup: &Setup) -> Result<Option<Vec<Process>>, LaunchError> {
        let (entry, request) = self.untimed_request(command, setup);
        let reply = self.launcher.answer(Request { traced: true, ..request })?;
        match self.launcher.start_error(entry, reply.end) {
            Some(error) => Err(error),
            // After a request to stop, the launcher's tree is incomplete or belongs to an earlier command.
            None => Ok((reply.end != RunEnd::Aborted).then(|| self.launcher.tree())),
        }
    }

    /// Runs the helper `prepare` before an untimed run, if the command has one. If the user stops it, the following run
    /// is stopped, too.
    ///
    /// # Errors
    /// Fails if `prepare` cannot be launched, or failed.
    pub(crate) fn prepare(&mut self, command: u16) -> Result<(), Failure> {
        let role = "prepare";
        let Some(entry) = self.helper(role, command) else { return Ok(()) };
        let number = self.commands[usize::from(command)].number();
        let reply = self.launcher.answer(numbered_request(entry, number))?;
        if let Some(error) = self.launcher.start_error(entry, reply.end) {
            return Err(error.into());
        }
        let outcome = outcome_of(reply.end);
        match outcome.is_success() || reply.end == RunEnd::Aborted {
            true => Ok(()),
            false => {
                let (command, status) =
                    (self.commands[usize::from(command)].name.clone(), outcome.exit_status());
                Err(RunError::<Failure>::Helper { role, command, status }.into())
            }
        }
    }
}
