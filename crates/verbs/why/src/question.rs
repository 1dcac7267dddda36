//! The questions that the experiments after the comparison answer.

/// A question about the difference of two programs, which an experiment answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    Account,
    Calls,
    Start,
    /// Counts of a simulator.
    Counts,
    /// Samples of the time on a CPU.
    Functions,
    /// Samples of the time in which a program waits.
    Waits,
    OneCpu,
    Addresses,
    /// Runs from fresh copies of both files.
    Pages,
    /// Runs at the end.
    Again,
}

impl Question {
    /// The question as reports and documents have it.
    pub const fn words(self) -> &'static str {
        match self {
            Question::Account => "in which account of time is it?",
            Question::Calls => "which calls, waits and conditions?",
            Question::Start => "do loading and linking take longer?",
            Question::Counts => "more work, or slower work?",
            Question::Functions => "in which functions is the CPU time?",
            Question::Waits => "in which functions does it wait?",
            Question::OneCpu => "does the difference stay on one CPU?",
            Question::Addresses => "does the difference depend on addresses?",
            Question::Pages => "does the difference depend on the files' pages?",
            Question::Again => "is the difference still there?",
        }
    }
}
