//! An experiment while it is being written.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use fauxplat_model::document::{Findings, Header};
use fauxplat_model::{Command, Metric, Sample};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::error::{at, json};
use crate::machine::MachineKey;
use crate::readings::Numbers;
use crate::{State, StoreError, VERSION, findings, owner, readings, row, sql, uuid};

/// An experiment while it is being written. If dropped without [`Experiment::finish`], the experiment remains in the
/// store as *interrupted*, with every sample that was appended.
#[derive(Debug)]
pub struct Experiment {
    pub(crate) connection: Rc<Connection>,
    pub(crate) path: PathBuf,
    id: i64,
    uuid: String,
    /// Number of samples so far, which is also the next sequence number.
    pub(crate) samples: i64,
    /// Number of pieces of evidence so far, runs excluded.
    pub(crate) evidence: i64,
    pub(crate) artifacts: i64,
    metrics: Numbers,
    open: bool,
}

impl Drop for Experiment {
    /// Marks an unfinished experiment as interrupted: its process may live on, and the experiment would otherwise still
    /// seem to be running.
    fn drop(&mut self) {
        if self.open {
            // If this statement fails as well, the experiment counts as interrupted once the process has ended.
            let _unheard = self.connection.execute(sql::INTERRUPT, [self.id]);
        }
    }
}

impl Experiment {
    pub(crate) fn begin(
        connection: Rc<Connection>,
        path: &Path,
        target: Option<&str>,
        (header, kind, commands): (&Header, &str, &[Command]),
    ) -> Result<Self, StoreError> {
        let transaction = Transaction::new_unchecked(&connection, TransactionBehavior::Immediate);
        let transaction = transaction.map_err(at(path))?;
        let uuid = uuid::random().map_err(|error| StoreError::Randomness { reason: error.to_string() })?;
        let id = insert_header(&transaction, path, header, kind, &uuid)?;
        for (number, command) in commands.iter().enumerate() {
            insert_command(&transaction, path, id, number, command)?;
        }
        if let Some(target) = target {
            transaction.execute(sql::SPOOL, params![id, target]).map_err(at(path))?;
        }
        transaction.commit().map_err(at(path))?;
        let path = path.to_owned();
        let metrics = Numbers::default();
        Ok(Experiment {
            connection,
            path,
            id,
            uuid,
            samples: 0,
            evidence: 0,
            artifacts: 0,
            metrics,
            open: true,
        })
    }

    pub fn id(&self) -> i64 {
        self.id
    }

    /// Returns the UUID of the experiment, which is equal in every store that holds a copy.
    pub fn uuid(&self) -> &str {
        &self.uuid
    }

    pub fn samples(&self) -> u64 {
        self.samples.cast_unsigned()
    }

    /// Adds one sample and commits it.
    ///
    /// # Errors
    /// Returns [`StoreError::DiskFull`], [`StoreError::Io`] or [`StoreError::Busy`]: this sample is not stored, all
    /// earlier samples are, and later calls may succeed.
    pub fn append(&mut self, sample: &Sample) -> Result<(), StoreError> {
        self.append_all(std::slice::from_ref(sample))
    }

    /// Adds samples in one transaction: a commit writes whole pages, so ten samples cost little more than one sample.
    ///
    /// # Errors
    /// Returns the errors of [`Experiment::append`]; none of the samples is stored then.
    pub fn append_all(&mut self, samples: &[Sample]) -> Result<(), StoreError> {
        if let [only] = samples
            && readings::is_one_row(only)
        {
            self.insert(0, only).map_err(at(&self.path))?;
        } else {
            let fresh = self.metrics.add(samples);
            let inserted = self.insert_all(samples, &fresh);
            if inserted.is_err() {
                self.metrics.forget(&fresh);
            }
            inserted.map_err(at(&self.path))?;
        }
        self.samples += samples.len() as i64;
        Ok(())
    }

    fn insert_all(&self, samples: &[Sample], fresh: &[Metric]) -> rusqlite::Result<()> {
        let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
        self.metrics.insert_metrics(&transaction, self.id, fresh)?;
        for (number, sample) in (0..).zip(samples) {
            self.insert(number, sample)?;
            self.metrics.insert_readings(&transaction, self.id, self.samples + number, sample)?;
        }
        transaction.commit()
    }

    /// Inserts a row of the table `sample`: the readings that have columns. `number` counts from 0 within the present
    /// call.
    fn insert(&self, number: i64, sample: &Sample) -> rusqlite::Result<usize> {
        let mut statement = self.connection.prepare_cached(sql::INSERT_SAMPLE)?;
        row::bind(&mut statement, self.id, self.samples + number, sample)?;
        statement.raw_execute()
    }

    /// Ends the experiment, and returns its number. Sources, warnings, the list of unmeasured readings and the
    /// condition are taken from the header; its other fields were stored by [`crate::Store::begin`].
    ///
    /// # Errors
    /// Returns the store's error if writing fails; the samples are stored in any case.
    pub fn finish(
        mut self,
        header: &Header,
        findings: Option<&Findings>,
        state: State,
    ) -> Result<i64, StoreError> {
        let written = params![
            state.name(),
            json("sources", &header.sources)?,
            json("warnings", &header.warnings)?,
            json("not measured", &header.not_measured)?,
            findings.map(Findings::schema),
            findings.map(findings::encode).transpose()?,
            findings.map(findings::summary),
            json("condition", &header.condition)?,
            self.id,
        ];
        self.connection.execute(sql::FINISH_EXPERIMENT, written).map_err(at(&self.path))?;
        self.open = false;
        Ok(self.id)
    }
}

