//! Runs that are made again, since fauxplat was stopped by Ctrl-Z while they ran, and they with it.

use std::collections::VecDeque;

use fauxplat_launch::Reply;
use fauxplat_model::Trial;

/// Runs that were no measurement. Blocks stay whole and in their order: as long as one waits here, whatever lands was asked
/// for behind it and goes with it, and nothing new is begun.
#[derive(Debug, Default)]
pub(crate) struct Again(VecDeque<Trial>);

impl Again {
    /// Whether what this reply tells of is no measurement.
    pub(crate) fn spoils(&self, reply: &Reply) -> bool {
        reply.paused || self.is_due()
    }

    /// Whether there is a run to be made again.
    pub(crate) fn is_due(&self) -> bool {
        !self.0.is_empty()
    }

    /// Makes this one again.
    pub(crate) fn push(&mut self, trial: Trial) {
        self.0.push_back(trial);
    }

    /// Puts them where they are asked for next. Nothing else is under way.
    pub(crate) fn put_before(&mut self, queue: &mut VecDeque<Trial>) {
        while let Some(trial) = self.0.pop_back() {
            queue.push_front(trial);
        }
    }
}
