//! Runs that are made again, since fauxplat was stopped by Ctrl-Z while they ran, and they with it.

use std::collections::VecDeque;

use fauxplat_launch::Reply;
use fauxplat_model::Trial;

/// Runs that were no measurement. Their order is that of the plan, so those go with them that were asked for behind them.
#[derive(Debug, Default)]
pub(crate) struct Again {
    trials: VecDeque<Trial>,
    /// How many of the replies to come were asked for behind one that is made again.
    behind: usize,
}

impl Again {
    /// Whether what this reply tells of is no measurement, where so many others are under way behind it.
    pub(crate) fn is_spoilt(&mut self, reply: &Reply, under_way: usize) -> bool {
        let is_behind = self.behind > 0;
        self.behind = if reply.paused { under_way } else { self.behind.saturating_sub(1) };
        is_behind || reply.paused
    }

    /// Makes this one again.
    pub(crate) fn push(&mut self, trial: Trial) {
        self.trials.push_back(trial);
    }

    /// Puts them where they are asked for next.
    pub(crate) fn put_before(&mut self, queue: &mut VecDeque<Trial>) {
        while let Some(trial) = self.trials.pop_back() {
            queue.push_front(trial);
        }
    }
}
