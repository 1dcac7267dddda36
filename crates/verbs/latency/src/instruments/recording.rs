//! Histograms of latencies with and without missed activations, and the causes of gaps.

use std::collections::BTreeMap;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use fauxplat_stats::order::{quantile_ranks, readings_for};
use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};

use crate::LatencyError;
use crate::findings::{LatencyCause, LatencyTest, PercentileInterval, Percentiles};

/// Latencies as they were recorded, and as an observer that is never stalled would have recorded them.
#[derive(Clone, Debug)]
pub struct Recording {
    raw: Histogram<u64>,
    corrected: Histogram<u64>,
    /// Activations that came due while the test was stalled.
    pub missed: u64,
    /// Wall time, in nanoseconds, over which the test ran.
    pub wall_ns: u64,
    /// Total time of gaps in the noise test, in nanoseconds; 0 in other tests.
    pub lost_ns: u64,
    causes: BTreeMap<String, (u64, u64)>,
}

/// Greatest latency that is recorded, an hour; later activations are recorded with this value.
const LATEST_NS: u64 = 3_600_000_000_000;
/// Precision of recorded values in decimal digits.
const DIGITS: u8 = 3;

impl Default for Recording {
    fn default() -> Self {
        let histogram =
            || Histogram::new_with_bounds(1, LATEST_NS, DIGITS).expect("the bounds are constants");
        Recording {
            raw: histogram(),
            corrected: histogram(),
            missed: 0,
            wall_ns: 0,
            lost_ns: 0,
            causes: BTreeMap::new(),
        }
    }
}

impl Recording {
    /// Restores the recording of a test from a document, to be merged with others.
    ///
    /// # Errors
    /// Fails where a histogram is missing, damaged, or has other bounds than the histograms of a new recording.
    pub fn restore(test: &LatencyTest) -> Result<Self, LatencyError> {
        let read = |hdr: &str| {
            decode(hdr).map_err(|reason| LatencyError::Histogram { test: test.name.clone(), reason })
        };
        let lost_ns = test.lost_share.map_or(0.0, |share| share * test.wall_ns as f64);
        Ok(Recording {
            raw: read(&test.raw.hdr)?,
            corrected: read(&test.corrected.hdr)?,
            missed: test.missed,
            wall_ns: test.wall_ns,
            lost_ns: lost_ns.round() as u64,
            causes: test.causes.iter().map(|it| (it.cause.clone(), (it.count, it.total_ns))).collect(),
        })
    }

    /// Puts the figures of this recording into a test, in place of earlier ones.
    pub fn fill(&self, test: &mut LatencyTest) {
        test.count = self.count();
        test.missed = self.missed;
        test.raw = self.raw();
        test.corrected = self.corrected();
        test.causes = self.causes();
        test.lost_share = test.lost_share.map(|_| self.lost_ns as f64 / self.wall_ns.max(1) as f64);
        test.wall_ns = self.wall_ns;
    }

    /// Records an activation of a test without a period.
    pub fn record(&mut self, late_ns: u64) {
        self.raw.saturating_record(late_ns.max(1));
        self.corrected.saturating_record(late_ns.max(1));
    }

    /// Records an activation of a periodic test: activations that came due before it was served are missed, and each
    /// was late by the rest of the stall. Returns the number of missed activations.
    pub fn record_periodic(&mut self, late_ns: u64, interval_ns: u64) -> u64 {
        self.record(late_ns);
        let interval_ns = interval_ns.max(1);
        let missed = late_ns / interval_ns;
        let mut period = 1;
        while period <= missed {
            // Latencies in one bin are recorded at once: a stall of seconds contains millions of short periods, and
            // recording each would cause the next stall.
            let late_ns = (late_ns - period * interval_ns).max(1);
            let lowest_ns = self.corrected.lowest_equivalent(late_ns.min(LATEST_NS));
            let alike = ((late_ns - lowest_ns) / interval_ns + 1).min(missed - period + 1);
            self.corrected.saturating_record_n(late_ns, alike);
            period += alike;
        }
        self.missed += missed;
        missed
    }

    /// Records lost activations, of which only the number is known, with the latency of an activation served after
    /// them.
    pub fn record_lost(&mut self, activations: u64, late_ns: u64) {
        self.corrected.saturating_record_n(late_ns.max(1), activations);
        self.missed += activations;
    }

    /// Counts a gap, and adds its length, under the name of its cause.
    pub fn blame(&mut self, cause: &str, gap_ns: u64) {
        let (count, total_ns) = self.causes.entry(cause.to_owned()).or_default();
        *count += 1;
        *total_ns += gap_ns;
    }

    /// Adds the recording of another slice of the same test.
    pub fn merge(&mut self, other: &Recording) {
        // All recordings have the same bounds, so every value fits.
        let added = self.raw.add(&other.raw).and_then(|()| self.corrected.add(&other.corrected));
        debug_assert!(added.is_ok());
        // A merged recording may be from an untrusted document, whose figures are of any size.
        self.missed = self.missed.saturating_add(other.missed);
        self.wall_ns = self.wall_ns.saturating_add(other.wall_ns);
        self.lost_ns = self.lost_ns.saturating_add(other.lost_ns);
        for (cause, (count, total_ns)) in &other.causes {
            let ours = self.causes.entry(cause.clone()).or_default();
            *ours = (ours.0.saturating_add(*count), ours.1.saturating_add(*total_ns));
        }
    }

