//! Questions about typical runs, as the paths of a series answer them.

use fauxplat_stats::paired::path::{Crossed, Keys};
use fauxplat_stats::paired::rows::Rows;
use fauxplat_stats::paired::{Question, Sorted};

use crate::paths::Paths;
use crate::series::Series;

/// A question about typical runs, put to the paths of a series at its looks.
///
/// If the differences after themselves alone answer, their own paths have to cross as well. The paths of the whole
/// rule, where most series do not part, give no bound for programs with carry-over.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) series: &'a Series,
    pub(crate) rows: &'a Rows,
    pub(crate) looked: &'a [u32],
    /// Cumulative probability per side at each look.
    pub(crate) spent: &'a [f64],
    pub(crate) question: Question,
    /// Whether the differences after themselves alone answer at the last look.
    pub(crate) is_parted: bool,
}

impl Asked<'_> {
    /// State of the observed path about a point. `paths` has the looks that have been computed.
    pub(crate) fn crossed(&self, paths: &mut Paths, theta: f64) -> Crossed {
        let crossed =
            paths.crossed(self.looked, self.spent, self.series.keys(self.rows, theta, self.question));
        match self.is_parted {
            true => crossed.and(Paths::default().crossed(self.looked, self.spent, self.own(theta))),
            false => crossed,
        }
    }

    /// Whether the observed path about a point crosses to a side.
    pub(crate) fn crosses(&self, paths: &mut Paths, theta: f64, side: fn(Crossed) -> bool) -> bool {
        let keys = self.series.keys(self.rows, theta, self.question);
        paths.crosses(self.looked, self.spent, side, keys)
            && (!self.is_parted || Paths::default().crosses(self.looked, self.spent, side, self.own(theta)))
    }

    fn own(&self, theta: f64) -> impl Fn(usize) -> Keys {
        move |n| Keys::of(self.rows, &Sorted::new(&self.series.after_itself[..n]), theta, self.question)
    }
}
