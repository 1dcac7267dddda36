//! Distance of two CPUs, by the time of a round trip of a cache line whenever their workers run together (a meeting),
//! since the host may move virtual CPUs between meetings.

use fauxplat_model::ShiftSample;
use fauxplat_stats::order::median_interval;

use super::CONFIDENCE;

/// Minimum factor between the round trips at two distances. A round trip between two caches takes three times as long
/// as one within a cache, while another thread on one of the cores does not even double it.
const STEP: f64 = 2.2;
/// Minimum number of measured round trips at each of two distances.
const MEETINGS_MIN: usize = 3;
/// Minimum share of the round trips at the smaller of two distances for labelling the pair by it; otherwise the larger
/// distance labels the pair.
const NEAR_SHARE_MIN: f64 = 0.1;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Distance {
    pub(super) round_trip_ns: f64,
    /// Interval of `round_trip_ns`, a median, by order statistics; `None` if there are too few meetings.
    pub(super) interval_ns: Option<[f64; 2]>,
    pub(super) elsewhere: Option<Elsewhere>,
}

/// Meetings at a distance other than the one that labels the pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Elsewhere {
    pub(super) round_trip_ns: f64,
    pub(super) interval_ns: Option<[f64; 2]>,
    pub(super) share: f64,
    /// Round trip that separates the two distances.
    limit_ns: f64,
}

impl Distance {
    /// Computes the distance from all shifts of the two workers together; `None` if no round trip was measured.
    pub(super) fn of<'s>(together: impl Iterator<Item = &'s ShiftSample>) -> Option<Self> {
        let mut trips: Vec<u64> = together.flat_map(|sample| sample.round_trips_ns).flatten().collect();
        trips.sort_unstable();
        let median = |trips: &[u64]| trips.get(trips.len() / 2).map(|&ns| ns as f64);
        let all = median(&trips)?;
        let Some(split) = split(&trips) else {
            return Some(Distance { round_trip_ns: all, interval_ns: interval(&trips), elsewhere: None });
        };
        let limit_ns = (trips[split - 1] as f64 * trips[split] as f64).sqrt();
        let (near, far) = trips.split_at(split);
        let is_near = near.len() as f64 >= trips.len() as f64 * NEAR_SHARE_MIN;
        let (judged, other) = if is_near { (near, far) } else { (far, near) };
        let share = other.len() as f64 / trips.len() as f64;
        let elsewhere =
            Elsewhere { round_trip_ns: median(other)?, interval_ns: interval(other), share, limit_ns };
        Some(Distance {
            round_trip_ns: median(judged)?,
            interval_ns: interval(judged),
            elsewhere: Some(elsewhere),
        })
    }

    /// Whether the two workers were at the labelling distance both at the beginning and at the end of a shift.
    pub(super) fn counts(&self, together: &ShiftSample) -> bool {
        let Some(elsewhere) = self.elsewhere else { return true };
        let is_near = self.round_trip_ns < elsewhere.limit_ns;
        let at_it = |trip: Option<u64>| trip.is_some_and(|ns| ((ns as f64) < elsewhere.limit_ns) == is_near);
        together.round_trips_ns.into_iter().all(at_it)
    }

    /// Sentence such as `a round trip of a cache line takes 0.20 µs (0.19 … 0.21)`.
    pub(super) fn told(&self) -> String {
        let us = |ns: f64, interval_ns: Option<[f64; 2]>| {
            let ends = interval_ns.map_or_else(
                || "–".to_owned(),
                |[low, high]| format!("{:.2} … {:.2}", low / 1e3, high / 1e3),
            );
            format!("{:.2} µs ({ends})", ns / 1e3)
        };
        let here = format!("a round trip of a cache line takes {}", us(self.round_trip_ns, self.interval_ns));
        self.elsewhere.map_or(here.clone(), |other| {
            let (share, there) = (other.share * 100.0, us(other.round_trip_ns, other.interval_ns));
            format!("{here}, and {there} in {share:.0} % of meetings, which do not count: the host moves these CPUs")
        })
    }
}

fn interval(rising: &[u64]) -> Option<[f64; 2]> {
    median_interval(rising, CONFIDENCE).map(|ends| ends.map(|ns| ns as f64))
}

/// Index after the widest step between successive times; `None` if that step is too narrow to separate two distances.
fn split(sorted: &[u64]) -> Option<usize> {
    let last = sorted.len().checked_sub(MEETINGS_MIN)?;
    let step = |at: usize| sorted[at] as f64 / sorted[at - 1].max(1) as f64;
    let widest = (MEETINGS_MIN..=last).max_by(|&a, &b| step(a).total_cmp(&step(b)))?;
    (step(widest) >= STEP).then_some(widest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meetings(trips: &[u64]) -> Vec<ShiftSample> {
        let met = |&ns: &u64| ShiftSample { round_trips_ns: [Some(ns), Some(ns)], ..ShiftSample::default() };
        trips.iter().map(met).collect()
    }

    #[test]
    fn one_distance_is_one_whatever_single_meetings_took() {
        let samples = meetings(&[190, 200, 205, 210, 190, 4000]);
        let distance = Distance::of(samples.iter()).unwrap();
        assert_eq!(distance.elsewhere, None);
        assert!(samples.iter().all(|sample| distance.counts(sample)));
        // With six trips, each twice, the ranks 3 and 10 bound the median (Conover 1999, table A3: n = 12).
        assert_eq!(distance.interval_ns, Some([190.0, 210.0]));
        assert_eq!(distance.told(), "a round trip of a cache line takes 0.20 µs (0.19 … 0.21)");
        assert_eq!(
            Distance::of(meetings(&[200, 200]).iter()).unwrap().told(),
            "a round trip of a cache line takes 0.20 µs (–)"
        );
        assert_eq!(Distance::of(meetings(&[]).iter()), None);
    }

    #[test]
    fn of_two_distances_the_nearer_one_is_judged_if_it_is_there_often_enough() {
        let samples = meetings(&[190, 650, 205, 660, 190, 700, 640, 210]);
        let distance = Distance::of(samples.iter()).unwrap();
        let counted: Vec<bool> = samples.iter().map(|sample| distance.counts(sample)).collect();
        assert_eq!(counted, [true, false, true, false, true, false, false, true]);
        assert_eq!(distance.elsewhere.unwrap().share, 0.5);
        assert!(distance.told().contains("0.66 µs (0.64 … 0.70) in 50 % of meetings"), "{}", distance.told());
        // A shift during which the CPUs were moved belongs to neither distance.
        let moved = ShiftSample { round_trips_ns: [Some(190), Some(650)], ..ShiftSample::default() };
        assert!(!distance.counts(&moved));

        let mostly_far: Vec<u64> = (0..60).map(|n| if n < 4 { 200 } else { 650 + n }).collect();
        let samples = meetings(&mostly_far);
        let distance = Distance::of(samples.iter()).unwrap();
        assert!(
            distance.round_trip_ns > 600.0 && !distance.counts(&samples[0]) && distance.counts(&samples[9])
        );
    }
}
