//! Combines points into series, and chooses series by a word of the user.

use std::collections::BTreeMap;
use std::sync::Arc;

use fauxplat_experiment::Failure;
use fauxplat_report::say;
use fauxplat_store::{Point, PointFilter, Store, StoreError};

use crate::args::By;
use crate::summing::sum_up;

/// Maximum number of benchmarks that a message names if the user's word matches several.
const NAMED_MAX: usize = 10;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub benchmark: Arc<str>,
    /// File name of the program; for a suite, the name of the harness.
    pub program: Arc<str>,
    pub machine: Arc<str>,
}

/// Sessions of a benchmark on one machine, in one metric.
#[derive(Clone, Debug)]
pub struct Series {
    pub key: Key,
    /// Sessions, in the order of the series; never empty.
    pub points: Vec<Point>,
}

/// Facts in a store that series need in addition to points.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Notes by the number of the experiment to which they belong.
    pub notes: BTreeMap<i64, Vec<String>>,
}

impl Context {
    /// Reads the notes of a store.
    ///
    /// # Errors
    /// Returns the store's error if reading fails.
    pub fn of(store: &Store) -> Result<Self, StoreError> {
        let mut context = Context::default();
        for note in store.notes()? {
            context.notes.entry(note.experiment).or_default().push(note.text);
        }
        Ok(context)
    }
}

/// All series of a metric in a store. `machine` restricts these to machines with this host name, or with an identity
/// that begins with this text.
///
/// # Errors
/// Returns the store's error if reading or writing points fails.
pub fn all(store: &Store, metric: &str, machine: Option<&str>) -> Result<Vec<Series>, StoreError> {
    let left = sum_up(store)?;
    kept(store, &PointFilter { metric: metric.to_owned(), benchmark: None }, left, machine)
}

/// Series of the points in a store that match `filter`, and of `left`, points that could not be stored in it.
///
/// # Errors
/// Returns the store's error if reading fails.
pub fn kept(
    store: &Store,
    filter: &PointFilter,
    left: Vec<Point>,
    machine: Option<&str>,
) -> Result<Vec<Series>, StoreError> {
    let mut series: Vec<Series> = Vec::new();
    let is_meant = |point: &Point| {
        machine.is_none_or(|asked| point.host.as_deref() == Some(asked) || point.machine.starts_with(asked))
    };
    let mut add = |point: Point| match series.last_mut() {
        Some(last) if is_of(&last.key, &point) => last.points.push(point),
        _ => series.push(Series { key: key(&point), points: vec![point] }),
    };
    store.points(filter, |point| {
        if is_meant(&point) {
            add(point);
        }
    })?;
    let mut left: Vec<Point> =
        left.into_iter().filter(|it| *it.metric == *filter.metric && is_meant(it)).collect();
    left.sort_by_key(key);
    left.into_iter().for_each(&mut add);
    Ok(series)
}

fn key(point: &Point) -> Key {
    let share = Arc::clone;
    Key { benchmark: share(&point.benchmark), program: share(&point.program), machine: share(&point.machine) }
}

fn is_of(key: &Key, point: &Point) -> bool {
    key.benchmark == point.benchmark && key.program == point.program && key.machine == point.machine
}

/// Series of the benchmark that a word of the user names: the benchmark of exactly that name, or else the only one
/// whose name contains the word. There is one series per machine and program.
///
/// # Errors
/// Fails if no benchmark fits, or several do.
pub fn named(all: Vec<Series>, name: &str, metric: &str) -> Result<Vec<Series>, Failure> {
    let is_exact = all.iter().any(|series| &*series.key.benchmark == name);
    let fits = |series: &Series| {
        let benchmark = &*series.key.benchmark;
        if is_exact { benchmark == name } else { benchmark.contains(name) }
    };
    let has_any = !all.is_empty();
    let found: Vec<Series> = all.into_iter().filter(fits).collect();
    let mut names: Vec<&str> = found.iter().map(|series| &*series.key.benchmark).collect();
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [] if has_any => Err(Failure::usage(format!(
            "there is no benchmark `{}` with sessions in {metric}; `fauxplat history trend` shows those that have",
            say::visible(name)
        ))),
        [] => Err(Failure::usage(format!(
            "no benchmark has sessions in {metric}: those of run, compare and suite are kept, each once it has ended"
        ))),
        [_] => Ok(found),
        several => {
            let shown = several.iter().take(NAMED_MAX).map(|name| format!("`{}`", say::visible(name)));
            let more = several.len().saturating_sub(NAMED_MAX);
            let shown: Vec<String> = shown.chain((more > 0).then(|| format!("{more} more"))).collect();
            Err(Failure::usage(format!(
                "`{}` is a part of {}: give the whole name",
                say::visible(name),
                say::listed(&shown)
            )))
        }
    }
}

