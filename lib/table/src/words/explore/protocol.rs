//! Scenarios of the explorer: properties that must hold for every schedule, memory behaviour and kill.

use std::sync::OnceLock;

use super::{Bounds, Handle, Output, Verdict, explore};
use crate::layout::{At64, Geometry, Shape};
use crate::width::Wide;
use crate::words::{Rules, Sound, View};

/// The smallest table in which everything can happen: growth from two slots on, up to three hashed objects.
fn geometry(records: bool) -> &'static Geometry {
    static CELLS: OnceLock<Geometry> = OnceLock::new();
    static RECORDS: OnceLock<Geometry> = OnceLock::new();
    if records { &RECORDS } else { &CELLS }.get_or_init(|| smallest(records))
}

fn smallest(records: bool) -> Geometry {
    let shape = Shape {
        width: 8,
        records,
        exclusive: false,
        dense_objects: 1,
        max_hashed: 3,
        dense_keys: 2,
        max_sparse_keys: 0,
        min_level: 1,
        region_bits: 0,
        description_bytes: 0,
    };
    Geometry::new(shape).unwrap_or_else(|error| unreachable!("{error}"))
}

/// Returns a word for the litmus tests: a cell of the dense object.
pub(super) fn word(column: u64) -> At64 {
    let geometry = geometry(false);
    let cell =
        geometry.hot.dense_row(0).zip(geometry.column(column)).map(|(row, n)| geometry.hot.cell(row, n, 8));
    cell.unwrap_or_else(|| unreachable!("two columns exist")).wide()
}

fn view<R: Rules>(memory: Handle<'_>) -> View<'static, Handle<'_>, Wide, R> {
    View::new(memory, geometry(false))
}

/// Returns the object with the given hash.
pub(super) fn with_hash(hash: u64) -> u64 {
    let multiplier = super::super::index::hash(1);
    let inverse = (0..6).fold(1_u64, |x, _| x.wrapping_mul(2_u64.wrapping_sub(multiplier.wrapping_mul(x))));
    inverse.wrapping_mul(hash)
}

/// An object whose search begins in the first slot of every level, as does that for [`second`]; their tags differ.
pub(super) fn first() -> u64 {
    with_hash(1 << 31)
}
pub(super) fn second() -> u64 {
    with_hash(1 << 30)
}
/// An object whose search begins in the same slot as that for [`first`], and which has the same tag: only the number in
/// the row distinguishes them.
pub(super) fn twin() -> u64 {
    with_hash((1 << 31) | (1 << 32))
}

/// An object whose search begins in the slot of [`first`] on a small level, and in another slot on a larger one.
pub(super) fn lonely() -> u64 {
    with_hash(1 << 61)
}
/// An object whose search begins in the second slot of four, where that for the number 0 would begin in the first.
pub(super) fn tagged() -> u64 {
    with_hash((1 << 62) | (1 << 20))
}

fn set<R: Rules>(memory: Handle<'_>, object: u64, key: u64, value: i64) -> Option<i64> {
    let done = view::<R>(memory).set(object, key, value);
    Some(i64::from(done.is_ok()))
}

/// Compares the value that an observer reads with those that the surviving threads wrote.
pub(super) fn expect(found: Option<i64>, output: Option<&Output>, wrote: i64) -> Result<(), String> {
    match output {
        Some(done) if done.first() == Some(&Some(1)) && found != Some(wrote) => {
            Err(format!("wrote {wrote}, afterwards there was {found:?}"))
        }
        _ if found.is_some() && found != Some(wrote) => Err(format!("nobody wrote {found:?}")),
        _ => Ok(()),
    }
}

/// Two threads write two keys of one new object; afterwards both values are present.
pub(super) fn one_object<R: Rules>(bounds: Bounds) -> Verdict {
    let a = |m: Handle<'_>| vec![set::<R>(m, first(), 0, 10)];
    let b = |m: Handle<'_>| vec![set::<R>(m, first(), 1, 20)];
    explore(bounds, &|_| {}, &[&a, &b], &|m, outputs| {
        expect(view::<R>(m).get(first(), 0), outputs[0].as_ref(), 10)?;
        expect(view::<R>(m).get(first(), 1), outputs[1].as_ref(), 20)?;
        once::<R>(m)
    })
}

