//! A part of an experiment, and where the whole stands with it.

use crate::steer::Standing;

/// A part of an experiment that is steered several times.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Its number, from 0, and how many there are.
    pub(crate) number: u32,
    pub(crate) of: u32,
    /// What it is.
    pub(crate) words: String,
}

impl Part {
    /// Where the whole stands when a part stands like this.
    pub(crate) fn of_whole(&self, standing: &Standing) -> Standing {
        let share = (f64::from(self.number) + standing.share.clamp(0.0, 1.0)) / f64::from(self.of.max(1));
        Standing { share, words: self.words.clone(), blocks: standing.blocks }
    }
}
