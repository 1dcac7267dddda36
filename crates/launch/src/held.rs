//! A child that exists and has not begun: for counters, groups and whatever else must be attached before its first
//! instruction.

use std::fmt::Debug;

/// Whoever holds a child and can let it go.
pub trait Gatekeeper: Debug {
    /// Lets the child through to its program.
    fn open(&mut self);

    /// Ends the child, and takes the reply to a run that never began.
    fn shut(&mut self);
}

/// A child whose condition holds already and whose program has not begun. Dropped without [`Held::begin`], it ends.
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

    /// Its process id, which stays the program's.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// Lets it begin. The reply comes as that of any other run.
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
