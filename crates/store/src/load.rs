//! Loads an experiment from a store.

use fauxplat_model::document::{Findings, Header};
use fauxplat_model::{Command, Origin, Sample, Sources};
use rusqlite::{OptionalExtension, Row};
use serde_json::Value;

use crate::error::at;
use crate::known::{Cells, Known};
use crate::{State, Store, StoreError, findings, lenient, row, schema, sql};

#[derive(Clone, Debug)]
pub struct StoredExperiment {
    /// The verb of the experiment.
    pub kind: String,
    pub state: State,
    /// Header of the record. Its warnings also name stored values that this version cannot read.
    pub header: Header,
    /// Commands of the experiment; samples refer to them by their index.
    pub commands: Vec<Command>,
    /// Samples in the order in which they were taken, warm-up runs included.
    pub samples: Vec<Sample>,
    /// Findings; `None` until the experiment is finished, or if this version cannot read them.
    pub findings: Option<Findings>,
    /// The findings as JSON, as they are stored; they may be of another version.
    pub findings_json: Option<Value>,
    /// The verdicts or medians in one line; `None` until the experiment is finished.
    pub summary: Option<String>,
    pub plan: Option<Value>,
}

/// The largest number of runs of an experiment that [`Store::load`] accepts: ten times as many as `run` makes. A run
/// takes some two hundred bytes of memory, so these take two gigabytes.
pub const SAMPLES_MAX: u64 = 10_000_000;

impl Store {
    /// Loads an experiment with all its samples.
    ///
    /// # Errors
    /// Returns [`StoreError::NoSuchExperiment`], [`StoreError::TooManyRuns`], or the store's error if reading fails.
    pub fn load(&self, id: i64) -> Result<StoredExperiment, StoreError> {
        let mut experiment = self.load_without_samples(id)?;
        let said = self.connection.query_row(sql::SAMPLE_COUNT, [id], |row| row.get::<_, Option<i64>>(0));
        self.check_number(id, said.map_err(at(&self.path))?.unwrap_or(0).max(0).cast_unsigned())?;
        self.try_samples(id, |sample| {
            experiment.samples.push(sample);
            // The sequence numbers in a store that another program wrote need not begin at 0, so samples are counted,
            // too.
            self.check_number(id, experiment.samples.len() as u64)
        })?;
        Ok(experiment)
    }

    fn check_number(&self, id: i64, runs: u64) -> Result<(), StoreError> {
        match runs > SAMPLES_MAX {
            true => Err(StoreError::TooManyRuns { path: self.path.clone(), id, runs, max: SAMPLES_MAX }),
            false => Ok(()),
        }
    }

    /// Loads an experiment with an empty list of samples, for callers that stream them.
    ///
    /// # Errors
    /// Returns [`StoreError::NoSuchExperiment`], or the store's error if reading fails.
    pub fn load_without_samples(&self, id: i64) -> Result<StoredExperiment, StoreError> {
        self.fetch(id)?;
        // Metrics are read before findings and definitions, which name them only by their ids: a metric of which only
        // the id is known has neither a title nor the direction in which it is better.
        Known::of(self, id)?;
        let found = self.connection.query_row(sql::LOAD, [id], |row| experiment(id, row)).optional();
        let missing = || StoreError::NoSuchExperiment { path: self.path.clone(), id: id.to_string() };
        let mut experiment = found.map_err(at(&self.path))?.ok_or_else(missing)?;
        self.load_commands(id, &mut experiment).map_err(at(&self.path))?;
        if self.version >= schema::WITH_EVIDENCE {
            self.load_plan(id, &mut experiment).map_err(at(&self.path))?;
        }
        if self.version >= schema::WITH_ORIGIN {
            let origin = self.connection.query_row(sql::ORIGIN, [id], |row| row.get::<_, Option<String>>(0));
            experiment.header.origin = lenient::origin(origin.map_err(at(&self.path))?.as_deref());
        }
        Ok(experiment)
    }

