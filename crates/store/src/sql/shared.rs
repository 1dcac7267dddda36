//! Statements for copying experiments from one store to another.

pub(crate) const BY_UUID: &str = "SELECT id FROM experiment WHERE uuid = $1";

pub(crate) const ALL_IDS: &str = "SELECT id FROM experiment ORDER BY id";

/// Selects a machine by its hash, in the columns that `INSERT_MACHINE` takes.
pub(crate) const MACHINE: &str = "SELECT hash, identity, facts FROM machine WHERE hash = $1";

/// Records that an experiment is to be copied to a shared store.
pub(crate) const SPOOL: &str =
    "INSERT INTO spool (experiment, target) VALUES ($1, $2) ON CONFLICT (experiment, target) DO NOTHING";

/// Selects experiments that are meant for a shared store and not acknowledged by it, oldest first.
pub(crate) const SPOOLED: &str = "SELECT experiment FROM spool WHERE target = $1 ORDER BY experiment";

/// Records that a shared store has acknowledged an experiment.
pub(crate) const ACKNOWLEDGED: &str = "DELETE FROM spool WHERE experiment = $1 AND target = $2";

/// All statements of this module, for the test of every statement.
#[cfg(test)]
pub(super) const ALL: [&str; 6] = [BY_UUID, ALL_IDS, MACHINE, SPOOL, SPOOLED, ACKNOWLEDGED];
