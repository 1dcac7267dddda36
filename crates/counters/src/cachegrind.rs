//! Counts of a simulated machine, by Valgrind's Cachegrind (Nethercote 2004, "Dynamic Binary Analysis and
//! Instrumentation"; the format of its files is in Valgrind's manual, chapter 5).
//!
//! Cachegrind is used rather than Callgrind, which loses the last basic block of a program at its exit. Every process
//! writes a file of its own when it ends, so the counts of a process tree are the sum of its files. A process that was
//! forked and did not execute another program counts again what its parent had counted before the fork, so a tree with
//! such a process has no correct sum.

mod functions;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

pub use functions::{FunctionCounts, functions};

use fauxplat_model::{Coverage, Metric, MetricError, MetricId, MetricSpec, SimulatedCaches, Unit};

/// Source of the metrics: the part of their ids before the colon.
pub const SOURCE: &str = "simulated";

/// Returns Valgrind's arguments for a simulation of these caches by a Valgrind of this version, which writes its files
/// to `folder`; the path of Valgrind and the user's command are not included.
pub fn arguments(caches: &SimulatedCaches, version: &str, folder: &Path) -> Vec<String> {
    let SimulatedCaches { i1, d1, ll } = caches;
    let place = |name: &str| folder.join(name).display().to_string();
    let words = [
        "--tool=cachegrind".to_owned(),
        // Valgrind creates pipes for a debugger, and a run that is killed would leave them behind.
        "--vgdb=no".to_owned(),
        // The caches are always given: otherwise the simulator uses the caches of the present machine.
        format!("--I1={i1}"),
        format!("--D1={d1}"),
        format!("--LL={ll}"),
        "--cache-sim=yes".to_owned(),
        "--branch-sim=yes".to_owned(),
        "--trace-children=yes".to_owned(),
        // Messages go to a file for each process, so that they do not mix with the program's output.
        format!("--cachegrind-out-file={}.%p", place(COUNTS)),
        format!("--log-file={}.%p", place(LOG)),
    ];
    words.into_iter().chain(joins(version).then(|| APART.to_owned())).collect()
}

/// Option by which Valgrind translates the code before and after a conditional branch separately. A joint translation
/// counts instructions that were not executed, and misses executed branches.
const APART: &str = "--vex-guest-chase=no";

/// Returns whether a version, such as `valgrind-3.19.0`, translates the code before and after a branch together and
/// accepts [`APART`], as all versions from 3.16 do.
fn joins(version: &str) -> bool {
    const FIRST: (u32, u32) = (3, 16);
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
    numbers.next().zip(numbers.next()).is_none_or(|version| version >= FIRST)
}

/// Prefixes of the names of the files that a simulated process writes; the process id follows.
const COUNTS: &str = "counts";
const LOG: &str = "log";

/// The counted quantities: name, title, and the simulator's events whose sum is the quantity.
const COUNTED: &[(&str, &str, &[&str])] = &[
    ("instructions", "instructions", &["Ir"]),
    ("l1i-misses", "L1i misses", &["I1mr"]),
    ("loads", "loads", &["Dr"]),
    ("stores", "stores", &["Dw"]),
    ("l1d-misses", "L1d misses", &["D1mr", "D1mw"]),
    ("l1d-load-misses", "L1d load misses", &["D1mr"]),
    ("l1d-store-misses", "L1d store misses", &["D1mw"]),
    ("llc-misses", "LL misses", &["ILmr", "DLmr", "DLmw"]),
    ("branches", "branches", &["Bc", "Bi"]),
    ("branch-misses", "branch misses", &["Bcm", "Bim"]),
    ("conditional-branch-misses", "conditional misses", &["Bcm"]),
    ("indirect-branch-misses", "indirect misses", &["Bim"]),
];

/// Returns the metric of a counted quantity; `source` describes the simulator and the simulated machine.
///
/// # Errors
/// Fails where there are too many metrics.
fn metric(name: &str, title: &str, source: &str) -> Result<Metric, MetricError> {
    let open = MetricSpec::open(MetricId::open(SOURCE, name)?, Unit::Count);
    Metric::open(MetricSpec {
        title: format!("{title} (simulated)").into(),
        source: source.to_owned().into(),
        coverage: Coverage::Tree,
        ..open
    })
}

