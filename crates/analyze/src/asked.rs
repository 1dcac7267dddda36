//! Tests of typical runs that are exact over all looks at the data (interim analyses) so far.

use fauxplat_stats::paired::path::{Crossed, Keys};
use fauxplat_stats::paired::rows::Rows;
use fauxplat_stats::paired::{Question, Sorted};

use crate::paths::Paths;
use crate::series::Series;

/// A test of a question about typical runs by sign flips, at all looks at the data so far. A path is the course of the
/// test statistic over the looks for one choice of signs.
///
/// With `is_parted`, the test of the differences after a run of the same command alone has to reject as well. The test
/// of all differences is not enough for programs with carry-over, since it includes sign patterns for which no
/// carry-over is detected.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) series: &'a Series,
    pub(crate) rows: &'a Rows,
    pub(crate) looked: &'a [u32],
    /// Cumulative error probability that may be spent per side up to each look at the data.
    pub(crate) spent: &'a [f64],
    pub(crate) question: Question,
    /// Whether, at the last look at the data, only differences of runs that follow a run of their own command decide.
    pub(crate) is_parted: bool,
}

impl Asked<'_> {
    /// Returns on which sides the observed path crosses the critical value, if the true log ratio is `theta`. `paths`
    /// caches the looks at the data that have been computed.
    pub(crate) fn crossed(&self, paths: &mut Paths, theta: f64) -> Crossed {
        let crossed =
            paths.crossed(self.looked, self.spent, self.series.keys(self.rows, theta, self.question));
        match self.is_parted {
            true => crossed.and(Paths::default().crossed(self.looked, self.spent, self.own(theta))),
            false => crossed,
        }
    }

    /// Returns whether the observed path, if the true log ratio is `theta`, crosses on the side that `side` picks.
    pub(crate) fn crosses(&self, paths: &mut Paths, theta: f64, side: fn(Crossed) -> bool) -> bool {
        let keys = self.series.keys(self.rows, theta, self.question);
        paths.crosses(self.looked, self.spent, side, keys)
            && (!self.is_parted || Paths::default().crosses(self.looked, self.spent, side, self.own(theta)))
    }

    fn own(&self, theta: f64) -> impl Fn(usize) -> Keys {
        move |n| Keys::of(self.rows, &Sorted::new(&self.series.after_itself[..n]), theta, self.question)
    }
}
