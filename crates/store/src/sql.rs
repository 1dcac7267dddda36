//! Every SQL statement of the store, in the dialect that SQLite and PostgreSQL share.
//!
//! SQLite treats `$1` as a *name* and numbers names by their first appearance; PostgreSQL treats it as a number. The
//! two agree as long as each text mentions `$1`, `$2`, … for the first time in rising order, which a test checks.

mod evidence;
mod history;
mod shared;

pub(crate) use evidence::*;
pub(crate) use history::*;
pub(crate) use shared::*;

pub(crate) const INSERT_SCHEMA: &str = "INSERT INTO schema (version, applied) VALUES ($1, CURRENT_TIMESTAMP)";

/// Inserts a machine, unless it is already stored.
pub(crate) const INSERT_MACHINE: &str =
    "INSERT INTO machine (hash, identity, facts) VALUES ($1, $2, $3) ON CONFLICT (hash) DO NOTHING";

pub(crate) const INSERT_EXPERIMENT: &str = "INSERT INTO experiment
    (kind, state, owner, started, fauxplat_version, schema_version, seed, invocation, machine, condition,
     definition, sources, warnings, not_measured, uuid, origin)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) RETURNING id";

pub(crate) const INSERT_COMMAND: &str = "INSERT INTO command
    (experiment, number, name, command, program, program_sha256, argv, parameters, prepare, cleanup, condition)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

pub(crate) const INSERT_SAMPLE: &str = "INSERT INTO sample
    (experiment, sequence, trial, block, command, position, measured, exit_status, signal, cpu_first, cpu_last,
     left_behind, env_pad_bytes, started_ns, wall_ns, user_ns, system_ns, cpu_ns, run_delay_ns,
     peak_memory_bytes, voluntary_switches, involuntary_switches, migrations, minor_faults, major_faults,
     block_input_bytes, block_output_bytes, steal_ns, rate_micro_per_s, bounds)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
     $23, $24, $25, $26, $27, $28, $29, $30)";

pub(crate) const FINISH_EXPERIMENT: &str = "UPDATE experiment
    SET state = $1, sources = $2, warnings = $3, not_measured = $4, findings_schema = $5, findings = $6,
        summary = $7, condition = $8
    WHERE id = $9";

/// Marks an abandoned experiment as interrupted.
pub(crate) const INTERRUPT: &str = "UPDATE experiment SET state = 'interrupted' WHERE id = $1";

/// Selects experiments, newest first, by kind (`$1`) and earliest start (`$2`), where NULL selects all. Sequence
/// numbers of samples have no gaps, so the last one gives their count without a scan.
pub(crate) const LIST: &str = "SELECT e.id, e.kind, e.state, e.owner, e.started, e.summary,
        (SELECT MAX(s.sequence) + 1 FROM sample s WHERE s.experiment = e.id) AS samples, e.origin
    FROM experiment e
    WHERE (CAST($1 AS TEXT) IS NULL OR e.kind = $1) AND (CAST($2 AS TEXT) IS NULL OR e.started >= $2)
    ORDER BY e.id DESC";

/// [`LIST`] for a read-only store of an earlier version, which has no column for the origin.
pub(crate) const LIST_BEFORE_ORIGIN: &str = "SELECT e.id, e.kind, e.state, e.owner, e.started, e.summary,
        (SELECT MAX(s.sequence) + 1 FROM sample s WHERE s.experiment = e.id) AS samples, NULL AS origin
    FROM experiment e
    WHERE (CAST($1 AS TEXT) IS NULL OR e.kind = $1) AND (CAST($2 AS TEXT) IS NULL OR e.started >= $2)
    ORDER BY e.id DESC";

/// Selects the names of the commands of experiments whose numbers lie in a range.
pub(crate) const NAMES: &str = "SELECT experiment, name, command FROM command
    WHERE experiment >= $1 AND experiment <= $2 ORDER BY experiment, number";

pub(crate) const LOAD: &str = "SELECT e.kind, e.state, e.owner, e.started, e.fauxplat_version, e.seed,
        e.invocation, m.facts, e.condition, e.definition, e.sources, e.warnings, e.not_measured,
        e.findings_schema, e.findings, e.summary
    FROM experiment e JOIN machine m ON m.hash = e.machine WHERE e.id = $1";

pub(crate) const COMMANDS: &str = "SELECT name, command, program, program_sha256, argv, parameters, prepare,
        cleanup, condition
    FROM command WHERE experiment = $1 ORDER BY number";