/// Returns the metrics of all counted quantities, in the order of [`names`]. `source` describes the simulator and the
/// simulated machine.
///
/// # Errors
/// Fails where there are too many metrics.
pub fn metrics(source: &str) -> Result<Vec<Metric>, MetricError> {
    COUNTED.iter().map(|(name, title, _)| metric(name, title, source)).collect()
}

/// Names of the counted quantities; after `simulated:` they are the ids of their metrics.
pub fn names() -> impl Iterator<Item = &'static str> {
    COUNTED.iter().map(|(name, ..)| *name)
}

#[derive(Debug, thiserror::Error)]
pub enum Uncounted {
    /// No process wrote any counts. Contains a message of the simulator, if its log has one.
    #[error("the simulator wrote no counts{}", said(.0))]
    Nothing(Option<String>),
    /// Number of processes that were forked and did not execute another program.
    #[error(
        "its processes forked without becoming another program ({0} times): each of those counts again what its parent had \
         counted, so there is no true sum; count the program itself rather than what forks"
    )]
    Forked(usize),
    /// Number of processes that ended before they could write their counts.
    #[error("{0} of its processes ended without counts, as after a signal that cannot be caught")]
    Lost(usize),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// Path of a file that does not have the simulator's format.
    #[error("{}: no valid counts in it (an expected event is missing, or a number is invalid)", .0.display())]
    Strange(PathBuf),
}

fn said(last: &Option<String>) -> String {
    last.as_ref().map_or_else(String::new, |line| format!("; it said: {line}"))
}

/// Sums the counts that the processes of one run wrote into a directory, in the order of [`metrics`].
///
/// # Errors
/// Returns the reason why the run has no counts.
pub fn collect(folder: &Path) -> Result<Vec<u64>, Uncounted> {
    let (counts, logs) = (files(folder, COUNTS)?, files(folder, LOG)?);
    let heads = logs.iter().map(|(&pid, path)| Ok((pid, Head::read(path)?)));
    let heads: BTreeMap<u32, Head> = heads.collect::<Result<_, Uncounted>>()?;
    if counts.is_empty() {
        return Err(Uncounted::Nothing(heads.into_values().find_map(|head| head.complaint)));
    }
    match heads.values().filter(|head| head.is_fork_among(&heads)).count() {
        0 => {}
        forked => return Err(Uncounted::Forked(forked)),
    }
    match heads.keys().filter(|pid| !counts.contains_key(pid)).count() {
        0 => {}
        lost => return Err(Uncounted::Lost(lost)),
    }
    let mut sums = vec![0u64; COUNTED.len()];
    for path in counts.values() {
        let fail = |source| Uncounted::File { path: path.clone(), source };
        let file = File::open(path).map_err(fail)?;
        let own = parse(BufReader::new(file)).map_err(fail)?;
        let own = own.ok_or_else(|| Uncounted::Strange(path.clone()))?;
        for (sum, own) in sums.iter_mut().zip(own) {
            *sum = sum.saturating_add(own);
        }
    }
    Ok(sums)
}

/// Removes the counts and logs of an earlier run.
pub fn clear(folder: &Path) {
    for path in
        [COUNTS, LOG].into_iter().flat_map(|name| files(folder, name).unwrap_or_default().into_values())
    {
        // The error is ignored: a file that remains is attributed to a process of the next run, which then fails as a
        // run with lost counts instead of giving wrong ones.
        let _ = fs::remove_file(path);
    }
}

/// Returns the files of a directory that are called `name.PID`, by process id.
fn files(folder: &Path, name: &str) -> Result<BTreeMap<u32, PathBuf>, Uncounted> {
    let fail = |source| Uncounted::File { path: folder.to_owned(), source };
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let (stem, number) = (path.file_stem(), path.extension().and_then(|pid| pid.to_str()?.parse().ok()));
        if let Some(pid) = number.filter(|_| stem.is_some_and(|stem| stem == name)) {
            found.insert(pid, path);
        }
    }
    Ok(found)
}

