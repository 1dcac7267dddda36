//! A part of an experiment, and the progress of the whole.

use crate::steer::Standing;

/// A part of an experiment that is steered in several parts.
#[derive(Clone, Debug)]
pub(crate) struct ExperimentPart {
    /// Number of the part, from 0.
    pub(crate) number: u32,
    pub(crate) of: u32,
    pub(crate) words: String,
}

impl ExperimentPart {
    /// Progress of the whole experiment for this progress of the part.
    pub(crate) fn of_whole(&self, standing: &Standing) -> Standing {
        let share = (f64::from(self.number) + standing.share.clamp(0.0, 1.0)) / f64::from(self.of.max(1));
        Standing { share, words: self.words.clone(), blocks: standing.blocks }
    }
}
