//! Linearizability of recorded histories (Wing and Gong, *Testing and Verifying Concurrent Objects*, 1993).
//!
//! Real threads run random operations on one pair of a real table and note the ticks of a shared clock before and
//! after. The checker looks for an order that respects the ticks and explains every result. The clock is a
//! read-modify-write, so a store has left its processor's buffer before the operation counts as ended: without such a
//! step no shared memory is linearizable in real time.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use super::plain::Plain;
use super::{Sound, View};
use crate::layout::{Geometry, Shape};
use crate::width::Narrow;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Get(Option<i64>),
    Set(i64),
    /// Delta and the previous value.
    Add(i64, i64),
    Remove(Option<i64>),
    /// Expected value, new value, and the present value if the exchange failed.
    Exchange(Option<i64>, Option<i64>, Result<(), Option<i64>>),
}

#[derive(Clone, Copy, Debug)]
struct Event {
    begin: u64,
    end: u64,
    call: Call,
}

/// Returns the value after a call, if the call can have its result on this value.
fn apply(value: Option<i64>, call: Call) -> Option<Option<i64>> {
    match call {
        Call::Get(seen) => (seen == value).then_some(value),
        Call::Set(new) => Some(Some(new)),
        Call::Add(delta, before) => (value.unwrap_or(0) == before).then_some(Some(before + delta)),
        Call::Remove(before) => (before == value).then_some(None),
        Call::Exchange(old, new, Ok(())) => (old == value).then_some(new),
        Call::Exchange(old, _, Err(seen)) => (seen == value && seen != old).then_some(value),
    }
}

/// Searches depth first over the sets of calls already placed; a set that was reached before with the same value is not
/// searched again.
fn linearizable(events: &[Event]) -> bool {
    fn search(
        events: &[Event],
        done: u64,
        value: Option<i64>,
        seen: &mut HashSet<(u64, Option<i64>)>,
    ) -> bool {
        if done.count_ones() as usize == events.len() {
            return true;
        }
        if !seen.insert((done, value)) {
            return false;
        }
        let open = |&n: &usize| done & (1 << n) == 0;
        let first_end = (0..events.len()).filter(open).map(|n| events[n].end).min().unwrap_or(u64::MAX);
        let mut next = (0..events.len()).filter(open).filter(|&n| events[n].begin <= first_end);
        next.any(|n| {
            apply(value, events[n].call).is_some_and(|value| search(events, done | (1 << n), value, seen))
        })
    }
    assert!(events.len() <= 64, "the set of calls is one word");
    search(events, 0, None, &mut HashSet::new())
}

fn geometry() -> Geometry {
    let shape = Shape {
        width: 4,
        records: false,
        exclusive: false,
        dense_objects: 0,
        max_hashed: 8,
        dense_keys: 1,
        max_sparse_keys: 0,
        min_level: 1,
        region_bits: 0,
        description_bytes: 0,
    };
    Geometry::new(shape).unwrap_or_else(|error| unreachable!("{error}"))
}

fn run_one(view: View<'_, &Plain, Narrow, Sound>, object: u64, random: u64) -> Call {
    let number = (random >> 8) as i64 % 3;
    let cell = || view.cell_or_insert(object, 0).unwrap_or_else(|error| unreachable!("{error}"));
    match random % 8 {
        0..3 => Call::Get(view.get(object, 0)),
        3 => {
            view.set(object, 0, number).unwrap_or_else(|error| unreachable!("{error}"));
            Call::Set(number)
        }
        4..6 => Call::Add(number, view.add(cell(), number).unwrap_or_else(|error| unreachable!("{error}"))),
        6 => Call::Remove(view.remove(cell())),
        _ => {
            let (old, new) = (Some(number), Some(number + 1));
            let result = view.compare_exchange(cell(), old, new);
            Call::Exchange(old, new, result.unwrap_or_else(|error| unreachable!("{error}")))
        }
    }
}

/// Records a history of three threads on one object of a fresh table, including insertion and growth.
fn record(seed: u64) -> Vec<Event> {
    const CALLS: u64 = 12;
    let geometry = geometry();
    let memory = Plain::new(geometry.len());
    let clock = AtomicU64::new(0);
    let ready = AtomicU64::new(0);
    let thread = |number: u64| {
        let view = View::new(&memory, &geometry);
        let mut random = (seed * 3 + number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ready.fetch_add(1, Ordering::SeqCst);
        while ready.load(Ordering::SeqCst) < 3 {
            std::thread::yield_now();
        }
        let mut step = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let begin = clock.fetch_add(1, Ordering::SeqCst);
            // Each thread also inserts an object of its own from time to time, so that the index grows.
            if random.is_multiple_of(5) {
                let _ = view.set(number + 100, 0, 1);
            }
            let call = run_one(view, 7, random);
            Event { begin, end: clock.fetch_add(1, Ordering::SeqCst), call }
        };
        (0..CALLS).map(|_| step()).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|number| scope.spawn(move || thread(number))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    })
}

#[test]
fn the_checker_knows_right_from_wrong() {
    let event = |begin, end, call| Event { begin, end, call };
    let late = [event(0, 1, Call::Set(1)), event(2, 3, Call::Get(None))];
    assert!(!linearizable(&late));
    let overlapping = [event(0, 3, Call::Set(1)), event(1, 2, Call::Get(None))];
    assert!(linearizable(&overlapping));
    let lost = [event(0, 3, Call::Add(1, 0)), event(1, 2, Call::Add(1, 0)), event(4, 5, Call::Get(Some(2)))];
    assert!(!linearizable(&lost));
    let back = [event(0, 9, Call::Set(1)), event(1, 2, Call::Get(Some(1))), event(3, 4, Call::Get(None))];
    assert!(!linearizable(&back));
}

#[test]
fn recorded_histories_are_linearizable() {
    let histories = if cfg!(miri) { 1 } else { 3000 };
    for seed in 0..histories {
        let events = record(seed);
        assert!(linearizable(&events), "seed {seed}: {events:#?}");
    }
}
