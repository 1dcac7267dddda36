//! Failing disks under a store: afterwards earlier results are unchanged, everything that was acknowledged is stored,
//! and further experiments can be added.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fauxplat_sys::process::Exit;
use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

use super::Subject;
use super::disk::{self, Fault, Whose};

/// Command line whose runs are stored one by one; runs of less than a millisecond are stored several at a time.
const RUNS: [&str; 6] = ["run", "sleep 0.004", "--runs", "6", "--warmup", "0"];
/// Command line with evidence other than runs: histograms, which are stored as artifacts.
const EVIDENCE: [&str; 4] = ["latency", "timer", "--count", "40"];
const PAIRS: [&str; 5] = ["compare", "sleep 0.004", "sleep 0.004", "--max-pairs", "6"];

/// A way in which a verb changes a store, with its arguments.
#[derive(Clone, Copy, Debug)]
enum Deed {
    /// Stores results of this command line in a store that does not exist yet.
    Makes(&'static [&'static str]),
    /// Stores results of this command line in a store with earlier experiments.
    Adds(&'static [&'static str]),
    /// Copies the experiments of another store into this one.
    Carries,
    /// Removes the first experiment of the store.
    Removes,
}

const DEEDS: [(&str, Deed); 6] = [
    ("store, a new one", Deed::Makes(&RUNS)),
    ("store, run", Deed::Adds(&RUNS)),
    ("store, compare", Deed::Adds(&PAIRS)),
    ("store, latency", Deed::Adds(&EVIDENCE)),
    ("store, history pull", Deed::Carries),
    ("store, history rm", Deed::Removes),
];

/// The store with which every round begins, and the store from which experiments are copied.
pub(super) struct Seed {
    earlier: StoreFolder,
    /// Exported documents of the experiments in `earlier`.
    exports: Vec<Value>,
    other: StoreFolder,
    others: Vec<Value>,
}

impl Seed {
    pub(super) fn new() -> Self {
        let (earlier, other) = (StoreFolder::new(), StoreFolder::new());
        for (place, words) in [(&earlier, &RUNS[..]), (&earlier, &EVIDENCE), (&other, &PAIRS)] {
            let done = place.fauxplat(words).stdout(Stdio::null()).status().expect("a measurement");
            assert!(done.success(), "{words:?}: {}", place.said());
        }
        let all = |place: &StoreFolder, count| {
            (1..=count).map(|id| place.export(id).expect("what was measured")).collect::<Vec<_>>()
        };
        let (exports, others) = (all(&earlier, 2), all(&other, 1));
        Seed { earlier, exports, other, others }
    }
}

/// A folder with a store, and with files for the output of programs.
struct StoreFolder(TempDir);

impl StoreFolder {
    fn new() -> Self {
        StoreFolder(tempfile::tempdir().expect("a folder for temporary files"))
    }

    /// A copy of the store in a new folder.
    fn copy(&self) -> Self {
        let copy = StoreFolder::new();
        fs::copy(self.store(), copy.store()).expect("a store that is closed");
        copy
    }

    fn store(&self) -> PathBuf {
        self.0.path().join("store.sqlite")
    }

    fn errors(&self) -> PathBuf {
        self.0.path().join("errors")
    }

    fn report(&self) -> PathBuf {
        self.0.path().join("report")
    }

    fn said(&self) -> String {
        fs::read_to_string(self.errors()).unwrap_or_default()
    }

    fn fauxplat(&self, words: &[&str]) -> Command {
        let file = |path: &Path| File::create(path).expect("a file for what it says");
        let mut command = Command::new(crate::fauxplat());
        command.args(words).arg("--store").arg(self.store());
        // `history rm` has no report, and so no format.
        if !words.contains(&"rm") {
            command.args(["--format", "json"]);
        }
        command.stdin(Stdio::null()).stdout(file(&self.report())).stderr(file(&self.errors()));
        command
    }

    /// Exports an experiment with everything that was measured; `None` where there is no such experiment.
    fn export(&self, id: usize) -> Option<Value> {
        let mut command = self.fauxplat(&["history", "export", &id.to_string()]);
        let done = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().expect("an export");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() || said.contains("there is no experiment"), "{said}");
        done.status.success().then(|| serde_json::from_slice(&done.stdout).expect("a document"))
    }

    /// Runs SQLite's own checks: no damage, and no row without its parent.
    #[track_caller]
    fn expect_integrity(&self, when: &str) {
        let database = Connection::open(self.store()).expect("a store");
        let of = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        let found: String = database.query_row("PRAGMA integrity_check", [], of).expect("a check");
        assert_eq!(found, "ok", "{when}");
        let mut orphans = database.prepare("PRAGMA foreign_key_check").expect("a check");
        let orphans = orphans.query_map([], of).expect("a check").flatten().collect::<Vec<_>>();
        assert!(orphans.is_empty(), "{when}: rows that belong to nothing in {orphans:?}");
    }
}

struct Writing<'a> {
    name: &'static str,
    deed: Deed,
    seed: &'a Seed,
}

