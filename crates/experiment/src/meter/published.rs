//! Counters that programs publish in live tables. A reading costs the publisher no more than the transfer of a cache
//! line.

use fauxplat_model::{Metric, MetricSpec, OPEN_MAX, RateSeries, Reading, Readings, Series, TableSource};
use fauxplat_table::{AnyTable, Error, Selection, TableFile};

use super::{LOOK_EVERY_MS, Meter, Over};

/// Minimum duration, in nanoseconds, of the last interval between two looks (readings of a counter) of a run. A shorter
/// one is merged with the interval before, since its rate would be mostly rounding error.
const SHORTEST_NS: u64 = LOOK_EVERY_MS as u64 * 1_000_000 / 2;
/// Rates are stored in millionths.
const MICRO: f64 = 1e6;
/// Maximum number of looks that are stored for one run; when there are more, every second one is dropped.
const LOOKS_MAX: usize = 4096;

/// Meter of the counters that programs publish, with their rates in each run so far.
#[derive(Debug)]
pub(super) struct Published(Vec<Counter>);

impl Published {
    /// Watches these counters. A table may be created as late as during a run.
    ///
    /// # Errors
    /// Fails for a file that exists and cannot be read, or is no table.
    pub(super) fn open(sources: &[TableSource]) -> Result<Self, Error> {
        sources.iter().map(Counter::open).collect::<Result<_, _>>().map(Published)
    }
}

impl Meter for Published {
    /// Metrics of the counters. The first counter provides the metric `rate` as well as the metric of its name.
    fn metrics(&self) -> Vec<Metric> {
        self.0.iter().filter_map(|counter| counter.metric).collect()
    }

    fn begin(&mut self) {
        self.0.iter_mut().for_each(Counter::begin);
    }

    fn look(&mut self, now_ns: u64) {
        self.0.iter_mut().for_each(|counter| counter.look(now_ns));
    }

    fn end(&mut self, run: Over, readings: &mut Readings) {
        for (index, counter) in self.0.iter_mut().enumerate() {
            let rate = counter.end(run).get();
            let names = [(index == 0).then_some(Metric::RATE), counter.metric];
            names.into_iter().flatten().for_each(|metric| readings.set(metric, rate));
        }
    }

    fn series_of(&self, trial: u32) -> Vec<Series> {
        let last = |counter: &Counter| {
            let series = counter.series.last().filter(|series| series.trial == trial)?;
            let values = series.rate_per_s.iter().map(|rate| rate * MICRO).collect();
            let metric = counter.metric.unwrap_or(Metric::RATE);
            Some(Series { trial, metric, until_ns: series.until_ns.clone(), values })
        };
        self.0.iter().filter_map(last).collect()
    }

    fn rates(&self) -> Vec<Vec<RateSeries>> {
        self.0.iter().map(|counter| counter.series.clone()).collect()
    }

    fn trouble(&self, metric: Metric) -> Option<&str> {
        let named = self.0.iter().find(|counter| counter.metric == Some(metric));
        let first = || self.0.first().filter(|_| metric == Metric::RATE);
        named.or_else(first).map(|counter| counter.last_trouble.as_str())
    }

    fn not_measured(&self) -> Vec<String> {
        self.0.iter().filter_map(Counter::not_measured).collect()
    }
}

/// A published counter, or the sum of several, with its increase in the present run.
#[derive(Debug)]
struct Counter {
    source: TableSource,
    /// Metric of the counter's own name; `None` if that is no valid name of a metric.
    metric: Option<Metric>,
    selection: Selection,
    table: Option<AnyTable>,
    /// Value of the counter when the run began; 0 if the table was created during the run.
    base: i128,
    /// Increase of the counter within this run in tables that have since been replaced.
    carried: i128,
    /// Whether the table was created during the run.
    young: bool,
    /// Time in nanoseconds by the monotonic clock, and increase of the counter since the run began, at each look.
    looks: Vec<(u64, i128)>,
    /// Every `stride`-th look is stored in `looks`.
    stride: u64,
    moments: u64,
    series: Vec<RateSeries>,
    /// Why no table could be opened in this run; `last_trouble` is why the latest run without a rate has none.
    trouble: Option<String>,
    last_trouble: String,
    runs: u32,
    missed: u32,
}

