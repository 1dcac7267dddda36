//! Computes points of series from experiments: the typical reading of each command in each metric, with its standard
//! error.

use std::collections::BTreeMap;
use std::sync::Arc;

use fauxplat_model::document::Findings;
use fauxplat_model::{Command, Metric, Origin, Phase, Sample, Unit, metrics_of};
use fauxplat_report::own_readings;
use fauxplat_stats::describe::{median_in_place, sorted, standard_deviation};
use fauxplat_stats::order::median_interval;
use fauxplat_store::{Point, Store, StoreError, StoredExperiment};

/// Built-in metrics for which series exist. Counts of rare events are left out: most of these are zero, and zero has no
/// logarithm.
const KEPT: [Metric; 5] = [Metric::WALL, Metric::USER, Metric::SYSTEM, Metric::CPU, Metric::PEAK_MEMORY];

/// Subcommands whose experiments contribute to series.
const VERBS: [&str; 3] = ["run", "compare", "suite"];

/// Name of the parameter in which a record stores the commit of a command (`--commits`).
const COMMIT: &str = "commit";

/// Number of digits of the hash of a machine's facts in the name of a machine without a known identity.
const FACTS_LENGTH: usize = 12;

/// Half the width of a 95 % interval, in standard errors.
const HALF_95: f64 = 1.96;

/// Ratio of the standard error of the median to that of the mean, for normally distributed values.
const OF_MEDIAN: f64 = 1.2533;

/// Computes the points of all experiments that have none yet, and stores them if the store can be written. Returns the
/// points that could not be stored.
///
/// # Errors
/// Returns the store's error if reading or writing fails.
pub fn sum_up(store: &Store) -> Result<Vec<Point>, StoreError> {
    let mut left = Vec::new();
    for id in store.without_points()? {
        let points = points(store, id)?;
        if !store.keep_points(id, &points)? {
            left.extend(points);
        }
    }
    Ok(left)
}

fn points(store: &Store, id: i64) -> Result<Vec<Point>, StoreError> {
    let head = store.load_without_samples(id)?;
    if !VERBS.contains(&head.kind.as_str()) {
        return Ok(Vec::new());
    }
    let machine = match &head.header.origin.machine_id {
        Some(identity) => identity.clone(),
        None => by_facts(store.machine_by_facts(id)?.as_deref()),
    };
    let origin = &head.header.origin;
    let experiment = Place {
        id,
        started: head.header.started.as_str().into(),
        machine: machine.into(),
        host: origin.host.as_deref().map(Arc::from),
        label: origin.label.clone(),
    };
    Ok(match &head.findings {
        Some(Findings::Own(_)) => of_suite(&experiment, &head),
        _ => {
            let mut samples = Vec::new();
            store.samples(id, |sample| samples.push(sample))?;
            of_commands(&experiment, &head, &samples)
        }
    })
}

/// Name for a machine whose experiments record no identity; all machines with the same facts and kernel share it.
fn by_facts(identity: Option<&str>) -> String {
    let hash = identity.and_then(|hash| hash.get(..FACTS_LENGTH)).unwrap_or("unknown");
    format!("facts-{hash}")
}

/// Properties of an experiment that all of its points share.
struct Place {
    id: i64,
    started: Arc<str>,
    machine: Arc<str>,
    host: Option<Arc<str>>,
    label: Option<String>,
}

#[derive(Clone, Default)]
struct Code {
    commit: Option<String>,
    dirty: Option<bool>,
    committed_s: Option<i64>,
}

impl Code {
    fn of_checkout(origin: &Origin) -> Self {
        let Some(checkout) = &origin.checkout else { return Code::default() };
        Code {
            commit: Some(checkout.commit.clone()),
            dirty: checkout.dirty,
            committed_s: checkout.committed_s,
        }
    }

    /// Commit of a command: its own one with `--commits`, or else that of the repository around the working directory.
    fn of(command: Option<&Command>, origin: &Origin) -> Self {
        let around = Code::of_checkout(origin);
        match command.and_then(commit) {
            Some(own) if around.commit.as_ref() != Some(own) => {
                Code { commit: Some(own.clone()), ..Code::default() }
            }
            _ => around,
        }
    }
}

/// Commit of a command that `--commits` made; `None` for other commands.
fn commit(command: &Command) -> Option<&String> {
    command.parameters.iter().find(|(name, _)| name == COMMIT).map(|(_, hash)| hash)
}

struct Readings {
    benchmark: Arc<str>,
    program: Arc<str>,
    metric: Arc<str>,
    unit: Arc<str>,
    more_is_better: bool,
    values: Vec<f64>,
}

impl Readings {
    /// The point that these readings give; `None` if no reading is positive, since points are logarithms.
    fn point(self, place: &Place, number: i64, code: &Code) -> Option<Point> {
        let logs: Vec<f64> = self.values.into_iter().filter(|value| *value > 0.0).map(f64::ln).collect();
        let ln = median_in_place(&mut logs.clone()).filter(|ln| ln.is_finite())?;
        Some(Point {
            experiment: place.id,
            number,
            started: Arc::clone(&place.started),
            benchmark: self.benchmark,
            program: self.program,
            metric: self.metric,
            unit: self.unit,
            more_is_better: self.more_is_better,
            machine: Arc::clone(&place.machine),
            commit: code.commit.clone(),
            dirty: code.dirty,
            committed_s: code.committed_s,
            label: place.label.clone(),
            host: place.host.clone(),
            ln,
            error: error(&logs),
            runs: logs.len() as u64,
        })
    }
}

