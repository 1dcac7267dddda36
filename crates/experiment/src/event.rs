//! What an experiment tells while it goes on. Nothing here knows who listens: a terminal, a file, another program.

use std::cell::RefCell;

use fauxplat_model::document::{Header, Record};
use fauxplat_model::{Command, Evidence, Sample};
use serde_json::Value;

use crate::Standing;

/// Something that happened to an experiment.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Everything is ready for the first run.
    Begun {
        /// The verb.
        kind: &'static str,
        /// About the experiment.
        header: &'a Header,
        /// What is run; empty where the workers are our own.
        commands: &'a [Command],
    },
    /// How the trials that follow are drawn.
    Plan(&'a Value),
    /// Samples landed and were stored.
    Samples(&'a [Sample]),
    /// Evidence that is no run landed and was stored.
    Evidence(&'a Evidence),
    /// How far the work has come; after every landing of samples.
    Progress(&'a Standing),
    /// The process of a run exists, its condition holds, and its program has not begun.
    Held {
        /// Index of the command.
        command: u16,
        /// The process.
        pid: i32,
    },
    /// Something that may spoil the result.
    Warning(&'a str),
    /// It is over, and this was found.
    Finished {
        /// How it ended, as the store says it.
        state: &'static str,
        /// All of it.
        record: &'a Record<'a>,
    },
}

/// Whoever wants to know.
pub trait Listener {
    /// Hears of an event.
    fn hear(&mut self, event: &Event<'_>);
}

/// Everybody who listens to an experiment.
#[derive(Default)]
pub struct Listeners(RefCell<Vec<Box<dyn Listener>>>);

impl std::fmt::Debug for Listeners {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} listeners", self.0.borrow().len())
    }
}

impl Listeners {
    /// One more.
    pub fn add(&mut self, listener: impl Listener + 'static) {
        self.0.get_mut().push(Box::new(listener));
    }

    /// Whether nobody listens.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Tells all of them.
    pub fn tell(&self, event: &Event<'_>) {
        self.0.borrow_mut().iter_mut().for_each(|listener| listener.hear(event));
    }
}
