//! The experiment of `compare --baseline`: one command against results from another time.

use fauxplat_analyze::{
    Baseline, Judged, SessionLevels, baseline_findings, facts_apart, run_findings, stored_findings,
};
use fauxplat_model::{Command, Definition, MachineFacts, Metric, Phase, Rule, RunFindings, Runs, Sample};
use fauxplat_plan::{Layout, Plan};
use fauxplat_store::{Filter, Measured, Store};

use super::compare::unread;
use super::session::plan;
use crate::checks::bounded;
use crate::steer::{Bounds, Rounds};
use crate::{Driver, Failure};

/// A baseline: readings of a command that were made at another time.
#[derive(Clone, Debug)]
pub struct Earlier {
    pub name: String,
    /// Readings of each deciding metric, in the metric's unit.
    pub values: Vec<(Metric, Vec<f64>)>,
    /// Findings of the runs that gave these readings.
    pub findings: RunFindings,
    /// Command that was measured; `None` if it is not known.
    pub command: Option<Command>,
    /// Machine on which the readings were made; `None` if it is not known.
    pub machine: Option<MachineFacts>,
}

impl Earlier {
    fn series(&self, metric: Metric) -> Baseline<'_> {
        Baseline { name: &self.name, values: self.of(metric), findings: &self.findings }
    }

    fn of(&self, metric: Metric) -> &[f64] {
        self.values.iter().find(|(known, _)| *known == metric).map_or(&[], |(_, values)| values)
    }
}

/// Compares the one command of an experiment with earlier readings, which must be of this machine unless
/// `other_machine` is set.
///
/// # Errors
/// Fails if there are too few readings, if they are of another machine, or with an error of the runs.
pub fn against(driver: &mut Driver, earlier: &Earlier, other_machine: bool) -> Result<Judged, Failure> {
    let rule = driver.header.definition.rule.clone();
    let rules = rule.apart();
    rules.iter().try_for_each(|rule| enough(earlier, rule.metric))?;
    let origin = origin(earlier, Some(driver.machine().facts()), other_machine)?;
    driver.warm_up(driver.header.definition.warmup.max(1))?;
    driver.check_rates()?;
    driver.check_values()?;
    let plan = Plan { layout: Layout::Single, ..plan(driver, driver.header.seed) };
    let runs = driver.header.definition.runs;
    let runs = if runs == Runs::Auto { Runs::Count(rule.max_pairs) } else { runs };
    driver.plan(&plan)?;
    driver.steer(&mut Rounds::new(plan, Bounds { runs, ..Bounds::of(&driver.header.definition) }))?;
    driver.check_values()?;
    let ignore = driver.header.condition.ignore_failure.any();
    let (name, seed) = (&driver.commands[0].name, driver.header.seed);
    let mut warnings = Vec::new();
    let judge = |rule: &Rule| {
        let commands = earlier.command.iter().chain(&driver.commands);
        let measured = Measured { metric: rule.metric, definition: &driver.header.definition };
        // A store that cannot be read by now takes no verdict away.
        let levels = levels(driver.store(), driver.machine().facts(), commands, measured);
        let levels = levels.unwrap_or_else(|failure| {
            warnings.push(unread(&failure));
            None
        });
        let old = earlier.series(rule.metric);
        Ok(baseline_findings(rule, old, driver.samples(), name, ignore, levels, seed))
    };
    let mut judged = together(rules.iter().map(judge))?;
    warnings.dedup();
    judged.warnings.extend(origin.into_iter().chain(warnings));
    let readings = earlier.of(rule.metric).len();
    if readings < driver.samples().len() / 4 {
        judged.warnings.push(format!("the baseline has only {readings} runs"));
    }
    Ok(judged)
}

