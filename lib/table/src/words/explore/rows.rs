//! Scenarios about the allocation of rows, about full tables, and about single rows of cells.

use super::protocol::{CROWDED, first, holds, holds_within, second, twin};
use super::{Bounds, Handle, Output, Verdict, explore};
use crate::error::Error;
use crate::layout::{CellAt, Geometry, Shape};
use crate::width::Wide;
use crate::words::{Rules, Sound, View};

/// A table of few rows, two dense keys, and further keys.
fn geometry(max_hashed: u64, max_sparse_keys: u32) -> Geometry {
    let shape = Shape {
        width: 8,
        records: false,
        exclusive: false,
        dense_objects: 1,
        max_hashed,
        dense_keys: 2,
        max_sparse_keys,
        min_level: 1,
        region_bits: 0,
        description_bytes: 0,
    };
    Geometry::new(shape).unwrap_or_else(|error| unreachable!("{error}"))
}

fn view<'g, 'm, R: Rules>(geometry: &'g Geometry, memory: Handle<'m>) -> View<'g, Handle<'m>, Wide, R> {
    View::new(memory, geometry)
}

const DONE: Option<i64> = Some(1);
const FULL: Option<i64> = Some(-1);
const REFUSED: Option<i64> = Some(0);
const DAMAGED: Option<i64> = Some(-2);

fn set<R: Rules>(geometry: &Geometry, memory: Handle<'_>, object: u64, key: u64, value: i64) -> Option<i64> {
    match view::<R>(geometry, memory).set(object, key, value) {
        Ok(()) => DONE,
        Err(Error::NoSpace { .. }) => REFUSED,
        Err(Error::ObjectsFull { .. } | Error::KeysFull { .. }) => FULL,
        Err(_) => DAMAGED,
    }
}

/// Checks the results of the calls that returned: stored or refused by the file system, and full only if that is
/// allowed.
fn judge(outputs: &[Option<Output>], full: bool) -> Result<(), String> {
    for result in outputs.iter().flatten().flatten() {
        if *result == DAMAGED || (*result == FULL && !full) {
            return Err(format!("a call answered {result:?}"));
        }
    }
    Ok(())
}

/// Checks that a value is present if the call that stored it has returned success, and that no other value is.
fn kept<R: Rules>(
    geometry: &Geometry,
    memory: Handle<'_>,
    result: Option<Option<i64>>,
    (object, key, value): (u64, u64, i64),
) -> Result<(), String> {
    let found = view::<R>(geometry, memory).get(object, key);
    match result {
        Some(DONE) if found != Some(value) => Err(format!("wrote {value}, afterwards there was {found:?}")),
        _ if found.is_some() && found != Some(value) => Err(format!("nobody wrote {found:?}")),
        _ => Ok(()),
    }
}

/// Checks that a table reports that it is full exactly when a slot names each row, whatever was interrupted.
fn exactly_full<R: Rules>(geometry: &Geometry, memory: Handle<'_>) -> Result<(), String> {
    let rows = geometry.hot.objects.max_rows() as usize;
    let answers: Vec<_> = (0..=rows as u64).map(|n| set::<R>(geometry, memory, 1000 + n, 0, 7)).collect();
    let mut objects: Vec<u64> =
        view::<R>(geometry, memory).shared_objects().walk(usize::MAX).map(|(object, _)| object).collect();
    let all = objects.len();
    objects.sort_unstable();
    objects.dedup();
    match answers.last() {
        Some(&FULL) if objects.len() == rows && all == rows => Ok(()),
        _ => Err(format!("{rows} rows, {all} named for {} objects, answers {answers:?}", objects.len())),
    }
}

fn nth(outputs: &[Option<Output>], thread: usize, result: usize) -> Option<Option<i64>> {
    outputs.get(thread)?.as_ref()?.get(result).copied()
}

/// Two threads write two keys of one new object, and there is only one row.
pub(super) fn last_row<R: Rules>(bounds: Bounds) -> Verdict {
    let geometry = &geometry(1, 0);
    let a = |m: Handle<'_>| vec![set::<R>(geometry, m, first(), 0, 10)];
    let b = |m: Handle<'_>| vec![set::<R>(geometry, m, first(), 1, 20)];
    explore(bounds, &|_| {}, &[&a, &b], &|m, outputs| {
        judge(outputs, false)?;
        kept::<R>(geometry, m, nth(outputs, 0, 0), (first(), 0, 10))?;
        kept::<R>(geometry, m, nth(outputs, 1, 0), (first(), 1, 20))?;
        exactly_full::<R>(geometry, m)
    })
}

