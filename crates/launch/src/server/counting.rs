//! Counts events of the kernel and the processor during each run.

use std::sync::Arc;

use fauxplat_model::{MetricSet, Reading};
use fauxplat_sys::perf::{Count, Counter, Whom};

use crate::table::CounterEntry;

/// Counters of a table of programs. Only the counters of one set are open at a time.
#[derive(Debug, Default)]
pub(crate) struct Counting {
    entries: Vec<CounterEntry>,
    /// Position of each counter's metric among the readings of a run.
    places: Vec<usize>,
    /// Number of the set whose counters are open; `None` before the first run.
    set: Option<u8>,
    open: Vec<(usize, Counter, Count)>,
}

impl Counting {
    pub(crate) fn new(entries: Vec<CounterEntry>, metrics: &Arc<MetricSet>) -> Self {
        let places = entries.iter().filter_map(|entry| metrics.place(entry.metric)).collect();
        Counting { entries, places, set: None, open: Vec::new() }
    }

    /// Reads the counters before a run, after opening the set if it differs from that of the last run. A counter that
    /// cannot be opened is absent from the readings.
    pub(crate) fn begin(&mut self, set: u8) {
        if self.entries.is_empty() {
            return;
        }
        if self.set != Some(set) {
            self.open_set(set);
        }
        for (_, counter, before) in &mut self.open {
            *before = counter.read().unwrap_or_default();
        }
    }

    fn open_set(&mut self, set: u8) {
        self.open.clear();
        self.set = Some(set);
        // The first counter of each group is its leader.
        let mut leaders: Vec<(u16, usize)> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate().filter(|(_, entry)| entry.sets >> set & 1 == 1) {
            let leader = leaders.iter().find(|(group, _)| Some(*group) == entry.group);
            let opened =
                Counter::open(&entry.event(), Whom::Children, leader.map(|(_, place)| &self.open[*place].1));
            if let Ok(counter) = opened {
                let is_first = leader.is_none();
                self.open.push((at, counter, Count::default()));
                leaders.extend(entry.group.filter(|_| is_first).map(|group| (group, self.open.len() - 1)));
            }
        }
    }

    /// Present counts, by position of the counter in the table.
    pub(crate) fn look(&self) -> Vec<(usize, Option<Count>)> {
        self.open.iter().map(|(at, counter, _)| (*at, counter.read().ok())).collect()
    }

    /// Count between two readings; `None` if the counter shared the hardware with other events for a part of the time.
    pub(crate) fn between(&self, at: usize, earlier: Count, later: Count) -> Option<u64> {
        let count = later.since(earlier)?;
        let is_whole = count.running_ns == count.enabled_ns || self.entries[at].is_partial;
        is_whole.then_some(count.value)
    }

    /// Adds the counts of a run to its readings. A counter that was never scheduled has no reading, since its count is
    /// unknown and not zero. If a counter was running only part of the time, its reading is scaled up, and the enabled
    /// and running times of all counters follow.
    pub(crate) fn end(&self, readings: &mut Vec<Reading>) {
        let counted = self.open.iter().map(|(at, counter, before)| {
            let now = counter.read().ok().and_then(|now| now.since(*before));
            // On a machine with several kinds of cores, the task was on cores of another kind, where this event does
            // not count, in the rest of the enabled time. The count is therefore complete and is not scaled up.
            let whole = |count: Count| Count {
                running_ns: count.enabled_ns.max(1),
                enabled_ns: count.enabled_ns.max(1),
                ..count
            };
            let now = if self.entries[*at].is_partial { now.map(whole) } else { now };
            (self.places[*at], now.filter(|count| count.running_ns > 0))
        });
        let counted: Vec<(usize, Option<Count>)> = counted.collect();
        for (place, count) in &counted {
            readings[*place] = count.map(Count::scaled).into();
        }
        if counted.iter().flat_map(|(_, count)| count).all(|count| count.running_ns == count.enabled_ns) {
            return;
        }
        let metrics = readings.len();
        readings.resize(3 * metrics, Reading::ABSENT);
        for (place, count) in counted.iter().filter_map(|(place, count)| Some((place, (*count)?))) {
            readings[metrics + place] = Reading::new(count.enabled_ns);
            readings[2 * metrics + place] = Reading::new(count.running_ns);
        }
    }
}
