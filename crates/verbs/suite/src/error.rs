//! Errors of suites.

#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    #[error("--harness {name}: there is no such harness; it is one of {known}")]
    NoSuchHarness { name: String, known: String },
    #[error(
        "`{program} --help` shows no harness that is known; name it with --harness: {known}; or write commands into a FILE.toml of benchmarks"
    )]
    NotRecognised {
        /// The program, or the file of results, whose harness is unknown.
        program: String,
        known: String,
    },
    #[error("--harness lines:{pattern}: {why}")]
    Pattern { pattern: String, why: String },
    #[error("--harness json:{0}: a pointer must be empty or begin with a slash, as in /results")]
    Pointer(String),
    #[error("the output is not one of {harness}: {why}")]
    Output { harness: &'static str, why: String },
    #[error("`{0}` has no benchmarks{1}")]
    NoBenchmarks(String, &'static str),
    #[error(
        "the two sides have no benchmark in common: {0} of the first are gone and {1} of the second are new"
    )]
    NothingInCommon(usize, usize),
    #[error("benchmark `{0}`: {1}")]
    Benchmark(String, String),
    #[error("parameter {0}: its values are texts, numbers or booleans")]
    Parameter(String),
    /// A parameter without values would make no benchmark at all.
    #[error("parameter {0} has no values: give it one at least, or leave it out")]
    NoValues(String),
    #[error(
        "with all combinations of their parameters these are more than the 20000 benchmarks that a file may have: give fewer values"
    )]
    TooMany,
    #[error("the command lines have more than 64 MiB together: give fewer or shorter values")]
    TooLong,
    #[error(
        "no benchmark names {{program}}, so the programs after the file would not be run: write {{program}} where they belong, or leave them out"
    )]
    UnusedPrograms,
    #[error("{0} holds no results that show which harness wrote them; name it with --harness: {1}")]
    NotResults(String, String),
    #[error("{0}")]
    Option(String),
}

impl SuiteError {
    pub(crate) fn output(harness: &'static str, why: &str) -> Self {
        SuiteError::Output { harness, why: why.to_owned() }
    }

    pub(crate) fn json(harness: &'static str, error: &serde_json::Error) -> Self {
        SuiteError::Output { harness, why: format!("its JSON document is incomplete or wrong ({error})") }
    }
}
