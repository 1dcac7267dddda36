//! Errors of planning a sweep.

/// Why a sweep cannot be planned: an error in its text, or a feature that the machine lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FactorError {
    /// The name is unknown: neither a factor nor a parameter of the command.
    #[error("there is no factor `{name}`: there are {known}; a parameter needs {{{name}}} in the command")]
    Unknown { name: String, known: String },
    /// A parameter was named as a factor without values for it.
    #[error("parameter `{0}` has no levels of its own: write {0}=1..16, or {0}=value,value,…")]
    NoDefault(String),
    #[error("{factor}: `{range}` is not a range: LOW..HIGH, LOW..HIGH:STEP, or level,level,…")]
    Range { factor: String, range: String },
    #[error("{factor}: the range {range} is reversed: the lower end comes first")]
    Reversed { factor: String, range: String },
    /// A factor without any level.
    #[error("{0}: the range is empty")]
    Empty(String),
    #[error("{factor}: `{level}` is the only level: a sweep needs at least two")]
    OneLevel { factor: String, level: String },
    #[error("{factor}: level `{level}` is given twice")]
    LevelTwice { factor: String, level: String },
    #[error("{factor}: {count} levels are more than {most}; give a STEP as in LOW..HIGH:STEP")]
    TooMany { factor: String, count: usize, most: usize },
    #[error("{factor}: {value} is beyond {low} to {high}{why}")]
    Beyond { factor: String, value: String, low: u64, high: u64, why: &'static str },
    #[error("{factor}: {reason}")]
    Level { factor: String, reason: String },
    /// A factor cannot be crossed with itself.
    #[error("factor `{0}` is given twice")]
    Twice(String),
    #[error("at most two factors can be crossed, as in env-size*cpu")]
    ThreeFactors,
    /// The machine lacks a feature that the factor needs.
    #[error("{factor}: {reason}")]
    Absent {
        factor: String,
        /// The missing feature, and how to get it.
        reason: String,
    },
}

impl FactorError {
    /// Whether the machine or a permission is the reason, and not the text of the sweep.
    pub fn is_machine(&self) -> bool {
        matches!(self, FactorError::Absent { .. })
    }
}