impl Counter {
    fn open(source: &TableSource) -> Result<Self, Error> {
        let table = match AnyTable::open_read_only(&source.file) {
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => None,
            table => Some(table?),
        };
        Ok(Counter {
            selection: Selection {
                objects: source.object.into_iter().collect(),
                keys: source.key.into_iter().collect(),
            },
            source: source.clone(),
            metric: MetricSpec::of_table(&source.name).and_then(Metric::open).ok(),
            table,
            base: 0,
            carried: 0,
            young: false,
            looks: Vec::new(),
            stride: 1,
            moments: 0,
            series: Vec::new(),
            trouble: None,
            last_trouble: String::new(),
            runs: 0,
            missed: 0,
        })
    }

    fn begin(&mut self) {
        (self.carried, self.stride, self.moments, self.trouble) = (0, 1, 0, None);
        self.looks.clear();
        self.refresh();
        // A table whose file has been removed gets no further values in this run.
        if self.standing() == Some(TableFile::Gone) {
            self.table = None;
        }
        self.base = self.value().unwrap_or(0);
        self.young = false;
    }

    fn look(&mut self, now_ns: u64) {
        self.moments += 1;
        if !self.moments.is_multiple_of(self.stride) {
            return;
        }
        self.refresh();
        if let Some(rise) = self.rise() {
            self.looks.push((now_ns, rise));
        }
        if self.looks.len() >= LOOKS_MAX {
            let mut number = 0;
            self.looks.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.stride *= 2;
        }
    }

    fn end(&mut self, Over { trial, started_ns, wall_ns }: Over) -> Reading {
        self.refresh();
        self.runs += 1;
        match self.rise_at_end() {
            Ok(rise) if wall_ns > 0 => {
                self.series.push(self.intervals(trial, started_ns, wall_ns, rise));
                micro_per_second(rise, wall_ns)
            }
            Ok(_) => self.miss("the run has no wall time".to_owned()),
            Err(why) => self.miss(why),
        }
    }

    fn miss(&mut self, why: String) -> Reading {
        self.missed += 1;
        self.last_trouble = why;
        Reading::ABSENT
    }

    /// Increase of the counter over the whole run; the error is the reason why it is unknown.
    fn rise_at_end(&self) -> Result<i128, String> {
        let file = self.source.file.display();
        let why = || match (&self.table, &self.trouble) {
            (_, Some(trouble)) => trouble.clone(),
            (None, None) => format!("{file} is not there"),
            (Some(table), None) => match table.check() {
                Ok(()) => format!("{file} has no value that `{}` names", self.source),
                Err(error) => format!("{file}: {error}"),
            },
        };
        let rise = self.rise().ok_or_else(why)?;
        if rise < 0 {
            return Err(format!("{file}: the counter fell during the run"));
        }
        // If a table from before the run was removed during the run and nothing was counted, it belonged to an earlier
        // run.
        let gone = !self.young && self.standing() == Some(TableFile::Gone);
        if rise == 0 && gone {
            return Err(format!("{file} was removed during the run"));
        }
        Ok(rise)
    }

    /// Opens the table that is now at the path, which the publisher may have created or replaced.
    fn refresh(&mut self) {
        if !matches!(self.standing(), None | Some(TableFile::Replaced)) {
            return;
        }
        match AnyTable::open_read_only(&self.source.file) {
            Ok(table) => {
                self.carried = self.rise().unwrap_or(self.carried);
                (self.table, self.base, self.young, self.trouble) = (Some(table), 0, true, None);
            }
            Err(error) => self.trouble = Some(error.to_string()),
        }
    }

    /// State of the open table's file; `None` if no table is open, or if the state cannot be determined.
    fn standing(&self) -> Option<TableFile> {
        self.table.as_ref().and_then(|table| table.standing().ok())
    }

    fn rise(&self) -> Option<i128> {
        Some(self.carried + self.value()? - self.base)
    }

    /// Sum of the values that the source selects; `None` if the table has none of them.
    fn value(&self) -> Option<i128> {
        let table = self.table.as_ref().filter(|table| table.check().is_ok())?;
        let values = table.values(&self.selection);
        (!values.is_empty()).then(|| values.iter().map(|&(_, value)| i128::from(value)).sum())
    }

