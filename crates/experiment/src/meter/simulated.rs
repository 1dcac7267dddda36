//! Runs that are simulated and counted: the program of a command is handed to a simulator, which leaves its counts in files.
//! What it takes to simulate is the simulator's time and memory and nobody else's, so nothing else of such a run is read.

use std::path::Path;

use fauxplat_counters::cachegrind;
use fauxplat_launch::{Capture, words};
use fauxplat_model::{Condition, Metric, Readings, SimulatedMachine};
use fauxplat_sys::workplace::Workplace;

use super::{Meter, Over};
use crate::Failure;

/// A simulator, its machine, and the folder in which it leaves what it counted.
#[derive(Debug)]
pub(super) struct Simulated {
    folder: Workplace,
    /// The simulator and what it is told, before the program of the user.
    words: Vec<String>,
    metrics: Vec<Metric>,
    runs: u32,
    missed: u32,
    last_trouble: String,
}

/// The simulator, by the name that its package has too.
const SIMULATOR: &str = "valgrind";

impl Simulated {
    /// The simulator that a condition asks for, if it asks for one.
    ///
    /// # Errors
    /// It is not there, does not say its version, or there is no room for what it counts.
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

/// Its path, and what it calls itself: `valgrind-3.19.0`.
pub(crate) fn simulator() -> Result<(String, String), Failure> {
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
