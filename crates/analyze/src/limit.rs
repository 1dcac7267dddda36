//! Shares of CPU time of control groups that ran at the same time.

use fauxplat_model::CpuShare;
use fauxplat_stats::bootstrap::bca_interval;
use fauxplat_stats::winsor::winsorised_mean;

/// A reading while all groups run: the seconds since they began, and the CPU time of each group since then in
/// nanoseconds.
pub type CpuStanding = (f64, Vec<u64>);

/// Maximum number of slices into which the time is divided, and minimum number from which an interval is computed.
const SLICES_MAX: usize = 40;
const SLICES_MIN: usize = 8;
/// Minimum length of a slice in seconds; a shorter one would contain few turns of the scheduler.
const SLICE_S: f64 = 0.1;
/// Error level of the intervals, which are of 95 %.
const LEVEL: f64 = 0.05;

/// The share of each group in the CPU time of all groups, with its interval from slices of the time; `None` for a group
/// if no CPU time was used.
pub fn shares(standings: &[CpuStanding], seed: u64) -> Vec<Option<CpuShare>> {
    let groups = standings.first().map_or(0, |(_, used)| used.len());
    let (Some(first), Some(last)) = (standings.first(), standings.last()) else { return Vec::new() };
    let slices = slices(standings);
    (0..groups)
        .map(|group| {
            let all = part(first, last, group)?;
            let parts: Vec<f64> =
                slices.windows(2).filter_map(|ends| part(ends[0], ends[1], group)).collect();
            let interval = (parts.len() >= SLICES_MIN).then(|| bca_interval(&parts, LEVEL, seed)).flatten();
            // The time after the last whole slice is left out: a group may have ended in it.
            let share = interval.map_or(all, |_| winsorised_mean(&parts));
            let (low, high) = interval.unzip();
            Some(CpuShare { share, low, high, slices: parts.len() })
        })
        .collect()
}

/// The readings at which slices of about equal length begin and end.
fn slices(standings: &[CpuStanding]) -> Vec<&CpuStanding> {
    let (Some(first), Some(last)) = (standings.first(), standings.last()) else { return Vec::new() };
    let length_s = ((last.0 - first.0) / SLICES_MAX as f64).max(SLICE_S);
    let mut ends = vec![first];
    let mut until_s = first.0 + length_s;
    for standing in standings {
        if standing.0 >= until_s {
            ends.push(standing);
            until_s = standing.0 + length_s;
        }
    }
    ends
}

/// Share of a group in the CPU time that all groups used between two moments; `None` if none was used.
fn part(from: &CpuStanding, to: &CpuStanding, group: usize) -> Option<f64> {
    let used = |at: usize| to.1[at].saturating_sub(from.1[at]) as f64;
    let all: f64 = (0..to.1.len()).map(used).sum();
    (all > 0.0).then(|| used(group) / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CPU times, read every 20 ms, of two groups, of which the first uses `first_of_ten` tenths of the CPU time at
    /// each step.
    fn course(seconds: f64, first_of_ten: impl Fn(usize) -> u64) -> Vec<CpuStanding> {
        let mut used = vec![0, 0];
        (0..=(seconds * 50.0) as usize)
            .map(|look| {
                let standing = (look as f64 * 0.02, used.clone());
                used[0] += first_of_ten(look) * 2_000_000;
                used[1] += (10 - first_of_ten(look)) * 2_000_000;
                standing
            })
            .collect()
    }

    #[test]
    fn shares_are_of_what_all_used() {
        let told = shares(&course(20.0, |look| if look % 2 == 0 { 8 } else { 7 }), 1);
        let [Some(high), Some(low)] = told.as_slice() else { panic!("{told:?}") };
        assert!((high.share - 0.75).abs() < 0.001 && (high.share + low.share - 1.0).abs() < 1e-12);
        assert!(high.low.unwrap() <= 0.751 && high.high.unwrap() >= 0.749, "{high:?}");
        assert!(high.slices >= 30 && high.low.unwrap() <= high.share && high.share <= high.high.unwrap());
    }

    #[test]
    fn the_interval_tells_how_unsteady_they_were() {
        let width = |steady: bool| {
            let told = shares(&course(20.0, |look| if steady || look / 25 % 2 == 0 { 9 } else { 5 }), 1);
            let share = told[0].unwrap();
            share.high.unwrap() - share.low.unwrap()
        };
        assert!(width(false) > 10.0 * width(true).max(0.001), "{} {}", width(false), width(true));
    }

    /// The intervals of many random courses contain the true share about as often as promised.
    #[test]
    fn the_interval_is_one_of_95_per_cent() {
        let mut state = 1u64;
        let mut coin = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 63 == 1
        };
        let held = (0..100).filter(|seed| {
            let draws: Vec<bool> = (0..=1000).map(|_| coin()).collect();
            let told = shares(&course(20.0, |look| if draws[look] { 9 } else { 5 }), *seed)[0].unwrap();
            (told.low.unwrap()..=told.high.unwrap()).contains(&0.7)
        });
        let held = held.count();
        assert!((86..=100).contains(&held), "{held} of 100");
    }

    #[test]
    fn too_short_a_time_has_no_interval_and_no_time_no_share() {
        let short = shares(&course(0.3, |_| 5), 1)[0].unwrap();
        assert_eq!((short.share, short.low, short.high), (0.5, None, None));
        assert_eq!(shares(&[(0.0, vec![5]), (1.0, vec![5])], 1), [None]);
        assert!(shares(&[], 1).is_empty());
    }
}
