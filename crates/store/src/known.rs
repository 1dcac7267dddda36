//! Reads the readings of metrics that have no column in the table of samples.

use std::collections::HashMap;
use std::sync::Arc;

use fauxplat_model::{Counted, Metric, MetricSet, MetricSpec, Readings};
use rusqlite::{Row, Rows};

use crate::error::at;
use crate::{Store, StoreError, schema, sql};

/// Metrics of a stored experiment that have no column, by number. Rows that name no valid metric, as in a damaged
/// store, are ignored.
pub(crate) struct Known {
    by_number: HashMap<i64, Metric>,
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

    pub(crate) fn set(&self) -> &Arc<MetricSet> {
        &self.set
    }

    /// Returns whether the experiment has no metric without a column.
    pub(crate) fn is_empty(&self) -> bool {
        self.by_number.is_empty()
    }
}

/// Parses a row of `sql::METRICS`; `None` if it names no valid metric.
fn metric(row: &Row<'_>) -> rusqlite::Result<Option<(i64, Metric)>> {
    let (number, id, spec): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let told = serde_json::from_str::<MetricSpec>(&spec).ok().filter(|spec| spec.id.as_str() == id);
    let metric = told.and_then(|spec| Metric::open(spec).ok());
    Ok(metric.or_else(|| Metric::from_id(&id).ok()).map(|metric| (number, metric)))
}

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

/// Iterator over the rows of `sql::READINGS`, which are consumed sample by sample.
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

    /// Adds the readings that have no column to the sample with this sequence number.
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
