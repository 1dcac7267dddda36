//! What a live table held.

use serde::{Deserialize, Serialize};

/// What a live table of integers held at one moment, and how fast its values rose since the moment before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableFindings {
    /// The table's file, as it was named.
    pub file: String,
    /// Time since the first look at the table; zero for the first.
    pub elapsed_ns: u64,
    /// Bytes of a value: 4 or 8.
    pub value_bytes: u32,
    /// Whether each object's values were published together, rather than one by one.
    pub records: bool,
    /// The process that created the table.
    pub creator_pid: u64,
    /// Whether that very process still runs; nothing where its number is one of another namespace.
    pub creator_alive: Option<bool>,
    /// Whether this is one of several looks, so that rates are meant to be shown.
    pub followed: bool,
    /// The values, in the order of objects and keys.
    pub values: Vec<TableValue>,
}

/// One value of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableValue {
    /// The object.
    pub object: u64,
    /// What the user calls it.
    pub object_name: Option<String>,
    /// The key.
    pub key: u64,
    /// What the user calls it.
    pub key_name: Option<String>,
    /// The value.
    pub value: i64,
    /// Rise per second since the look before; absent for the first look and after a reset, which is not zero.
    pub rate_per_s: Option<f64>,
}
