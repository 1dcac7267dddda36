//! Results in SQLite, each sample as it lands.
