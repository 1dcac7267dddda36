//! Arithmetic of recordings with known latencies: percentiles, missed activations, and merging.

use fauxplat_latency::{Channel, LatencyError, LatencyTest, Percentiles, Recording};
use fauxplat_model::Policy;
use fauxplat_units::Cpu;
use proptest::prelude::*;

fn of(latencies_ns: impl IntoIterator<Item = u64>) -> Recording {
    let mut recording = Recording::default();
    latencies_ns.into_iter().for_each(|late_ns| recording.record(late_ns));
    recording
}

/// Whether a reported percentile is the true value, or up to two thousandths more.
fn is_near(told_ns: u64, true_ns: u64) -> bool {
    told_ns >= true_ns && told_ns <= true_ns + true_ns / 500 + 1
}

fn test_of(recording: &Recording, lost_share: Option<f64>) -> LatencyTest {
    LatencyTest {
        name: "timer".into(),
        policy: Policy::Other,
        cpu: Cpu(3),
        peer: None,
        lines: None,
        interval_ns: Some(1_000_000),
        slack_ns: None,
        count: recording.count(),
        missed: recording.missed,
        raw: recording.raw(),
        corrected: recording.corrected(),
        causes: recording.causes(),
        lost_share,
        wall_ns: recording.wall_ns,
    }
}

#[test]
fn percentiles_are_those_of_the_sorted_latencies() {
    let seen = of((1..=100_000).rev().map(|number| number * 10)).raw();
    for (told_ns, true_ns) in [
        (Some(seen.p50_ns), 500_000),
        (seen.p90_ns, 900_000),
        (seen.p99_ns, 990_000),
        (seen.p999_ns, 999_000),
        (seen.p9999_ns, 999_900),
        (seen.p99999_ns, 999_990),
    ] {
        assert!(told_ns.is_some_and(|told_ns| is_near(told_ns, true_ns)), "{told_ns:?} for {true_ns}");
    }
    for interval in &seen.intervals {
        let true_ns = (interval.percentile * 10_000.0) as u64;
        let (low, high) = (interval.low_ns.unwrap(), interval.high_ns.unwrap_or(u64::MAX));
        // The bins of a histogram are a thousandth wide.
        let bin_ns = true_ns / 1000;
        let holds = low <= true_ns + bin_ns && true_ns <= high.saturating_add(bin_ns);
        assert!(holds && low >= true_ns - true_ns / 50, "{interval:?}");
    }
    assert!(seen.min_ns <= 10 && is_near(seen.max_ns, 1_000_000));
    assert!((seen.mean_ns - 500_005.0).abs() < 500.0, "{}", seen.mean_ns);
}

#[test]
fn percentiles_rise_and_end_at_the_maximum() {
    for latencies in [vec![], vec![7], vec![1, 1, 1, 9_000_000], vec![5_000, 4_000, 3_000_000_000, 2]] {
        let Percentiles { min_ns, p50_ns, p90_ns, p99_ns, p999_ns, p9999_ns, p99999_ns, max_ns, .. } =
            of(latencies).raw();
        assert_eq!([p90_ns, p99_ns, p999_ns, p9999_ns, p99999_ns], [None; 5], "four carry none of these");
        let rising = [min_ns, p50_ns, max_ns];
        assert!(rising.is_sorted(), "{rising:?}");
    }
    let Percentiles { p90_ns, p99_ns, p999_ns, max_ns, intervals, .. } = of(1..=600).raw();
    assert!(
        p90_ns < p99_ns && p99_ns < Some(max_ns) && p999_ns.is_none(),
        "{p90_ns:?} {p99_ns:?} {p999_ns:?}"
    );
    assert_eq!(intervals.iter().map(|it| it.percentile).collect::<Vec<_>>(), [50.0, 90.0, 99.0]);
    assert_eq!((of([]).raw().max_ns, of([]).count()), (0, 0));
}

#[test]
fn latencies_out_of_bounds_are_kept_at_the_bounds() {
    let seen = of([0, u64::MAX]);
    assert_eq!(seen.count(), 2);
    let raw = seen.raw();
    assert!(raw.min_ns <= 1 && raw.max_ns >= 3_600_000_000_000, "{} {}", raw.min_ns, raw.max_ns);
}

