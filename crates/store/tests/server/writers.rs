//! Tests with many processes that copy experiments at once, a server that is killed meanwhile, and an experiment too
//! large to be held in memory as a whole.
//!
//! `cargo xtask campaign server` runs these tests with larger numbers.
#![expect(clippy::disallowed_macros, reason = "a test tells what it did")]

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use fauxplat_procfs::status;
use fauxplat_store::{Access, Patience, State, Store, StoreError, Url};

use crate::cluster::{Cluster, shared};
use crate::common::{child, child_store, command, header, sample};

/// Number of processes that copy experiments at the same time.
const WRITERS: usize = 16;
/// The environment variable by which child processes get the server's address.
const SERVER: &str = "FAUXPLAT_SHARED_STORE";

/// Returns the number in an environment variable, by which the campaign makes the tests larger, or `few` without it.
fn many(name: &str, few: u32) -> u32 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

fn experiments() -> u32 {
    many("FAUXPLAT_SERVER_EXPERIMENTS", 5)
}

fn samples() -> u32 {
    many("FAUXPLAT_SERVER_SAMPLES", 30)
}

fn record(store: &Store, samples: u32) -> (i64, String) {
    let mut experiment = store.begin(&header(), "run", &[command("a")]).unwrap();
    let all: Vec<_> = (0..samples).map(sample).collect();
    all.chunks(1000).for_each(|some| experiment.append_all(some).unwrap());
    let uuid = experiment.uuid().to_owned();
    (experiment.finish(&header(), None, State::Finished).unwrap(), uuid)
}

