//! Litmus tests: the explorer must reach everything that C11 allows and nothing that it forbids.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release};

use super::{Body, Bounds, Handle, Output, explore};
use crate::layout::At64;
use crate::memory::Memory;
use crate::words::explore::protocol::word;

const BOUNDS: Bounds = Bounds { preemptions: 4, stale: 4, kills: 0, refusals: 0 };

fn outcomes(bodies: &[Body<'_>]) -> BTreeSet<Vec<i64>> {
    let seen = Mutex::new(BTreeSet::new());
    let verdict = explore(BOUNDS, &|_| {}, bodies, &|_, outputs| {
        let flat = outputs.iter().flatten().flatten().map(|value| value.unwrap_or(-1)).collect();
        seen.lock().map_err(|_| "poisoned".to_owned())?.insert(flat);
        Ok(())
    });
    assert_eq!(verdict.failure, None);
    seen.into_inner().unwrap_or_default()
}

fn x() -> At64 {
    word(0)
}
fn y() -> At64 {
    word(1)
}
fn put(memory: Handle<'_>, at: At64, order: Ordering) {
    memory.store64(at, 1, order);
}
fn look(memory: Handle<'_>, at: At64, order: Ordering) -> Option<i64> {
    Some(memory.load64(at, order) as i64)
}
fn none() -> Output {
    Vec::new()
}

#[test]
fn store_buffering_is_reached() {
    let a = |m: Handle<'_>| {
        put(m, x(), Release);
        vec![look(m, y(), Acquire)]
    };
    let b = |m: Handle<'_>| {
        put(m, y(), Release);
        vec![look(m, x(), Acquire)]
    };
    assert_eq!(outcomes(&[&a, &b]).len(), 4);
}

#[test]
fn message_passing_needs_release_and_acquire() {
    let pass = |store: Ordering, load: Ordering| {
        let writer = move |m: Handle<'_>| {
            put(m, x(), Relaxed);
            put(m, y(), store);
            none()
        };
        let reader = move |m: Handle<'_>| vec![look(m, y(), load), look(m, x(), Relaxed)];
        outcomes(&[&writer, &reader]).contains(&vec![1, 0])
    };
    assert!(!pass(Release, Acquire));
    assert!(pass(Relaxed, Acquire));
    assert!(pass(Release, Relaxed));
}

#[test]
fn fences_pass_messages_too() {
    let pass = |writer_fence: bool, reader_fence: bool| {
        let writer = move |m: Handle<'_>| {
            put(m, x(), Relaxed);
            if writer_fence {
                m.fence(Release);
            }
            put(m, y(), Relaxed);
            none()
        };
        let reader = move |m: Handle<'_>| {
            let flag = look(m, y(), Relaxed);
            if reader_fence {
                m.fence(Acquire);
            }
            vec![flag, look(m, x(), Relaxed)]
        };
        outcomes(&[&writer, &reader]).contains(&vec![1, 0])
    };
    assert!(!pass(true, true));
    assert!(pass(false, true));
    assert!(pass(true, false));
}

#[test]
fn one_location_never_goes_back() {
    let writer = |m: Handle<'_>| {
        m.store64(x(), 1, Relaxed);
        m.store64(x(), 2, Relaxed);
        none()
    };
    let reader = |m: Handle<'_>| vec![look(m, x(), Relaxed), look(m, x(), Relaxed)];
    let seen = outcomes(&[&writer, &reader]);
    assert!(seen.iter().all(|pair| pair[0] <= pair[1]));
    assert_eq!(seen.len(), 6);
}

#[test]
fn a_store_may_be_placed_before_one_that_its_thread_has_not_seen() {
    // "2+2W": each thread's second store is placed before the other's first one.
    let a = |m: Handle<'_>| {
        m.store64(x(), 1, Release);
        m.store64(y(), 2, Release);
        none()
    };
    let b = |m: Handle<'_>| {
        m.store64(y(), 1, Release);
        m.store64(x(), 2, Release);
        none()
    };
    let last = Mutex::new(BTreeSet::new());
    let verdict = explore(BOUNDS, &|_| {}, &[&a, &b], &|m, _| {
        let pair = (m.load64(x(), Relaxed), m.load64(y(), Relaxed));
        last.lock().map_err(|_| "poisoned".to_owned())?.insert(pair);
        Ok(())
    });
    assert_eq!(verdict.failure, None);
    assert_eq!(last.into_inner().unwrap_or_default().len(), 4);
}

#[test]
fn nothing_comes_between_an_exchange_and_what_it_replaced() {
    let exchanger = |m: Handle<'_>| vec![Some(i64::from(m.exchange64(x(), 0, 1, Relaxed, Relaxed).is_ok()))];
    let writer = |m: Handle<'_>| {
        m.store64(x(), 2, Relaxed);
        vec![look(m, x(), Relaxed)]
    };
    let seen = outcomes(&[&exchanger, &writer]);
    // The exchange fails, or is overwritten, or comes after a store that was placed after it: 1 is never read after an
    // exchange that was overwritten.
    assert_eq!(seen, BTreeSet::from([vec![0, 2], vec![1, 2]]));
}

#[test]
fn readers_of_independent_writes_may_disagree() {
    let a = |m: Handle<'_>| {
        put(m, x(), Release);
        put(m, y(), Relaxed);
        none()
    };
    let forward = |m: Handle<'_>| vec![look(m, x(), Acquire), look(m, y(), Acquire)];
    let backward = |m: Handle<'_>| vec![look(m, y(), Acquire), look(m, x(), Acquire)];
    assert!(outcomes(&[&a, &forward, &backward]).contains(&vec![1, 0, 1, 0]));
}

#[test]
fn a_thread_that_begins_with_a_load_is_interleaved() {
    // A well-known model checker explores only one execution of this case.
    let exchanger = |m: Handle<'_>| {
        let seen = look(m, x(), Relaxed);
        vec![seen, Some(i64::from(m.exchange64(x(), 0, 1, AcqRel, Acquire).is_ok()))]
    };
    let reader = |m: Handle<'_>| vec![look(m, x(), Relaxed)];
    let seen = outcomes(&[&exchanger, &reader]);
    assert!(seen.contains(&vec![0, 1, 0]) && seen.contains(&vec![0, 1, 1]));
}

#[test]
fn of_two_exchanges_one_succeeds() {
    let one = |m: Handle<'_>| vec![Some(i64::from(m.exchange64(x(), 0, 1, AcqRel, Acquire).is_ok()))];
    assert_eq!(outcomes(&[&one, &one]), BTreeSet::from([vec![0, 1], vec![1, 0]]));
}

#[test]
fn an_exchange_continues_the_release_sequence() {
    let writer = |m: Handle<'_>| {
        put(m, x(), Relaxed);
        put(m, y(), Release);
        none()
    };
    let middle = |m: Handle<'_>| {
        let _ = m.exchange64(y(), 1, 2, Relaxed, Relaxed);
        none()
    };
    let reader = |m: Handle<'_>| vec![look(m, y(), Acquire), look(m, x(), Relaxed)];
    assert!(!outcomes(&[&writer, &middle, &reader]).contains(&vec![2, 0]));
}
