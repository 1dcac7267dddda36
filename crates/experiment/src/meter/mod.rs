//! Meters: read metrics in addition to the launcher's account, before, during and after each run.
//!
//! Each source of metrics is a [`Meter`] within fauxplat's own process, which sleeps during the run except for regular
//! readings of the meters ([`Meter::look`]).

mod energy;
mod pressure;
pub(crate) mod printed;
mod published;
pub(crate) mod region_page;
mod regions;
mod simulated;
mod throttled;

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use fauxplat_counters::cachegrind;
use fauxplat_model::{
    Definition, Metric, MetricSpec, Output, PrintedSource, RateSeries, Readings, Series, TableSource,
};

use crate::Failure;
use crate::counters::{Counters, THROTTLED, is_account};
use crate::throttle;
use energy::Energy;
use pressure::Pressure;
use printed::Printed;
use published::Published;
use regions::Regions;
use simulated::Simulated;
pub use simulated::simulator;
use throttled::Throttled;

/// Interval between two calls of [`Meter::look`] during a run.
pub(crate) const LOOK_EVERY_MS: i32 = 100;

/// A run that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over {
    pub(crate) trial: u32,
    /// Start time by the monotonic clock.
    pub(crate) started_ns: u64,
    pub(crate) wall_ns: u64,
}

pub(crate) trait Meter: Debug {
    fn metrics(&self) -> Vec<Metric>;

    /// File to which the commands must write their standard output; `None` if the meter does not read it.
    fn stdout(&self) -> Option<&Path> {
        None
    }

    /// Program with its first arguments that is executed instead of each command's program and gets the path of that
    /// program; `None` if the meter needs no such program.
    fn wrapper(&self) -> Option<&[String]> {
        None
    }

    /// Environment variable that the meter adds to those of the commands, as `NAME=VALUE`.
    fn variable(&self) -> Option<&str> {
        None
    }

    /// Called with the folders of all commands' control groups once these have been created.
    fn groups(&mut self, _folders: &[PathBuf]) {}

    /// Called just before a run.
    fn begin(&mut self);

    /// Called regularly during a run, with `now_ns` by the monotonic clock.
    fn look(&mut self, _now_ns: u64) {}

    /// Called after a run; stores the readings of the run.
    fn end(&mut self, run: Over, readings: &mut Readings);

    /// Series of values during the run of this trial; empty if the meter has none.
    fn series_of(&self, _trial: u32) -> Vec<Series> {
        Vec::new()
    }

    /// Rates of published counters during each run so far: a list for each counter.
    fn rates(&self) -> Vec<Vec<RateSeries>> {
        Vec::new()
    }

    /// Why the latest run without this metric lacks it; `None` if every run has it, or if the meter does not provide
    /// it.
    fn trouble(&self, metric: Metric) -> Option<&str>;

    /// Sentences about metrics of this meter of which some runs have no reading.
    fn not_measured(&self) -> Vec<String>;