/// Fails if a search can find two rows of one object.
fn once<R: Rules>(memory: Handle<'_>) -> Result<(), String> {
    let mut objects: Vec<u64> =
        view::<R>(memory).shared_objects().walk(usize::MAX).map(|(object, _)| object).collect();
    let all = objects.len();
    objects.sort_unstable();
    objects.dedup();
    if objects.len() == all { Ok(()) } else { Err("an object has two rows".to_owned()) }
}

/// Two threads write two objects whose searches begin in the same slot; each reads back its own at once.
pub(super) fn two_objects<R: Rules>(bounds: Bounds, other: u64) -> Verdict {
    let write = |m: Handle<'_>, object: u64, value: i64| {
        let done = set::<R>(m, object, 0, value);
        vec![done, view::<R>(m).get(object, 0)]
    };
    let a = |m: Handle<'_>| write(m, first(), 10);
    let b = |m: Handle<'_>| write(m, other, 20);
    explore(bounds, &|_| {}, &[&a, &b], &|m, outputs| {
        for (output, object, value) in [(&outputs[0], first(), 10), (&outputs[1], other, 20)] {
            expect(view::<R>(m).get(object, 0), output.as_ref(), value)?;
            if output.as_ref().is_some_and(|output| output[0] == Some(1) && output[1] != Some(value)) {
                return Err(format!("wrote {value} and read {:?}", output.as_ref().map(|done| done[1])));
            }
        }
        once::<R>(m)
    })
}

/// A reader finds an old object at every step of a growth by another thread.
pub(super) fn growth<R: Rules>(bounds: Bounds) -> Verdict {
    let setup = |m: Handle<'_>| {
        set::<R>(m, first(), 0, 10);
    };
    let writer = |m: Handle<'_>| vec![set::<R>(m, second(), 0, 20)];
    let reader = |m: Handle<'_>| vec![view::<R>(m).get(first(), 0), view::<R>(m).get(first(), 0)];
    explore(bounds, &setup, &[&writer, &reader], &|m, outputs| {
        expect(view::<R>(m).get(first(), 0), None, 10)?;
        expect(view::<R>(m).get(second(), 0), outputs[0].as_ref(), 20)?;
        match &outputs[1] {
            Some(seen) if *seen != [Some(10), Some(10)] => Err(format!("the reader saw {seen:?}")),
            _ => once::<R>(m),
        }
    })
}

/// An object begins at a slot that a growing thread has just frozen, with empty slots after it. The growth is not
/// caused by the number of rows, so the inserter has no other reason to finish it.
///
/// In an empty table no other entry is copied, so no copy orders the grower's read of the victim.
pub(super) fn frozen<R: Rules>(bounds: Bounds, victim: u64, empty: bool) -> Verdict {
    let grow = |m: Handle<'_>| {
        let objects = view::<R>(m).shared_objects();
        let region = objects.geometry.region(0);
        i64::from(objects.grow(region, objects.level(region)).is_ok())
    };
    let setup = |m: Handle<'_>| {
        if !empty {
            set::<R>(m, first(), 0, 10);
            grow(m);
        }
    };
    let grower = |m: Handle<'_>| vec![Some(grow(m))];
    let writer = |m: Handle<'_>| {
        let done = set::<R>(m, victim, 0, 30);
        vec![done, view::<R>(m).get(victim, 0)]
    };
    explore(bounds, &setup, &[&grower, &writer], &|m, outputs| {
        expect(view::<R>(m).get(victim, 0), outputs[1].as_ref(), 30)?;
        match &outputs[1] {
            Some(seen) if *seen != [Some(1), Some(30)] => Err(format!("the writer read back {seen:?}")),
            _ => once::<R>(m),
        }
    })
}

