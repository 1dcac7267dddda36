//! Ends of a run before every node has answered: open tasks are cancelled, or stay open.

use super::*;

#[test]
fn what_is_late_is_taken_back() {
    let all = names(&["n1", "n2"]);
    let bench = bench(&all);
    let engine = twin(&[("n2", Does::Waits)]);
    let cancelled = engine.cancelled.clone();
    let mut run = bench.open(engine, Limits::default());
    run.ask(&all[..1], 0).unwrap();
    run.collect(0, &mut |_| ()).unwrap();
    run.ask(&all[1..], 0).unwrap();
    run.hand_over(0, &mut |_| ()).unwrap();
    run.limits.max_time = Some(Duration::ZERO);
    run.collect(0, &mut |_| ()).unwrap();
    assert_eq!(*cancelled.borrow(), [1], "and nobody who answered");
    assert!(told(&bench.evidence()).1[0].contains("ended before it answered"));
}

/// A job whose submission was not confirmed may be in the queue nevertheless.
#[test]
fn what_was_handed_over_although_nobody_said_so_is_taken_back() {
    let all = names(&["n1", "n2"]);
    let bench = bench(&all);
    let engine = twin(&[("n1", Does::IsHandedUnsaid), ("n2", Does::Waits)]);
    let cancelled = engine.cancelled.clone();
    let mut run = bench.open(engine, Limits::default());
    run.begin(0, &all).unwrap();
    run.hand_over(0, &mut |_| ()).unwrap();
    assert_eq!(run.waiting(0).len(), 1);
    run.limits.max_time = Some(Duration::ZERO);
    run.collect(0, &mut |_| ()).unwrap();
    assert_eq!(*cancelled.borrow(), [0, 1]);
    assert!(run.is_over());
}

/// If it is unknown whether a task was submitted, the run is not over, since a resumed run has to check.
#[test]
fn what_may_have_been_handed_over_is_not_over() {
    let all = names(&["n1"]);
    let bench = bench(&all);
    let mut run = bench.open(Twin { silent: 9, ..Twin::default() }, Limits::default());
    run.begin(0, &all).unwrap();
    run.limits.max_time = Some(Duration::ZERO);
    let mut words = Vec::new();
    run.collect(0, &mut |told| words.push(told.clone())).unwrap();
    assert!(matches!(&words[..], [Told::NotCancelled(why)] if why.contains("slurm controller")), "{words:?}");
    assert!(!run.is_over());
    let said = told(&bench.evidence()).1;
    assert!(said[0].contains("may have been handed over"), "{said:?}");
}

/// Tasks that continue after an error would be neither awaited nor reported.
#[test]
fn an_error_takes_back_what_was_handed_over() {
    let all = names(&["n1", "n2"]);
    let bench = bench(&all);
    let engine = twin(&[("n2", Does::Waits)]);
    let cancelled = engine.cancelled.clone();
    let mut run = bench.open(engine, Limits::default());
    run.begin(0, &all).unwrap();
    run.hand_over(0, &mut |_| ()).unwrap();
    run.journal = Journal::on_a_full_disk();
    assert!(run.collect(0, &mut |_| ()).unwrap_err().to_string().contains("No space left"));
    assert_eq!(*cancelled.borrow(), [1], "and nobody who answered");
    drop(run);
    // Tasks that cannot be cancelled are reported before the error.
    let mut run =
        bench.open(Twin { cancels_nothing: true, ..twin(&[("n1", Does::Waits)]) }, Limits::default());
    run.journal = Journal::on_a_full_disk();
    run.begin(1, &all).unwrap_err();
    run.is_open(2, "2".to_owned());
    let mut words = Vec::new();
    run.collect(1, &mut |told| words.push(told.clone())).unwrap_err();
    assert!(words.iter().any(|told| matches!(told, Told::NotCancelled(_))), "{words:?}");
}

/// A host that waits for its turn within the tool has not begun, so its time limit does not run; a host that hangs must
/// not make later hosts wait forever.
#[test]
fn patience_is_for_hosts_that_have_begun_and_ends_their_script() {
    let all = names(&["n1", "n2", "n3", "n4"]);
    let bench = bench(&all);
    let engine = Twin { fan: Some(2), ..twin(&[("n1", Does::Hangs), ("n2", Does::Hangs)]) };
    let cancelled = engine.cancelled.clone();
    // Three seconds, so that hosts that answer do so in time even if this process gets no CPU for a while.
    let patience = Some(Duration::from_secs(3));
    let mut run = bench.open(engine, Limits { patience, ..Limits::default() });
    run.begin(0, &all).unwrap();
    run.hand_over(0, &mut |_| ()).unwrap();
    assert_eq!(run.open_tasks(0).len(), 2, "as many as measure side by side");
    run.collect(0, &mut |_| ()).unwrap();
    assert_eq!(cancelled.borrow().len(), 1, "once nobody else is open under it: {cancelled:?}");
    let evidence = bench.evidence();
    let (answered, others) = told(&evidence);
    assert_eq!(answered, ["n3", "n4"]);
    assert!(others.len() == 2 && others.iter().all(|line| line.contains("no answer within")), "{others:?}");
}

/// The engine may still run a task that could not be cancelled: a resumed run waits for it, so that no other task
/// measures at the same time.
#[test]
fn what_cannot_be_taken_back_stays_open() {
    let all = names(&["n1", "n2"]);
    let bench = bench(&all);
    let mut run =
        bench.open(Twin { cancels_nothing: true, ..twin(&[("n1", Does::Waits)]) }, Limits::default());
    run.begin(0, &all[..1]).unwrap();
    run.hand_over(0, &mut |_| ()).unwrap();
    run.ask(&all[1..], 0).unwrap();
    run.limits.max_time = Some(Duration::ZERO);
    let mut words = Vec::new();
    run.collect(0, &mut |told| words.push(told.clone())).unwrap();
    assert!(matches!(&words[..], [Told::NotCancelled(why)] if why.contains("slurm controller")), "{words:?}");
    assert!(!run.is_over());
    let said = told(&bench.evidence()).1;
    assert!(said[0].starts_with("n1 Missing") && said[0].contains("could not be cancelled"), "{said:?}");
    assert!(said[1].starts_with("n2 Missing") && !said[1].contains("cancelled"), "it was never handed over");
    let task = run.states[0].task.clone();
    drop(run);
    let mut run = bench.open(Twin { fresh: vec![task], ..twin(&[]) }, Limits::default());
    assert_eq!(run.unfinished(), BTreeSet::from([0]));
    assert!(
        !run.states[0].has_spoken(),
        "nothing was heard of it that would cut short how long it is waited for"
    );
    run.collect(0, &mut |_| ()).unwrap();
    assert!(run.is_over());
    assert_eq!(told(&bench.evidence()).0, ["n1"]);
}
