//! The experiments of `aa --replay`, in which nothing is run, and of `compare --plan`, in which a short session is
//! recorded first: they estimate how the rule would decide on this machine.

use fauxplat_analyze::{Replay, Stand};
use fauxplat_model::document::Findings;
use fauxplat_model::{Command, Injected, MachineFacts, ReplayFindings, Rule, Runs, Sample};
use fauxplat_store::{Filter, Store};
use fauxplat_sys::clock;
use fauxplat_sys::signal::stop_requested;

use super::session::plan;
use crate::steer::{Bounds, Rounds};
use crate::{Driver, Failure};

/// A session of two identical programs that was recorded earlier.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub name: String,
    pub commands: Vec<Command>,
    /// Samples of the session, including warm-up runs.
    pub samples: Vec<Sample>,
    /// Machine on which the session was recorded; `None` if it is not known.
    pub machine: Option<MachineFacts>,
    /// Whether the identical programs were disturbed on purpose, or one of them did extra work.
    pub is_varied: bool,
}

impl Recorded {
    /// Reads a session from the store, by its number or `last`.
    ///
    /// # Errors
    /// Fails if there is no such experiment, or the store cannot be read.
    pub fn from_store(store: Option<&Store>, id: &str) -> Result<Self, Failure> {
        let store =
            store.ok_or_else(|| Failure::usage("--replay with an id needs a store, and --store is none"))?;
        let id = match id {
            "last" => store.list(&Filter { limit: Some(1), ..Filter::default() })?.first().map(|row| row.id),
            id => Some(store.resolve(id)?),
        };
        let id = id.ok_or_else(|| Failure::usage("--replay last: the store holds no experiment"))?;
        let stored = store.load(id)?;
        Ok(Recorded {
            name: format!("experiment {id}"),
            is_varied: stored.findings.as_ref().is_some_and(is_varied),
            commands: stored.commands,
            samples: stored.samples,
            machine: Some(stored.header.machine),
        })
    }

    /// Refuses a session whose two programs are not identical.
    ///
    /// # Errors
    /// Fails if the two commands are not identical, or something was varied.
    fn must_be_of_copies(&self) -> Result<(), Failure> {
        let name = &self.name;
        let is_same = |a: &Command, b: &Command| {
            let same_program = a.program_sha256.is_some() && a.program_sha256 == b.program_sha256;
            same_program && a.argv.get(1..) == b.argv.get(1..) && a.condition == b.condition
        };
        match self.commands.as_slice() {
            [a, b] if is_same(a, b) && !self.is_varied => Ok(()),
            [a, b] if is_same(a, b) => Err(Failure::usage(format!(
                "{name} has copies that were disturbed or did more work: replay one of `fauxplat aa --strata plain` \
                 without --power"
            ))),
            _ => Err(Failure::usage(format!(
                "{name} is no comparison of a program with itself: record one by `fauxplat aa --strata plain`"
            ))),
        }
    }
}

/// Whether the findings are those of a calibration whose identical programs were disturbed on purpose, or one of which
/// did extra work.
fn is_varied(findings: &Findings) -> bool {
    match findings {
        Findings::Aa(aa) => !aa.power.is_empty() || aa.strata.iter().any(|stratum| stratum.name != "plain"),
        _ => false,
    }
}

/// Estimates how the rule would decide, by comparisons drawn from a session of identical programs that was recorded
/// earlier.
///
/// # Errors
/// Fails if the session is not one of identical programs, or too short.
pub fn replay(
    recorded: &Recorded,
    rule: &Rule,
    comparisons: u32,
    (ignore_failure, seed): (bool, u64),
) -> Result<ReplayFindings, Failure> {
    recorded.must_be_of_copies()?;
    let began_ns = clock::monotonic_ns();
    let replay = Replay::new(rule, &recorded.samples, ignore_failure, seed)
        .map_err(|error| Failure::usage(format!("{}: {error}", recorded.name)))?;
    let found = replay.findings(recorded.name.clone(), rows(&replay, comparisons));
    Ok(ReplayFindings { elapsed_s: clock::monotonic_ns().saturating_sub(began_ns) as f64 / 1e9, ..found })
}

/// Minimum and maximum number of blocks of the session that is recorded for a plan; in between, as many as fit into
/// some seconds.
const PILOT_BLOCKS: [u32; 2] = [48, 1024];

/// Name of the recorded session in reports.
const PILOT: &str = "a session that was recorded for it";

/// Records a short session of a command against itself, and estimates how the rule would decide by comparisons drawn
/// from it.
///
/// # Errors
/// Fails with an error of the runs, or if too many of them failed.
pub fn record_and_replay(driver: &mut Driver, comparisons: u32) -> Result<ReplayFindings, Failure> {
    driver.warm_up(driver.header.definition.warmup.max(1))?;
    driver.check_rates()?;
    let plan = plan(driver, driver.header.seed);
    driver.plan(&plan)?;
    let [least, most] = PILOT_BLOCKS.map(|blocks| blocks * u32::from(plan.layout.rounds()));
    let bounds = Bounds { runs: Runs::Auto, least: Some(least), most: Some(most), ..Bounds::default() };
    driver.steer(&mut Rounds::new(plan, bounds))?;
    if driver.is_interrupted() {
        return Ok(ReplayFindings { source: PILOT.to_owned(), ..ReplayFindings::default() });
    }
    let ignore_failure = driver.header.condition.ignore_failure.any();
    let rule = driver.header.definition.rule.clone();
    let replay = Replay::new(&rule, driver.samples(), ignore_failure, driver.header.seed)
        .map_err(|error| Failure::usage(format!("the session that was recorded here: {error}")))?;
    let found = replay.findings(PILOT.to_owned(), rows(&replay, comparisons));
    if stop_requested() {
        driver.interrupt();
    }
    Ok(ReplayFindings { elapsed_s: driver.elapsed_s(), ..found })
}

/// A row of the report for each injected effect. After an interruption, each comparison under way is completed, so that
/// long comparisons are not underrepresented.
fn rows(replay: &Replay, comparisons: u32) -> Vec<fauxplat_model::ReplayRow> {
    let mut rows = Vec::new();
    for injected in replay.injected() {
        let stands = stands(replay, injected, comparisons);
        rows.extend((!stands.is_empty()).then(|| replay.row(injected, &stands)));
    }
    rows
}

/// Results of all comparisons with one injected effect, which are divided among as many threads as there are CPUs.
fn stands(replay: &Replay, injected: Injected, comparisons: u32) -> Vec<Stand> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = |thread: usize| -> Vec<Stand> {
        let numbers = (thread as u64..u64::from(comparisons)).step_by(threads);
        numbers
            .take_while(|_| !stop_requested())
            .filter_map(|number| replay.comparison(injected, number))
            .collect()
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || part(thread))).collect();
        let parts = workers.into_iter().map(|worker| worker.join());
        parts.flat_map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}