/// Sorts the points of a series. Several commands of an experiment may belong to the same series, such as the commits
/// of `--commits`: in the order of time only the last of these counts, which is the newest commit; in the order of
/// commits all count.
pub fn ordered(series: Series, by: By) -> Series {
    let Series { key, mut points } = series;
    points.sort_by(|a, b| (&a.started, a.experiment, a.number).cmp(&(&b.started, b.experiment, b.number)));
    match by {
        By::Time => {
            let mut latest: Vec<Point> = Vec::with_capacity(points.len());
            for point in points {
                match latest.last_mut() {
                    Some(last) if last.experiment == point.experiment => *last = point,
                    _ => latest.push(point),
                }
            }
            Series { key, points: latest }
        }
        By::Commit => Series { key, points: by_commit(points) },
    }
}

/// Returns a point for each commit: the median of its sessions without local changes. The points are in the order of
/// commit times if the time of every commit is known, and else in the order of their first measurement.
fn by_commit(points: Vec<Point>) -> Vec<Point> {
    let mut commits: Vec<Vec<Point>> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for point in points.into_iter().filter(|point| point.dirty != Some(true)) {
        let Some(commit) = point.commit.clone() else { continue };
        let place = *places.entry(commit).or_insert(commits.len());
        match commits.get_mut(place) {
            Some(sessions) => sessions.push(point),
            None => commits.push(vec![point]),
        }
    }
    let made = |sessions: &[Point]| sessions.iter().find_map(|point| point.committed_s);
    if commits.iter().all(|sessions| made(sessions).is_some()) {
        commits.sort_by_key(|sessions| made(sessions));
    }
    commits.into_iter().filter_map(pooled).collect()
}

/// Combines the sessions of a commit into one point, whose other facts are those of the first session; `None` without
/// sessions.
fn pooled(sessions: Vec<Point>) -> Option<Point> {
    let mut logs: Vec<f64> = sessions.iter().map(|point| point.ln).collect();
    let ln = fauxplat_stats::describe::median_in_place(&mut logs)?;
    let count = sessions.len() as f64;
    let squares: Option<f64> = sessions.iter().map(|point| point.error.map(|error| error * error)).sum();
    let runs = sessions.iter().map(|point| point.runs).sum();
    let first = sessions.into_iter().next()?;
    Some(Point { ln, error: squares.map(|sum| sum.sqrt() / count), runs, ..first })
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn point(experiment: i64, commit: char, committed_s: Option<i64>, ln: f64) -> Point {
        Point {
            experiment,
            number: 0,
            started: format!("2026-11-{:02}T00:00:00Z", experiment % 28 + 1).into(),
            benchmark: "sort".into(),
            program: "sort".into(),
            metric: "wall".into(),
            unit: "ns".into(),
            more_is_better: false,
            machine: "m".into(),
            commit: Some(commit.to_string().repeat(40)),
            dirty: Some(false),
            committed_s,
            label: None,
            host: None,
            ln,
            error: Some(0.01),
            runs: 10,
        }
    }

    fn series(points: Vec<Point>) -> Series {
        Series { key: key(&points[0]), points }
    }

    #[test]
    fn commits_come_in_the_order_in_which_they_were_made() {
        let points =
            vec![point(1, 'b', Some(20), 1.0), point(2, 'a', Some(10), 3.0), point(3, 'b', Some(20), 2.0)];
        let by_commit = ordered(series(points.clone()), By::Commit);
        let told: Vec<(f64, u64)> = by_commit.points.iter().map(|it| (it.ln, it.runs)).collect();
        assert_eq!(told, [(3.0, 10), (1.5, 20)]);
        let unknown = points.into_iter().map(|it| Point { committed_s: None, ..it }).collect();
        let first: Vec<i64> =
            ordered(series(unknown), By::Commit).points.iter().map(|it| it.experiment).collect();
        assert_eq!(first, [1, 2], "the order of the first measurement");
    }

    #[test]
    fn local_changes_are_no_commit_and_the_last_command_is_the_newest() {
        let dirty = Point { dirty: Some(true), ..point(1, 'a', None, 1.0) };
        let newer = Point { number: 1, ln: 2.0, ..point(1, 'b', None, 1.0) };
        let all = series(vec![newer, dirty]);
        assert_eq!(ordered(all.clone(), By::Time).points.iter().map(|it| it.ln).collect::<Vec<_>>(), [2.0]);
        assert_eq!(ordered(all, By::Commit).points.len(), 1);
    }

    #[test]
    fn a_part_of_a_name_is_enough_where_only_one_has_it() {
        let named_so = |name: &str| {
            let it = Point { benchmark: name.into(), ..point(1, 'a', None, 1.0) };
            series(vec![it])
        };
        let all = || vec![named_so("sort a"), named_so("sort b"), named_so("sort")];
        let found = |name: &str| named(all(), name, "wall").map(|it| it[0].key.benchmark.to_string());
        assert_eq!(found("sort").unwrap(), "sort");
        assert_eq!(found("b").unwrap(), "sort b");
        assert!(found("sort ").unwrap_err().to_string().contains("`sort a` and `sort b`"));
        assert!(found("x").unwrap_err().to_string().contains("no benchmark `x`"));
        assert!(
            named(Vec::new(), "x", "cpu")
                .unwrap_err()
                .to_string()
                .contains("no benchmark has sessions in cpu")
        );
    }
}
