//! Readings of metrics that have no column: a row for each reading, and a row for each metric of the experiment.

use std::collections::HashMap;

use fauxplat_model::{Counted, Metric, Sample};
use rusqlite::{Connection, params};

use crate::{row, sql};

/// The numbers that the metrics without a column have within an experiment that is being written.
#[derive(Debug, Default)]
pub(crate) struct Numbers(HashMap<Metric, i64>);

/// Iterates over the readings of a sample that need rows in the table `reading`: values of metrics without a column,
/// and the times for which counters counted.
fn without_column(sample: &Sample) -> impl Iterator<Item = (Metric, Option<u64>, Option<Counted>)> + '_ {
    sample.readings.iter().filter_map(|(metric, value)| {
        let counted = sample.readings.counted(metric);
        let stored = counted.is_some() || (value.is_some() && !metric.is_built_in());
        stored.then_some((metric, value, counted))
    })
}

/// Returns whether the columns of the table `sample` hold the whole sample, as for most samples. The function is called
/// for each sample, so it has to be fast.
pub(crate) fn is_one_row(sample: &Sample) -> bool {
    let has_columns = || sample.readings.metrics().iter().all(Metric::is_built_in);
    !sample.readings.is_partial() && (has_columns() || without_column(sample).next().is_none())
}

impl Numbers {
    /// Assigns numbers to the metrics that are new in these samples, and returns those metrics.
    pub(crate) fn add(&mut self, samples: &[Sample]) -> Vec<Metric> {
        let mut fresh = Vec::new();
        for (metric, ..) in samples.iter().flat_map(without_column) {
            if !self.0.contains_key(&metric) {
                self.0.insert(metric, self.0.len() as i64);
                fresh.push(metric);
            }
        }
        fresh
    }

    /// Withdraws the numbers of metrics whose rows could not be written.
    pub(crate) fn forget(&mut self, fresh: &[Metric]) {
        self.0.retain(|metric, _| !fresh.contains(metric));
    }

    pub(crate) fn insert_metrics(
        &self,
        connection: &Connection,
        experiment: i64,
        fresh: &[Metric],
    ) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(sql::INSERT_METRIC)?;
        for metric in fresh {
            let spec = serde_json::to_string(metric.spec()).unwrap_or_default();
            statement.execute(params![experiment, self.0.get(metric), metric.name(), spec])?;
        }
        Ok(())
    }

    pub(crate) fn insert_readings(
        &self,
        connection: &Connection,
        experiment: i64,
        sequence: i64,
        sample: &Sample,
    ) -> rusqlite::Result<()> {
        let mut statement = connection.prepare_cached(sql::INSERT_READING)?;
        for (metric, value, counted) in without_column(sample) {
            let enabled_ns = counted.map(|it| row::signed(it.enabled_ns));
            let running_ns = counted.map(|it| row::signed(it.running_ns));
            let number = self.0.get(&metric);
            statement.execute(params![
                experiment,
                sequence,
                number,
                value.map(row::signed),
                enabled_ns,
                running_ns
            ])?;
        }
        Ok(())
    }
}
