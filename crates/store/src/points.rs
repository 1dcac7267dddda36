//! Points of series: the figures of each session, stored so that a series of a thousand sessions is read at once.
//!
//! The store holds points and does not compute them: that needs the documents of all verbs, which a higher layer knows.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::types::Value;

use crate::engine::{Engine, Purpose, Values, cell, integer, optional, text, together};
use crate::error::at;
use crate::{Access, Store, StoreError, sql};

/// Number of stored units in a logarithm of one: logarithms are stored as integers in 10⁻¹².
const PICO: f64 = 1e12;

/// Maximum absolute value of a stored logarithm. No metric comes near it.
const LN_MAX: f64 = 1e6;

/// The column of points that was added last.
const LAST_COLUMN: &str = "folder";

/// The figure of a benchmark in one session, which is a point of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub experiment: i64,
    /// Index of the command within the experiment, or of the benchmark within a suite.
    pub number: i64,
    /// Start of the experiment in RFC 3339 form, UTC.
    pub started: Arc<str>,
    pub benchmark: Arc<str>,
    /// File name of the benchmark's program, or the command that builds it.
    pub program: Arc<str>,
    /// Arguments that the user gave to a benchmark program; empty for a command.
    pub arguments: Arc<str>,
    /// Harness that measured the benchmark; `None` for a command.
    pub harness: Option<Arc<str>>,
    /// Repository, and the folder within it, in which the program ran, as `NAME` or `NAME:FOLDER`; `None` outside of a
    /// repository, and for experiments of earlier versions.
    pub repository: Option<Arc<str>>,
    /// Absolute path of the folder in which the program ran; `None` if it is not known.
    pub folder: Option<Arc<str>>,
    pub metric: Arc<str>,
    /// Unit of the metric, such as `ns`.
    pub unit: Arc<str>,
    pub more_is_better: bool,
    /// Text that identifies the machine's hardware.
    pub machine: Arc<str>,
    /// Full hash of the commit that was measured; `None` if it is not known.
    pub commit: Option<String>,
    /// Whether the work tree of the commit had local changes; `None` if that is not known.
    pub dirty: Option<bool>,
    /// Time of the commit, in seconds since 1970.
    pub committed_s: Option<i64>,
    pub label: Option<String>,
    pub host: Option<Arc<str>>,
    /// Natural logarithm of the typical reading, in `unit`.
    pub ln: f64,
    /// Standard error of `ln` within the session; `None` for a single run.
    pub error: Option<f64>,
    /// Number of runs from which the point was computed.
    pub runs: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointFilter {
    pub metric: String,
    /// Names of a benchmark and its program; `None` selects all.
    pub benchmark: Option<(String, String)>,
}

/// A benchmark, with a text that changes when its points or notes change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointDigest {
    pub benchmark: String,
    /// File name of the benchmark's program, or the command that builds it.
    pub program: String,
    pub digest: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub experiment: i64,
    /// Time of writing, in RFC 3339 form, UTC.
    pub written: String,
    pub text: String,
}

