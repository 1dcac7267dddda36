//! Carry-over: the effect of a run on the next one, as a report shows it.

use fauxplat_model::{CarryOver, RatioInterval, RiseSource};
use fauxplat_stats::paired::path::Keys;
use fauxplat_stats::paired::rises::Source;
use fauxplat_stats::paired::rows::Rows;
use fauxplat_stats::paired::shift::Shift;
use fauxplat_stats::paired::{Question, Sorted};

use crate::contest::Contest;
use crate::paths::Paths;
use crate::standing::{Standing, bounded};

/// Returns log ratios B over A as the look at the data of `standing` saw them, with intervals: of runs that follow a
/// run of their own command, of runs that follow the other command, and the difference of the two, which is the
/// carry-over. The error level of the carry-over is separate from that of the verdict. `None` unless blocks run each
/// command twice in a row.
pub(crate) fn carry_over(contest: &Contest, rows: &Rows, standing: &Standing) -> Option<CarryOver> {
    let (series, design) = (&contest.series, &contest.design);
    if !series.is_twice() || standing.n == 0 {
        return None;
    }
    let n = standing.n;
    let looked: Vec<u32> = series.looked.iter().copied().filter(|&look| look as usize <= n).collect();
    let spent = design.spent(standing.level, &looked, true);
    let keys = |n: usize| Keys::of(rows, &Sorted::new(&series.carried[..n]), 0.0, Question::Typical);
    let crossed = Paths::default().crossed(&looked, &spent, keys);
    let interval = |values: &[f64]| {
        let sorted = Sorted::new(values);
        let shift = Shift::new(&sorted, Question::Typical);
        let (low, high) = shift.interval(crossed.critical, &[0.0]);
        RatioInterval {
            ratio: shift.estimate().clamp(low, high).exp(),
            low_ratio: bounded(low).exp(),
            high_ratio: bounded(high).exp(),
        }
    };
    let another: Vec<f64> = series.after_itself[..n]
        .iter()
        .zip(&series.carried[..n])
        .map(|(own, carried)| own - carried)
        .collect();
    let carried = interval(&series.carried[..n]);
    let source = series.view(n).parting();
    let is_left = source.is_none_or(|source| source == Source::Another);
    let is_beyond = carried.low_ratio.ln() > 0.0 || carried.high_ratio.ln() < 0.0;
    Some(CarryOver {
        after_itself: interval(&series.after_itself[..n]),
        after_another: interval(&another),
        carried,
        is_shown: (crossed.up || crossed.down) && is_beyond && is_left,
        decides: standing.parted && is_left,
        source: source.map(|source| match source {
            Source::Another => RiseSource::AnotherCommand,
            Source::Itself => RiseSource::Itself,
            Source::Unclear => RiseSource::Unclear,
        }),
    })
}
