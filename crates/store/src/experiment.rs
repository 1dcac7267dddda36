//! An experiment while it is being written.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use fauxplat_model::document::{Findings, Header};
use fauxplat_model::{Command, Sample};
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use crate::error::{at, json};
use crate::machine::MachineKey;
use crate::{State, StoreError, VERSION, findings, owner, row, sql};

/// An experiment while it is being written. Dropped without [`Experiment::finish`], it stays as *interrupted*, with
/// every sample that was appended.
#[derive(Debug)]
pub struct Experiment {
    connection: Rc<Connection>,
    path: PathBuf,
    id: i64,
    /// Samples so far, which is also the next sequence number.
    samples: i64,
}

impl Experiment {
    pub(crate) fn begin(
        connection: Rc<Connection>,
        path: &Path,
        header: &Header,
        kind: &str,
        commands: &[Command],
    ) -> Result<Self, StoreError> {
        let transaction = Transaction::new_unchecked(&connection, TransactionBehavior::Immediate);
        let transaction = transaction.map_err(at(path))?;
        let id = insert_header(&transaction, path, header, kind)?;
        for (number, command) in commands.iter().enumerate() {
            insert_command(&transaction, path, id, number, command)?;
        }
        transaction.commit().map_err(at(path))?;
        Ok(Experiment { connection, path: path.to_owned(), id, samples: 0 })
    }

    /// The number by which the experiment is found again.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Samples that were appended.
    pub fn samples(&self) -> u64 {
        self.samples.cast_unsigned()
    }

    /// Adds one sample and commits it.
    ///
    /// # Errors
    /// [`StoreError::DiskFull`], [`StoreError::Io`], [`StoreError::Busy`]: this sample is not stored, all before
    /// it are, and later ones may be tried.
    pub fn append(&mut self, sample: &Sample) -> Result<(), StoreError> {
        self.insert(sample).map_err(at(&self.path))?;
        self.samples += 1;
        Ok(())
    }

    fn insert(&self, sample: &Sample) -> rusqlite::Result<usize> {
        let mut statement = self.connection.prepare_cached(sql::INSERT_SAMPLE)?;
        row::bind(&mut statement, self.id, self.samples, sample)?;
        statement.raw_execute()
    }

    /// Ends the experiment. The header gives its final sources, warnings and what was not measured; the rest of it
    /// stands since the beginning.
    ///
    /// # Errors
    /// Those of writing; the samples are stored in any case.
    pub fn finish(
        self,
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
            self.id,
        ];
        self.connection.execute(sql::FINISH_EXPERIMENT, written).map_err(at(&self.path))?;
        Ok(self.id)
    }
}

fn insert_header(
    transaction: &Transaction<'_>,
    path: &Path,
    header: &Header,
    kind: &str,
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
        // A seed uses all 64 bits and SQL integers are signed, so it is stored as its decimal digits.
        header.seed.to_string(),
        json("invocation", &header.invocation)?,
        hash,
        json("condition", &header.condition)?,
        json("definition", &header.definition)?,
        json("sources", &header.sources)?,
        json("warnings", &header.warnings)?,
        json("not measured", &header.not_measured)?,
    ];
    transaction.query_row(sql::INSERT_EXPERIMENT, written, |row| row.get(0)).map_err(at(path))
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
        command.cleanup.as_ref().map(|words| json("cleanup command", words)).transpose()?,
        json("condition", &command.condition)?,
    ];
    let mut statement = transaction.prepare_cached(sql::INSERT_COMMAND).map_err(at(path))?;
    statement.execute(written).map_err(at(path))?;
    Ok(())
}
