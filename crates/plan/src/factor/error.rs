//! What can be wrong with the words of a sweep.

/// Why a sweep cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// Neither a factor nor a parameter of the command.
    #[error("there is no factor `{name}`: there are {known}; a parameter needs {{{name}}} in the command")]
    Unknown {
        /// What was written.
        name: String,
        /// The factors that there are.
        known: String,
    },
    /// A parameter without values.
    #[error("parameter `{0}` has no levels of its own: write {0}=1..16, or {0}=value,value,…")]
    NoDefault(String),
    /// A range that cannot be read.
    #[error("{factor}: `{range}` is not a range: LOW..HIGH, LOW..HIGH:STEP, or level,level,…")]
    Range {
        /// The factor.
        factor: String,
        /// What was written.
        range: String,
    },
    /// A range that runs backwards.
    #[error("{factor}: the range {range} is reversed: the lower end comes first")]
    Reversed {
        /// The factor.
        factor: String,
        /// What was written.
        range: String,
    },
    /// No level at all.
    #[error("{0}: the range is empty")]
    Empty(String),
    /// A single level cannot differ from anything.
    #[error("{factor}: `{level}` is the only level: a sweep needs at least two")]
    OneLevel {
        /// The factor.
        factor: String,
        /// The level.
        level: String,
    },
    /// The same level twice.
    #[error("{factor}: level `{level}` is given twice")]
    LevelTwice {
        /// The factor.
        factor: String,
        /// The level.
        level: String,
    },
    /// More levels than anybody wants.
    #[error("{factor}: {count} levels are more than {most}; give a STEP as in LOW..HIGH:STEP")]
    TooMany {
        /// The factor, or the product.
        factor: String,
        /// How many levels.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A number beyond what the factor can take.
    #[error("{factor}: {value} is beyond {low} to {high}{why}")]
    Beyond {
        /// The factor.
        factor: String,
        /// What was asked for.
        value: String,
        /// The lowest level.
        low: u64,
        /// The highest level.
        high: u64,
        /// Why it ends there, or nothing.
        why: &'static str,
    },
    /// A level that this factor does not have.
    #[error("{factor}: {reason}")]
    Level {
        /// The factor.
        factor: String,
        /// What is wrong with the level.
        reason: String,
    },
    /// One factor cannot be crossed with itself.
    #[error("factor `{0}` is given twice")]
    Twice(String),
    /// Only two factors can be crossed.
    #[error("at most two factors can be crossed, as in env-size*cpu")]
    ThreeFactors,
    /// This machine does not have what the factor needs.
    #[error("{factor}: {reason}")]
    Absent {
        /// The factor.
        factor: String,
        /// What is missing, and how to get it.
        reason: String,
    },
}

impl FactorError {
    /// Whether the machine or its permissions are the reason rather than the words.
    pub fn is_machine(&self) -> bool {
        matches!(self, FactorError::Absent { .. })
    }
}
