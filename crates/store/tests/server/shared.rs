//! Tests of shared stores: a real server, experiments that are copied there and back, and faults of the server.

use std::path::Path;
use std::thread::spawn;

use fauxplat_model::Evidence;
use fauxplat_store::{Access, Artifact, Filter, Patience, State, Store, StoreError, Url};
use rusqlite::Connection;
use tempfile::{TempDir, tempdir};

use crate::cluster::{LOCKED, shared};
use crate::common::{command, header, open_sample, sample};
use crate::pieces::pieces;

fn open(url: &str) -> Result<Store, StoreError> {
    Store::open_shared(&Url::parse(url)?, Patience::of_seconds(60))
}

fn file() -> (TempDir, Store) {
    let directory = tempdir().unwrap();
    let store = Store::open(directory.path().join("store.sqlite")).unwrap();
    (directory, store)
}

/// Records an experiment with every kind of evidence and this many samples.
fn record(store: &Store, samples: u32) -> i64 {
    let mut experiment = store.begin(&header(), "run", &[command("a"), command("b ü ␀ ' \" \\")]).unwrap();
    experiment.set_plan(&serde_json::json!({ "blocks": [1, 2] })).unwrap();
    for number in 0..samples {
        let sample = if number % 3 == 0 { open_sample(number) } else { sample(number) };
        experiment.append(&sample).unwrap();
        if number == 1 {
            pieces().iter().for_each(|piece| experiment.record(piece).unwrap());
        }
    }
    experiment.attach("fauxplat.words/1", &b"\0words".repeat(50)).unwrap();
    experiment.finish(&header(), None, State::Finished).unwrap()
}

/// Returns everything that is stored of an experiment, without its number.
fn whole(store: &Store, id: i64) -> (String, Vec<Evidence>, Vec<Option<Artifact>>) {
    let mut loaded = store.load(id).unwrap();
    loaded.header.id = None;
    let mut evidence = Vec::new();
    store.evidence(id, |piece| evidence.push(piece)).unwrap();
    let artifacts = (0..10).map(|number| store.artifact(id, number).unwrap()).collect();
    (format!("{loaded:?}"), evidence, artifacts)
}

fn connection(folder: &TempDir) -> Connection {
    Connection::open(folder.path().join("store.sqlite")).unwrap()
}

#[test]
fn what_goes_there_and_comes_back_is_the_same_and_stays_it() {
    let cluster = shared();
    let server = open(&cluster.database("back")).unwrap();
    let (_folder, near) = file();
    // Two of the experiments have more than a page of samples or a few, one has none, and one is unfinished.
    let ids = [record(&near, 7), record(&near, 1203), record(&near, 0)];
    drop(near.begin(&header(), "aa", &[command("c")]).unwrap());
    let all = near.all_over().unwrap();
    assert_eq!(all.len(), 4);
    let there = near.carry_to(&server, &all).unwrap();
    assert_eq!((there.carried.len(), there.samples(), there.kept.len()), (4, 1210, 0), "{there:?}");

    let list = server.list(&Filter::default()).unwrap();
    let ours = near.list(&Filter::default()).unwrap();
    let told = |rows: &[fauxplat_store::ExperimentRow]| -> Vec<_> {
        rows.iter().map(|row| (row.kind.clone(), row.state, row.names.clone(), row.samples)).collect()
    };
    assert_eq!(told(&list), told(&ours));
    assert_eq!(server.list(&Filter { kind: Some("aa".into()), ..Filter::default() }).unwrap().len(), 1);
    for (here, there, _) in &there.carried {
        assert_eq!(whole(&near, *here), whole(&server, *there));
    }

    let (_other, far) = file();
    record(&far, 1);
    let back = server.carry_to(&far, &server.all_over().unwrap()).unwrap();
    assert_eq!(back.carried.len(), 4, "{back:?}");
    for (here, there, _) in &back.carried {
        assert_eq!(whole(&server, *here), whole(&far, *there));
    }
    // A second copy in both directions changes nothing.
    let again = [near.carry_to(&server, &all).unwrap(), server.carry_to(&far, &[1, 2, 3, 4]).unwrap()];
    assert!(again.iter().all(|one| one.known.len() == 4 && one.carried.is_empty()), "{again:?}");
    let uuid = near.load(ids[1]).unwrap().header.uuid.unwrap();
    let there = server.resolve(&uuid).unwrap();
    assert_eq!((server.resolve("last").unwrap(), server.load(there).unwrap().samples.len()), (4, 1203));

    server.remove(there).unwrap();
    assert!(matches!(server.remove(there), Err(StoreError::NoSuchExperiment { .. })));
    assert_eq!(cluster.sql("back", "SELECT COUNT(*) FROM sample"), "7");
    assert_eq!(server.size().unwrap().experiments, 3);
    assert_eq!(far.all_over().unwrap().len(), 5, "what was removed there stays elsewhere");
}