    fn load_plan(&self, id: i64, experiment: &mut StoredExperiment) -> rusqlite::Result<()> {
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, Option<String>>(1)?));
        let (uuid, plan) = self.connection.query_row(sql::PLAN, [id], read)?;
        experiment.header.uuid = uuid;
        experiment.plan = plan.and_then(|text| serde_json::from_str(&text).ok());
        experiment.header.plan.clone_from(&experiment.plan);
        Ok(())
    }

    fn load_commands(&self, id: i64, experiment: &mut StoredExperiment) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(sql::COMMANDS)?;
        let mut rows = statement.query([id])?;
        while let Some(row) = rows.next()? {
            experiment.commands.push(lenient::command(row, &mut experiment.header.warnings)?);
        }
        Ok(())
    }

    /// Passes the samples of an experiment to a receiver one by one, in the order in which they were taken.
    ///
    /// # Errors
    /// Returns the store's error if reading fails. An experiment that does not exist has no samples.
    pub fn samples(&self, id: i64, mut each: impl FnMut(Sample)) -> Result<(), StoreError> {
        self.try_samples(id, |sample| {
            each(sample);
            Ok(())
        })
    }

    /// Passes the samples of an experiment one by one to a receiver that may fail.
    pub(crate) fn try_samples(
        &self,
        id: i64,
        each: impl FnMut(Sample) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.fetch(id)?;
        let known = Known::of(self, id)?;
        if known.is_empty() {
            return self.try_rows(id, &known, None, each);
        }
        let failed = at(&self.path);
        let mut statement = self.connection.prepare_cached(sql::READINGS).map_err(&failed)?;
        let cells = Cells::new(statement.query([id]).map_err(&failed)?).map_err(&failed)?;
        self.try_rows(id, &known, Some(cells), each)
    }

    /// Returns the kernel interfaces from which an experiment's metrics were read; the default if this version cannot
    /// read them.
    fn sources_of(&self, id: i64) -> rusqlite::Result<Sources> {
        let text = self.connection.query_row(sql::SOURCES, [id], |row| row.get::<_, String>(0)).optional()?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
    }

    /// Reads the rows of samples, adds the readings of each that have no column, and passes each sample to `each`.
    /// Sequence numbers have no gaps.
    fn try_rows(
        &self,
        id: i64,
        known: &Known,
        mut cells: Option<Cells<'_>>,
        mut each: impl FnMut(Sample) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let failed = at(&self.path);
        let unreadable = |error: rusqlite::Error| self.undecoded(id, "a sample", &error.to_string());
        let has_bounds = self.version >= schema::WITH_BOUNDS;
        let text = if has_bounds { sql::SAMPLES } else { sql::SAMPLES_BEFORE_BOUNDS };
        let sources = self.sources_of(id).map_err(&failed)?;
        let mut statement = self.connection.prepare_cached(text).map_err(&failed)?;
        let mut rows = statement.query([id]).map_err(&failed)?;
        let mut sequence = 0;
        while let Some(row) = rows.next().map_err(&failed)? {
            let mut sample = row::read(row, known.set(), &sources).map_err(unreadable)?;
            if let Some(cells) = &mut cells {
                cells.complete(sequence, known, &mut sample.readings).map_err(unreadable)?;
            }
            sequence += 1;
            each(sample)?;
        }
        Ok(())
    }
}

fn experiment(id: i64, row: &Row<'_>) -> rusqlite::Result<StoredExperiment> {
    let text = |column| row.get::<_, String>(column);
    let mut warnings = Vec::new();
    let stored = lenient::words("warnings", &text(11)?, &mut warnings);
    let mut header = Header {
        fauxplat_version: text(4)?,
        id: Some(id),
        uuid: None,
        plan: None,
        started: text(3)?,
        invocation: lenient::words("invocation", &text(6)?, &mut warnings),
        seed: text(5)?.parse().unwrap_or_default(),
        machine: lenient::noun(&text(7)?, &mut warnings),
        origin: Origin::default(),
        condition: lenient::noun(&text(8)?, &mut warnings),
        definition: lenient::noun(&text(9)?, &mut warnings),
        sources: lenient::noun(&text(10)?, &mut warnings),
        warnings: stored,
        not_measured: lenient::words("list of what was not measured", &text(12)?, &mut warnings),
    };
    header.warnings.append(&mut warnings);
    let (schema, findings_json): (Option<String>, Option<String>) = (row.get(13)?, row.get(14)?);
    let pair = schema.zip(findings_json);
    Ok(StoredExperiment {
        kind: text(0)?,
        state: State::read(&text(1)?, &text(2)?),
        header,
        commands: Vec::new(),
        samples: Vec::new(),
        findings: pair.as_ref().and_then(|(schema, text)| findings::decode(schema, text)),
        findings_json: pair.and_then(|(_, text)| serde_json::from_str(&text).ok()),
        summary: row.get(15)?,
        plan: None,
    })
}
