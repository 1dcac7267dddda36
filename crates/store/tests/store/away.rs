//! Tests with a shared store whose server cannot be reached.

use std::net::TcpListener;

use fauxplat_store::{Patience, State, Store, StoreError, Url};
use tempfile::tempdir;

use crate::common::{command, header, sample};

#[test]
fn a_server_that_is_not_there_or_says_nothing_is_not_waited_for_without_an_end() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let url = Url::parse(&format!("postgres://ada:pw@127.0.0.1:{port}/lab")).unwrap();
    let error = Store::open_shared(&url, Patience::of_seconds(1)).unwrap_err();
    assert!(matches!(error, StoreError::Away { .. }), "{error}");
    assert!(error.to_string().contains("no answer within 1s"), "{error}");
    drop(silent);
    let error = Store::open_shared(&url, Patience::of_seconds(1)).unwrap_err();
    assert!(matches!(error, StoreError::Away { .. }), "{error}");
    let line = error.to_string();
    assert!(line.lines().count() == 1 && line.contains("***") && !line.contains("pw@"), "{line}");

    // Recording for an unreachable server continues, and experiments wait in the spool.
    let folder = tempdir().unwrap();
    let spool = Store::open_spool(folder.path().join("store.sqlite"), url).unwrap();
    spool.greet(Patience::of_seconds(1)).unwrap();
    let mut experiment = spool.begin(&header(), "run", &[command("a")]).unwrap();
    experiment.append(&sample(0)).unwrap();
    let id = experiment.finish(&header(), None, State::Finished).unwrap();
    let shipment = spool.ship(id, Patience::of_seconds(1));
    assert_eq!((shipment.acknowledged, shipment.waiting), (None, vec![id]));
    assert!(shipment.trouble.unwrap().contains("not there"));
}

/// While runs are recorded no server is contacted, since network traffic would be measured with the program.
#[test]
fn no_server_is_spoken_to_while_something_is_measured() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    silent.set_nonblocking(true).unwrap();
    let calls = || std::iter::from_fn(|| silent.accept().ok()).count();
    let port = silent.local_addr().unwrap().port();
    let url = Url::parse(&format!("postgres://ada@127.0.0.1:{port}/lab")).unwrap();
    let folder = tempdir().unwrap();
    let spool = Store::open_spool(folder.path().join("store.sqlite"), url).unwrap();
    let _silence = spool.greet(Patience::of_seconds(1));
    assert!(calls() > 0, "it is asked before the first run");
    let mut experiment = spool.begin(&header(), "run", &[command("a")]).unwrap();
    (0..100).for_each(|trial| experiment.append(&sample(trial)).unwrap());
    let id = experiment.finish(&header(), None, State::Finished).unwrap();
    assert_eq!(calls(), 0, "somebody spoke to the server between the first run and the last");
    assert_eq!(spool.ship(id, Patience::of_seconds(1)).waiting, [id]);
    assert!(calls() > 0, "what was recorded is carried there afterwards");
}