/// A reader that sees the later store of a writer sees the earlier one, also through a hashed object.
pub(super) fn order<R: Rules>(bounds: Bounds) -> Verdict {
    let writer = |m: Handle<'_>| {
        set::<R>(m, first(), 0, 1);
        vec![set::<R>(m, 0, 0, 1)]
    };
    let reader = |m: Handle<'_>| {
        let late = view::<R>(m).get(0, 0);
        vec![late, view::<R>(m).get(first(), 0)]
    };
    explore(bounds, &|_| {}, &[&writer, &reader], &|_, outputs| match &outputs[1] {
        Some(seen) if seen[0] == Some(1) && seen[1] != Some(1) => {
            Err("an effect before its cause".to_owned())
        }
        _ => Ok(()),
    })
}

/// A batch finds each object's own value or none, also while the row of one goes to another: the later of two threads
/// with an object keeps the row that it took for it and uses it for its next object.
pub(super) fn batch<R: Rules>(bounds: Bounds) -> Verdict {
    let once = |m: Handle<'_>| vec![set::<R>(m, first(), 0, 10)];
    let twice = |m: Handle<'_>| {
        let one = |object, value| view::<R>(m).set(object, 0, value);
        vec![Some(i64::from(one(first(), 10).is_ok() && one(second(), 20).is_ok()))]
    };
    let reader = |m: Handle<'_>| {
        let mut found = vec![];
        view::<R>(m).get_each([(first(), 0), (second(), 0)], |value| found.push(value));
        found
    };
    explore(bounds, &|_| {}, &[&once, &twice, &reader], &|_, outputs| {
        let Some(found) = &outputs[2] else { return Ok(()) };
        expect(found[0], None, 10)?;
        expect(found[1], None, 20)
    })
}

/// Two threads add to one pair, and no addition is lost.
pub(super) fn sum<R: Rules>(bounds: Bounds) -> Verdict {
    let add = |m: Handle<'_>| {
        let view = view::<R>(m);
        let at = view.cell_or_insert(0, 0);
        let done = at.is_ok_and(|at| view.add(at, 1).is_ok() && view.add(at, 1).is_ok());
        vec![Some(i64::from(done))]
    };
    explore(bounds, &|_| {}, &[&add, &add], &|m, outputs| {
        let least = 2 * outputs.iter().flatten().count() as i64;
        match view::<R>(m).get(0, 0).unwrap_or(0) {
            sum if sum < least || sum > 4 => Err(format!("2 + 2 gave {sum}")),
            _ => Ok(()),
        }
    })
}

fn record_words<R: Rules>(memory: Handle<'_>) -> Option<[u64; 2]> {
    let view = View::<'_, Handle<'_>, Wide, R>::new(memory, geometry(true));
    let mut words = [0; 2];
    view.read_record(view.hot.dense_row(0)?, &mut words).then_some(words)
}

fn publish<R: Rules>(memory: Handle<'_>, value: u64) {
    let view = View::<'_, Handle<'_>, Wide, R>::new(memory, geometry(true));
    if let Some(row) = view.hot.dense_row(0) {
        view.publish(row, [value, value].into_iter());
    }
}

/// A snapshot never mixes two publications, and a dead writer leaves the last one readable.
pub(super) fn record<R: Rules>(bounds: Bounds) -> Verdict {
    let writer = |m: Handle<'_>| {
        (1..=3).for_each(|value| publish::<R>(m, value));
        vec![Some(1)]
    };
    let reader =
        |m: Handle<'_>| record_words::<R>(m).map_or(vec![], |two| two.map(|word| Some(word as i64)).to_vec());
    explore(bounds, &|_| {}, &[&writer, &reader], &|m, outputs| {
        let mixed = |two: &[Option<i64>]| two.len() == 2 && two[0] != two[1];
        if outputs[1].as_ref().is_some_and(|seen| mixed(seen)) {
            return Err("a snapshot mixes two publications".to_owned());
        }
        match record_words::<R>(m) {
            Some([a, b]) if a == b => Ok(()),
            found => Err(format!("afterwards the record reads {found:?}")),
        }
    })
}

