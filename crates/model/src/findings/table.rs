//! Contents of a live table, which is a file of integers by object and key that programs publish.

use serde::{Deserialize, Serialize};

/// Values of a live table at one moment, and their rates since the previous reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableFindings {
    /// Path of the table's file, as the user wrote it.
    pub file: String,
    /// Nanoseconds since the first reading of the table; zero for the first reading.
    pub elapsed_ns: u64,
    /// Size of a value in bytes: 4 or 8.
    pub value_bytes: u32,
    /// Whether all values of an object are published at once, rather than one by one.
    pub records: bool,
    /// Process id of the process that created the table.
    pub creator_pid: u64,
    /// Whether that process still runs; `None` if its id belongs to another PID namespace.
    pub creator_alive: Option<bool>,
    /// Whether the table is read repeatedly, so that reports show rates.
    pub followed: bool,
    /// Descriptions of keys, as the table's creator wrote them into the table.
    #[serde(default)]
    pub keys: Vec<TableKey>,
    /// The values of the table, in the order of objects and keys.
    pub values: Vec<TableValue>,
}

/// Description of a key by the table's creator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableKey {
    pub key: u64,
    /// The creator's name of the key; a name given by the user takes precedence in reports.
    pub name: String,
    pub kind: TableKind,
    /// Unit of the values; may be empty.
    pub unit: String,
    /// Text that describes the values; may be empty.
    pub help: String,
}

/// How the values of a key change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// The value only rises, until its publisher starts anew.
    Counter,
    /// The value goes up and down.
    Gauge,
}

impl TableKind {
    /// The kind as a word, for sentences and for exported metrics.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableValue {
    pub object: u64,
    /// The user's name for the object; `None` if the user gave none.
    pub object_name: Option<String>,
    pub key: u64,
    /// The user's name for the key, or else that of the table's creator; `None` if there is none.
    pub key_name: Option<String>,
    pub value: i64,
    /// Rise of the value per second since the previous reading; `None` (unknown, not zero) at the first reading and
    /// after a reset.
    pub rate_per_s: Option<f64>,
}
