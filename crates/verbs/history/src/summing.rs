//! Computes points of series from experiments: the typical reading of each command in each metric, with its standard
//! error.

use std::collections::BTreeMap;
use std::sync::Arc;

use fauxplat_model::document::Findings;
use fauxplat_model::{
    Build, Command, Ground, Metric, Origin, PLAIN_COMMANDS, Phase, Sample, SeriesIdentity, Unit, metrics_of,
};
use fauxplat_report::own_readings;
use fauxplat_stats::describe::{median_in_place, sorted, standard_deviation};
use fauxplat_stats::order::median_interval;
use fauxplat_store::{Point, Store, StoreError, StoredExperiment};

/// Built-in metrics for which series exist. Counts of rare events are left out: most of these are zero, and zero has no
/// logarithm.
const KEPT: [Metric; 5] = [Metric::WALL, Metric::USER, Metric::SYSTEM, Metric::CPU, Metric::PEAK_MEMORY];

/// Subcommands whose experiments contribute to series.
const VERBS: [&str; 3] = ["run", "compare", "suite"];

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
        match command.and_then(Command::commit) {
            Some(own) if around.commit.as_deref() != Some(own) => {
                Code { commit: Some(own.to_owned()), ..Code::default() }
            }
            _ => around,
        }
    }
}

/// Parts of the identity of a series, as points share them.
#[derive(Clone)]
struct Named {
    benchmark: Arc<str>,
    program: Arc<str>,
    arguments: Arc<str>,
    harness: Option<Arc<str>>,
    repository: Option<Arc<str>>,
    folder: Option<Arc<str>>,
}

impl Named {
    /// Parts of an identity whose command ran on this ground.
    fn new(identity: SeriesIdentity, ground: Ground) -> Self {
        Named {
            benchmark: identity.benchmark.into(),
            program: identity.program.into(),
            arguments: identity.arguments.into(),
            harness: identity.harness.map(Arc::from),
            repository: ground.repository.map(Arc::from),
            folder: ground.folder.map(Arc::from),
        }
    }
}

