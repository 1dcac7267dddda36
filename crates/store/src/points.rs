//! Points of series: what a session says of a benchmark, kept so that a series of a thousand sessions is read at once.
//!
//! This store keeps points and computes none: whoever knows the documents of all verbs does.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::types::Value;

use crate::engine::{Engine, Purpose, Values, cell, integer, optional, text, together};
use crate::error::at;
use crate::{Access, Store, StoreError, sql};

/// Unit of stored logarithms.
const PICO: f64 = 1e12;

/// The largest logarithm that is kept, either way. No metric comes near it.
const LN_MAX: f64 = 1e6;

/// A session's figure of a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The experiment.
    pub experiment: i64,
    /// Number of the command within the experiment, or of the benchmark within a suite.
    pub number: i64,
    /// Start of the experiment in RFC 3339 form, UTC.
    pub started: Arc<str>,
    /// Name of the benchmark.
    pub benchmark: Arc<str>,
    /// File name of the program, or the name of the harness.
    pub program: Arc<str>,
    /// Name of the metric.
    pub metric: Arc<str>,
    /// Unit of the metric, such as `ns`.
    pub unit: Arc<str>,
    /// Whether more is better.
    pub more_is_better: bool,
    /// Identity of the machine.
    pub machine: Arc<str>,
    /// Full hash of the commit that was measured.
    pub commit: Option<String>,
    /// Whether there were local changes beside the commit.
    pub dirty: Option<bool>,
    /// When the commit was made, in seconds since 1970.
    pub committed_s: Option<i64>,
    /// Label of the experiment.
    pub label: Option<String>,
    /// Name of the machine.
    pub host: Option<Arc<str>>,
    /// Natural logarithm of the typical reading.
    pub ln: f64,
    /// Standard error of `ln` within the session; `None` for a single run.
    pub error: Option<f64>,
    /// Runs behind the point.
    pub runs: u64,
}

/// A choice of points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointFilter {
    /// Name of the metric.
    pub metric: String,
    /// Names of a benchmark and its program; `None` for all.
    pub benchmark: Option<(String, String)>,
}

/// A text that stands for all points and notes of a benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointDigest {
    /// Name of the benchmark.
    pub benchmark: String,
    /// File name of the program, or the name of the harness.
    pub program: String,
    /// The text.
    pub digest: String,
}

/// A note on an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The experiment.
    pub experiment: i64,
    /// When it was written, in RFC 3339 form, UTC.
    pub written: String,
    /// The text.
    pub text: String,
}

impl Store {
    /// Finished experiments whose points are not kept yet, oldest first. All, in a store that cannot keep any.
    ///
    /// # Errors
    /// Those of reading.
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

    /// Keeps the points of an experiment, with the note that they are all of them. `false` in a store that cannot be
    /// written, where they have to be computed again the next time.
    ///
    /// # Errors
    /// Those of writing; none is kept then.
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

    /// Hands over the points that are kept, series by series, and within a series by experiment.
    ///
    /// # Errors
    /// Those of reading.
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

    /// Names of the metrics that points are kept of.
    ///
    /// # Errors
    /// Those of reading.
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

    /// A hash of the facts of an experiment's machine, for experiments that do not say on which machine they were made. It
    /// changes with the kernel.
    ///
    /// # Errors
    /// Those of reading.
    pub fn machine_by_facts(&self, experiment: i64) -> Result<Option<String>, StoreError> {
        Ok(self
            .engine()
            .read(sql::MACHINE_OF, &[Value::Integer(experiment)])?
            .first()
            .and_then(|row| word(row, 0)))
    }

    /// Adds a note to an experiment.
    ///
    /// # Errors
    /// [`StoreError::NewerVersion`], [`StoreError::ReadOnly`]; those of writing.
    pub fn add_note(&self, experiment: i64, written: &str, note: &str) -> Result<(), StoreError> {
        self.check_writable()?;
        let texts = [written, note].map(|text| Value::Text(text.to_owned()));
        let values: Vec<Value> = [Value::Integer(experiment)].into_iter().chain(texts).collect();
        self.engine().write(sql::INSERT_NOTE, &values).map(drop)
    }

    /// The notes on all experiments, in the order of the experiments.
    ///
    /// # Errors
    /// Those of reading.
    pub fn notes(&self) -> Result<Vec<Note>, StoreError> {
        if !self.keeps_points()? {
            return Ok(Vec::new());
        }
        let note = |row: &Values| {
            let experiment = integer(cell(row, 0));
            Some(Note { experiment, written: word(row, 1)?, text: word(row, 2)? })
        };
        Ok(self.engine().read(sql::NOTES, &[])?.iter().filter_map(note).collect())
    }

    /// Of each benchmark of a metric, by name and program, a text that is another one as soon as a point or a note is added or
    /// removed. Points that are not kept have none.
    ///
    /// # Errors
    /// Those of reading.
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

    /// Whether the tables of points are there: an earlier store that cannot be written has none.
    fn keeps_points(&self) -> Result<bool, StoreError> {
        Ok(!self.engine().columns("point")?.is_empty())
    }
}

fn word(row: &Values, column: usize) -> Option<String> {
    text(cell(row, column)).map(str::to_owned)
}

fn pico(value: f64) -> Value {
    Value::Integer((value.clamp(-LN_MAX, LN_MAX) * PICO).round() as i64)
}

/// The values of `sql::INSERT_POINT`.
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
    ]
}

/// Names of the row before, which those of the next row mostly equal.
#[derive(Default)]
struct Names([Option<Arc<str>>; 6]);

impl Names {
    fn shared(&mut self, place: usize, value: &Value) -> Arc<str> {
        let word = text(value).unwrap_or_default();
        match &self.0[place] {
            Some(known) if **known == *word => Arc::clone(known),
            _ => Arc::clone(self.0[place].insert(word.into())),
        }
    }

    /// A row of `sql::POINTS`.
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
            host: text(cell(row, 11)).map(|_| self.shared(5, cell(row, 11))),
            unit: self.shared(4, cell(row, 12)),
            more_is_better: number(13) != 0,
            ln: number(14) as f64 / PICO,
            error: some(15).map(|error| error as f64 / PICO),
            runs: number(16).cast_unsigned(),
        }
    }
}