/// Compares two earlier results. Nothing is run.
///
/// # Errors
/// Fails if a result has too few readings, or the results are of different machines.
pub fn stored(
    store: Option<&Store>,
    rule: &Rule,
    [old, new]: [&Earlier; 2],
    other_machine: bool,
    seed: u64,
) -> Result<Judged, Failure> {
    let rules = rule.apart();
    for rule in &rules {
        enough(old, rule.metric)?;
        enough(new, rule.metric)?;
    }
    let mut origins = Vec::new();
    if new.machine.is_none() {
        origins.extend(origin(new, None, other_machine)?);
    }
    origins.extend(origin(old, new.machine.as_ref(), other_machine)?);
    let judge = |rule: &Rule| {
        let commands = old.command.iter().chain(&new.command);
        let levels = match old.machine.as_ref().or(new.machine.as_ref()) {
            Some(facts) => {
                // Stored results do not tell from which number of a command's output a user-defined metric was read, so
                // the variation between sessions is known only for metrics that mean the same in every experiment.
                let measured = Measured { metric: rule.metric, definition: &Definition::default() };
                levels(store, facts, commands, measured)?
            }
            None => None,
        };
        Ok(stored_findings(rule, [old.series(rule.metric), new.series(rule.metric)], levels, seed))
    };
    let mut judged = together(rules.iter().map(judge))?;
    judged.warnings.extend(origins);
    Ok(judged)
}

/// Merges comparisons by several metrics into the first result, which gets the comparisons and warnings of the
/// following ones. Returns the first error.
fn together(mut each: impl Iterator<Item = Result<Judged, Failure>>) -> Result<Judged, Failure> {
    let join = |all: Option<Judged>, next: Result<Judged, Failure>| -> Result<_, Failure> {
        let mut next = next?;
        let Some(mut all) = all else { return Ok(Some(next)) };
        all.findings.comparisons.append(&mut next.findings.comparisons);
        let new: Vec<String> = next.warnings.into_iter().filter(|it| !all.warnings.contains(it)).collect();
        all.warnings.extend(new);
        Ok(Some(all))
    };
    each.try_fold(None, join)?.ok_or_else(|| Failure::usage("no metric is given to judge"))
}

/// Refuses a baseline of another machine, unless `other_machine` allows it. Returns a warning in that case, and if the
/// baseline does not name its machine.
fn origin(
    earlier: &Earlier,
    here: Option<&MachineFacts>,
    other_machine: bool,
) -> Result<Option<String>, Failure> {
    let Some(there) = &earlier.machine else {
        return Ok(Some(format!("{} does not say on which machine it was measured", earlier.name)));
    };
    let apart = here.map_or_else(Vec::new, |here| facts_apart(there, here));
    let apart = apart.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    match (apart.is_empty(), other_machine) {
        (true, _) => Ok(None),
        (false, true) => Ok(Some(format!(
            "{} was measured on another machine ({apart}): what differs between the machines counts as a difference",
            earlier.name
        ))),
        (false, false) => Err(Failure::usage(format!(
            "the baseline {} was measured on another machine ({apart}), and what differs between machines would count as a \
             difference of the commands: measure it here, or accept it with --other-machine",
            earlier.name
        ))),
    }
}

/// How much the typical reading of an unchanged command varies between sessions: of the command of the baseline or of
/// its candidate, whichever was measured in more sessions in the store.
fn levels<'a>(
    store: Option<&Store>,
    facts: &MachineFacts,
    commands: impl Iterator<Item = &'a Command>,
    measured: Measured,
) -> Result<Option<SessionLevels>, Failure> {
    let Some(store) = store else { return Ok(None) };
    let mut best = Vec::new();
    for command in commands {
        let sessions = store.sessions_of(facts, command, measured)?;
        if sessions.len() > best.len() {
            best = sessions;
        }
    }
    Ok(SessionLevels::of(measured.metric, best.iter().map(|session| session.readings.as_slice())))
}