    /// Sentences for the warnings of the report about readings of this meter.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Meters(Vec<Box<dyn Meter>>);

impl Meters {
    /// Opens the meters that a definition needs.
    ///
    /// # Errors
    /// Fails for a metric that no meter provides, or a source that cannot be read.
    pub(crate) fn open(definition: &Definition, counters: &Counters) -> Result<Self, Failure> {
        let rule = &definition.rule;
        rule.check().map_err(Failure::usage)?;
        let counted = |metric| counters.gives(metric);
        let others =
            rule.decided().into_iter().filter(|(metric, _)| !counted(*metric) && metric.region().is_none());
        others.into_iter().try_for_each(|(metric, _)| match counters.instead_of(metric) {
            Some(given) => Err(Failure::usage(format!(
                "--metric {}: this user may count user mode alone (kernel.perf_event_paranoid, CAP_PERFMON), which is \
                 --metric {}",
                metric.name(),
                given.name()
            ))),
            None => check(definition, metric),
        })?;
        let mut meters: Vec<Box<dyn Meter>> = Vec::new();
        let mut named: Vec<String> =
            rule.decided().iter().map(|(metric, _)| metric.name().to_owned()).collect();
        named.extend(counters.accounts.iter().cloned());
        named.retain(|name| is_account(name));
        named.sort_unstable();
        named.dedup();
        if let Some(name) = named.first().filter(|_| rule.duet) {
            return Err(Failure::usage(format!(
                "{name} cannot tell the two commands of a --duet apart: leave one option out"
            )));
        }
        for name in named {
            meters.extend(accounts(&name)?);
        }
        if !definition.tables.is_empty() {
            meters.push(Box::new(Published::open(&definition.tables)?));
        }
        if !definition.printed.is_empty() {
            check_output(definition)?;
            meters.push(Box::new(Printed::open(&definition.printed)?));
        }
        if let Some(regions) = Regions::open(definition, counters)? {
            meters.push(Box::new(regions));
        }
        if let Some(simulated) = Simulated::open(&definition.condition)? {
            meters.push(Box::new(simulated));
        }
        Ok(Meters(meters))
    }

    /// File to which the commands must write their standard output; `None` if no meter reads it.
    pub(crate) fn stdout(&self) -> Option<PathBuf> {
        self.0.iter().find_map(|meter| meter.stdout()).map(Path::to_owned)
    }

    /// Program with its first arguments that is executed instead of each command's program; empty for none.
    pub(crate) fn wrapper(&self) -> Vec<String> {
        self.0.iter().find_map(|meter| meter.wrapper()).unwrap_or_default().to_vec()
    }

    pub(crate) fn variables(&self) -> Vec<String> {
        self.0.iter().filter_map(|meter| meter.variable()).map(str::to_owned).collect()
    }

    pub(crate) fn groups(&mut self, folders: &[PathBuf]) {
        self.0.iter_mut().for_each(|meter| meter.groups(folders));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn metrics(&self) -> impl Iterator<Item = Metric> + '_ {
        self.0.iter().flat_map(|meter| meter.metrics())
    }

    pub(crate) fn begin(&mut self) {
        self.0.iter_mut().for_each(|meter| meter.begin());
    }

    pub(crate) fn look(&mut self, now_ns: u64) {
        self.0.iter_mut().for_each(|meter| meter.look(now_ns));
    }

    pub(crate) fn end(&mut self, run: Over, readings: &mut Readings) {
        self.0.iter_mut().for_each(|meter| meter.end(run, readings));
    }

    pub(crate) fn series_of(&self, trial: u32) -> impl Iterator<Item = Series> + '_ {
        self.0.iter().flat_map(move |meter| meter.series_of(trial))
    }

    pub(crate) fn rates(&self) -> Vec<Vec<RateSeries>> {
        self.0.iter().flat_map(|meter| meter.rates()).collect()
    }

    pub(crate) fn trouble(&self, metric: Metric) -> &str {
        self.0.iter().find_map(|meter| meter.trouble(metric)).unwrap_or_default()
    }

    pub(crate) fn not_measured(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().flat_map(|meter| meter.not_measured())
    }

    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().flat_map(|meter| meter.warnings())
    }
}

/// Names of all metrics that meters read before and after each run, each with the reason why it cannot be read; `None`
/// if it can.
pub(crate) fn all_accounts(root: &Path) -> Vec<(String, Option<String>)> {
    let pressures = MetricSpec::PRESSURES.map(|resource| {
        let file = root.join("proc/pressure").join(resource);
        let refusal = std::fs::read_to_string(file).err();
        let why = refusal.map(|error| format!("/proc/pressure cannot be read: {error} (CONFIG_PSI, psi=1)"));
        (format!("pressure:{resource}"), why)
    });
    let energy = match Energy::named("energy", root) {
        Ok(zones) => zones.iter().map(|zone| (zone.metrics()[0].name().to_owned(), None)).collect(),
        Err(failure) => {
            let why = failure.to_string();
            vec![("energy".to_owned(), Some(why.trim_start_matches("-e energy: ").to_owned()))]
        }
    };
    let is_limited = !throttle::accounts(root).is_empty();
    let why = "no control group of this process has a CPU quota; a command gets one by --limit".to_owned();
    let throttled = (THROTTLED.to_owned(), (!is_limited).then_some(why));
    pressures.into_iter().chain(energy).chain([throttled]).collect()
}