/// A subject for each way in which a verb changes a store.
pub(super) fn subjects(seed: &Seed) -> Vec<Box<dyn Subject + '_>> {
    DEEDS.map(|(name, deed)| Box::new(Writing { name, deed, seed }) as Box<dyn Subject + '_>).into()
}

impl Subject for Writing<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn calls(&self) -> u32 {
        let place = self.begin();
        let (calls, exit) = self.write(&place, None);
        assert!(exit == Exit::Status(0) && calls > 4, "{exit:?} after {calls} calls: {}", place.said());
        self.check(&place, false, "without a fault");
        calls
    }

    fn meet(&self, fault: Fault) -> bool {
        let place = self.begin();
        let (_, exit) = self.write(&place, Some(fault));
        let when = format!("{}, {fault:?}", self.name);
        let failed = super::failed(exit, &place.errors(), &when);
        self.check(&place, failed, &when);
        failed
    }
}

impl Writing<'_> {
    fn begin(&self) -> StoreFolder {
        match self.deed {
            Deed::Makes(_) => StoreFolder::new(),
            Deed::Adds(_) | Deed::Carries | Deed::Removes => self.seed.earlier.copy(),
        }
    }

    fn write(&self, place: &StoreFolder, fault: Option<Fault>) -> (u32, Exit) {
        let other = self.seed.other.store().display().to_string();
        let words = match self.deed {
            Deed::Makes(words) | Deed::Adds(words) => words.to_vec(),
            Deed::Carries => vec!["history", "pull", "--all", &other],
            Deed::Removes => vec!["history", "rm", "1"],
        };
        disk::run(&mut place.fauxplat(&words), &place.store(), Whose::Program, fault)
    }

    /// Checks the earlier and the new experiments of a store, and that another experiment can be added.
    #[track_caller]
    fn check(&self, place: &StoreFolder, failed: bool, when: &str) {
        let report = fs::read(place.report()).expect("what it said");
        let said: Option<Value> = serde_json::from_slice(&report).ok();
        let earlier = match self.deed {
            Deed::Makes(_) => &[][..],
            _ => &self.seed.exports[..],
        };
        if place.store().exists() {
            let found: Vec<_> = (1..=earlier.len() + 1).map(|id| place.export(id)).collect();
            let (found, new) = found.split_at(earlier.len());
            self.check_earlier(earlier, found, failed, when);
            self.check_new(new[0].as_ref(), said.as_ref(), failed, when);
        } else {
            assert!(failed && matches!(self.deed, Deed::Makes(_)), "{when}: the store is gone");
        }
        let added = place.fauxplat(&["run", "true", "--runs", "1"]).status().expect("a run");
        assert!(added.success(), "{when}: nothing can be added: {}", place.said());
        place.expect_integrity(when);
    }

    /// Checks that the earlier experiments are unchanged. The experiment that was to be removed may be there as a whole
    /// or not at all.
    #[track_caller]
    fn check_earlier(&self, earlier: &[Value], found: &[Option<Value>], failed: bool, when: &str) {
        for (number, (before, now)) in earlier.iter().zip(found).enumerate() {
            let is_to_go = matches!(self.deed, Deed::Removes) && number == 0;
            match now {
                None => assert!(is_to_go, "{when}: experiment {} is gone", number + 1),
                Some(now) => {
                    assert!(!is_to_go || failed, "{when}: it is still there");
                    assert!(now == before, "{when}: experiment {} is another: {now}", number + 1);
                }
            }
        }
    }

    /// Checks that everything that the program reported as done is in the store.
    #[track_caller]
    fn check_new(&self, new: Option<&Value>, said: Option<&Value>, failed: bool, when: &str) {
        match self.deed {
            Deed::Removes => assert_eq!(new, None, "{when}"),
            Deed::Carries => match new {
                None => assert!(failed, "{when}: nothing arrived"),
                // A copied experiment gets a new number in the store.
                Some(new) => {
                    let mut other = self.seed.others[0].clone();
                    other["id"] = new["id"].clone();
                    assert!(*new == other, "{when}: half an experiment: {new}");
                }
            },
            Deed::Makes(_) | Deed::Adds(_) => match said {
                None => assert!(failed, "{when}: there is no report, and no error"),
                Some(said) if !failed => assert_eq!(new, Some(said), "{when}"),
                // A measurement goes on, so that its report may have more than the disk took, which is what it tells.
                Some(said) => {
                    let strange = new.map_or(0, |new| missing(new, said));
                    assert_eq!(strange, 0, "{when}: something was stored and not reported: {said}");
                }
            },
        }
    }
}

/// Number of measurements of a stored experiment that are missing in a report of it.
fn missing(stored: &Value, said: &Value) -> usize {
    let measured = |document: &Value| {
        let commands = document["commands"].as_array().into_iter().flatten();
        let runs = commands.flat_map(|command| command["runs"].as_array().into_iter().flatten());
        runs.chain(document["evidence"].as_array().into_iter().flatten()).cloned().collect::<Vec<_>>()
    };
    let said = measured(said);
    measured(stored).iter().filter(|one| !said.contains(one)).count()
}