    /// Number of activations that were served.
    pub fn count(&self) -> u64 {
        self.raw.len()
    }

    /// Percentiles of the served activations.
    pub fn raw(&self) -> Percentiles {
        percentiles(&self.raw)
    }

    /// Percentiles with the missed activations included.
    pub fn corrected(&self) -> Percentiles {
        percentiles(&self.corrected)
    }

    /// The occupied bins of the histograms without and with the missed activations: upper ends in nanoseconds, rising,
    /// and counts.
    pub fn bins(&self) -> [(Vec<u64>, Vec<u64>); 2] {
        [&self.raw, &self.corrected].map(|histogram| {
            histogram.iter_recorded().map(|bin| (bin.value_iterated_to(), bin.count_at_value())).unzip()
        })
    }

    /// Causes of gaps, the most expensive first.
    pub fn causes(&self) -> Vec<LatencyCause> {
        let cause = |(name, &(count, total_ns)): (&String, &(u64, u64))| LatencyCause {
            cause: name.clone(),
            count,
            total_ns,
        };
        let mut causes: Vec<LatencyCause> = self.causes.iter().map(cause).collect();
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.total_ns));
        causes
    }
}

/// Decodes a histogram, and copies its counts to one that this crate made, since other tools may have written it.
fn decode(hdr: &str) -> Result<Histogram<u64>, String> {
    let bytes = BASE64.decode(hdr).map_err(|error| format!("not base64: {error}"))?;
    check_heading(&bytes).ok_or("not a histogram of the bounds that fauxplat writes")?;
    let read: Histogram<u64> =
        Deserializer::new().deserialize(&mut bytes.as_slice()).map_err(|error| error.to_string())?;
    let mut ours = Recording::default().raw;
    ours.add(&read).map_err(|error| error.to_string())?;
    Ok(ours)
}

/// Checks the sizes in the heading first, because the reader of the format allocates as much as the heading announces:
/// forty bytes could request 4 GiB.
fn check_heading(bytes: &[u8]) -> Option<()> {
    // The heading has 8 bytes with cookie and length of the compressed part. The compressed part begins with cookie,
    // length of the counts, offset, digits, lowest and highest value.
    let mut heading = [0; 32];
    ZlibDecoder::new(bytes.get(8..)?).read_exact(&mut heading).ok()?;
    let four = |at: usize| Some(u32::from_be_bytes(heading[at..at + 4].try_into().ok()?));
    let eight = |at: usize| Some(u64::from_be_bytes(heading[at..at + 8].try_into().ok()?));
    // A count takes at most nine bytes.
    let most = Recording::default().raw.distinct_values() * 9;
    let fits = four(4)? as usize <= most;
    let is_ours = (four(12)?, eight(16)?, eight(24)?) == (DIGITS.into(), 1, LATEST_NS);
    (fits && is_ours).then_some(())
}

/// Encodes a histogram in format V2, deflated, in base64, as the tools of HdrHistogram read it.
fn encode(histogram: &Histogram<u64>) -> String {
    let mut bytes = Vec::new();
    match V2DeflateSerializer::new().serialize(histogram, &mut bytes) {
        Ok(_) => BASE64.encode(bytes),
        // Writing to memory does not fail; a histogram that cannot be encoded is left out rather than broken.
        Err(_) => String::new(),
    }
}

/// Confidence of the interval of a percentile.
const CONFIDENCE: f64 = 0.95;

/// Percentiles that are reported where there are enough activations.
const PERCENTILES: [f64; 6] = [50.0, 90.0, 99.0, 99.9, 99.99, 99.999];

/// Confidence interval of a percentile. An end is `None` if there are too few activations to bound it.
fn interval(histogram: &Histogram<u64>, percentile: f64) -> PercentileInterval {
    let [low, high] = quantile_ranks(histogram.len(), percentile / 100.0, CONFIDENCE);
    let of = |rank: u64| {
        let mut before = 0;
        let mut bins = histogram.iter_recorded().map(|bin| (bin.value_iterated_to(), bin.count_at_value()));
        let bin = bins.find(|(_, count)| {
            before += count;
            before >= rank
        });
        bin.map(|(late_ns, _)| late_ns.min(histogram.max()))
    };
    PercentileInterval { percentile, low_ns: low.and_then(of), high_ns: high.and_then(of) }
}

