//! Measures a suite: runs processes of A and B in turns, with the launcher of all experiments.

mod desk;
mod harnessed;
mod listing;
mod plain;
mod rounds;
mod source;
mod stored;

use fauxplat_experiment::{Driver, Failure};
use fauxplat_model::{FailIf, Order};
use regex::Regex;

use crate::analysis::Rule;
use crate::file::Benchmark;
use crate::findings::SuiteFindings;
use crate::harness::Choice;

use harnessed::Harnessed;
use plain::Plain;

pub use desk::Desk;
pub use stored::stored;

#[derive(Clone, Debug)]
pub struct Asked {
    pub rule: Rule,
    pub fail_if: Vec<FailIf>,
    /// Seconds after which no further process is started.
    pub max_time_s: f64,
    /// Harness of the programs; `None` if their help text should show it.
    pub harness: Option<Choice>,
    /// Pattern for the names of benchmarks to run; `None` for all.
    pub filter: Option<Regex>,
    /// Order of the runs; `None` for the usual order of the kind of benchmark.
    pub order: Option<Order>,
}

/// Lists the benchmarks of both programs and runs the common ones until all are decided, or the time limit is reached.
///
/// # Errors
/// Fails for a program without benchmarks or with an unknown harness, and where a program cannot be run.
pub fn measure(driver: &mut Driver, desk: &Desk, asked: &Asked) -> Result<SuiteFindings, Failure> {
    let began_s = driver.elapsed_s();
    let list = listing::list(driver, desk, asked, began_s)?;
    let mut source = Harnessed::new(driver, desk, asked, &list);
    rounds::run(driver, asked, &mut source, began_s)
}

/// Runs plain commands until all benchmarks are decided, or the time limit is reached. The driver's commands are those
/// of A and B of the first benchmark, then of the second, and so on; `programs` are the names of the two sides.
///
/// # Errors
/// Fails where a command cannot be started.
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