/// Opens the meters for a metric of this name, which is read before and after each run.
fn accounts(name: &str) -> Result<Vec<Box<dyn Meter>>, Failure> {
    if name.starts_with("energy") {
        let zones = Energy::named(name, Path::new("/"))?;
        return Ok(zones.into_iter().map(|zone| Box::new(zone) as Box<dyn Meter>).collect());
    }
    if name == THROTTLED {
        let metric = Metric::from_id(name).map_err(Failure::usage)?;
        return Ok(vec![Box::new(Throttled::of(metric, Path::new("/")))]);
    }
    let pressure = Metric::from_id(name).ok().and_then(Pressure::here);
    let pressure = pressure.ok_or_else(|| {
        Failure::usage(format!(
            "-e {name}: there is pressure:cpu, pressure:memory, pressure:io and {THROTTLED}"
        ))
    })?;
    Ok(vec![Box::new(pressure)])
}

/// Refuses a deciding metric whose source the definition does not name.
fn check(definition: &Definition, metric: Metric) -> Result<(), Failure> {
    if metric == Metric::RATE && definition.tables.is_empty() {
        return Err(Failure::usage("--metric rate needs a counter: --table NAME=FILE:OBJECT.KEY"));
    }
    let is_asked_for = |source: &TableSource| metric.name().strip_prefix("table:") == Some(&source.name);
    let is_pressure = is_account(metric.name());
    let is_simulated =
        metric.name().strip_prefix("simulated:").is_some_and(|name| cachegrind::names().any(|it| it == name));
    match (definition.condition.simulate, is_simulated) {
        (Some(_), true) => return Ok(()),
        (None, true) => {
            return Err(Failure::usage(format!(
                "--metric {}: only simulated runs have it: --simulated",
                metric.name()
            )));
        }
        (Some(_), false) if metric.is_built_in() || is_pressure => {
            return Err(Failure::usage(format!(
                "--metric {}: simulated runs are counted and not timed; they have {}",
                metric.name(),
                cachegrind::names().map(|name| format!("simulated:{name}")).collect::<Vec<_>>().join(", ")
            )));
        }
        _ => {}
    }
    let is_printed = |source: &PrintedSource| metric.name().strip_prefix("printed:") == Some(&source.name);
    if definition.printed.iter().any(is_printed) {
        return Ok(());
    }
    if !metric.is_built_in() && !is_pressure && !definition.tables.iter().any(is_asked_for) {
        return Err(Failure::usage(format!(
            "--metric {}: nothing here gives it; printed:NAME needs --metric-from NAME=REGEX, pressure:cpu, pressure:memory and pressure:io are there, and a counter \
             that is published: --table NAME=FILE:OBJECT.KEY with --metric table:NAME",
            metric.name()
        )));
    }
    if definition.rule.duet && (is_pressure || !definition.tables.is_empty()) {
        return Err(Failure::usage(
            "--table and pressure cannot tell the two commands of a --duet apart: leave them or --duet out",
        ));
    }
    Ok(())
}

/// Refuses a definition whose commands cannot write to the file that the meter of printed metrics reads, or cannot do
/// so one at a time.
fn check_output(definition: &Definition) -> Result<(), Failure> {
    if definition.condition.output != Output::Null {
        return Err(Failure::usage(
            "--metric-from reads what the commands write to standard output, so it cannot go elsewhere: leave --stdout and \
             --show-output out",
        ));
    }
    if definition.rule.duet {
        return Err(Failure::usage(
            "--metric-from cannot tell the output of the two commands of a --duet apart: leave one option out",
        ));
    }
    Ok(())
}
