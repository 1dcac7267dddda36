//! Combines points into series, and chooses series by a word of the user.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fauxplat_experiment::Failure;
use fauxplat_model::SeriesIdentity;
use fauxplat_report::say;
use fauxplat_store::{Point, PointFilter, Store, StoreError};

use crate::args::By;
use crate::summing::sum_up;

/// Maximum number of benchmarks that a message names if the user's word matches several.
const NAMED_MAX: usize = 10;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub identity: SeriesIdentity,
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
    let mut points: Vec<Point> = Vec::new();
    let is_meant = |point: &Point| {
        machine.is_none_or(|asked| point.host.as_deref() == Some(asked) || point.machine.starts_with(asked))
    };
    store.points(filter, |point| {
        if is_meant(&point) {
            points.push(point);
        }
    })?;
    points.extend(left.into_iter().filter(|it| *it.metric == *filter.metric && is_meant(it)));
    Ok(divided(points))
}

/// Divides the points of a metric into series, in the order of their first points.
pub fn divided(points: Vec<Point>) -> Vec<Series> {
    let mut places = Places::default();
    points.iter().for_each(|point| places.learn_folder(point));
    points.iter().for_each(|point| places.learn_place(point));
    let mut series: Vec<Series> = Vec::new();
    let mut numbers: BTreeMap<Key, usize> = BTreeMap::new();
    let mut latest = 0;
    for point in points {
        // Most points have the identity of the point before them.
        let before = series.get(latest).and_then(|it| it.points.last());
        if !before.is_some_and(|before| is_alike(before, &point)) {
            let key = Key { identity: places.identity(&point), machine: Arc::clone(&point.machine) };
            latest = *numbers.entry(key.clone()).or_insert(series.len());
            if latest == series.len() {
                series.push(Series { key, points: Vec::new() });
            }
        }
        series[latest].points.push(point);
    }
    series
}

/// Whether all that the identity of a point follows from is equal.
fn is_alike(a: &Point, b: &Point) -> bool {
    a.benchmark == b.benchmark
        && a.program == b.program
        && a.arguments == b.arguments
        && a.harness == b.harness
        && a.machine == b.machine
        && a.repository == b.repository
        && a.folder == b.folder
}

/// Places of the points of a metric, from which the places of points that lack them follow: experiments of earlier
/// versions have no repository, and often no folder.
#[derive(Debug, Default)]
struct Places {
    /// Repositories of each folder: by benchmark, program, machine and folder.
    of_folder: BTreeMap<[Arc<str>; 4], BTreeSet<Arc<str>>>,
    /// Known places of identities that are otherwise equal.
    of_rest: BTreeMap<(SeriesIdentity, Arc<str>), BTreeSet<Arc<str>>>,
}

impl Places {
    fn learn_folder(&mut self, point: &Point) {
        if let (Some(folder), Some(repository)) = (&point.folder, &point.repository) {
            self.of_folder.entry(in_folder(point, folder)).or_default().insert(Arc::clone(repository));
        }
    }

    fn learn_place(&mut self, point: &Point) {
        if let Some(place) = self.known(point) {
            let rest = (rest(point), Arc::clone(&point.machine));
            self.of_rest.entry(rest).or_default().insert(place);
        }
    }

    /// Place of a point by its repository or its folder; `None` if it has neither.
    fn known(&self, point: &Point) -> Option<Arc<str>> {
        let by_folder = |folder: &Arc<str>| {
            let repositories = self.of_folder.get(&in_folder(point, folder));
            repositories.and_then(only).unwrap_or_else(|| Arc::clone(folder))
        };
        point.repository.clone().or_else(|| point.folder.as_ref().map(by_folder))
    }

    /// Identity of a point's series. A point without a place is one of the only place that is known of its series.
    fn identity(&self, point: &Point) -> SeriesIdentity {
        let rest = rest(point);
        let place = self.known(point).or_else(|| {
            let places = self.of_rest.get(&(rest.clone(), Arc::clone(&point.machine)));
            places.and_then(only)
        });
        SeriesIdentity { place: place.map(|place| place.to_string()), ..rest }
    }
}

/// The only element of a set; `None` if there are several or none.
fn only(set: &BTreeSet<Arc<str>>) -> Option<Arc<str>> {
    set.first().filter(|_| set.len() == 1).cloned()
}

fn in_folder(point: &Point, folder: &Arc<str>) -> [Arc<str>; 4] {
    [&point.benchmark, &point.program, &point.machine, folder].map(Arc::clone)
}

/// Identity of a point without its place.
fn rest(point: &Point) -> SeriesIdentity {
    SeriesIdentity {
        benchmark: point.benchmark.to_string(),
        program: point.program.to_string(),
        arguments: point.arguments.to_string(),
        harness: point.harness.as_deref().map(str::to_owned),
        place: None,
    }
}