#[test]
fn several_who_carry_the_same_at_once_leave_it_there_once() {
    let cluster = shared();
    let url = cluster.database("atonce");
    let (folder, near) = file();
    let _recorded: Vec<i64> = (0..6).map(|_| record(&near, 40)).collect();
    let path = folder.path().join("store.sqlite");
    // Several threads with separate stores create the tables at the same time, too.
    let carry = |path: &Path, url: &str| {
        let (path, url) = (path.to_owned(), url.to_owned());
        spawn(move || {
            let near = Store::open(path).unwrap();
            let exchanged = near.carry_to(&open(&url).unwrap(), &near.all_over().unwrap()).unwrap();
            assert!(exchanged.kept.is_empty() && exchanged.trouble.is_none(), "{exchanged:?}");
            exchanged.carried.len()
        })
    };
    let carriers: Vec<_> = (0..4).map(|_| carry(&path, &url)).collect();
    let carried: usize = carriers.into_iter().map(|one| one.join().unwrap()).sum();
    assert_eq!(carried, 6);
    let counted = "SELECT COUNT(*), COUNT(DISTINCT uuid), (SELECT COUNT(*) FROM sample) FROM experiment";
    assert_eq!(cluster.sql("atonce", counted), "6|6|240");
}

#[test]
fn another_content_under_a_uuid_is_told_and_never_overwritten() {
    let cluster = shared();
    let server = open(&cluster.database("other")).unwrap();
    for change in [
        "UPDATE sample SET wall_ns = wall_ns + 1 WHERE sequence = 3",
        "DELETE FROM sample WHERE sequence = 9",
        "UPDATE experiment SET seed = '5'",
        "UPDATE experiment SET summary = 'faster'",
        "UPDATE reading SET value = 77 WHERE sequence = 3",
        "UPDATE event SET record = record || ' '",
        "UPDATE command SET name = 'somebody else'",
    ] {
        let (folder, near) = file();
        let id = record(&near, 10);
        let there = near.carry_to(&server, &[id]).unwrap().carried[0].1;
        let before = whole(&server, there);
        connection(&folder).execute_batch(change).unwrap();
        let again = near.carry_to(&server, &[id]).unwrap();
        let [(_, reason)] = again.kept.as_slice() else { panic!("{change}: {again:?}") };
        assert!(reason.contains("another content") && reason.contains("neither is changed"), "{reason}");
        assert_eq!(whole(&open(&cluster.url("other")).unwrap(), there), before, "{change}");
    }
}

#[test]
fn what_a_server_cannot_hold_stays_and_the_others_go() {
    let cluster = shared();
    let server = open(&cluster.database("hold")).unwrap();
    let (folder, near) = file();
    let ids: Vec<i64> = (0..5).map(|_| record(&near, 3)).collect();
    let changed = connection(&folder);
    for (id, change) in ids.iter().zip([
        "UPDATE command SET name = 'a' || char(0) || 'b' WHERE experiment =",
        "UPDATE sample SET user_ns = 'many' WHERE experiment =",
        "UPDATE experiment SET uuid = NULL WHERE id =",
        "UPDATE experiment SET machine = 'no such hash' WHERE id =",
    ]) {
        changed.pragma_update(None, "foreign_keys", false).unwrap();
        changed.execute_batch(&format!("{change} {id}")).unwrap();
    }
    let running = near.begin(&header(), "run", &[]).unwrap();
    let all: Vec<i64> = ids.iter().copied().chain([running.id(), 999]).collect();
    let exchanged = near.carry_to(&server, &all).unwrap();
    let reasons: Vec<&str> = exchanged.kept.iter().map(|(_, reason)| reason.as_str()).collect();
    for (reason, words) in
        reasons.iter().zip(["NUL", "type", "no UUID", "machine", "still runs", "not there"])
    {
        assert!(reason.contains(words), "{reason}: {words}");
    }
    assert_eq!((reasons.len(), exchanged.carried.len()), (6, 1));
    assert_eq!(cluster.sql("hold", "SELECT COUNT(*), (SELECT COUNT(*) FROM command) FROM experiment"), "1|2");
    assert!(!near.all_over().unwrap().contains(&running.id()));
}

/// Returns the error for an address that cannot be opened. Checks that it is one line without a password.
fn refusal(url: &str) -> String {
    let line = open(url).expect_err(url).to_string();
    assert!(line.lines().count() == 1 && !line.contains(LOCKED.1) && !line.contains("wrong-word"), "{line}");
    line
}