/// Three objects and two rows: one thread gets the error that the table is full, while another searches for a row.
pub(super) fn brim<R: Rules>(bounds: Bounds) -> Verdict {
    let geometry = &geometry(2, 0);
    let a = |m: Handle<'_>| vec![set::<R>(geometry, m, first(), 0, 10)];
    let b = |m: Handle<'_>| {
        [(second(), 20), (twin(), 30)].map(|(object, value)| set::<R>(geometry, m, object, 0, value)).to_vec()
    };
    explore(bounds, &|_| {}, &[&a, &b], &|m, outputs| {
        judge(outputs, true)?;
        kept::<R>(geometry, m, nth(outputs, 0, 0), (first(), 0, 10))?;
        kept::<R>(geometry, m, nth(outputs, 1, 0), (second(), 0, 20))?;
        kept::<R>(geometry, m, nth(outputs, 1, 1), (twin(), 0, 30))?;
        exactly_full::<R>(geometry, m)
    })
}

/// A thread that gets the error that the table is full sees every object of the table.
pub(super) fn full<R: Rules>(bounds: Bounds) -> Verdict {
    let geometry = &geometry(1, 0);
    let a = |m: Handle<'_>| {
        let done = set::<R>(geometry, m, first(), 0, 10);
        vec![done, set::<R>(geometry, m, second(), 0, 20)]
    };
    let b = |m: Handle<'_>| vec![set::<R>(geometry, m, first(), 1, 30)];
    explore(bounds, &|_| {}, &[&a, &b], &|m, outputs| {
        if nth(outputs, 1, 0).is_some_and(|done| done != DONE) || nth(outputs, 0, 1) == Some(DONE) {
            return Err(format!("{outputs:?}"));
        }
        kept::<R>(geometry, m, nth(outputs, 1, 0), (first(), 1, 30))
    })
}

/// Three threads with an object each, growth from two slots to sixteen, and a row for each.
pub(super) fn three<R: Rules>(bounds: Bounds) -> Verdict {
    let geometry = &geometry(3, 0);
    let a = |m: Handle<'_>| vec![set::<R>(geometry, m, first(), 0, 10)];
    let b = |m: Handle<'_>| vec![set::<R>(geometry, m, second(), 0, 20)];
    let c = |m: Handle<'_>| vec![set::<R>(geometry, m, twin(), 0, 30)];
    explore(bounds, &|_| {}, &[&a, &b, &c], &|m, outputs| {
        judge(outputs, false)?;
        kept::<R>(geometry, m, nth(outputs, 0, 0), (first(), 0, 10))?;
        kept::<R>(geometry, m, nth(outputs, 1, 0), (second(), 0, 20))?;
        kept::<R>(geometry, m, nth(outputs, 2, 0), (twin(), 0, 30))?;
        exactly_full::<R>(geometry, m)
    })
}

/// Two threads write one new key of a dense object, and one of them writes another; there are two columns.
pub(super) fn sparse_keys<R: Rules>(bounds: Bounds) -> Verdict {
    let geometry = &geometry(1, 2);
    let a = |m: Handle<'_>| vec![set::<R>(geometry, m, 0, first(), 10)];
    let b = |m: Handle<'_>| {
        [(first(), 10), (second(), 20)].map(|(key, value)| set::<R>(geometry, m, 0, key, value)).to_vec()
    };
    explore(bounds, &|_| {}, &[&a, &b], &|m, outputs| {
        judge(outputs, false)?;
        kept::<R>(geometry, m, nth(outputs, 0, 0), (0, first(), 10))?;
        kept::<R>(geometry, m, nth(outputs, 1, 0), (0, first(), 10))?;
        kept::<R>(geometry, m, nth(outputs, 1, 1), (0, second(), 20))?;
        // The rest of the two columns is available, and no more.
        let others: Vec<_> = (7001..7004).map(|key| set::<R>(geometry, m, 0, key, 1)).collect();
        let named = view::<R>(geometry, m).keys().walk(usize::MAX).count();
        if named == 2 && others.last() == Some(&FULL) {
            Ok(())
        } else {
            Err(format!("{named} keys, {others:?}"))
        }
    })
}

fn cell<R: Rules>(geometry: &Geometry, memory: Handle<'_>, object: u64) -> CellAt {
    view::<R>(geometry, memory).cell_or_insert(object, 0).unwrap_or_else(|error| unreachable!("{error}"))
}