/// Records experiments one after the other and copies each, whether or not the server runs; writes down which of them
/// the server acknowledges.
fn write(path: &Path) {
    let url = Url::parse(&std::env::var(SERVER).unwrap()).unwrap();
    let spool = Store::open_spool(path, url.clone()).unwrap();
    let mut notes = fs::File::create(path.with_extension("acknowledged")).unwrap();
    for _ in 0..experiments() {
        let (id, uuid) = record(&spool, samples());
        if spool.ship(id, Patience::of_seconds(20)).acknowledged.is_some() {
            writeln!(notes, "{uuid}").unwrap();
        }
    }
    for _ in 0..2000 {
        let pushed = Store::open_shared(&url, Patience::of_seconds(20)).and_then(|server| {
            let waiting = spool.waiting_for(&server)?;
            spool.carry_to(&server, &waiting)
        });
        match pushed {
            Ok(pushed) if pushed.trouble.is_none() => {
                assert!(pushed.kept.is_empty(), "{pushed:?}");
                return;
            }
            Ok(_) | Err(StoreError::Away { .. }) => sleep(Duration::from_millis(20)),
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the server never came back");
}

fn acknowledged(paths: &[PathBuf]) -> BTreeSet<String> {
    let notes = |path: &PathBuf| fs::read_to_string(path.with_extension("acknowledged")).unwrap_or_default();
    // The last line may be incomplete, since its writer may have been killed.
    let whole = |text: String| {
        text.split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    paths.iter().flat_map(|path| whole(notes(path))).collect()
}

/// Checks that every one of these experiments is on the server once and complete.
fn check(cluster: &Cluster, uuids: &BTreeSet<String>) {
    let asked = "SELECT e.uuid, COUNT(s.sequence), COALESCE(SUM(s.trial), 0) FROM experiment e
        LEFT JOIN sample s ON s.experiment = e.id GROUP BY e.id, e.uuid";
    let there = cluster.sql("writers", asked);
    let samples = u64::from(samples());
    let whole = format!("|{samples}|{}", samples * (samples - 1) / 2);
    let lines: Vec<&str> = there.lines().collect();
    for uuid in uuids {
        let found: Vec<_> = lines.iter().filter(|line| line.starts_with(uuid.as_str())).collect();
        assert_eq!(found, [&format!("{uuid}{whole}").as_str()], "of {} experiments", lines.len());
    }
    assert!(lines.iter().all(|line| line.ends_with(&whole)), "there is a part of an experiment: {there}");
}

#[test]
fn a_killed_server_loses_nothing_that_it_acknowledged_and_the_writers_go_on() {
    if let Some(path) = child_store() {
        return write(&path);
    }
    let mut cluster = Cluster::start();
    let url = cluster.database("writers");
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> =
        (0..WRITERS).map(|number| folder.path().join(format!("{number}.sqlite"))).collect();
    let name = "writers::a_killed_server_loses_nothing_that_it_acknowledged_and_the_writers_go_on";
    let start = |path: &PathBuf| {
        let mut writer = child(name, path);
        writer.env(SERVER, &url).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let writers: Vec<_> = paths.iter().map(start).collect();
    let all = WRITERS as u32 * experiments();
    let kills = many("FAUXPLAT_SERVER_KILLS", 1);
    for kill in 1..=kills {
        // The server is killed in the middle of the work, by the number of experiments acknowledged so far.
        let wanted = all / (kills + 2) * kill;
        for _ in 0..12_000 {
            if acknowledged(&paths).len() as u32 >= wanted {
                break;
            }
            sleep(Duration::from_millis(5));
        }
        cluster.kill();
        let before = acknowledged(&paths);
        cluster.restart();
        check(&cluster, &before);
        println!("killed with {} of {all} acknowledged: all of them are there", before.len());
    }
    for writer in writers {
        let done = writer.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    check(&cluster, &acknowledged(&paths));
    let counted = "SELECT COUNT(*), COUNT(DISTINCT uuid) FROM experiment";
    assert_eq!(cluster.sql("writers", counted), format!("{all}|{all}"));
    only_read_where_the_server_recovers(&mut cluster, &url, &paths[0]);
}

/// Checks that a server in recovery can be read, and refuses experiments with a message.
fn only_read_where_the_server_recovers(cluster: &mut Cluster, url: &str, path: &Path) {
    cluster.recover_for_ever();
    let url = Url::parse(url).unwrap();
    let server = Store::open_shared(&url, Patience::of_seconds(60)).unwrap();
    assert_eq!(server.access(), Access::ReadOnly);
    assert_eq!(server.load(1).unwrap().samples.len(), samples() as usize);
    let spool = Store::open_spool(path, url.clone()).unwrap();
    assert!(matches!(spool.greet(Patience::of_seconds(60)), Err(StoreError::ReadOnly { .. })));
    let (id, _) = record(&spool, 2);
    let shipment = spool.ship(id, Patience::of_seconds(60));
    assert_eq!((shipment.acknowledged, shipment.waiting), (None, vec![id]));
    assert!(shipment.trouble.unwrap().contains("read-only"));
    let empty = url.to_string().replace("/writers", "/template1");
    let error = Store::open_shared(&Url::parse(&empty).unwrap(), Patience::of_seconds(60)).unwrap_err();
    assert!(error.to_string().contains("in recovery"), "{error}");
}

fn peak_bytes() -> u64 {
    status::peak_memory_bytes(&fs::read_to_string("/proc/self/status").unwrap()).unwrap()
}

#[test]
fn a_huge_experiment_is_carried_there_and_read_in_little_memory() {
    let count = many("FAUXPLAT_SERVER_HUGE", 20_000);
    if let Some(path) = child_store() {
        let near = Store::open(path).unwrap();
        let url = Url::parse(&std::env::var(SERVER).unwrap()).unwrap();
        let server = Store::open_shared(&url, Patience::of_seconds(60)).unwrap();
        let before = peak_bytes();
        let pushed = near.carry_to(&server, &[1]).unwrap();
        assert_eq!(pushed.samples(), u64::from(count), "{pushed:?}");
        let mut seen = 0;
        server.samples(pushed.carried[0].1, |_| seen += 1).unwrap();
        assert_eq!(seen, count);
        let grown = peak_bytes() - before;
        // If all rows were in memory at once, each would take a kilobyte.
        assert!(grown < 12 << 20, "{} KiB more for {count} samples", grown >> 10);
        return;
    }
    let cluster = shared();
    let url = cluster.database("huge");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    record(&Store::open(&path).unwrap(), count);
    let name = "writers::a_huge_experiment_is_carried_there_and_read_in_little_memory";
    let done = child(name, &path).env(SERVER, &url).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
