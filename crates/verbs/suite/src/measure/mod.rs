//! Measures a suite: processes of A and B in turns, by the launcher of every experiment.

mod desk;
mod harnessed;
mod listing;
mod plain;
mod rounds;
mod source;
mod stored;

use fauxplat_experiment::{Driver, Failure};
use regex::Regex;

use crate::analysis::Rule;
use crate::file::Benchmark;
use crate::findings::{FailIf, SuiteFindings};
use crate::harness::Choice;

use harnessed::Harnessed;
use plain::Plain;

pub use desk::Desk;
pub use stored::stored;

/// The question of a suite.
#[derive(Clone, Debug)]
pub struct Asked {
    /// How it is judged.
    pub rule: Rule,
    /// The gates.
    pub fail_if: Vec<FailIf>,
    /// Seconds after which no further process begins.
    pub max_time_s: f64,
    /// The harness; recognised if `None`.
    pub harness: Option<Choice>,
    /// Benchmarks that take part; all if `None`.
    pub filter: Option<Regex>,
}

/// Lists the benchmarks of both programs and runs those that both have until everything is decided or the time is over.
///
/// # Errors
/// A program that has no benchmarks or whose harness is not known; those of running it.
pub fn measure(driver: &mut Driver, desk: &Desk, asked: &Asked) -> Result<SuiteFindings, Failure> {
    let began_s = driver.elapsed_s();
    let list = listing::list(driver, desk, asked, began_s)?;
    let mut source = Harnessed::new(driver, desk, asked, &list);
    rounds::run(driver, asked, &mut source, began_s)
}

/// Runs plain commands, which the driver has as A and B of each benchmark in turns, until everything is decided or the time is
/// over. `programs` are the two sides as the user named them.
///
/// # Errors
/// A command cannot be started.
pub fn measure_plain(
    driver: &mut Driver,
    benchmarks: &[Benchmark],
    programs: [String; 2],
    asked: &Asked,
) -> Result<SuiteFindings, Failure> {
    let mut source = Plain::new(driver, benchmarks, programs);
    let began_s = driver.elapsed_s();
    rounds::run(driver, asked, &mut source, began_s)
}
