//! Contents of a live table.

use serde::{Deserialize, Serialize};

/// Values of a live table of integers at one moment, and their rates since the previous reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableFindings {
    /// Path of the table's file, as the user wrote it.
    pub file: String,
    /// Time since the first reading of the table; zero for the first reading.
    pub elapsed_ns: u64,
    /// Size of a value in bytes: 4 or 8.
    pub value_bytes: u32,
    /// Whether the values of each object were published together, not one by one.
    pub records: bool,
    /// The process that created the table.
    pub creator_pid: u64,
    /// Whether the creator still runs; `None` if its id belongs to another PID namespace.
    pub creator_alive: Option<bool>,
    /// Whether this is one of several readings. Reports then show rates.
    pub followed: bool,
    /// The keys that the table's creator described in the table itself.
    #[serde(default)]
    pub keys: Vec<TableKey>,
    /// The values, in the order of objects and keys.
    pub values: Vec<TableValue>,
}

/// A key's description by the table's creator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableKey {
    pub key: u64,
    /// Name of the key. A name given by the user takes precedence.
    pub name: String,
    pub kind: TableKind,
    /// Unit of the values; may be empty.
    pub unit: String,
    /// Text that says which things the key counts; may be empty.
    pub help: String,
}

/// How the values of a key behave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// The value only rises, until its publisher starts anew.
    Counter,
    /// The value goes up and down.
    Gauge,
}

impl TableKind {
    /// The kind in a sentence, and in metrics.
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
    /// The user's name for the object.
    pub object_name: Option<String>,
    pub key: u64,
    /// The user's name for the key, or else the name given by the table's creator.
    pub key_name: Option<String>,
    pub value: i64,
    /// Rise per second since the previous reading; `None` (unknown, not zero) at the first reading and after a reset.
    pub rate_per_s: Option<f64>,
}