#[test]
fn a_stall_of_n_periods_is_n_missed_activations() {
    const PERIOD_NS: u64 = 1_000;
    for periods in 0..50 {
        let mut recording = Recording::default();
        let missed = recording.record_periodic(periods * PERIOD_NS + 17, PERIOD_NS);
        assert_eq!((missed, recording.missed, recording.count()), (periods, periods, 1));
        let corrected = recording.corrected();
        let counted: u64 = corrected.histogram.iter().map(|bin| bin.1).sum();
        assert_eq!(counted, periods + 1, "every activation has a latency");
        assert!(corrected.min_ns <= 17 && corrected.max_ns == recording.raw().max_ns);
    }
    let mut zero = Recording::default();
    assert_eq!(zero.record_periodic(5, 0), 5, "a period of nothing counts as one nanosecond");
}

#[test]
fn merging_is_recording_everything_at_once_in_any_order() {
    let latencies: Vec<u64> = (0..3000).map(|number| 50 + number * number % 70_001).collect();
    let parts: Vec<Recording> = latencies.chunks(777).map(|part| of(part.iter().copied())).collect();
    let merged = |order: &mut dyn Iterator<Item = &Recording>| {
        let mut whole = Recording::default();
        order.for_each(|part| whole.merge(part));
        whole
    };
    let whole = of(latencies);
    for one in [merged(&mut parts.iter()), merged(&mut parts.iter().rev())] {
        assert_eq!(
            (one.count(), one.raw(), one.corrected()),
            (whole.count(), whole.raw(), whole.corrected())
        );
    }
    let mut same = whole.clone();
    same.merge(&Recording::default());
    assert_eq!(same.raw(), whole.raw(), "nothing added is nothing changed");
}

#[test]
fn times_and_causes_add_up_and_the_most_expensive_comes_first() {
    let mut one = Recording::default();
    (one.wall_ns, one.lost_ns, one.missed) = (100, 30, 2);
    one.blame("interrupt LOC", 10);
    one.blame("another task", 20);
    let mut two = Recording::default();
    (two.wall_ns, two.lost_ns, two.missed) = (50, 40, 1);
    two.blame("interrupt LOC", 40);
    one.merge(&two);
    assert_eq!((one.wall_ns, one.lost_ns, one.missed), (150, 70, 3));
    let causes: Vec<(String, u64, u64)> =
        one.causes().into_iter().map(|cause| (cause.cause, cause.count, cause.total_ns)).collect();
    assert_eq!(causes, [("interrupt LOC".to_owned(), 2, 50), ("another task".to_owned(), 1, 20)]);
}

#[test]
fn a_document_restores_what_was_lost_and_goes_on_from_there() {
    let mut recording = of([9, 90, 900]);
    (recording.wall_ns, recording.lost_ns) = (1_000_000, 250_000);
    recording.blame("steal", 250_000);
    let mut restored = Recording::restore(&test_of(&recording, Some(0.25))).unwrap();
    assert_eq!((restored.lost_ns, restored.wall_ns, restored.count()), (250_000, 1_000_000, 3));
    restored.merge(&recording);
    assert_eq!((restored.lost_ns, restored.causes()[0].total_ns), (500_000, 500_000));
    let mut broken = test_of(&recording, None);
    broken.corrected.hdr.truncate(5);
    let refusal = Recording::restore(&broken).unwrap_err();
    assert!(matches!(refusal, LatencyError::Histogram { .. }) && !refusal.is_permission());
    assert!(refusal.to_string().contains("timer"), "{refusal}");
}

#[test]
fn one_channel_alone_keeps_its_receiver_at_work() {
    let spinning: Vec<Channel> = Channel::ALL.into_iter().filter(|channel| channel.spins()).collect();
    assert_eq!(spinning, [Channel::Line]);
    let refusal = "smoke".parse::<Channel>().unwrap_err();
    assert!(Channel::ALL.iter().all(|channel| refusal.contains(channel.name())), "{refusal}");
}

/// Reference for `record_periodic`: a recording of one stall in which the served activation and each missed one are
/// recorded singly.
fn missed_one_by_one(late_ns: u64, interval_ns: u64) -> Recording {
    of((0..=late_ns / interval_ns).map(|period| late_ns - period * interval_ns))
}