/// A process, as described by the head of its log.
#[derive(Debug, Default)]
struct Head {
    command: Option<String>,
    parent: Option<u32>,
    /// Last line of the log apart from command and parent, such as a complaint of the simulator; `None` if there is
    /// none.
    complaint: Option<String>,
}

/// Maximum number of bytes of a log that are read: enough for the head and a complaint about a program that cannot be
/// simulated.
const LOG_BYTES_MAX: u64 = 1 << 16;

impl Head {
    fn read(path: &Path) -> Result<Self, Uncounted> {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(LOG_BYTES_MAX).read_to_end(&mut bytes));
        read.map_err(|source| Uncounted::File { path: path.to_owned(), source })?;
        Ok(Head::parse(&String::from_utf8_lossy(&bytes)))
    }

    fn parse(text: &str) -> Self {
        let mut head = Head::default();
        for line in text.lines() {
            // Lines read `==PID== text`, or `--PID-- text` for remarks.
            let line = line.trim_start_matches(['=', '-']).trim_start_matches(|c: char| c.is_ascii_digit());
            let line = line.trim_start_matches(['=', '-']).trim();
            if let Some(command) = line.strip_prefix("Command: ") {
                head.command.get_or_insert_with(|| command.to_owned());
            } else if let Some(parent) = line.strip_prefix("Parent PID: ") {
                head.parent = head.parent.or(parent.parse().ok());
            } else if !line.is_empty() {
                head.complaint = Some(line.to_owned());
            }
        }
        head
    }

    /// Returns whether the process was forked and did not execute another program: its parent is in the tree and has
    /// the same command. The log of a process that executes another program begins again, with the new command. A
    /// process that executes itself again with the same arguments cannot be distinguished from a fork.
    fn is_fork_among(&self, all: &BTreeMap<u32, Head>) -> bool {
        let parent = self.parent.and_then(|pid| all.get(&pid));
        parent.is_some_and(|parent| parent.command == self.command)
    }
}

/// Maximum number of bytes that are read as one line; only lines with names of functions can be longer.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// Calls `body` with each line of a file. Of a longer line only the first [`LINE_BYTES_MAX`] bytes are passed, since
/// the rest could look like a line of its own.
fn each_line(mut file: impl BufRead, mut body: impl FnMut(&[u8])) -> io::Result<()> {
    let (mut line, mut is_within) = (Vec::new(), false);
    while file.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? > 0 {
        if !is_within {
            body(&line);
        }
        is_within = line.last() != Some(&b'\n');
        line.clear();
    }
    Ok(())
}

/// Returns the sums of one file, in the order of [`COUNTED`]; `None` if the format is not the expected one.
fn parse(file: impl BufRead) -> io::Result<Option<Vec<u64>>> {
    let (mut events, mut summary) = (Vec::new(), Vec::new());
    each_line(file, |line| {
        if line.starts_with(b"events:") {
            events = words(line);
        } else if line.starts_with(b"summary:") {
            summary = words(line);
        }
    })?;
    let value = |event: &&str| {
        let place = events.iter().position(|known| known == event)?;
        summary.get(place)?.parse::<u64>().ok()
    };
    let sum = |(_, _, parts): &(&str, &str, &[&str])| {
        parts.iter().map(value).try_fold(0u64, |sum, part| sum.checked_add(part?))
    };
    Ok(COUNTED.iter().map(sum).collect())
}

