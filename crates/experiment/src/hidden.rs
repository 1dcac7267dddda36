//! Hidden verbs by which this binary is started as one of its helper processes. `main` looks for them before anything
//! else.

/// Verb of the spawner, whose children the measured programs are.
pub const SPAWNER_VERB: &str = "__spawner";
/// Verb of a load generator.
pub const GENERATOR_VERB: &str = "__generator";
/// Verb of the guardian, which restores the machine when the tuner has ended.
pub const GUARDIAN_VERB: &str = "__guardian";
