//! A child process that waits before its first instruction, so that counters, control groups and the like can be
//! attached.

use std::fmt::Debug;

/// Owner of the gate at which a held child waits.
pub trait Gatekeeper: Debug {
    /// Lets the child through to its program.
    fn open(&mut self);

    /// Ends the child, and discards the reply about a run that never began.
    fn shut(&mut self);
}

/// A child whose condition is applied and whose program has not begun. Dropping it without [`Held::begin`] ends the
/// child.
#[derive(Debug)]
pub struct Held<'a> {
    pid: i32,
    gatekeeper: Option<&'a mut dyn Gatekeeper>,
}

impl<'a> Held<'a> {
    /// A child that waits at a gate.
    pub fn new(pid: i32, gatekeeper: &'a mut dyn Gatekeeper) -> Self {
        Held { pid, gatekeeper: Some(gatekeeper) }
    }

    /// Process id of the child, which the program keeps.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Starts the program. The reply comes like that of any other run.
    pub fn begin(mut self) {
        if let Some(gatekeeper) = self.gatekeeper.take() {
            gatekeeper.open();
        }
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(gatekeeper) = self.gatekeeper.take() {
            gatekeeper.shut();
        }
    }
}