    /// Series of the rates between successive looks of a run, whose last interval ends with the run.
    fn intervals(&self, trial: u32, started_ns: u64, wall_ns: u64, rise: i128) -> RateSeries {
        let since_start = |&(now_ns, rise): &(u64, i128)| (now_ns.saturating_sub(started_ns), rise);
        let along = |&(at_ns, _): &(u64, i128)| at_ns > 0 && at_ns + SHORTEST_NS <= wall_ns;
        let looks = self.looks.iter().map(since_start).filter(along).chain([(wall_ns, rise)]);
        let mut series = RateSeries { trial, ..RateSeries::default() };
        let mut before = (0, 0);
        for (at_ns, rise) in looks {
            let (elapsed_ns, more) = (at_ns.saturating_sub(before.0), rise - before.1);
            if elapsed_ns > 0 {
                series.until_ns.push(at_ns);
                series.rate_per_s.push(more as f64 * 1e9 / elapsed_ns as f64);
                before = (at_ns, rise);
            }
        }
        series
    }

    fn not_measured(&self) -> Option<String> {
        let (missed, runs, name) = (self.missed, self.runs, &self.source.name);
        if self.metric.is_none() {
            return Some(format!(
                "the metric `table:{name}`: a metric's name has no spaces and is short, and a process has at most \
                 {OPEN_MAX} metrics"
            ));
        }
        (missed > 0).then(|| format!("rate of {name} in {missed} of {runs} runs: {}", self.last_trouble))
    }
}

/// Rate of `rise` events in `wall_ns` nanoseconds, in millionths of an event per second, rounded to the nearest.
fn micro_per_second(rise: i128, wall_ns: u64) -> Reading {
    const MICRO_NS: i128 = 1_000_000 * 1_000_000_000;
    let wall_ns = i128::from(wall_ns);
    let rate = rise.saturating_mul(MICRO_NS).saturating_add(wall_ns / 2) / wall_ns;
    // A rate of 2^63 millionths, nine million million events per second, does not fit into the store.
    Reading::from(u64::try_from(rate).ok().filter(|&rate| rate < 1 << 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_rates_keep_their_digits_and_impossible_ones_are_absent() {
        assert_eq!(micro_per_second(1, 3_600_000_000_000).get(), Some(278));
        assert_eq!(micro_per_second(5_000_000_000, 1_000_000_000).get(), Some(5_000_000_000_000_000));
        assert_eq!(micro_per_second(0, 1).get(), Some(0));
        assert_eq!(micro_per_second(i128::from(i64::MAX), 1).get(), None);
    }

    fn at(looks: &[(u64, i128)], wall_ns: u64, rise: i128) -> RateSeries {
        let source = "requests=/no/such/table".parse().unwrap();
        let counter = Counter { looks: looks.to_vec(), ..Counter::open(&source).unwrap() };
        counter.intervals(7, 1_000, wall_ns, rise)
    }

    #[test]
    fn looks_become_intervals_and_a_short_rest_is_joined() {
        let second = 1_000_000_000;
        let series = at(&[(1_000 + second, 10), (1_000 + 2 * second, 40)], 2 * second + 10, 40);
        assert_eq!((series.until_ns, series.rate_per_s[0]), (vec![second, 2 * second + 10], 10.0));
        assert!((series.rate_per_s[1] - 30.0).abs() < 1e-6);
        // Looks before the beginning of the run are ignored, as are looks after its end, which happen when the
        // launcher's reply is late.
        let series = at(&[(900, 5), (1_000 + 3 * second, 99)], second, 20);
        assert_eq!((series.trial, series.until_ns, series.rate_per_s), (7, vec![second], vec![20.0]));
    }

    #[test]
    fn of_a_long_run_every_second_look_is_forgotten() {
        let path = std::env::temp_dir().join(format!("fauxplat-counters-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let table: fauxplat_table::Table =
            fauxplat_table::Options::new().on_disk(true).create(&path).unwrap();
        table.set(1, 0, 5).unwrap();
        let source = format!("requests={}:1.0", path.display()).parse().unwrap();
        let mut counter = Counter::open(&source).unwrap();
        counter.begin();
        for moment in 1..=LOOKS_MAX as u64 + 100 {
            table.add(1, 0, 1).unwrap();
            counter.look(moment);
        }
        assert_eq!((counter.stride, counter.looks.len()), (2, LOOKS_MAX / 2 + 50));
        assert!(counter.looks.iter().all(|&(moment, rise)| i128::from(moment) == rise));
        std::fs::remove_file(&path).unwrap();
    }
}
