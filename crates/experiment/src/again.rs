//! Repeats runs during which fauxplat and the measured programs were stopped by Ctrl-Z.

use std::collections::VecDeque;

use fauxplat_launch::Reply;
use fauxplat_model::Trial;

/// Trials whose runs are to be repeated. Blocks stay whole and in order: as long as a trial waits here, every reply
/// belongs to a run requested after it and is discarded too, and no new run is requested.
#[derive(Debug, Default)]
pub(crate) struct Again(VecDeque<Trial>);

impl Again {
    /// Whether the reply is to be discarded and its run repeated.
    pub(crate) fn spoils(&self, reply: &Reply) -> bool {
        reply.paused || self.is_due()
    }

    pub(crate) fn is_due(&self) -> bool {
        !self.0.is_empty()
    }

    pub(crate) fn push(&mut self, trial: Trial) {
        self.0.push_back(trial);
    }

    /// Moves the trials to the front of the queue, once no run is under way.
    pub(crate) fn put_before(&mut self, queue: &mut VecDeque<Trial>) {
        while let Some(trial) = self.0.pop_back() {
            queue.push_front(trial);
        }
    }
}
