//! Events of an experiment in progress. Listeners may be a terminal, a file or another program, which this module need
//! not know.

use std::cell::RefCell;

use fauxplat_model::document::{Header, Record};
use fauxplat_model::{Command, Evidence, Sample};
use serde_json::Value;

use crate::Standing;

#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Everything is ready for the first run.
    Begun {
        kind: &'static str,
        header: &'a Header,
        /// Empty for verbs that measure threads of fauxplat.
        commands: &'a [Command],
    },
    /// Description of how the following trials are drawn.
    Plan(&'a Value),
    /// Samples have been stored.
    Samples(&'a [Sample]),
    /// Evidence other than a run has been stored.
    Evidence(&'a Evidence),
    /// Progress, after samples have been stored.
    Progress(&'a Standing),
    /// The process of a held run exists, its condition is applied, and its program has not begun.
    Held { command: u16, pid: i32 },
    /// A warning about something that may spoil the result.
    Warning(&'a str),
    /// The experiment has ended.
    Finished {
        /// State at the end, in the words of the store.
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
