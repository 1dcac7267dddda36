//! The protocol with one error at a time. Each must be detected, or the explorer proves nothing.

use std::sync::atomic::Ordering;

use super::protocol::{
    CROWDED, KILLING, batch, frozen, growth, lonely, one_object, order, record, second, single, sum, tagged,
    twin, two_objects, walk,
};
use super::regions::{crossing, neighbours};
use super::rows::{brim, full, last_row, remove, snapshot, sparse_keys, three};
use super::{Bounds, Verdict};
use crate::words::Rules;

const BOUNDS: Bounds = Bounds { preemptions: 2, stale: 2, kills: 0, refusals: 0 };

/// Bounds with which each mutant is explored first: few choices, which are enough to detect most errors.
const FEW: Bounds = Bounds { preemptions: 1, stale: 1, kills: 0, refusals: 0 };

type Scenario = fn(Bounds) -> Verdict;

/// Runs the scenarios until one of them fails; returns its name and the failure.
fn noticed<R: Rules>(bounds: &[Bounds]) -> Option<(&'static str, String)> {
    let regions: [(&'static str, Scenario); 2] =
        [("neighbours", neighbours::<R>), ("crossing", crossing::<R>)];
    // Errors that only regions reveal are detected within the first bounds, long before the other scenarios finish.
    let (first, rest) = bounds.split_at(1);
    let other = || noticed_in_one_region::<R>(bounds).or_else(|| run(rest, &regions));
    run(first, &regions).or_else(other)
}

fn run(bounds: &[Bounds], scenarios: &[(&'static str, Scenario)]) -> Option<(&'static str, String)> {
    let runs = bounds.iter().flat_map(|&bounds| scenarios.iter().map(move |run| (run.0, (run.1)(bounds))));
    runs.into_iter().find_map(|(name, verdict)| Some((name, verdict.failure?)))
}

/// Runs the scenarios of an index that is one region.
fn noticed_in_one_region<R: Rules>(bounds: &[Bounds]) -> Option<(&'static str, String)> {
    let scenarios: [(&'static str, Scenario); 16] = [
        ("sum", sum::<R>),
        ("record", record::<R>),
        ("single", single::<R>),
        ("order", order::<R>),
        ("walk", walk::<R>),
        ("growth", growth::<R>),
        ("frozen", |bounds| frozen::<R>(bounds, lonely(), false)),
        ("settled", |bounds| frozen::<R>(bounds, tagged(), true)),
        ("snapshot", snapshot::<R>),
        ("remove", remove::<R>),
        ("last row", last_row::<R>),
        ("brim", brim::<R>),
        ("sparse keys", sparse_keys::<R>),
        ("one object", one_object::<R>),
        ("two objects", |bounds| two_objects::<R>(bounds, second())),
        ("twins", |bounds| two_objects::<R>(bounds, twin())),
    ];
    run(bounds, &scenarios)
}

/// A mutant is the sound protocol with the constants given.
macro_rules! mutant {
    ($test:ident, $name:ident, $($constant:item)+) => {
        #[derive(Clone, Copy)]
        struct $name;
        impl Rules for $name { $($constant)+ }
        #[test]
        fn $test() {
            assert!(noticed::<$name>(&[FEW, BOUNDS, KILLING]).is_some(), "the explorer accepts this mutant");
        }
    };
}

mutant!(publishing_without_release_is_noticed, Publish, const PUBLISH: Ordering = Ordering::Relaxed;);
mutant!(raising_without_release_is_noticed, Raise, const RAISE: Ordering = Ordering::Relaxed;);
mutant!(setting_without_release_is_noticed, Set, const SET: Ordering = Ordering::Relaxed;);
mutant!(a_sequence_without_release_is_noticed, Sequence, const SEQUENCE: Ordering = Ordering::Relaxed;);
mutant!(freezing_by_store_is_noticed, FreezeStore, const FREEZE_BY_EXCHANGE: bool = false;);
mutant!(growth_without_freezing_is_noticed, NoFreeze, const FREEZE: bool = false;);
mutant!(copying_twice_is_noticed, CopyTwice, const COPY_ONCE: bool = false;);
mutant!(passing_by_a_lost_slot_is_noticed, Skip, const LOOK_AGAIN: bool = false;);
mutant!(walking_past_a_frozen_slot_is_noticed, Walk, const STOP_AT_FROZEN: bool = false;);
mutant!(claiming_by_store_is_noticed, ClaimStore, const CLAIM_BY_EXCHANGE: bool = false;);
mutant!(taking_what_is_in_hand_is_noticed, TakeHeld, const SPARE_THE_HELD: bool = false;);
mutant!(settling_without_acquire_is_noticed, Settle, const SETTLE: Ordering = Ordering::Relaxed;);
mutant!(handing_out_without_release_is_noticed, HandOut, const HAND_OUT: Ordering = Ordering::Relaxed;);
mutant!(a_slot_behind_its_region_without_a_page_is_noticed, Bare, const RESERVE_BEHIND: bool = false;);
mutant!(a_walk_that_ends_with_its_region_is_noticed, WalkShort, const WALK_ON: bool = false;);
mutant!(a_walk_that_takes_what_is_anothers_is_noticed, WalkAll, const OWN_REGION: bool = false;);
mutant!(a_common_level_above_a_region_is_noticed, Highest, const LEAST_COMMON: bool = false;);
mutant!(removing_by_store_is_noticed, RemoveStore, const REMOVE_BY_EXCHANGE: bool = false;);
mutant!(a_snapshot_in_one_pass_is_noticed, OnePass, const TWO_PASSES: bool = false;);
mutant!(a_record_without_writer_fence_is_noticed, WriterFence, const WRITER_FENCE: bool = false;);
mutant!(a_record_without_reader_fence_is_noticed, ReaderFence, const READER_FENCE: bool = false;);
mutant!(a_record_with_one_half_is_noticed, OneHalf, const TWO_HALVES: bool = false;);
mutant!(adding_by_store_is_noticed, AddStore, const ADD_BY_EXCHANGE: bool = false;);

/// Copying entries without release strength.
#[derive(Clone, Copy)]
struct Copying;
impl Rules for Copying {
    const COPY: Ordering = Ordering::Relaxed;
}

/// A mutant that is equivalent to the protocol: no thread uses a level before acquiring its raising, which follows
/// every copy. The release stays, because it costs nothing on x86-64, and needs a shorter argument than its absence.
#[test]
fn copying_without_release_is_equivalent() {
    assert_eq!(noticed_in_one_region::<Copying>(&[CROWDED, KILLING]), None);
    assert_eq!(noticed::<Copying>(&[FEW]), None);
}

/// Searching for an object in a row that no slot names. Its scenario has three threads and is therefore separate from
/// the others.
#[derive(Clone, Copy)]
struct Guess;
impl Rules for Guess {
    const NAMED_ROWS_ONLY: bool = false;
}

#[test]
fn guessing_a_row_is_noticed() {
    let verdict = batch::<Guess>(Bounds { stale: 0, ..BOUNDS });
    assert!(verdict.failure.is_some(), "the explorer accepts this mutant");
}

/// A spare row whose note stays when the row is taken.
#[derive(Clone, Copy)]
struct Doubled;
impl Rules for Doubled {
    const CLEAR_SPARE: bool = false;
}

/// A mutant that is equivalent to the protocol: the note is a hint, and a thread that follows it claims the row like
/// any other.
#[test]
fn a_note_that_stays_is_equivalent() {
    assert_eq!(noticed_in_one_region::<Doubled>(&[FEW, KILLING]), None);
    let verdict = three::<Doubled>(FEW);
    assert_eq!(verdict.failure, None);
}

/// Raising the level by a plain store: a thread that was delayed can lower it again.
#[derive(Clone, Copy)]
struct RaiseStore;
impl Rules for RaiseStore {
    const RAISE_BY_EXCHANGE: bool = false;
}

#[test]
fn raising_by_store_is_noticed() {
    let verdict = three::<RaiseStore>(Bounds { stale: 0, ..BOUNDS });
    assert!(verdict.failure.is_some(), "the explorer accepts this mutant");
}

/// Raising the mark that all rows are named without releasing their names.
#[derive(Clone, Copy)]
struct Named;
impl Rules for Named {
    const NAMED: Ordering = Ordering::Relaxed;
}

#[test]
fn raising_the_mark_without_release_is_noticed() {
    let verdict = full::<Named>(Bounds { preemptions: 1, stale: 3, ..BOUNDS });
    assert!(verdict.failure.is_some(), "the explorer accepts this mutant");
}