/// Returns the words that follow the first word of a line, such as `events:`.
fn words(line: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(line).split_whitespace().skip(1).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EVENTS: &str = "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim\n";

    /// Creates a directory with processes: id, parent, command, and counts if the process wrote any.
    fn folder(processes: &[(u32, u32, &str, Option<&str>)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (pid, parent, command, summary) in processes {
            let log = format!(
                "=={pid}== Cachegrind\n=={pid}== Command: {command}\n=={pid}== Parent PID: {parent}\n"
            );
            fs::write(folder.path().join(format!("log.{pid}")), log).unwrap();
            if let Some(summary) = summary {
                let text = format!("cmd: {command}\n{EVENTS}fl=a.c\nfn=main\n1 2 3\nsummary: {summary}\n");
                fs::write(folder.path().join(format!("counts.{pid}")), text).unwrap();
            }
        }
        folder
    }

    #[test]
    fn a_tree_is_the_sum_of_its_programs() {
        let folder = folder(&[
            (10, 1, "sh -c x", Some("100 1 2 30 3 4 20 5 6 10 7 8 9")),
            (11, 10, "x", Some("1000 1 1 1 1 1 1 1 1 1 1 1 1")),
        ]);
        let counts = collect(folder.path()).unwrap();
        let of = |name: &str| counts[names().position(|known| known == name).unwrap()];
        assert_eq!(["instructions", "loads", "stores"].map(of), [1100, 31, 21]);
        assert_eq!(["l1d-misses", "llc-misses", "branches", "branch-misses"].map(of), [10, 15, 20, 18]);
        clear(folder.path());
        assert!(matches!(collect(folder.path()), Err(Uncounted::Nothing(None))));
    }

    #[test]
    fn what_has_no_true_sum_says_why() {
        let zeros = Some("1 1 1 1 1 1 1 1 1 1 1 1 1");
        let forked = folder(&[(10, 1, "x", zeros), (11, 10, "x", zeros), (12, 10, "y", zeros)]);
        assert!(matches!(collect(forked.path()), Err(Uncounted::Forked(1))));
        let killed = folder(&[(10, 1, "x", zeros), (11, 10, "y", None)]);
        assert!(matches!(collect(killed.path()), Err(Uncounted::Lost(1))));
        let short = folder(&[(10, 1, "x", Some("1 2 3"))]);
        assert!(matches!(collect(short.path()), Err(Uncounted::Strange(_))));
        let refused = folder(&[(10, 1, "x", None)]);
        fs::write(refused.path().join("log.10"), "valgrind: x: cannot be simulated\n").unwrap();
        let said = collect(refused.path()).unwrap_err().to_string();
        assert!(said.ends_with("it said: valgrind: x: cannot be simulated"), "{said}");
        assert!(matches!(collect(Path::new("/nowhere")), Err(Uncounted::File { .. })));
    }

    #[test]
    fn every_file_has_a_place_of_its_own_and_the_caches_are_stated() {
        let caches = fauxplat_model::SimulatedMachine::Small.caches().unwrap();
        let words = arguments(&caches, "valgrind-3.19.0", Path::new("/tmp/x"));
        for wanted in
            ["--LL=1048576,16,64", "--cachegrind-out-file=/tmp/x/counts.%p", "--log-file=/tmp/x/log.%p"]
        {
            assert!(words.iter().any(|word| word == wanted), "{wanted}");
        }
    }

    #[test]
    fn pieces_are_kept_apart_where_the_simulator_would_join_them() {
        let caches = fauxplat_model::SimulatedMachine::Classic.caches().unwrap();
        let is_told =
            |version: &str| arguments(&caches, version, Path::new("/tmp/x")).iter().any(|word| word == APART);
        for version in ["valgrind-3.16.0.GIT", "valgrind-3.19.0", "valgrind-4.0.0", "valgrind-next"] {
            assert!(is_told(version), "{version}");
        }
        for version in ["valgrind-3.15.0", "valgrind-3.9.0"] {
            assert!(!is_told(version), "{version}: an option that it does not know ends it");
        }
    }

    proptest! {
        /// Any file is read to the end without a panic.
        #[test]
        fn any_file_is_read(bytes in proptest::collection::vec(any::<u8>(), 0..300), head in any::<bool>()) {
            let text = [if head { EVENTS.as_bytes() } else { b"" }, b"summary: ", &bytes].concat();
            parse(text.as_slice()).unwrap();
            Head::parse(&String::from_utf8_lossy(&bytes));
        }
    }
}