/// A single value of a record is that of the last publication: values are never older than those read before, and never
/// ahead of the publication.
pub(super) fn single<R: Rules>(bounds: Bounds) -> Verdict {
    let writer = |m: Handle<'_>| {
        (1..=3).for_each(|value| publish::<R>(m, value));
        vec![Some(1)]
    };
    let reader = |m: Handle<'_>| {
        let view = View::<'_, Handle<'_>, Wide, R>::new(m, geometry(true));
        let Some((row, column)) = view.hot.dense_row(0).zip(view.geometry.column(1)) else { return vec![] };
        (0..2).map(|_| Some(view.read_one(row, column) as i64)).collect()
    };
    explore(bounds, &|_| {}, &[&writer, &reader], &|m, outputs| match outputs[1].as_deref() {
        Some([Some(early), Some(late)]) if early > late => Err(format!("{late} after {early}")),
        Some([_, late]) if outputs[0].is_none() && *late > record_words::<R>(m).map(|two| two[1] as i64) => {
            Err(format!("{late:?} was never published"))
        }
        _ => Ok(()),
    })
}

/// A walk returns each object that is present from beginning to end exactly once, whatever grows during it.
pub(super) fn walk<R: Rules>(bounds: Bounds) -> Verdict {
    let setup = |m: Handle<'_>| {
        set::<R>(m, first(), 0, 10);
    };
    let writer = |m: Handle<'_>| vec![set::<R>(m, second(), 0, 20)];
    let reader = |m: Handle<'_>| {
        let met: Vec<u64> =
            view::<R>(m).shared_objects().walk(usize::MAX).map(|(object, _)| object).collect();
        let times = |object| Some(met.iter().filter(|&&one| one == object).count() as i64);
        vec![times(first()), times(second()), Some(met.len() as i64)]
    };
    explore(bounds, &setup, &[&writer, &reader], &|_, outputs| match outputs[1].as_deref() {
        Some([Some(1), Some(0), Some(1)] | [Some(1), Some(1), Some(2)]) | None => Ok(()),
        seen => Err(format!("the walk met {seen:?}")),
    })
}

pub(super) const KILLING: Bounds = Bounds { preemptions: 1, stale: 1, kills: 1, refusals: 0 };
pub(super) const CROWDED: Bounds = Bounds { preemptions: 2, stale: 1, kills: 0, refusals: 0 };

pub(super) fn holds(scenario: impl Fn(Bounds) -> Verdict) {
    holds_within([KILLING, CROWDED], scenario);
}

pub(super) fn holds_within(all: [Bounds; 2], scenario: impl Fn(Bounds) -> Verdict) {
    for bounds in all {
        let verdict = scenario(bounds);
        assert_eq!(verdict.failure, None, "after {} executions", verdict.executions);
        assert!(verdict.executions > 50, "only {} executions: nothing was explored", verdict.executions);
    }
}

#[test]
fn one_object_keeps_the_values_of_both_writers() {
    holds(one_object::<Sound>);
}

#[test]
fn two_objects_in_one_slot_are_both_found() {
    holds(|bounds| two_objects::<Sound>(bounds, second()));
}

#[test]
fn two_objects_with_one_tag_are_both_found() {
    holds(|bounds| two_objects::<Sound>(bounds, twin()));
}

#[test]
fn growth_hides_nothing() {
    holds(growth::<Sound>);
}

#[test]
fn objects_at_a_frozen_slot_go_to_the_next_level() {
    holds(|bounds| frozen::<Sound>(bounds, lonely(), false));
    holds(|bounds| frozen::<Sound>(bounds, tagged(), true));
}

#[test]
fn stores_are_seen_in_order() {
    holds(order::<Sound>);
}

#[test]
fn batches_find_each_objects_own_value() {
    // Three threads have too many schedules for one search, so stale loads and second preemptions are explored
    // separately.
    holds_within([Bounds { stale: 0, ..CROWDED }, Bounds { preemptions: 1, ..CROWDED }], batch::<Sound>);
}

#[test]
fn additions_are_not_lost() {
    holds(sum::<Sound>);
}

#[test]
fn snapshots_are_whole() {
    holds(record::<Sound>);
}

#[test]
fn single_values_of_a_record_do_not_go_back() {
    holds(single::<Sound>);
}

#[test]
fn walks_meet_what_is_there_once() {
    holds(walk::<Sound>);
}