/// Standard error of the median of some logarithms: from the median's interval by order statistics, or from the
/// standard deviation if there are too few readings for that interval. `None` for a single reading.
fn error(logs: &[f64]) -> Option<f64> {
    match median_interval(&sorted(logs), 0.95) {
        Some([low, high]) => Some((high - low) / (2.0 * HALF_95)),
        None if logs.len() > 1 => Some(OF_MEDIAN * standard_deviation(logs) / (logs.len() as f64).sqrt()),
        None => None,
    }
}

/// Points of the commands of an experiment, in the metrics of [`KEPT`] and in all metrics that are not built in.
fn of_commands(place: &Place, head: &StoredExperiment, samples: &[Sample]) -> Vec<Point> {
    let metrics: Vec<Metric> =
        metrics_of(samples).into_iter().filter(|it| KEPT.contains(it) || !it.is_built_in()).collect();
    let ignores = head.header.condition.ignore_failure.any();
    let counts = |it: &&Sample| it.phase == Phase::Measured && (ignores || it.outcome.is_success());
    let mut points = Vec::new();
    for (number, command) in head.commands.iter().enumerate() {
        let own: Vec<&Sample> =
            samples.iter().filter(counts).filter(|it| usize::from(it.command) == number).collect();
        let code = Code::of(Some(command), &head.header.origin);
        let (benchmark, program) = (benchmark(command), program(command));
        for &metric in &metrics {
            let readings = Readings {
                benchmark: Arc::clone(&benchmark),
                program: Arc::clone(&program),
                metric: metric.name().into(),
                unit: unit(metric),
                more_is_better: metric.more_is_better(),
                values: own.iter().filter_map(|it| it.get(metric)).map(|value| value as f64).collect(),
            };
            points.extend(readings.point(place, number as i64, &code));
        }
    }
    points
}

/// Name of a command's benchmark. A command of `--commits` is named after its commit, so its command line is the name
/// of the benchmark.
fn benchmark(command: &Command) -> Arc<str> {
    let name = if commit(command).is_some() { &command.command } else { &command.name };
    name.as_str().into()
}

/// File name of a command's program, without the folder, which differs between work trees.
fn program(command: &Command) -> Arc<str> {
    let name = command.program.file_name().unwrap_or(command.program.as_os_str());
    name.to_string_lossy().into()
}

fn unit(metric: Metric) -> Arc<str> {
    match metric.unit() {
        Unit::Nanos => "ns",
        Unit::Bytes => "B",
        _ => "",
    }
    .into()
}

/// Points of the benchmarks of a suite. Those of the second program, the newer one, come last.
fn of_suite(place: &Place, head: &StoredExperiment) -> Vec<Point> {
    let Some(Findings::Own(found)) = &head.findings else { return Vec::new() };
    let mut by_side: BTreeMap<(&'static str, String), Readings> = BTreeMap::new();
    let harness = found.document.get("harness").and_then(serde_json::Value::as_str).unwrap_or("suite");
    let harness: Arc<str> = harness.into();
    for reading in own_readings(found).unwrap_or_default() {
        let is_time = reading.unit == "ns";
        let key = (reading.side, reading.benchmark);
        let readings = by_side.entry(key).or_insert_with_key(|(_, name)| Readings {
            benchmark: name.as_str().into(),
            program: Arc::clone(&harness),
            metric: if is_time {
                Metric::WALL.name().into()
            } else {
                format!("printed:{}", reading.unit).into()
            },
            unit: reading.unit.as_str().into(),
            more_is_better: reading.more_is_better,
            values: Vec::new(),
        });
        readings.values.push(reading.value);
    }
    let commands = &head.commands;
    let [a, b] = [commands.first(), commands.last()].map(|command| Code::of(command, &head.header.origin));
    let of = |(number, ((side, _), readings)): (usize, ((&str, String), Readings))| {
        readings.point(place, number as i64, if side == "A" { &a } else { &b })
    };
    by_side.into_iter().enumerate().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_that_of_the_median() {
        let logs: Vec<f64> = (0..100).map(|place| f64::from(place) * 0.001).collect();
        // The 40th and the 61st of 100 readings bound the median.
        assert!((error(&logs).unwrap() - 0.021 / 3.92).abs() < 1e-12);
        assert!(error(&[0.1, 0.2]).unwrap() > 0.0);
        assert_eq!(error(&[0.1]), None);
    }

    #[test]
    fn a_command_of_a_commit_is_its_line() {
        let mut command = Command {
            name: "abc1234 mend it".into(),
            command: "./p x".into(),
            program: "/t/1/p".into(),
            ..Command::default()
        };
        assert_eq!((&*benchmark(&command), &*program(&command)), ("abc1234 mend it", "p"));
        command.parameters.push((COMMIT.into(), "c".repeat(40)));
        assert_eq!(&*benchmark(&command), "./p x");
        assert_eq!(Code::of(Some(&command), &Origin::default()).commit, Some("c".repeat(40)));
    }
}