fn percentiles(histogram: &Histogram<u64>) -> Percentiles {
    let at = |percent: f64| histogram.value_at_percentile(percent).min(histogram.max());
    // A percentile of too few activations would be the maximum under another name.
    let is_carried = |percent: f64| histogram.len() >= readings_for(percent / 100.0);
    let carried = |percent: f64| is_carried(percent).then(|| at(percent));
    let told = PERCENTILES.into_iter().filter(|&percent| is_carried(percent));
    Percentiles {
        min_ns: if histogram.is_empty() { 0 } else { histogram.min() },
        mean_ns: histogram.mean(),
        sd_ns: histogram.stdev(),
        p50_ns: at(50.0),
        p90_ns: carried(90.0),
        p99_ns: carried(99.0),
        p999_ns: carried(99.9),
        p9999_ns: carried(99.99),
        p99999_ns: carried(99.999),
        max_ns: histogram.max(),
        intervals: told.map(|percent| interval(histogram, percent)).collect(),
        histogram: histogram
            .iter_recorded()
            .map(|bin| (bin.value_iterated_to(), bin.count_at_value()))
            .collect(),
        hdr: encode(histogram),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_delays_every_activation_that_falls_into_it() {
        let mut recording = Recording::default();
        for _ in 0..90 {
            assert_eq!(recording.record_periodic(5_000, 1_000_000), 0);
        }
        assert_eq!(recording.record_periodic(10_000_000, 1_000_000), 10);
        assert_eq!((recording.count(), recording.missed), (91, 10));
        let (raw, corrected) = (recording.raw(), recording.corrected());
        // Three digits of precision: the value is the end of the bin.
        assert_eq!((raw.p50_ns / 10, corrected.p50_ns / 10), (500, 500));
        assert!(raw.p90_ns < Some(6_000) && corrected.p99_ns > Some(8_000_000), "{raw:?} {corrected:?}");
        // A 99th percentile needs more than 91 activations; with 101 it exists, but its upper end is not bounded.
        assert_eq!((raw.p99_ns, corrected.interval(99.0).unwrap().high_ns), (None, None));
        assert_eq!(corrected.histogram.iter().map(|bin| bin.1).sum::<u64>(), 101);
    }

    #[test]
    fn a_document_gives_back_what_was_recorded() {
        let mut recording = Recording::default();
        (1..500).for_each(|late_us| {
            recording.record_periodic(late_us * 3_000, 1_000_000);
        });
        recording.blame("timer", 7);
        let test = |raw: Percentiles| LatencyTest {
            name: "timer".into(),
            policy: fauxplat_model::Policy::Other,
            cpu: fauxplat_units::Cpu(0),
            peer: None,
            lines: None,
            interval_ns: Some(1_000_000),
            slack_ns: None,
            count: recording.count(),
            missed: recording.missed,
            raw,
            corrected: recording.corrected(),
            causes: recording.causes(),
            lost_share: None,
            wall_ns: 5,
        };
        let mut twice = Recording::restore(&test(recording.raw())).unwrap();
        assert_eq!((twice.raw(), twice.corrected()), (recording.raw(), recording.corrected()));
        twice.merge(&recording);
        assert_eq!((twice.count(), twice.missed), (2 * recording.count(), 2 * recording.missed));
        assert_eq!((twice.raw().p99_ns, twice.causes()[0].count), (recording.raw().p99_ns, 2));
        // A heading that announces 4 GiB of counts.
        let mut heading = vec![0x1c, 0x84, 0x93, 0x13, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, DIGITS];
        heading.extend([1_u64.to_be_bytes(), LATEST_NS.to_be_bytes(), 1_f64.to_be_bytes()].concat());
        let mut bomb = vec![0x1c, 0x84, 0x93, 0x14, 0, 0, 1, 0];
        flate2::read::ZlibEncoder::new(heading.as_slice(), Default::default())
            .read_to_end(&mut bomb)
            .unwrap();
        for damaged in ["", "!", "SElTVEZBQUFB", &BASE64.encode(bomb)] {
            let raw = Percentiles { hdr: damaged.into(), ..recording.raw() };
            assert!(Recording::restore(&test(raw)).unwrap_err().to_string().contains("timer"), "{damaged}");
        }
    }

    #[test]
    fn what_was_lost_is_as_late_as_what_came_after_it() {
        let mut recording = Recording::default();
        recording.record(50);
        recording.record_lost(3, 900);
        let (raw, corrected) = (recording.raw(), recording.corrected());
        assert_eq!((recording.count(), recording.missed), (1, 3));
        assert_eq!((raw.max_ns, corrected.p50_ns, corrected.max_ns), (50, 900, 900));
        assert_eq!(corrected.histogram.iter().map(|bin| bin.1).sum::<u64>(), 4);
        let apart = [100, 300].into_iter().fold(Recording::default(), |mut of, late_ns| {
            of.record(late_ns);
            of
        });
        assert!((apart.raw().mean_ns - 200.0).abs() < 1.0 && (apart.raw().sd_ns - 100.0).abs() < 1.0);
    }

    #[test]
    fn slices_add_up() {
        let mut whole = Recording::default();
        for late_ns in [100, 200, 300] {
            let mut slice = Recording::default();
            slice.record(late_ns);
            slice.blame("timer", late_ns);
            whole.merge(&slice);
        }
        assert_eq!((whole.count(), whole.raw().max_ns, whole.raw().p50_ns), (3, 300, 200));
        assert_eq!((whole.causes()[0].count, whole.causes()[0].total_ns), (3, 600));
        assert_eq!(Recording::default().raw().p99_ns, None);
    }
}
