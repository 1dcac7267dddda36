//! Simulated runs: the program of a command is passed to a simulator, which writes its counts to files. Time and memory
//! of such a run are those of the simulator, so only the counts are read.

use std::path::Path;

use fauxplat_counters::cachegrind;
use fauxplat_launch::{Capture, words};
use fauxplat_model::{Condition, Metric, Readings, SimulatedMachine};
use fauxplat_sys::workplace::Workplace;

use super::{Meter, Over};
use crate::Failure;

#[derive(Debug)]
pub(super) struct Simulated {
    folder: Workplace,
    /// The simulator with its arguments, which come before the command's program.
    words: Vec<String>,
    metrics: Vec<Metric>,
    runs: u32,
    missed: u32,
    last_trouble: String,
}

/// Name of the simulator's executable and of its package.
const SIMULATOR: &str = "valgrind";

impl Simulated {
    /// A meter for simulated runs; `None` if the condition does not ask for a simulator.
    ///
    /// # Errors
    /// Fails if the caches of this machine are not known, if the simulator is not installed or does not report its
    /// version, or if the folder for its counts cannot be created.
    pub(super) fn open(condition: &Condition) -> Result<Option<Self>, Failure> {
        let Some(machine) = &condition.simulate else { return Ok(None) };
        let caches =
            machine.caches().ok_or_else(|| Failure::machine("the caches of this machine are not known"))?;
        let (program, version) = simulator()?;
        let fail = |error| Failure::machine(format!("--simulated: no folder for the counts: {error}"));
        let folder = Workplace::make("counts", &std::env::temp_dir()).map_err(fail)?;
        let name = match machine {
            SimulatedMachine::Caches(_) => String::new(),
            named => format!(" ({named})"),
        };
        let source = format!("cachegrind of {version}, {}{name}", caches.told());
        let words = [vec![program], cachegrind::arguments(&caches, &version, folder.path())].concat();
        let metrics = cachegrind::metrics(&source).map_err(Failure::machine)?;
        Ok(Some(Simulated { folder, words, metrics, runs: 0, missed: 0, last_trouble: String::new() }))
    }
}

/// Path and version of the simulator, such as `valgrind-3.19.0`.
///
/// # Errors
/// Fails if the simulator is not installed, or does not report its version.
pub fn simulator() -> Result<(String, String), Failure> {
    let path = std::env::var("PATH").unwrap_or_else(|_| "/bin:/usr/bin".to_owned());
    let found = words::find_program(SIMULATOR, Path::new("/"), &path).map_err(|_| {
        Failure::machine(format!(
            "--simulated needs {SIMULATOR}, which is not in PATH: install the package {SIMULATOR}"
        ))
    })?;
    let arguments = vec!["--version".to_owned()];
    let said = Capture { program: found.clone(), arguments, ..Capture::default() }.run()?;
    let version = said.output.text().trim().to_owned();
    let is_one = said.outcome.is_success() && version.starts_with(SIMULATOR) && version.len() < 100;
    match is_one {
        true => Ok((found.display().to_string(), version)),
        false => Err(Failure::machine(format!(
            "--simulated: {} --version does not say which it is",
            found.display()
        ))),
    }
}

impl Meter for Simulated {
    fn metrics(&self) -> Vec<Metric> {
        self.metrics.clone()
    }

    fn wrapper(&self) -> Option<&[String]> {
        Some(&self.words)
    }

    fn begin(&mut self) {
        cachegrind::clear(self.folder.path());
    }

    fn end(&mut self, _run: Over, readings: &mut Readings) {
        Metric::BUILT_IN.iter().for_each(|&metric| readings.set(metric, None));
        self.runs += 1;
        match cachegrind::collect(self.folder.path()) {
            Ok(counts) => {
                let counted = self.metrics.iter().zip(counts);
                counted.for_each(|(&metric, count)| readings.set(metric, Some(count)));
            }
            Err(why) => (self.missed, self.last_trouble) = (self.missed + 1, why.to_string()),
        }
    }

    fn trouble(&self, metric: Metric) -> Option<&str> {
        self.metrics.contains(&metric).then_some(self.last_trouble.as_str())
    }

    fn not_measured(&self) -> Vec<String> {
        let (missed, runs) = (self.missed, self.runs);
        let sentence = || format!("counts of {missed} of {runs} runs: {}", self.last_trouble);
        (missed > 0).then(sentence).into_iter().collect()
    }
}
