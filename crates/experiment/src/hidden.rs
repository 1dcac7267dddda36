//! Hidden verbs by which this binary is started as one of its helper processes. `main` checks for them first.

/// Verb of the spawner, the process whose children the measured programs are.
pub const SPAWNER_VERB: &str = "__spawner";
/// Verb of a process that makes a load on a CPU.
pub const GENERATOR_VERB: &str = "__generator";
/// Verb of the guardian, which restores the machine's settings if fauxplat ends without doing so.
pub const GUARDIAN_VERB: &str = "__guardian";