/// Series of the benchmark that a word of the user names: the benchmark of exactly that name, or else the only one
/// whose name contains the word. There is one series per machine and identity.
///
/// # Errors
/// Fails if no benchmark fits, or several do.
pub fn named(all: Vec<Series>, name: &str, metric: &str) -> Result<Vec<Series>, Failure> {
    let is_exact = all.iter().any(|series| series.key.identity.benchmark == name);
    let fits = |series: &Series| {
        let benchmark = series.key.identity.benchmark.as_str();
        if is_exact { benchmark == name } else { benchmark.contains(name) }
    };
    let has_any = !all.is_empty();
    let found: Vec<Series> = all.into_iter().filter(fits).collect();
    let mut names: Vec<&str> = found.iter().map(|series| series.key.identity.benchmark.as_str()).collect();
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

/// Series whose identities fit every word of `--of`. A word fits a program, arguments, a harness or a place that equals
/// it or, where none does, that contains it.
///
/// # Errors
/// Fails if no series fits.
pub fn of(all: Vec<Series>, words: &[String]) -> Result<Vec<Series>, Failure> {
    let mut left = all;
    for word in words {
        let has = |series: &Series, fits: fn(&str, &str) -> bool| {
            series.key.identity.parts().into_iter().any(|part| fits(part, word))
        };
        let is_equal: fn(&str, &str) -> bool = |part, word| part == word;
        let contains: fn(&str, &str) -> bool = |part, word| part.contains(word);
        let fits = if left.iter().any(|series| has(series, is_equal)) { is_equal } else { contains };
        left.retain(|series| has(series, fits));
        if left.is_empty() {
            return Err(Failure::usage(format!(
                "--of {}: there is no such program, nor arguments, harness or place with this text",
                say::visible(word)
            )));
        }
    }
    Ok(left)
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
            arguments: "".into(),
            harness: None,
            repository: None,
            folder: None,
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
        divided(points).remove(0)
    }

    /// Places of the series of some points, given by repository and folder, with the number of points of each.
    fn places(points: &[(Option<&str>, Option<&str>)]) -> Vec<(Option<String>, usize)> {
        let point = |(number, (repository, folder)): (usize, &(Option<&str>, Option<&str>))| Point {
            repository: repository.map(Arc::from),
            folder: folder.map(Arc::from),
            ..point(number as i64, 'a', None, 1.0)
        };
        let series = divided(points.iter().enumerate().map(point).collect());
        series.into_iter().map(|it| (it.key.identity.place, it.points.len())).collect()
    }

    #[test]
    fn sessions_of_two_places_are_two_series() {
        let (a, b) = (Some("example.org/a"), Some("example.org/b"));
        let of = |places: &[(Option<&str>, usize)]| -> Vec<(Option<String>, usize)> {
            places.iter().map(|(place, count)| (place.map(str::to_owned), *count)).collect()
        };
        assert_eq!(places(&[(a, Some("/a")), (b, Some("/b")), (a, Some("/clone"))]), of(&[(a, 2), (b, 1)]));
        assert_eq!(
            places(&[(None, Some("/a")), (None, Some("/b"))]),
            of(&[(Some("/a"), 1), (Some("/b"), 1)])
        );
    }

    #[test]
    fn sessions_of_earlier_versions_join_the_only_place_that_fits() {
        let (a, b) = (Some("example.org/a"), Some("example.org/b"));
        let joined = |points: &[(Option<&str>, Option<&str>)]| {
            places(points).into_iter().map(|(_, count)| count).collect::<Vec<_>>()
        };
        // The folder is known to lie in a repository.
        assert_eq!(
            joined(&[(None, Some("/a")), (None, Some("/b")), (a, Some("/a")), (b, Some("/b"))]),
            [2, 2]
        );
        // The folder is not known, and there is one place.
        assert_eq!(joined(&[(None, None), (None, None), (a, Some("/a"))]), [3]);
        // With two places it stays apart.
        assert_eq!(joined(&[(None, None), (a, Some("/a")), (b, Some("/b"))]), [1, 1, 1]);
        assert_eq!(places(&[(None, None)]), [(None, 1)]);
    }

    #[test]
    fn a_word_chooses_by_a_whole_part_before_a_piece_of_one() {
        let with = |program: &str, arguments: &str| {
            let it =
                Point { program: program.into(), arguments: arguments.into(), ..point(1, 'a', None, 1.0) };
            series(vec![it])
        };
        let all = || vec![with("bench", ""), with("bench-old", "--quick"), with("bench-old", "")];
        let chosen = |words: &[&str]| -> Result<usize, String> {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            of(all(), &words).map(|left| left.len()).map_err(|error| error.to_string())
        };
        assert_eq!(chosen(&[]), Ok(3));
        assert_eq!(chosen(&["bench"]), Ok(1));
        assert_eq!(chosen(&["old"]), Ok(2));
        assert_eq!(chosen(&["old", "quick"]), Ok(1));
        assert!(chosen(&["new"]).unwrap_err().contains("--of new"));
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
        let found = |name: &str| named(all(), name, "wall").map(|it| it[0].key.identity.benchmark.clone());
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