/// A value is removed, added to and exchanged: some order of the three explains each result and the final value.
pub(super) fn remove<R: Rules>(bounds: Bounds) -> Verdict {
    let geometry = &geometry(1, 0);
    let setup = |m: Handle<'_>| {
        set::<R>(geometry, m, first(), 0, 1);
    };
    let remover = |m: Handle<'_>| vec![view::<R>(geometry, m).remove(cell::<R>(geometry, m, first()))];
    let adder = |m: Handle<'_>| {
        let (view, at) = (view::<R>(geometry, m), cell::<R>(geometry, m, first()));
        let before = view.add(at, 10).ok();
        vec![before, view.compare_exchange(at, Some(11), Some(50)).ok().map(|done| i64::from(done.is_ok()))]
    };
    explore(bounds, &setup, &[&remover, &adder], &|m, outputs| {
        let found = view::<R>(geometry, m).get(first(), 0);
        let (Some(removed), Some(added)) = (&outputs[0], &outputs[1]) else { return Ok(()) };
        let orders = [
            (Some(1), Some(0), Some(0), Some(10)),
            (Some(11), Some(1), Some(0), None),
            (Some(50), Some(1), Some(1), None),
        ];
        let seen = (removed[0], added[0], added[1], found);
        if orders.contains(&seen) { Ok(()) } else { Err(format!("no order explains {seen:?}")) }
    })
}

/// Two counters, the second never ahead of the first: a snapshot of a plain row shows a state that existed.
pub(super) fn snapshot<R: Rules>(bounds: Bounds) -> Verdict {
    let geometry = &geometry(1, 0);
    let writer = |m: Handle<'_>| {
        for value in 1..=2 {
            set::<R>(geometry, m, 0, 0, value);
            set::<R>(geometry, m, 0, 1, value);
        }
        vec![]
    };
    let reader = |m: Handle<'_>| {
        let view = view::<R>(geometry, m);
        let mut words = [0; 2];
        let Some(row) = view.hot.dense_row(0) else { return vec![] };
        match view.snapshot(row, &mut words) {
            // The offset from the word of the value 0, which an absent cell also gives.
            Ok(()) => words.map(|word| Some((word & 0xFF) as i64)).to_vec(),
            Err(_) => vec![],
        }
    };
    explore(bounds, &|_| {}, &[&writer, &reader], &|_, outputs| match outputs[1].as_deref() {
        Some([a, b]) if b > a => Err(format!("a snapshot shows {a:?} and {b:?}")),
        _ => Ok(()),
    })
}

/// As `KILLING`, but the file system also refuses a page.
const REFUSING: Bounds = Bounds { preemptions: 1, stale: 0, kills: 1, refusals: 1 };

#[test]
fn two_threads_share_the_last_row() {
    holds(last_row::<Sound>);
    holds_within([REFUSING, Bounds { refusals: 2, kills: 0, ..REFUSING }], last_row::<Sound>);
}

#[test]
fn a_table_is_full_when_each_row_has_its_object() {
    holds(brim::<Sound>);
    holds_within([REFUSING, Bounds { refusals: 2, kills: 0, ..REFUSING }], brim::<Sound>);
}

#[test]
fn who_is_told_full_knows_what_is_in() {
    let stale = Bounds { preemptions: 1, stale: 3, kills: 0, refusals: 0 };
    holds_within([CROWDED, stale], full::<Sound>);
}

#[test]
fn three_objects_of_three_threads_are_all_found() {
    // There are too many schedules for one search, so one kind of fault at a time is explored.
    let one = Bounds { preemptions: 1, stale: 0, kills: 0, refusals: 0 };
    holds_within([Bounds { stale: 1, ..one }, Bounds { kills: 1, ..one }], three::<Sound>);
    holds_within([one, Bounds { refusals: 1, ..one }], three::<Sound>);
}

#[test]
fn sparse_keys_have_a_column_each() {
    holds(sparse_keys::<Sound>);
    holds_within([REFUSING, Bounds { refusals: 2, kills: 0, ..REFUSING }], sparse_keys::<Sound>);
}

#[test]
fn removing_adding_and_exchanging_are_atomic() {
    holds(remove::<Sound>);
}

#[test]
fn a_snapshot_of_a_plain_row_shows_one_moment() {
    holds(snapshot::<Sound>);
}