/// Baseline from the store: the readings, in the deciding metrics of a rule, of the command `name` of an experiment or
/// of its only command. The experiment is given by its number or `last`.
///
/// # Errors
/// Fails if there is no such experiment, or it has no matching command.
pub fn from_store(
    store: Option<&Store>,
    baseline: &str,
    name: &str,
    rule: &Rule,
) -> Result<Earlier, Failure> {
    let store =
        store.ok_or_else(|| Failure::usage("--baseline with an id needs a store, and --store is none"))?;
    let id = match baseline {
        "last" => store.list(&Filter { limit: Some(1), ..Filter::default() })?.first().map(|row| row.id),
        id => Some(store.resolve(id)?),
    };
    let id = id.ok_or_else(|| Failure::usage("--baseline last: the store holds no earlier experiment"))?;
    let stored = store.load(id)?;
    let names: Vec<String> = stored.commands.iter().map(|command| command.name.clone()).collect();
    let index = pick(&names, name, &format!("experiment {id}"))?;
    let ignore = stored.header.condition.ignore_failure.any();
    let findings = run_findings(&stored.samples, names.len(), ignore).swap_remove(index);
    let is_ours = |sample: &&Sample| {
        usize::from(sample.command) == index
            && sample.phase == Phase::Measured
            && (ignore || sample.outcome.is_success())
    };
    let of = |(metric, _)| {
        let read = stored.samples.iter().filter(is_ours).filter_map(|sample| sample.get(metric));
        (metric, read.map(|value| value as f64).collect())
    };
    let values: Vec<(Metric, Vec<f64>)> = rule.decided().into_iter().map(of).collect();
    values.iter().try_for_each(|(_, readings)| check_number(readings.len(), baseline))?;
    Ok(Earlier {
        name: format!("{} (experiment {id})", names[index]),
        values,
        findings,
        command: Some(stored.commands[index].clone()),
        machine: Some(stored.header.machine),
    })
}

/// Index in `names` of the command that serves as the baseline: the one of the same name, otherwise the only one.
///
/// # Errors
/// Fails if there are several commands and none has that name.
pub fn pick(names: &[String], name: &str, baseline: &str) -> Result<usize, Failure> {
    if names.is_empty() {
        return Err(Failure::usage(format!(
            "{baseline} has no command: it measured the machine itself, and not a program"
        )));
    }
    let same = names.iter().position(|other| other == name);
    let only = || (names.len() == 1).then_some(0);
    same.or_else(only).ok_or_else(|| {
        let which = match name.is_empty() {
            true => "which of them is meant".to_owned(),
            false => format!("and none is called `{name}`"),
        };
        let all = names.join(" | ");
        Failure::usage(format!("{baseline} has several commands, {which}? Choose with --names: {all}"))
    })
}

/// Number of orders of the readings in the permutation test against a baseline: the random ones and the observed one.
const ORDERS: f64 = fauxplat_stats::randomise::DRAWS as f64 + 1.0;

/// Refuses rules that a comparison with a baseline cannot follow: it is decided once, at the end, by a limited number
/// of random orders.
///
/// # Errors
/// Fails if no order is rare enough for the level, or looks at any time are requested.
pub fn check_rule(rule: &Rule) -> Result<(), Failure> {
    let metrics = rule.decided().len();
    let least = metrics as f64 / ORDERS;
    match (rule.anytime, rule.level >= least) {
        (true, _) => Err(Failure::usage("a baseline is compared once, at the end: leave --anytime out")),
        (false, true) => Ok(()),
        (false, false) => Err(Failure::usage(format!(
            "--level {} %: the comparison with a baseline has too few random orders to show anything at this level; at \
             least {} %",
            rule.level * 100.0,
            least * 100.0
        ))),
    }
}

/// Maximum number of readings of a baseline. Resampling them thousands of times takes half a minute at this number.
const READINGS_MAX: usize = 100_000;

/// Refuses a baseline with so many readings that its analysis would take hours.
///
/// # Errors
/// Fails if the baseline has too many readings.
pub fn check_number(readings: usize, baseline: &str) -> Result<(), Failure> {
    match readings > READINGS_MAX {
        true => Err(Failure::usage(format!(
            "--baseline {baseline} has {readings} readings; at most {READINGS_MAX} are compared"
        ))),
        false => Ok(()),
    }
}

/// Minimum number of readings of a baseline.
const READINGS_MIN: usize = 6;

fn enough(earlier: &Earlier, metric: Metric) -> Result<(), Failure> {
    if earlier.findings.bounded.iter().any(|it| it.metric == metric) {
        return Err(bounded(metric, &format!("of the baseline {}", earlier.name)));
    }
    match earlier.of(metric).len() {
        few if few < READINGS_MIN => Err(Failure::usage(format!(
            "the baseline {} has {few} readings of {}; at least {READINGS_MIN} are needed",
            earlier.name,
            metric.title()
        ))),
        _ => Ok(()),
    }
}
