//! Statements about evidence other than runs, about readings of metrics that have no column, and about artifacts.

/// Adds a metric that has no column.
pub(crate) const INSERT_METRIC: &str =
    "INSERT INTO metric (experiment, number, id, spec) VALUES ($1, $2, $3, $4)";

/// Adds a reading of a metric that has no column in the table `sample`, or a reading that counted only part of the
/// time.
pub(crate) const INSERT_READING: &str = "INSERT INTO reading
    (experiment, sequence, metric, value, enabled_ns, running_ns) VALUES ($1, $2, $3, $4, $5, $6)";

/// Selects the metrics of an experiment that have no column in the table `sample`.
pub(crate) const METRICS: &str = "SELECT number, id, spec FROM metric WHERE experiment = $1 ORDER BY number";

/// Selects the readings of an experiment that have no column, run by run.
pub(crate) const READINGS: &str = "SELECT sequence, metric, value, enabled_ns, running_ns
    FROM reading WHERE experiment = $1 ORDER BY sequence, metric";

/// Selects all pieces of evidence other than runs: their kinds, and the number of runs before each.
pub(crate) const EVIDENCE: &str = "
    SELECT number, samples, 'shift' AS kind FROM shift WHERE experiment = $1
    UNION ALL SELECT number, samples, 'histogram' FROM histogram WHERE experiment = $1
    UNION ALL SELECT number, samples, 'series' FROM series WHERE experiment = $1
    UNION ALL SELECT DISTINCT number, samples, 'tree' FROM process WHERE experiment = $1
    UNION ALL SELECT number, samples, 'event' FROM event WHERE experiment = $1
    ORDER BY number";

pub(crate) const INSERT_SHIFT: &str = "INSERT INTO shift
    (experiment, number, samples, record, round, cell, worker) VALUES ($1, $2, $3, $4, $5, $6, $7)";

pub(crate) const INSERT_HISTOGRAM: &str = "INSERT INTO histogram
    (experiment, number, samples, artifact, round, cell, name) VALUES ($1, $2, $3, $4, $5, $6, $7)";

pub(crate) const INSERT_SERIES: &str = "INSERT INTO series
    (experiment, number, samples, record, trial, metric) VALUES ($1, $2, $3, $4, $5, $6)";

pub(crate) const INSERT_PROCESS: &str = "INSERT INTO process
    (experiment, number, samples, record, place, command, pid, parent)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

pub(crate) const INSERT_EVENT: &str = "INSERT INTO event
    (experiment, number, samples, record, at_ns, trial, name) VALUES ($1, $2, $3, $4, $5, $6, $7)";

pub(crate) const SHIFT: &str = "SELECT record FROM shift WHERE experiment = $1 AND number = $2";

/// Selects the number of the artifact with the bins of one histogram.
pub(crate) const HISTOGRAM: &str = "SELECT artifact FROM histogram WHERE experiment = $1 AND number = $2";

pub(crate) const SERIES: &str = "SELECT record FROM series WHERE experiment = $1 AND number = $2";

/// Selects the processes of one process tree.
pub(crate) const PROCESSES: &str =
    "SELECT command, record FROM process WHERE experiment = $1 AND number = $2 ORDER BY place";

pub(crate) const EVENT: &str = "SELECT record FROM event WHERE experiment = $1 AND number = $2";

pub(crate) const INSERT_ARTIFACT: &str =
    "INSERT INTO artifact (experiment, number, schema, bytes, data) VALUES ($1, $2, $3, $4, $5)";

pub(crate) const ARTIFACT: &str =
    "SELECT schema, bytes, data FROM artifact WHERE experiment = $1 AND number = $2";

pub(crate) const PLAN: &str = "SELECT uuid, plan FROM experiment WHERE id = $1";

pub(crate) const SET_PLAN: &str = "UPDATE experiment SET plan = $1 WHERE id = $2";

/// Statements that remove everything that an experiment has besides its runs.
pub(crate) const REMOVE_EVIDENCE: [&str; 12] = [
    "DELETE FROM note WHERE experiment = $1",
    "DELETE FROM point WHERE experiment = $1",
    "DELETE FROM summed WHERE experiment = $1",
    "DELETE FROM spool WHERE experiment = $1",
    "DELETE FROM reading WHERE experiment = $1",
    "DELETE FROM metric WHERE experiment = $1",
    "DELETE FROM shift WHERE experiment = $1",
    "DELETE FROM histogram WHERE experiment = $1",
    "DELETE FROM series WHERE experiment = $1",
    "DELETE FROM process WHERE experiment = $1",
    "DELETE FROM event WHERE experiment = $1",
    "DELETE FROM artifact WHERE experiment = $1",
];

/// All statements except the removals, for the test of every statement.
#[cfg(test)]
pub(super) const ALL: [&str; 19] = [
    INSERT_METRIC,
    INSERT_READING,
    METRICS,
    READINGS,
    EVIDENCE,
    INSERT_SHIFT,
    INSERT_HISTOGRAM,
    INSERT_SERIES,
    INSERT_PROCESS,
    INSERT_EVENT,
    SHIFT,
    HISTOGRAM,
    SERIES,
    PROCESSES,
    EVENT,
    INSERT_ARTIFACT,
    ARTIFACT,
    PLAN,
    SET_PLAN,
];
