//! A child process that waits before its first instruction, so that counters, control groups and the like can be
//! attached.

use std::fmt::Debug;

pub trait Gatekeeper: Debug {
    /// Lets the child execute its program.
    fn open(&mut self);

    /// Ends the child, and discards the reply to the request that created it.
    fn shut(&mut self);
}

/// A child whose condition is applied and whose program has not begun. Dropping the value without [`Held::begin`] ends
/// the child.
#[derive(Debug)]
pub struct Held<'a> {
    pid: i32,
    gatekeeper: Option<&'a mut dyn Gatekeeper>,
}

impl<'a> Held<'a> {
    pub fn new(pid: i32, gatekeeper: &'a mut dyn Gatekeeper) -> Self {
        Held { pid, gatekeeper: Some(gatekeeper) }
    }

    /// Process id of the child, which does not change when its program is executed.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Starts the program. The launcher then delivers the run's reply like that of any other run.
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