struct Readings {
    named: Named,
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
            benchmark: self.named.benchmark,
            program: self.named.program,
            arguments: self.named.arguments,
            harness: self.named.harness,
            repository: self.named.repository,
            folder: self.named.folder,
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
        let identity = SeriesIdentity::of_command(command, build(head, number));
        let named = Named::new(identity, Ground::of(command, &head.header.origin));
        for &metric in &metrics {
            let readings = Readings {
                named: named.clone(),
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

/// How fauxplat built the program of a command; `None` for a program that it did not build.
fn build(head: &StoredExperiment, number: usize) -> Option<&Build> {
    let lines = &head.header.definition.commands;
    let build = |at: usize| lines.get(at).and_then(|line| line.build.as_ref());
    match lines.len() == head.commands.len() {
        true => build(number),
        // Lists of parameters make several commands of a line.
        false => build(0).filter(|first| lines.iter().all(|line| line.build.as_ref() == Some(*first))),
    }
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
    let origin = &head.header.origin;
    let (commands, missing) = (commands_of(head, harness), Command::default());
    let metrics = metrics_of_plain(&found.document);
    for reading in own_readings(found).unwrap_or_default() {
        let (is_time, metric) = (reading.unit == "ns", metrics.get(&reading.benchmark).copied());
        let command = commands.of(reading.side, &reading.benchmark).unwrap_or(&missing);
        let key = (reading.side, reading.benchmark);
        let readings = by_side.entry(key).or_insert_with_key(|(_, name)| Readings {
            named: Named::new(
                SeriesIdentity::of_benchmark(name, command, harness),
                Ground::of(command, origin),
            ),
            metric: match metric {
                Some(metric) => metric.name().into(),
                None if is_time => Metric::WALL.name().into(),
                None => format!("printed:{}", reading.unit).into(),
            },
            unit: metric.map_or_else(|| reading.unit.as_str().into(), unit),
            more_is_better: reading.more_is_better,
            values: Vec::new(),
        });
        readings.values.push(reading.value);
    }
    let of = |(number, ((side, name), readings)): (usize, ((&str, String), Readings))| {
        readings.point(place, number as i64, &Code::of(commands.of(side, &name), origin))
    };
    by_side.into_iter().enumerate().filter_map(of).collect()
}

/// Metrics of plain commands other than wall time, by the name of the benchmark.
fn metrics_of_plain(document: &serde_json::Value) -> BTreeMap<String, Metric> {
    let all = document.get("benchmarks").and_then(serde_json::Value::as_array);
    let metric = |it: &serde_json::Value| {
        let text = |field: &str| it.get(field).and_then(serde_json::Value::as_str);
        Some((text("name")?.to_owned(), Metric::from_name(text("metric")?)?))
    };
    all.into_iter().flatten().filter_map(metric).collect()
}

/// Commands of the benchmarks of a suite.
struct Commands<'a> {
    /// Plain commands by name; `None` for a suite with a harness.
    by_name: Option<BTreeMap<&'a str, &'a Command>>,
    /// Commands of A and of B, or of the first and the last benchmark.
    ends: [Option<&'a Command>; 2],
}

fn commands_of<'a>(head: &'a StoredExperiment, harness: &str) -> Commands<'a> {
    let all = &head.commands;
    let by_name = || all.iter().map(|command| (command.name.as_str(), command)).collect();
    Commands { by_name: (harness == PLAIN_COMMANDS).then(by_name), ends: [all.first(), all.last()] }
}

impl<'a> Commands<'a> {
    /// Command that ran a benchmark on a side, A or B; `None` where the record lacks it.
    fn of(&self, side: &str, benchmark: &str) -> Option<&'a Command> {
        let named =
            self.by_name.as_ref().and_then(|all| all.get(format!("{benchmark} ({side})").as_str()).copied());
        named.or(self.ends[usize::from(side != "A")])
    }
}

#[cfg(test)]
mod tests {
    use fauxplat_model::document::Header;
    use fauxplat_store::State;

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
    fn commands_of_a_suite_are_the_two_programs_or_those_of_the_benchmark() {
        let named = |name: &str| Command { name: name.into(), ..Command::default() };
        let commands = ["x (A)", "x (B)", "y (A)", "y (B)"].map(named).to_vec();
        let head = |commands: Vec<Command>| StoredExperiment {
            kind: "suite".into(),
            state: State::Finished,
            header: Header::default(),
            commands,
            samples: Vec::new(),
            findings: None,
            findings_json: None,
            summary: None,
            plan: None,
        };
        let plain = head(commands);
        let of =
            |side, benchmark| commands_of(&plain, PLAIN_COMMANDS).of(side, benchmark).unwrap().name.clone();
        assert_eq!([of("A", "x"), of("B", "x"), of("A", "y")], ["x (A)", "x (B)", "y (A)"]);
        let programs = head(["./old", "./new"].map(named).to_vec());
        let of = |side| commands_of(&programs, "go").of(side, "BenchmarkX").unwrap().name.clone();
        assert_eq!([of("A"), of("B")], ["./old", "./new"]);
    }

    #[test]
    fn a_plain_command_has_its_metric() {
        let document = serde_json::json!({
            "benchmarks": [{"name": "x"}, {"name": "y", "metric": "cpu"}, {"name": "z", "metric": "none"}]
        });
        let metrics = metrics_of_plain(&document);
        assert_eq!(metrics.into_iter().collect::<Vec<_>>(), [("y".to_owned(), Metric::CPU)]);
        assert!(metrics_of_plain(&serde_json::Value::Null).is_empty());
    }

    #[test]
    fn a_command_of_a_commit_has_that_commit() {
        let mut command = Command::default();
        command.parameters.push((fauxplat_model::COMMIT.into(), "c".repeat(40)));
        assert_eq!(Code::of(Some(&command), &Origin::default()).commit, Some("c".repeat(40)));
    }
}
