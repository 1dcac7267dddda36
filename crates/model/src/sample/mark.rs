//! Marks readings that are bounds or cover only a part, according to the kernel interfaces that an experiment used.

use super::bound::Bound;
use super::{Readings, Source, Sources};
use crate::Metric;

/// Distance above [`Sources::peak_memory_floor_bytes`] (the floor) up to which a reading of peak memory is marked as an
/// upper bound. The kernel counts the pages of a process in batches per CPU, so a reading that is the spawner's own
/// size may lie a few batches above the floor. An upper bound is a true statement about any reading.
const FLOOR_SLACK_BYTES: u64 = 256 << 10;

impl Sources {
    /// Marks the readings of a run that are only an upper bound, or cover only the first thread, because of the kernel
    /// interface that was used.
    pub fn mark(&self, readings: &mut Readings) {
        let is_floor = |peak: u64| peak <= self.peak_memory_floor_bytes.saturating_add(FLOOR_SLACK_BYTES);
        let peak = readings.told(Metric::PEAK_MEMORY).map(|told| told.number);
        if self.peak_memory == Source::Rusage
            && self.peak_memory_floor_bytes > 0
            && peak.is_some_and(is_floor)
        {
            readings.set_bound(Metric::PEAK_MEMORY, Bound::AtMost);
        }
        for (metric, source) in [(Metric::RUN_DELAY, self.run_delay), (Metric::MIGRATIONS, self.migrations)] {
            if source == Source::FirstThread && readings.told(metric).is_some() {
                readings.set_bound(metric, Bound::FirstThread);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bound::{Bounds, Told};
    use super::*;

    const FLOOR: u64 = 3 << 20;

    fn of_a_user() -> Sources {
        Sources {
            cpu_time: Source::Rusage,
            peak_memory: Source::Rusage,
            peak_memory_floor_bytes: FLOOR,
            run_delay: Source::FirstThread,
            migrations: Source::FirstThread,
            ..Sources::default()
        }
    }

    fn marked(sources: &Sources, peak: u64) -> Readings {
        let pairs = [(Metric::WALL, 7), (Metric::PEAK_MEMORY, peak), (Metric::MIGRATIONS, 2)];
        let mut readings = Readings::from(pairs);
        sources.mark(&mut readings);
        readings
    }

    #[test]
    fn a_reading_at_the_floor_is_a_bound_and_no_value() {
        for peak in [FLOOR - 1, FLOOR, FLOOR + FLOOR_SLACK_BYTES] {
            let readings = marked(&of_a_user(), peak);
            assert_eq!(readings.get(Metric::PEAK_MEMORY), None, "{peak}");
            let told = readings.told(Metric::PEAK_MEMORY).unwrap();
            assert_eq!((told.bound, told.number), (Bound::AtMost, peak));
            assert_eq!(serde_json::to_string(&told).unwrap(), format!("{{\"at_most\":{peak}}}"));
            assert_eq!(Told::of_json(&serde_json::to_value(told).unwrap()), Some(told));
        }
        assert_eq!(marked(&of_a_user(), 2 * FLOOR).get(Metric::PEAK_MEMORY), Some(2 * FLOOR));
        let root = Sources { peak_memory: Source::Taskstats, ..of_a_user() };
        assert_eq!(marked(&root, 1).get(Metric::PEAK_MEMORY), Some(1));
    }

    #[test]
    fn a_part_is_a_value_that_says_so() {
        let told = marked(&of_a_user(), 1).told(Metric::MIGRATIONS).unwrap();
        assert_eq!((told.bound, told.value()), (Bound::FirstThread, Some(2)));
        assert_eq!(marked(&of_a_user(), 1).told(Metric::RUN_DELAY), None);
    }

    #[test]
    fn bounds_are_kept_beside_values_and_leave_with_them() {
        let mut readings = marked(&of_a_user(), 5);
        let bits = readings.bounds().bits();
        let mut again =
            Readings::from([(Metric::WALL, 7), (Metric::PEAK_MEMORY, 5), (Metric::MIGRATIONS, 2)]);
        assert_ne!(again, readings);
        again.set_bounds(Bounds::from_bits(bits));
        assert_eq!(again, readings);
        readings.set(Metric::PEAK_MEMORY, Some(5));
        assert_eq!(readings.get(Metric::PEAK_MEMORY), Some(5));
        let open = Metric::from_id("simulated:cycles").unwrap();
        readings.set(open, Some(9));
        readings.set_bound(open, Bound::AtMost);
        assert_eq!(readings.get(open), Some(9));
    }
}
