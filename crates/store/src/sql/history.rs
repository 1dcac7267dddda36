//! Statements about series: the origins of experiments, notes on them, and points.

pub(crate) const ORIGIN: &str = "SELECT origin FROM experiment WHERE id = $1";

/// Selects finished experiments whose points are not stored yet, oldest first.
pub(crate) const NOT_SUMMED: &str = "SELECT e.id FROM experiment e
    WHERE e.state IN ('finished', 'stopped') AND e.kind IN ('run', 'compare', 'suite')
        AND NOT EXISTS (SELECT 1 FROM summed s WHERE s.experiment = e.id)
    ORDER BY e.id";

/// Records that the points of an experiment are stored.
pub(crate) const SUMMED: &str = "INSERT INTO summed (experiment, points) VALUES ($1, $2)
    ON CONFLICT (experiment) DO NOTHING";

pub(crate) const INSERT_POINT: &str = "INSERT INTO point
    (metric, benchmark, program, machine, experiment, number, started, revision, dirty, committed_s, label, host,
     unit, more_is_better, ln_pico, error_pico, runs, arguments, harness, repository, folder)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
    ON CONFLICT (metric, benchmark, program, machine, experiment, number) DO NOTHING";

/// Selects the points of all series of a metric.
pub(crate) const POINTS: &str = "SELECT metric, benchmark, program, machine, experiment, number, started,
        revision, dirty, committed_s, label, host, unit, more_is_better, ln_pico, error_pico, runs,
        arguments, harness, repository, folder
    FROM point
    WHERE metric = $1
    ORDER BY metric, benchmark, program, machine, experiment, number";

/// Selects the points of one benchmark in a metric.
pub(crate) const POINTS_OF: &str = "SELECT metric, benchmark, program, machine, experiment, number, started,
        revision, dirty, committed_s, label, host, unit, more_is_better, ln_pico, error_pico, runs,
        arguments, harness, repository, folder
    FROM point
    WHERE metric = $1 AND benchmark = $2 AND program = $3
    ORDER BY metric, benchmark, program, machine, experiment, number";

/// Selects, for each benchmark of a metric, numbers that change when a point is added or removed.
pub(crate) const POINT_DIGESTS: &str = "SELECT benchmark, program, COUNT(*), MAX(experiment),
        CAST(SUM(ln_pico % 1000003 + experiment % 1000003) AS BIGINT)
    FROM point WHERE metric = $1 GROUP BY benchmark, program ORDER BY benchmark, program";

/// Selects, for each benchmark with notes, numbers that change when a note is added.
pub(crate) const NOTE_DIGESTS: &str = "SELECT p.benchmark, p.program, COUNT(*),
        CAST(SUM(LENGTH(n.note) * 31 + n.number + n.experiment % 1000003) AS BIGINT)
    FROM note n JOIN point p ON p.experiment = n.experiment
    WHERE p.metric = $1 GROUP BY p.benchmark, p.program";

pub(crate) const POINT_METRICS: &str = "SELECT DISTINCT metric FROM point ORDER BY metric";

/// Selects the hash of the lasting facts of an experiment's machine.
pub(crate) const MACHINE_OF: &str = "SELECT m.identity FROM experiment e JOIN machine m ON m.hash = e.machine
    WHERE e.id = $1";

/// Adds a note on an experiment, with the experiment's next free number.
pub(crate) const INSERT_NOTE: &str = "INSERT INTO note (experiment, number, written, note)
    SELECT CAST($1 AS BIGINT), (SELECT COALESCE(MAX(n.number) + 1, 0) FROM note n WHERE n.experiment = $1),
        CAST($2 AS TEXT), CAST($3 AS TEXT)";

pub(crate) const NOTES: &str = "SELECT experiment, written, note FROM note ORDER BY experiment, number";

/// All statements of this module, for the test of every statement.
#[cfg(test)]
pub(super) const ALL: [&str; 12] = [
    ORIGIN,
    POINTS_OF,
    POINT_DIGESTS,
    NOTE_DIGESTS,
    NOT_SUMMED,
    SUMMED,
    INSERT_POINT,
    POINTS,
    POINT_METRICS,
    MACHINE_OF,
    INSERT_NOTE,
    NOTES,
];
