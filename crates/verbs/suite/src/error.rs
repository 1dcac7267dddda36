//! Errors of suites.

/// Why a suite cannot be measured or judged.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The name of a harness is not known.
    #[error("--harness {name}: there is no such harness; it is one of {known}")]
    NoSuchHarness {
        /// The name that was given.
        name: String,
        /// The names of all harnesses.
        known: String,
    },
    /// The harness of a program was not recognised.
    #[error(
        "`{program} --help` shows no harness that is known; name it with --harness: {known}; or write commands into a FILE.toml of benchmarks"
    )]
    NotRecognised {
        /// The program, or the file of its results.
        program: String,
        /// The names of all harnesses.
        known: String,
    },
    /// A pattern for lines is invalid.
    #[error("--harness lines:{pattern}: {why}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The fault.
        why: String,
    },
    /// A pointer into a document is invalid.
    #[error("--harness json:{0}: a pointer is empty or begins with a slash, as in /results")]
    Pointer(String),
    /// An output is not one of the harness.
    #[error("the output is not one of {harness}: {why}")]
    Output {
        /// The harness.
        harness: &'static str,
        /// The fault.
        why: String,
    },
    /// A program has no benchmarks, or none that the filter lets through.
    #[error("`{0}` has no benchmarks{1}")]
    NoBenchmarks(String, &'static str),
    /// The two programs have no benchmark in common.
    #[error(
        "the two sides have no benchmark in common: {0} of the first are gone and {1} of the second are new"
    )]
    NothingInCommon(usize, usize),
    /// A benchmark of a file is incomplete or wrong.
    #[error("benchmark `{0}`: {1}")]
    Benchmark(String, String),
    /// A parameter of a benchmark has values that are no words.
    #[error("parameter {0}: its values are texts, numbers or booleans")]
    Parameter(String),
    /// A parameter has no values, so that no benchmark would come of it.
    #[error("parameter {0} has no values: give it one at least, or leave it out")]
    NoValues(String),
    /// The parameters of a file make more benchmarks than a suite may have.
    #[error(
        "with all combinations of their parameters these are more than the 20000 benchmarks that a file may have: give fewer values"
    )]
    TooMany,
    /// The command lines of a file are too long together.
    #[error("the command lines have more than 64 MiB together: give fewer or shorter values")]
    TooLong,
    /// Programs were given that no command of the file names.
    #[error(
        "no benchmark names {{program}}, so the programs after the file would not be run: write {{program}} where they belong, or leave them out"
    )]
    UnusedPrograms,
    /// A file of results is of no harness that is known.
    #[error("{0} holds no results of a harness that is known by them; name it with --harness: {1}")]
    NotResults(String, String),
    /// An option has no valid value.
    #[error("{0}")]
    Option(String),
}

impl SuiteError {
    /// An output that is not one of this harness.
    pub(crate) fn output(harness: &'static str, why: &str) -> Self {
        SuiteError::Output { harness, why: why.to_owned() }
    }

    /// A document that is not one of this harness.
    pub(crate) fn json(harness: &'static str, error: &serde_json::Error) -> Self {
        SuiteError::Output { harness, why: format!("no whole JSON document of it ({error})") }
    }
}