#[test]
fn what_is_wrong_with_a_server_is_one_line_that_says_what_to_do() {
    let cluster = shared();
    cluster.sql("postgres", &format!("CREATE ROLE {} LOGIN PASSWORD '{}'", LOCKED.0, LOCKED.1));
    cluster.sql("postgres", "CREATE ROLE guest LOGIN");
    let ours = cluster.database("ours");
    let (_folder, near) = file();
    let id = record(&near, 4);
    near.carry_to(&open(&ours).unwrap(), &[id]).unwrap();

    assert!(refusal(&cluster.url("nowhere")).contains("createdb"));
    assert!(refusal(&cluster.url_of(&format!("{}:wrong-word", LOCKED.0), "ours")).contains("~/.pgpass"));
    assert!(refusal(&cluster.url_of(LOCKED.0, "ours")).contains("~/.pgpass"));
    assert!(refusal(&cluster.url_of("guest", "ours")).contains("refuses"));

    cluster.database("foreign_one");
    cluster.sql("foreign_one", "CREATE TABLE schema (version INTEGER)");
    assert!(refusal(&cluster.url("foreign_one")).contains("another program"));
    assert_eq!(cluster.sql("foreign_one", "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'"), "1");
    // Another schema in the same database does not belong to the other program.
    cluster.sql("foreign_one", "CREATE SCHEMA mine");
    let mine = open(&format!("{}&options=-csearch_path%3Dmine", cluster.url("foreign_one"))).unwrap();
    assert_eq!(near.carry_to(&mine, &[id]).unwrap().samples(), 4);

    cluster.sql("postgres", "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
    assert!(refusal(&cluster.url("latin")).contains("createdb -E UTF8"));

    let login = format!("{}:{}", LOCKED.0, LOCKED.1);
    cluster.sql("ours", &format!("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {}", LOCKED.0));
    let reader = open(&cluster.url_of(&login, "ours")).unwrap();
    assert_eq!((reader.access(), reader.load(1).unwrap().samples.len()), (Access::ReadOnly, 4));
    assert!(matches!(near.carry_to(&reader, &[id]), Err(StoreError::ReadOnly { .. })));
    assert!(matches!(reader.remove(1), Err(StoreError::ReadOnly { .. })));

    cluster.sql("ours", "INSERT INTO schema VALUES (99, 'later'); ALTER TABLE sample ADD COLUMN more BIGINT");
    let newer = open(&ours).unwrap();
    assert_eq!((newer.access(), newer.load(1).unwrap().samples.len()), (Access::Newer(99), 4));
    let refused = near.carry_to(&newer, &[id]).unwrap_err().to_string();
    assert!(refused.contains("schema version 99") && refused.contains("update fauxplat"), "{refused}");
    assert!(matches!(newer.carry_to(&near, &[1]), Err(StoreError::NewerVersion { .. })));
}

/// Tables of an earlier version are migrated by their owner, without loss.
#[test]
fn an_earlier_store_on_a_server_is_migrated() {
    let cluster = shared();
    let url = cluster.database("earlier");
    let (folder, near) = file();
    let id = record(&near, 4);
    near.carry_to(&open(&url).unwrap(), &[id]).unwrap();
    // Samples of an earlier version do not say which readings are parts; the sources of the experiment do. The version
    // has no origin of experiments either.
    connection(&folder)
        .execute_batch("UPDATE sample SET bounds = NULL; UPDATE experiment SET origin = NULL")
        .unwrap();
    let before = "DROP TABLE spool; DROP TABLE note; DROP TABLE summed; DROP TABLE point;
        ALTER TABLE sample DROP COLUMN bounds; ALTER TABLE experiment DROP COLUMN origin;
        DELETE FROM schema WHERE version > 3";
    cluster.sql("earlier", before);
    let store = open(&url).unwrap();
    assert_eq!(store.access(), Access::ReadWrite);
    assert!(whole(&store, 1) == whole(&near, id), "nothing is lost and nothing is new");
    assert_eq!(
        cluster.sql("earlier", "SELECT MAX(version), (SELECT COUNT(*) FROM spool) FROM schema"),
        "7|0"
    );
}

#[test]
fn what_waited_is_acknowledged_once_the_server_has_it() {
    let cluster = shared();
    let url = Url::parse(&cluster.database("spooled")).unwrap();
    let folder = tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let spool = Store::open_spool(&path, url.clone()).unwrap();
    let earlier = [record(&spool, 2), record(&spool, 3)];
    let private = record(&Store::open(&path).unwrap(), 5);
    let running = spool.begin(&header(), "run", &[]).unwrap();
    let id = record(&spool, 4);
    let server = Store::open_shared(&url, Patience::of_seconds(60)).unwrap();
    assert_eq!(spool.waiting_for(&server).unwrap(), [earlier[0], earlier[1], id]);
    let shipment = spool.ship(id, Patience::of_seconds(60));
    assert!(shipment.acknowledged.is_some() && shipment.trouble.is_none(), "{shipment:?}");
    assert!(shipment.waiting.is_empty(), "the running one waits for its own end");
    assert_eq!(server.size().unwrap().samples, 9, "and what was measured for nobody else stays");
    assert_eq!(spool.load(private).unwrap().samples.len(), 5);
    drop(running);
    assert_eq!(spool.waiting_for(&server).unwrap().len(), 1, "given up, it is over");
    // If the caller does not want to wait, the experiment stays in the spool.
    let hurried = Patience { go_on: std::rc::Rc::new(|| false), ..Patience::of_seconds(60) };
    let late = record(&spool, 1);
    let shipment = spool.ship(late, hurried);
    assert_eq!((shipment.acknowledged, shipment.waiting.len()), (None, 2));
}
