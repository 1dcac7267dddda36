//! Words by which this binary is started again as one of its helpers. `main` looks for them before anything else.

/// The spawner, whose children the measured programs are.
pub const SPAWNER_VERB: &str = "__spawner";
/// A generator of load.
pub const GENERATOR_VERB: &str = "__generator";
/// The guardian, which puts the machine back when the tuner is gone.
pub const GUARDIAN_VERB: &str = "__guardian";
