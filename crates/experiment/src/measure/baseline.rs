//! The experiment of `compare --baseline`: one command against results from another time.

use fauxplat_analyze::{Baseline, Judged, baseline_findings, run_findings};
use fauxplat_model::{Metric, Phase, RunFindings, Runs};
use fauxplat_plan::{Layout, Plan};
use fauxplat_store::Filter;

use super::compare::{between_sessions, plan};
use crate::steer::{Bounds, Rounds};
use crate::{Driver, Failure};

/// Readings from another time.
#[derive(Clone, Debug)]
pub struct Earlier {
    /// What reports call them.
    pub name: String,
    /// The readings of the metric that decides.
    pub values: Vec<f64>,
    /// What they show by themselves.
    pub findings: RunFindings,
}

/// Compares the one command of an experiment with readings from another time.
///
/// # Errors
/// There are too few readings; those of the runs.
pub fn against(driver: &mut Driver, earlier: &Earlier) -> Result<Judged, Failure> {
    let rule = driver.header.definition.rule.clone();
    enough(earlier, rule.metric)?;
    driver.warm_up(driver.header.definition.warmup.max(1))?;
    driver.check_rates()?;
    let plan = Plan { layout: Layout::Single, ..plan(driver, driver.header.seed) };
    let runs = driver.header.definition.runs;
    let runs = if runs == Runs::Auto { Runs::Count(rule.max_pairs) } else { runs };
    driver.plan(&plan)?;
    driver.steer(&mut Rounds::new(plan, Bounds { runs, ..Bounds::of(&driver.header.definition) }))?;
    let old = Baseline { name: &earlier.name, values: &earlier.values, findings: &earlier.findings };
    let (ignore, tau2) =
        (driver.header.condition.ignore_failure.any(), between_sessions(driver, rule.metric)?);
    let (name, seed) = (&driver.commands[0].name, driver.header.seed);
    let mut judged = baseline_findings(&rule, old, driver.samples(), name, ignore, tau2, seed);
    if earlier.values.len() < driver.samples().len() / 4 {
        judged.warnings.push(format!("the baseline has only {} runs", earlier.values.len()));
    }
    Ok(judged)
}

/// Readings of an experiment of the store, by its number or `last`.
///
/// # Errors
/// There is no such experiment, or no command of it is meant.
pub fn from_store(driver: &Driver, baseline: &str) -> Result<Earlier, Failure> {
    let store = driver.store();
    let store =
        store.ok_or_else(|| Failure::usage("--baseline with an id needs a store, and --store is none"))?;
    let id = match baseline {
        "last" => store.list(&Filter { limit: Some(1), ..Filter::default() })?.first().map(|row| row.id),
        id => Some(store.resolve(id)?),
    };
    let id = id.ok_or_else(|| Failure::usage("--baseline last: the store holds no earlier experiment"))?;
    let stored = store.load(id)?;
    check_number(stored.samples.len(), baseline)?;
    let names: Vec<String> = stored.commands.iter().map(|command| command.name.clone()).collect();
    let index = pick(&names, &driver.commands[0].name, baseline)?;
    let ignore = stored.header.condition.ignore_failure.any();
    let findings = run_findings(&stored.samples, names.len(), ignore).swap_remove(index);
    let ours = stored.samples.iter().filter(|sample| {
        usize::from(sample.command) == index
            && sample.phase == Phase::Measured
            && (ignore || sample.outcome.is_success())
    });
    let metric = driver.header.definition.rule.metric;
    let values = ours.filter_map(|sample| sample.get(metric)).map(|value| value as f64).collect();
    Ok(Earlier { name: format!("{} (experiment {id})", names[index]), values, findings })
}

/// The command of a baseline that is meant: the only one, or the one of the same name.
///
/// # Errors
/// There are several, and none has that name.
pub fn pick(names: &[String], name: &str, baseline: &str) -> Result<usize, Failure> {
    let same = names.iter().position(|other| other == name);
    let only = || (names.len() == 1).then_some(0);
    same.or_else(only).ok_or_else(|| {
        Failure::usage(format!(
            "--baseline {baseline} has several commands and none is called `{name}`; choose with --names: {}",
            names.join(" | ")
        ))
    })
}

/// The most readings of a baseline: each is drawn thousands of times, so that these take half a minute.
const READINGS_MAX: usize = 100_000;

/// Refuses a baseline whose figures would take hours.
///
/// # Errors
/// It has too many readings.
pub fn check_number(readings: usize, baseline: &str) -> Result<(), Failure> {
    match readings > READINGS_MAX {
        true => Err(Failure::usage(format!(
            "--baseline {baseline} has {readings} readings; at most {READINGS_MAX} are compared"
        ))),
        false => Ok(()),
    }
}

/// Readings that a baseline needs at least.
const READINGS_MIN: usize = 6;

fn enough(earlier: &Earlier, metric: Metric) -> Result<(), Failure> {
    match earlier.values.len() {
        few if few < READINGS_MIN => Err(Failure::usage(format!(
            "the baseline {} has {few} readings of {}; at least {READINGS_MIN} are needed",
            earlier.name,
            metric.title()
        ))),
        _ => Ok(()),
    }
}
