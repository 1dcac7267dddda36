//! Events of an experiment in progress, which the driver passes to listeners: a terminal, a file or another program,
//! which this module need not know.

use std::cell::RefCell;

use fauxplat_model::document::{Header, Record};
use fauxplat_model::{Command, Evidence, Sample};
use serde_json::Value;

use crate::Standing;

#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The record has been opened, and the first run is about to begin.
    Begun {
        kind: &'static str,
        header: &'a Header,
        /// Commands that are run; empty for verbs that measure threads of fauxplat itself.
        commands: &'a [Command],
    },
    /// The plan from which the following trials are drawn.
    Plan(&'a Value),
    /// Samples of runs, which have been stored.
    Samples(&'a [Sample]),
    /// A piece of evidence other than a run, which has been stored.
    Evidence(&'a Evidence),
    /// Progress, after samples have been stored.
    Progress(&'a Standing),
    /// The process of a held run exists, its condition is applied, and its program has not begun.
    Held { command: u16, pid: i32 },
    /// A warning about something that may spoil the result.
    Warning(&'a str),
    /// The experiment has ended, and its findings are known.
    Finished {
        /// State of the experiment at its end, as the store names it: `finished`, `stopped` or `failed`.
        state: &'static str,
        record: &'a Record<'a>,
    },
}

pub trait Listener {
    fn hear(&mut self, event: &Event<'_>);
}

#[derive(Default)]
pub struct Listeners(RefCell<Vec<Box<dyn Listener>>>);

impl std::fmt::Debug for Listeners {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} listeners", self.0.borrow().len())
    }
}

impl Listeners {
    pub fn add(&mut self, listener: impl Listener + 'static) {
        self.0.get_mut().push(Box::new(listener));
    }

    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    pub fn tell(&self, event: &Event<'_>) {
        self.0.borrow_mut().iter_mut().for_each(|listener| listener.hear(event));
    }
}