#[test]
fn a_stall_of_an_hour_of_short_periods_is_taken_note_of_at_once() {
    for (late_ns, interval_ns) in [(3_600_000_000_000, 100), (u64::MAX >> 1, 1), (u64::MAX >> 1, 0)] {
        let mut recording = Recording::default();
        let missed = recording.record_periodic(late_ns, interval_ns);
        assert_eq!((missed, recording.missed), (late_ns / interval_ns.max(1), missed));
        let counted: u64 = recording.corrected().histogram.iter().map(|bin| bin.1).sum();
        assert_eq!(counted, missed + 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_missed_is_recorded_as_if_one_by_one(late_ns in 0u64..20_000_000, interval_ns in 1_000u64..300_000) {
        let mut recording = Recording::default();
        let missed = recording.record_periodic(late_ns, interval_ns);
        let by_hand = missed_one_by_one(late_ns, interval_ns);
        prop_assert_eq!(missed + 1, by_hand.count());
        let bins = |recording: &Recording, which: usize| recording.bins()[which].clone();
        prop_assert_eq!(bins(&recording, 1), bins(&by_hand, 0));
    }

    /// All activations are accounted for: the served and the missed ones are exactly those that came due.
    #[test]
    fn activations_are_conserved(lates in proptest::collection::vec(0u64..50_000_000, 0..60), interval_ns in 10_000u64..5_000_000) {
        let mut recording = Recording::default();
        for &late_ns in &lates {
            recording.record_periodic(late_ns, interval_ns);
        }
        let count = |bins: &(Vec<u64>, Vec<u64>)| bins.1.iter().sum::<u64>();
        let [seen, corrected] = recording.bins();
        prop_assert_eq!(count(&seen), lates.len() as u64);
        prop_assert_eq!(count(&corrected), recording.count() + recording.missed);
        prop_assert!(seen.0.is_sorted() && corrected.0.is_sorted());
        prop_assert_eq!(recording.raw().max_ns, recording.corrected().max_ns, "a stall is no later than it was");
        // Slices of any length give the same result.
        let mut whole = Recording::default();
        for slice in lates.chunks(7) {
            let mut one = Recording::default();
            for &late_ns in slice {
                one.record_periodic(late_ns, interval_ns);
            }
            whole.merge(&one);
        }
        prop_assert_eq!((whole.raw(), whole.corrected(), whole.missed), (recording.raw(), recording.corrected(), recording.missed));
    }

    #[test]
    fn percentiles_are_within_a_thousandth_of_the_sorted_latencies(mut lates in proptest::collection::vec(1u64..1_000_000_000, 1..400)) {
        let seen = of(lates.iter().copied()).raw();
        lates.sort_unstable();
        let told = [(Some(seen.p50_ns), 0.5), (seen.p90_ns, 0.9), (seen.p99_ns, 0.99), (Some(seen.max_ns), 1.0)];
        for (told_ns, share) in told {
            // The percentile is absent where there are fewer than 1 / (1 − share) latencies.
            let Some(told_ns) = told_ns else {
                prop_assert!((lates.len() as f64) * (1.0 - share) < 1.0, "{share} of {}", lates.len());
                continue;
            };
            let rank = (lates.len() as f64 * share).ceil() as usize;
            let true_ns = lates[rank.clamp(1, lates.len()) - 1];
            prop_assert!(is_near(told_ns, true_ns), "{told_ns} for {true_ns} at {share} of {}", lates.len());
        }
    }

    #[test]
    fn whatever_was_recorded_comes_back_from_its_document(lates in proptest::collection::vec(0u64..1 << 45, 0..100), interval_ns in 1_000_000u64..1 << 40) {
        let mut recording = Recording::default();
        for &late_ns in &lates {
            recording.record_periodic(late_ns, interval_ns);
        }
        let restored = Recording::restore(&test_of(&recording, None)).unwrap();
        prop_assert_eq!((restored.raw(), restored.corrected()), (recording.raw(), recording.corrected()));
        prop_assert_eq!((restored.count(), restored.missed), (recording.count(), recording.missed));
    }

    #[test]
    fn a_damaged_histogram_is_refused_or_read(at in 0usize..200, byte in any::<u8>()) {
        let mut test = test_of(&of([5, 50, 5_000_000]), None);
        let mut bytes = test.raw.hdr.clone().into_bytes();
        let place = at % bytes.len();
        bytes[place] = byte;
        test.raw.hdr = String::from_utf8_lossy(&bytes).into_owned();
        if let Err(refusal) = Recording::restore(&test) {
            prop_assert!(refusal.to_string().contains("timer"), "{refusal}");
        }
    }
}
