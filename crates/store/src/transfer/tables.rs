//! The tables of an experiment, and the statements by which their rows are copied from one store to another.

/// A table whose rows belong to experiments.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    /// Columns that identify a row within an experiment; rows are read and copied in their order.
    pub(super) keys: &'static [&'static str],
    /// Number of rows that are read into memory at a time; few for tables with large rows.
    pub(super) page: usize,
    /// An SQL expression that condenses a row into one number, so that two stores are compared without transferring
    /// rows.
    digest: &'static str,
}

const NUMBER: &[&str] = &["number"];
const RECORDS: &str = "LENGTH(record)";

/// The table of notes, which a comparison ignores: an experiment is the same whatever notes were added later.
pub(super) const NOTES: &str = "note";

/// All tables whose rows are copied with an experiment.
pub(super) const TABLES: [Table; 11] = [
    Table {
        name: "command",
        keys: NUMBER,
        page: 100,
        digest: "LENGTH(name) + LENGTH(command) + LENGTH(argv)",
    },
    Table { name: "sample", keys: &["sequence"], page: 500, digest: SAMPLE },
    Table { name: "metric", keys: NUMBER, page: 100, digest: "LENGTH(id) + LENGTH(spec)" },
    Table { name: "reading", keys: &["sequence", "metric"], page: 1000, digest: READING },
    Table { name: "shift", keys: NUMBER, page: 50, digest: RECORDS },
    Table { name: "histogram", keys: NUMBER, page: 50, digest: "artifact + LENGTH(name)" },
    Table { name: "series", keys: NUMBER, page: 4, digest: RECORDS },
    Table { name: "process", keys: &["number", "place"], page: 100, digest: RECORDS },
    Table { name: "event", keys: NUMBER, page: 100, digest: RECORDS },
    Table { name: NOTES, keys: NUMBER, page: 100, digest: "LENGTH(note)" },
    Table { name: "artifact", keys: NUMBER, page: 1, digest: "LENGTH(data) + bytes % 1000003" },
];

/// Digest of a row of samples. Each term is taken modulo a number, so that no sum exceeds 64 bits.
const SAMPLE: &str =
    "trial % 1009 + command * 7 + COALESCE(exit_status, 300) + COALESCE(wall_ns, 1) % 1000003 +
    COALESCE(user_ns, 1) % 1000003 + COALESCE(system_ns, 1) % 1000003 + COALESCE(cpu_ns, 1) % 1000003 +
    COALESCE(run_delay_ns, 1) % 1000003 + COALESCE(peak_memory_bytes, 1) % 1000003 + started_ns % 1000003 +
    COALESCE(minor_faults, 1) % 1000003 + COALESCE(rate_micro_per_s, 1) % 1000003";
const READING: &str = "COALESCE(value, 1) % 1000003 + metric * 31";

impl Table {
    /// Returns the statement that reads a page of an experiment's rows: those after the row with given keys, or the
    /// first ones.
    pub(super) fn page(&self, columns: &[String], is_first: bool) -> String {
        let (name, keys) = (self.name, self.keys.join(", "));
        let after = match (is_first, self.keys.len()) {
            (true, _) => String::new(),
            (false, 1) => format!(" AND {keys} > $2"),
            (false, _) => format!(" AND ({keys}) > ($2, $3)"),
        };
        let (columns, page) = (columns.join(", "), self.page);
        format!("SELECT {columns} FROM {name} WHERE experiment = $1{after} ORDER BY {keys} LIMIT {page}")
    }

    /// Returns the statement that selects the name of this table, the number of an experiment's rows in it, and a
    /// position-weighted sum of their contents.
    pub(super) fn digest(&self) -> String {
        let (name, first, digest) = (self.name, self.keys[0], self.digest);
        format!(
            "SELECT '{name}', COUNT(*), CAST(COALESCE(SUM(({first} % 1009 + 1) * ({digest})), 0) AS BIGINT)
             FROM {name} WHERE experiment = $1"
        )
    }
}

pub(super) fn insert(table: &str, columns: &[String], rows: usize) -> String {
    let width = columns.len();
    let row = |row: usize| {
        let places: Vec<String> = (1..=width).map(|at| format!("${}", row * width + at)).collect();
        format!("({})", places.join(", "))
    };
    let rows: Vec<String> = (0..rows).map(row).collect();
    format!("INSERT INTO {table} ({}) VALUES {}", columns.join(", "), rows.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    fn store() -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        crate::schema::migrate(&mut connection).unwrap();
        connection
    }

    /// A migration that adds a table has to list it in `TABLES`; otherwise the table is not copied.
    #[test]
    fn every_table_of_an_experiment_is_carried() {
        let connection = store();
        let sql = "SELECT t.name FROM sqlite_schema t, pragma_table_info(t.name) c
            WHERE t.type = 'table' AND c.name = 'experiment' ORDER BY 1";
        let mut statement = connection.prepare(sql).unwrap();
        let found = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        // Rows of `spool` belong to one file, and points are computed again, so these tables are not copied.
        let stays = |name: &String| ["spool", "point", "summed"].contains(&name.as_str());
        let found: Vec<String> = found.map(Result::unwrap).filter(|name| !stays(name)).collect();
        let mut carried: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        carried.sort_unstable();
        assert_eq!(found, carried);
    }

    #[test]
    fn every_statement_fits_the_schema() {
        let connection = store();
        for table in &TABLES {
            let columns = vec!["experiment".to_owned(), table.keys[0].to_owned()];
            let insert = insert(table.name, &columns, 3);
            for text in [table.page(&columns, true), table.page(&columns, false), table.digest(), insert] {
                connection.prepare(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            }
        }
    }
}