impl Store {
    /// Returns finished experiments whose points are not stored yet, oldest first; all finished experiments if the
    /// store has no tables for points.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn without_points(&self) -> Result<Vec<i64>, StoreError> {
        match self.keeps_points()? {
            true => Ok(self
                .engine()
                .read(sql::NOT_SUMMED, &[])?
                .iter()
                .map(|row| integer(cell(row, 0)))
                .collect()),
            false => self.all_over(),
        }
    }

    /// Stores all points of an experiment, and that there are no others. Returns `false` for a store that cannot be
    /// written, where the points have to be computed again the next time.
    ///
    /// # Errors
    /// Returns the store's error if writing fails; no point is stored then.
    pub fn keep_points(&self, experiment: i64, points: &[Point]) -> Result<bool, StoreError> {
        if self.access() != Access::ReadWrite || !self.keeps_points()? {
            return Ok(false);
        }
        let engine = self.engine();
        together(engine, Purpose::Add, || {
            for point in points {
                engine.write(sql::INSERT_POINT, &values(point))?;
            }
            engine.write(sql::SUMMED, &[Value::Integer(experiment), Value::Integer(points.len() as i64)])
        })?;
        Ok(true)
    }

    /// Passes the stored points to a receiver, ordered by benchmark, program, machine and experiment.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn points(&self, filter: &PointFilter, mut each: impl FnMut(Point)) -> Result<(), StoreError> {
        if !self.keeps_points()? {
            return Ok(());
        }
        let text = |text: &String| Value::Text(text.clone());
        let (statement, asked) = match &filter.benchmark {
            Some((benchmark, program)) => {
                (sql::POINTS_OF, [&filter.metric, benchmark, program].map(text).to_vec())
            }
            None => (sql::POINTS, vec![text(&filter.metric)]),
        };
        let mut names = Names::default();
        if let Some(server) = &self.server {
            server.read(statement, &asked)?.iter().for_each(|row| each(names.point(row)));
            return Ok(());
        }
        let failed = at(&self.path);
        let mut statement = self.connection.prepare_cached(statement).map_err(&failed)?;
        let columns = statement.column_count();
        let mut rows = statement.query(rusqlite::params_from_iter(&asked)).map_err(&failed)?;
        let mut values: Values = Vec::with_capacity(columns);
        while let Some(row) = rows.next().map_err(&failed)? {
            values.clear();
            for column in 0..columns {
                values.push(row.get(column).map_err(&failed)?);
            }
            each(names.point(&values));
        }
        Ok(())
    }

    /// Returns the names of all metrics that have stored points.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn point_metrics(&self) -> Result<Vec<String>, StoreError> {
        match self.keeps_points()? {
            true => Ok(self
                .engine()
                .read(sql::POINT_METRICS, &[])?
                .iter()
                .filter_map(|row| word(row, 0))
                .collect()),
            false => Ok(Vec::new()),
        }
    }

    /// Returns a hash of the facts of an experiment's machine, for experiments without an identity of their machine;
    /// `None` if there is no such experiment. The hash changes with the kernel.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn machine_by_facts(&self, experiment: i64) -> Result<Option<String>, StoreError> {
        Ok(self
            .engine()
            .read(sql::MACHINE_OF, &[Value::Integer(experiment)])?
            .first()
            .and_then(|row| word(row, 0)))
    }

    /// # Errors
    /// Returns [`StoreError::NewerVersion`], [`StoreError::ReadOnly`], or the store's error if writing fails.
    pub fn add_note(&self, experiment: i64, written: &str, note: &str) -> Result<(), StoreError> {
        self.check_writable()?;
        let texts = [written, note].map(|text| Value::Text(text.to_owned()));
        let values: Vec<Value> = [Value::Integer(experiment)].into_iter().chain(texts).collect();
        self.engine().write(sql::INSERT_NOTE, &values).map(drop)
    }

    /// Returns the notes on all experiments, in the order of the experiments.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn notes(&self) -> Result<Vec<Note>, StoreError> {
        if self.engine().columns("note")?.is_empty() {
            return Ok(Vec::new());
        }
        let note = |row: &Values| {
            let experiment = integer(cell(row, 0));
            Some(Note { experiment, written: word(row, 1)?, text: word(row, 2)? })
        };
        Ok(self.engine().read(sql::NOTES, &[])?.iter().filter_map(note).collect())
    }

    /// Returns a text for each benchmark of a metric, by name and program, that changes when a point or a note is added
    /// or removed. A benchmark without stored points has no text.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn point_digests(&self, metric: &str) -> Result<Vec<PointDigest>, StoreError> {
        if !self.keeps_points()? {
            return Ok(Vec::new());
        }
        let asked = [Value::Text(metric.to_owned())];
        let mut digests = BTreeMap::new();
        for (statement, numbers) in [(sql::POINT_DIGESTS, 3), (sql::NOTE_DIGESTS, 2)] {
            for row in self.engine().read(statement, &asked)? {
                let key = (word(&row, 0).unwrap_or_default(), word(&row, 1).unwrap_or_default());
                let digest: &mut String = digests.entry(key).or_default();
                (0..numbers).for_each(|at| *digest += &format!("{} ", integer(cell(&row, 2 + at))));
            }
        }
        let digest = |((benchmark, program), digest)| PointDigest { benchmark, program, digest };
        Ok(digests.into_iter().map(digest).collect())
    }

    /// Returns whether the tables of points exist with all columns: a store of an earlier version that cannot be written
    /// lacks them.
    fn keeps_points(&self) -> Result<bool, StoreError> {
        Ok(self.engine().columns("point")?.iter().any(|name| name == LAST_COLUMN))
    }
}

