//! Errors in the words of a sweep.

/// Why a sweep cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// Unknown name: neither a factor nor a parameter of the command.
    #[error("there is no factor `{name}`: there are {known}; a parameter needs {{{name}}} in the command")]
    Unknown {
        /// The name as it was written.
        name: String,
        /// List of the known factors.
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
        /// The range as it was written.
        range: String,
    },
    /// A range that runs backwards.
    #[error("{factor}: the range {range} is reversed: the lower end comes first")]
    Reversed {
        /// The factor.
        factor: String,
        /// The range as it was written.
        range: String,
    },
    /// A range without any level.
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
    /// A level that is given twice.
    #[error("{factor}: level `{level}` is given twice")]
    LevelTwice {
        /// The factor.
        factor: String,
        /// The level.
        level: String,
    },
    /// The levels exceed the greatest number.
    #[error("{factor}: {count} levels are more than {most}; give a STEP as in LOW..HIGH:STEP")]
    TooMany {
        /// The factor, or the product.
        factor: String,
        /// Number of levels.
        count: usize,
        /// Greatest number of levels.
        most: usize,
    },
    /// A number outside of the factor's bounds.
    #[error("{factor}: {value} is beyond {low} to {high}{why}")]
    Beyond {
        /// The factor.
        factor: String,
        /// The number that was requested.
        value: String,
        /// The lowest level.
        low: u64,
        /// The highest level.
        high: u64,
        /// Reason for the bound, or empty.
        why: &'static str,
    },
    /// A level that this factor cannot have.
    #[error("{factor}: {reason}")]
    Level {
        /// The factor.
        factor: String,
        /// Reason of the error.
        reason: String,
    },
    /// A factor cannot be crossed with itself.
    #[error("factor `{0}` is given twice")]
    Twice(String),
    /// Only two factors can be crossed.
    #[error("at most two factors can be crossed, as in env-size*cpu")]
    ThreeFactors,
    /// The machine lacks a feature that the factor needs.
    #[error("{factor}: {reason}")]
    Absent {
        /// The factor.
        factor: String,
        /// The missing feature, and how to get it.
        reason: String,
    },
}

impl FactorError {
    /// Whether the machine or its permissions are the reason, and not the words of the sweep.
    pub fn is_machine(&self) -> bool {
        matches!(self, FactorError::Absent { .. })
    }
}
