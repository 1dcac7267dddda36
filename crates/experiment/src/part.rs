//! A part of an experiment, and the progress of the whole experiment.

use crate::steer::Standing;

/// A part of an experiment that consists of several, such as a session.
#[derive(Clone, Debug)]
pub(crate) struct ExperimentPart {
    /// Number of the part, from 0.
    pub(crate) number: u32,
    pub(crate) of: u32,
    pub(crate) words: String,
}

impl ExperimentPart {
    /// Progress of the whole experiment when this part has the progress `standing`.
    pub(crate) fn of_whole(&self, standing: &Standing) -> Standing {
        let share = (f64::from(self.number) + standing.share.clamp(0.0, 1.0)) / f64::from(self.of.max(1));
        Standing { share, words: self.words.clone(), blocks: standing.blocks }
    }
}
