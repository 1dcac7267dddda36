//! Readings of metrics that have no column: one row each, and one row per metric of the experiment.

use std::collections::HashMap;
use std::sync::Arc;

use fauxplat_model::{Counted, Metric, MetricSet, MetricSpec, Readings, Sample};
use rusqlite::{Connection, Row, Rows, params};

use crate::error::at;
use crate::{Store, StoreError, row, schema, sql};

/// The numbers of the metrics of an experiment that is being written.
#[derive(Debug, Default)]
pub(crate) struct Numbers(HashMap<Metric, i64>);

/// What of a sample has no column: readings of other metrics, and for how long a metric counted.
fn without_column(sample: &Sample) -> impl Iterator<Item = (Metric, Option<u64>, Option<Counted>)> + '_ {
    sample.readings.iter().filter_map(|(metric, value)| {
        let counted = sample.readings.counted(metric);
        let stored = counted.is_some() || (value.is_some() && !metric.is_built_in());
        stored.then_some((metric, value, counted))
    })
}

/// Whether one row holds the whole sample. Most do, and this is asked of each.
pub(crate) fn is_one_row(sample: &Sample) -> bool {
    let has_columns = || sample.readings.metrics().iter().all(Metric::is_built_in);
    !sample.readings.is_partial() && (has_columns() || without_column(sample).next().is_none())
}

impl Numbers {
    /// Gives numbers to metrics that are new in these samples; says which they are.
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

    /// Takes the numbers back, when the rows could not be written.
    pub(crate) fn forget(&mut self, fresh: &[Metric]) {
        self.0.retain(|metric, _| !fresh.contains(metric));
    }

    /// Writes the rows of metrics that are new.
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

    /// Writes the rows of one sample.
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

/// The metrics of a stored experiment, by their numbers. Those that a damaged or foreign row names in vain are none.
pub(crate) struct Known {
    by_number: HashMap<i64, Metric>,
    /// What every sample of the experiment has.
    set: Arc<MetricSet>,
}

impl Known {
    pub(crate) fn of(store: &Store, id: i64) -> Result<Known, StoreError> {
        let mut by_number = HashMap::new();
        if store.version >= schema::WITH_EVIDENCE {
            let failed = at(&store.path);
            let mut statement = store.connection.prepare_cached(sql::METRICS).map_err(&failed)?;
            let mut rows = statement.query([id]).map_err(&failed)?;
            while let Some(row) = rows.next().map_err(&failed)? {
                by_number.extend(metric(row).map_err(&failed)?);
            }
        }
        let mut open: Vec<Metric> = by_number.values().copied().collect();
        open.sort();
        let set = match open.is_empty() {
            true => MetricSet::built_in(),
            false => MetricSet::new(Metric::BUILT_IN.iter().copied().chain(open)),
        };
        Ok(Known { by_number, set })
    }

    /// The metrics of the samples.
    pub(crate) fn set(&self) -> &Arc<MetricSet> {
        &self.set
    }

    /// Whether there is nothing beside the columns.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_number.is_empty()
    }
}

/// Number and metric of a row of `sql::METRICS`.
fn metric(row: &Row<'_>) -> rusqlite::Result<Option<(i64, Metric)>> {
    let (number, id, spec): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let told = serde_json::from_str::<MetricSpec>(&spec).ok().filter(|spec| spec.id.as_str() == id);
    let metric = told.and_then(|spec| Metric::open(spec).ok());
    Ok(metric.or_else(|| Metric::from_id(&id).ok()).map(|metric| (number, metric)))
}

/// One row of `sql::READINGS`.
struct Cell {
    sequence: i64,
    metric: i64,
    value: Option<u64>,
    counted: Option<Counted>,
}

impl Cell {
    fn read(row: &Row<'_>) -> rusqlite::Result<Cell> {
        let number = |column| row.get::<_, Option<i64>>(column).map(|it| it.map(i64::cast_unsigned));
        let times = number(3)?.zip(number(4)?);
        let counted = times.map(|(enabled_ns, running_ns)| Counted { enabled_ns, running_ns });
        Ok(Cell { sequence: row.get(0)?, metric: row.get(1)?, value: number(2)?, counted })
    }
}

/// The rows of `sql::READINGS`, handed out sample by sample.
pub(crate) struct Cells<'s> {
    rows: Rows<'s>,
    next: Option<Cell>,
}

impl<'s> Cells<'s> {
    pub(crate) fn new(rows: Rows<'s>) -> rusqlite::Result<Self> {
        let mut cells = Cells { rows, next: None };
        cells.advance()?;
        Ok(cells)
    }

    fn advance(&mut self) -> rusqlite::Result<()> {
        self.next = self.rows.next()?.map(Cell::read).transpose()?;
        Ok(())
    }

    /// Adds what the sample with this number has beside its columns.
    pub(crate) fn complete(
        &mut self,
        sequence: i64,
        known: &Known,
        readings: &mut Readings,
    ) -> rusqlite::Result<()> {
        while let Some(cell) = self.next.take_if(|cell| cell.sequence <= sequence) {
            if let Some(&metric) = known.by_number.get(&cell.metric).filter(|_| cell.sequence == sequence) {
                if !metric.is_built_in() {
                    readings.set(metric, cell.value);
                }
                cell.counted.into_iter().for_each(|counted| readings.set_counted(metric, counted));
            }
            self.advance()?;
        }
        Ok(())
    }
}
