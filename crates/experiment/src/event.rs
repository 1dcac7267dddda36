//! Events of an experiment in progress. Listeners may be a terminal, a file or another program, none of which is known
//! here.

use std::cell::RefCell;

use fauxplat_model::document::{Header, Record};
use fauxplat_model::{Command, Evidence, Sample};
use serde_json::Value;

use crate::Standing;

/// An event of an experiment.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Everything is ready for the first run.
    Begun {
        /// The verb.
        kind: &'static str,
        /// Header of the record.
        header: &'a Header,
        /// Commands to run; empty for verbs that measure threads of fauxplat.
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
    Held {
        /// Index of the command.
        command: u16,
        /// Process id.
        pid: i32,
    },
    /// A warning about something that may spoil the result.
    Warning(&'a str),
    /// The experiment has ended.
    Finished {
        /// State at the end, in the words of the store.
        state: &'static str,
        /// The whole record.
        record: &'a Record<'a>,
    },
}

/// Receiver of events.
pub trait Listener {
    /// Called for each event.
    fn hear(&mut self, event: &Event<'_>);
}

/// All receivers of an experiment's events.
#[derive(Default)]
pub struct Listeners(RefCell<Vec<Box<dyn Listener>>>);

impl std::fmt::Debug for Listeners {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} listeners", self.0.borrow().len())
    }
}

impl Listeners {
    /// Adds a listener.
    pub fn add(&mut self, listener: impl Listener + 'static) {
        self.0.get_mut().push(Box::new(listener));
    }

    /// Whether there is no listener.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Passes an event to all listeners.
    pub fn tell(&self, event: &Event<'_>) {
        self.0.borrow_mut().iter_mut().for_each(|listener| listener.hear(event));
    }
}
