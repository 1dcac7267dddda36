//! Estimates how many clusters (blocks) a comparison would take until its verdict.

use fauxplat_stats::paired::looks;

use crate::design::Design;
use crate::estimate::plain_z;
use crate::series::TYPICAL_SHARE;
use crate::standing::Standing;

/// Number of clusters after which the comparison would probably be decided: enough to make the interval narrower than
/// the larger of the distances from the estimate to zero and to the margin, and at least [`clusters_least`]. `None` if
/// no number is enough, if first and second runs or the halves of the session contradict each other, or if the interval
/// excludes zero already and the sign-flip test does not, since its decision cannot be predicted from the interval.
pub(crate) fn clusters_needed(standing: &Standing, design: &Design, level: f64) -> Option<usize> {
    let z = if standing.critical.is_finite() { standing.critical } else { plain_z(level) };
    let distance = standing.estimate.abs().max(design.margin - standing.estimate.abs());
    let plain = standing.se.powi(2) * standing.n as f64;
    let allowed = (distance / z).powi(2);
    let reachable = allowed > 0.0 && plain.is_finite();
    let least = if design.anytime { 0 } else { clusters_least(level).max(first_look()) };
    let lacks_test = (standing.low > 0.0 || standing.high < 0.0) && standing.n >= least;
    (reachable && !standing.is_in_doubt && !standing.is_withheld() && !lacks_test)
        .then(|| ((plain / allowed).ceil() as usize).max(standing.n + 1).max(least))
}

/// Minimum number of clusters with which a difference can be shown at an error level: the sign pattern in which all
/// signs agree must be rare enough.
pub(crate) fn clusters_least(level: f64) -> usize {
    (2.0 / (TYPICAL_SHARE * level)).log2().ceil() as usize
}

/// Number of clusters at the first look at the data, if the limit is not below it.
fn first_look() -> usize {
    looks(u32::MAX)[0] as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use fauxplat_model::Rule;
    use fauxplat_stats::paired::Question;

    #[test]
    fn no_fewer_clusters_are_named_than_can_decide() {
        let design = Design::new(&Rule::default(), 0.01, 1, 6, Question::Typical);
        let clear = Standing { estimate: 0.7, se: 0.01, ..Standing::open(3) };
        assert_eq!(clusters_needed(&clear, &design, 0.01), Some(10));
        // The smallest number of clusters is 17: 2^-17 is the first power of two below half of 0.8 of 0.002 %.
        assert_eq!((clusters_least(0.01), clusters_needed(&clear, &design, 2e-5)), (8, Some(17)));
        let in_doubt = Standing { is_in_doubt: true, ..clear };
        assert_eq!(clusters_needed(&in_doubt, &design, 0.01), None);
        for withheld in
            [Standing { halves: Some([0.0, 0.1]), ..clear }, Standing { tail_halves: Some([12, 1]), ..clear }]
        {
            assert_eq!(clusters_needed(&withheld, &design, 0.01), None, "more pairs mend no halves");
        }
        let untested = Standing { n: 40, low: 0.06, high: 0.45, ..clear };
        assert_eq!(clusters_needed(&untested, &design, 0.01), None);
        let tested_late = Standing { n: 3, ..untested };
        assert_eq!(clusters_needed(&tested_late, &design, 0.01), Some(10));
        let anytime = Design { anytime: true, ..design };
        assert_eq!(clusters_needed(&clear, &anytime, 0.01), Some(4));
    }
}