/// Selects the number of samples of an experiment, by the same rule as [`LIST`].
pub(crate) const SAMPLE_COUNT: &str = "SELECT MAX(sequence) + 1 FROM sample WHERE experiment = $1";

pub(crate) const SAMPLES: &str = "SELECT trial, block, command, position, measured, exit_status, signal,
        cpu_first, cpu_last, left_behind, env_pad_bytes, started_ns, wall_ns, user_ns, system_ns, cpu_ns,
        run_delay_ns, peak_memory_bytes, voluntary_switches, involuntary_switches, migrations, minor_faults,
        major_faults, block_input_bytes, block_output_bytes, steal_ns, rate_micro_per_s, bounds
    FROM sample WHERE experiment = $1 ORDER BY sequence";

/// [`SAMPLES`] for a read-only store of an earlier version, which has no column for bounds.
pub(crate) const SAMPLES_BEFORE_BOUNDS: &str = "SELECT trial, block, command, position, measured, exit_status,
        signal, cpu_first, cpu_last, left_behind, env_pad_bytes, started_ns, wall_ns, user_ns, system_ns, cpu_ns,
        run_delay_ns, peak_memory_bytes, voluntary_switches, involuntary_switches, migrations, minor_faults,
        major_faults, block_input_bytes, block_output_bytes, steal_ns, rate_micro_per_s, NULL AS bounds
    FROM sample WHERE experiment = $1 ORDER BY sequence";

pub(crate) const SOURCES: &str = "SELECT sources FROM experiment WHERE id = $1";

pub(crate) const STATE: &str = "SELECT state, owner FROM experiment WHERE id = $1";

pub(crate) const LAST: &str = "SELECT MAX(id) FROM experiment";

/// Selects experiments in a given state on one machine that contain a program, oldest first.
pub(crate) const HOLDING: &str =
    "SELECT e.id, e.kind, c.argv, c.number, e.findings, c.condition, e.definition
    FROM experiment e JOIN machine m ON m.hash = e.machine JOIN command c ON c.experiment = e.id
    WHERE e.state = $1 AND m.identity = $2 AND c.program_sha256 = $3 ORDER BY e.id, c.number";

/// Statements that remove an experiment, in this order.
pub(crate) const REMOVE: [&str; 3] = [
    "DELETE FROM sample WHERE experiment = $1",
    "DELETE FROM command WHERE experiment = $1",
    "DELETE FROM experiment WHERE id = $1",
];

/// Removes machines that no experiment refers to.
pub(crate) const REMOVE_MACHINES: &str =
    "DELETE FROM machine WHERE hash NOT IN (SELECT machine FROM experiment)";

pub(crate) const COUNTS: &str = "SELECT (SELECT COUNT(*) FROM experiment), (SELECT COUNT(*) FROM sample)";

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<&'static str> {
        let singles = [
            INSERT_SCHEMA,
            INSERT_MACHINE,
            INSERT_EXPERIMENT,
            INSERT_COMMAND,
            INSERT_SAMPLE,
            FINISH_EXPERIMENT,
            INTERRUPT,
            LIST,
            LIST_BEFORE_ORIGIN,
            NAMES,
            LOAD,
            COMMANDS,
            SAMPLES,
            SAMPLES_BEFORE_BOUNDS,
            SOURCES,
            STATE,
            LAST,
            HOLDING,
            REMOVE_MACHINES,
            COUNTS,
        ];
        let others = REMOVE
            .into_iter()
            .chain(REMOVE_EVIDENCE)
            .chain(evidence::ALL)
            .chain(history::ALL)
            .chain(shared::ALL);
        singles.into_iter().chain(others).collect()
    }

    fn parameters(text: &str) -> Vec<u32> {
        let number = |part: &str| -> u32 {
            part.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
        };
        let mut seen = Vec::new();
        for parameter in text.split('$').skip(1).map(number) {
            if !seen.contains(&parameter) {
                seen.push(parameter);
            }
        }
        seen
    }

    #[test]
    fn parameters_first_appear_in_rising_order() {
        for text in all() {
            let seen = parameters(text);
            assert_eq!(seen, (1..=seen.len() as u32).collect::<Vec<_>>(), "{text}");
            assert!(!text.contains('?'), "{text}");
        }
    }

    #[test]
    fn every_statement_fits_the_schema() {
        let mut connection = rusqlite::Connection::open_in_memory().unwrap();
        crate::schema::migrate(&mut connection).unwrap();
        for text in all() {
            connection.prepare(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        }
    }
}