fn word(row: &Values, column: usize) -> Option<String> {
    text(cell(row, column)).map(str::to_owned)
}

fn pico(value: f64) -> Value {
    Value::Integer((value.clamp(-LN_MAX, LN_MAX) * PICO).round() as i64)
}

fn values(point: &Point) -> Vec<Value> {
    let text = |text: &str| Value::Text(text.to_owned());
    let number = |number: Option<i64>| number.map_or(Value::Null, Value::Integer);
    vec![
        text(&point.metric),
        text(&point.benchmark),
        text(&point.program),
        text(&point.machine),
        Value::Integer(point.experiment),
        Value::Integer(point.number),
        text(&point.started),
        optional(point.commit.as_deref()),
        number(point.dirty.map(i64::from)),
        number(point.committed_s),
        optional(point.label.as_deref()),
        optional(point.host.as_deref()),
        text(&point.unit),
        Value::Integer(i64::from(point.more_is_better)),
        pico(point.ln),
        point.error.map_or(Value::Null, pico),
        Value::Integer(point.runs.cast_signed()),
        text(&point.arguments),
        optional(point.harness.as_deref()),
        optional(point.repository.as_deref()),
        optional(point.folder.as_deref()),
    ]
}

/// Names in the previous row of points, which are mostly equal to the names in the next row and then share its memory.
#[derive(Default)]
struct Names([Option<Arc<str>>; 10]);

impl Names {
    fn shared(&mut self, place: usize, value: &Value) -> Arc<str> {
        let word = text(value).unwrap_or_default();
        match &self.0[place] {
            Some(known) if **known == *word => Arc::clone(known),
            _ => Arc::clone(self.0[place].insert(word.into())),
        }
    }

    /// The text of a column; `None` where the column is NULL.
    fn optional(&mut self, place: usize, value: &Value) -> Option<Arc<str>> {
        text(value).is_some().then(|| self.shared(place, value))
    }

    fn point(&mut self, row: &Values) -> Point {
        let number = |column: usize| integer(cell(row, column));
        let some = |column: usize| match cell(row, column) {
            Value::Integer(number) => Some(*number),
            _ => None,
        };
        Point {
            metric: self.shared(0, cell(row, 0)),
            benchmark: self.shared(1, cell(row, 1)),
            program: self.shared(2, cell(row, 2)),
            machine: self.shared(3, cell(row, 3)),
            experiment: number(4),
            number: number(5),
            started: text(cell(row, 6)).unwrap_or_default().into(),
            commit: text(cell(row, 7)).map(str::to_owned),
            dirty: some(8).map(|dirty| dirty != 0),
            committed_s: some(9),
            label: text(cell(row, 10)).map(str::to_owned),
            host: self.optional(5, cell(row, 11)),
            unit: self.shared(4, cell(row, 12)),
            more_is_better: number(13) != 0,
            ln: number(14) as f64 / PICO,
            error: some(15).map(|error| error as f64 / PICO),
            runs: number(16).cast_unsigned(),
            arguments: self.shared(6, cell(row, 17)),
            harness: self.optional(7, cell(row, 18)),
            repository: self.optional(8, cell(row, 19)),
            folder: self.optional(9, cell(row, 20)),
        }
    }
}