fn insert_header(
    transaction: &Transaction<'_>,
    path: &Path,
    header: &Header,
    kind: &str,
    uuid: &str,
) -> Result<i64, StoreError> {
    let machine = MachineKey::of(&header.machine)?;
    let MachineKey { hash, identity, facts } = &machine;
    transaction.execute(sql::INSERT_MACHINE, [hash, identity, facts]).map_err(at(path))?;
    let written = params![
        kind,
        State::Running.name(),
        owner::own(),
        header.started,
        header.fauxplat_version,
        VERSION,
        // A seed uses all 64 bits and SQL integers are signed, so the seed is stored as its decimal digits.
        header.seed.to_string(),
        json("invocation", &header.invocation)?,
        hash,
        json("condition", &header.condition)?,
        json("definition", &header.definition)?,
        json("sources", &header.sources)?,
        json("warnings", &header.warnings)?,
        json("not measured", &header.not_measured)?,
        uuid,
        origin(header)?,
    ];
    transaction.query_row(sql::INSERT_EXPERIMENT, written, |row| row.get(0)).map_err(at(path))
}

/// Returns the origin of the experiment (checkout, host, user) as JSON; `None` if nothing is known about it.
fn origin(header: &Header) -> Result<Option<String>, StoreError> {
    (!header.origin.is_empty()).then(|| json("origin", &header.origin)).transpose()
}

fn insert_command(
    transaction: &Transaction<'_>,
    path: &Path,
    experiment: i64,
    number: usize,
    command: &Command,
) -> Result<(), StoreError> {
    let written = params![
        experiment,
        number as i64,
        command.name,
        command.command,
        command.program.to_string_lossy(),
        command.program_sha256,
        json("argument vector", &command.argv)?,
        json("parameters", &command.parameters)?,
        command.prepare.as_ref().map(|words| json("prepare command", words)).transpose()?,
        command.conclude.as_ref().map(|words| json("conclude command", words)).transpose()?,
        json("condition", &command.condition)?,
    ];
    let mut statement = transaction.prepare_cached(sql::INSERT_COMMAND).map_err(at(path))?;
    statement.execute(written).map_err(at(path))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use fauxplat_model::{Evidence, Histogram, Readings, Unit};

    fn header() -> Header {
        Header {
            fauxplat_version: "0.1.0".into(),
            started: "2026-11-21T10:00:00Z".into(),
            invocation: vec!["fauxplat".into()],
            seed: 1,
            ..Header::default()
        }
    }

    fn sample() -> Sample {
        Sample::of(Readings::none())
    }

    /// SQLite reports its page limit exactly as a full disk, so this test needs no small file system.
    #[test]
    fn a_full_store_refuses_one_sample_and_takes_the_next_when_there_is_room() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.sqlite");
        let store = Store::open(&path).unwrap();
        let mut experiment = store.begin(&header(), "run", &[]).unwrap();
        store.connection.pragma_update(None, "max_page_count", 1).unwrap();
        let error = (0..10_000).find_map(|_| experiment.append(&sample()).err()).expect("the limit holds");
        assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
        assert!(error.to_string().starts_with(path.to_str().unwrap()), "{error}");
        let stored = experiment.samples();
        assert_eq!(store.load(experiment.id()).unwrap().samples.len() as u64, stored);

        store.connection.pragma_update(None, "max_page_count", 10_000).unwrap();
        experiment.append(&sample()).unwrap();
        let id = experiment.finish(&header(), None, State::Stopped).unwrap();
        let loaded = Store::open(&path).unwrap().load(id).unwrap();
        assert_eq!((loaded.samples.len() as u64, loaded.state), (stored + 1, State::Stopped));
    }

    #[test]
    fn a_full_store_refuses_one_piece_of_evidence_whole_and_takes_the_next_when_there_is_room() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path().join("store.sqlite")).unwrap();
        let mut experiment = store.begin(&header(), "run", &[]).unwrap();
        store.connection.pragma_update(None, "max_page_count", 1).unwrap();
        let bins: Vec<u64> = (0..300).collect();
        let name = "timer".to_owned();
        let histogram = Evidence::Histogram(Histogram {
            round: 0,
            cell: 0,
            name,
            unit: Unit::Nanos,
            missed: 0,
            bounds: bins.clone(),
            counts: bins,
        });
        let mut open = sample();
        open.readings.set(Metric::from_id("simulated:cycles").unwrap(), Some(3));
        let mut stored = 0;
        let error = loop {
            let piece = if stored % 2 == 0 { histogram.clone() } else { Evidence::Run(open.clone()) };
            match experiment.record(&piece) {
                Ok(()) => stored += 1,
                Err(error) => break error,
            }
        };
        assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
        let count = || {
            let mut count = 0;
            store.evidence(experiment.id(), |_| count += 1).map(|()| count)
        };
        assert_eq!(count().unwrap(), stored);
        store.connection.pragma_update(None, "max_page_count", 10_000).unwrap();
        experiment.record(&histogram).unwrap();
        experiment.append_all(&[open.clone(), open.clone()]).unwrap();
        let loaded = store.load(experiment.id()).unwrap().samples;
        assert!(loaded.iter().all(|sample| *sample == open));
        let mut pieces = 0;
        store.evidence(experiment.id(), |_| pieces += 1).unwrap();
        assert_eq!(pieces, stored + 3);
    }
}
