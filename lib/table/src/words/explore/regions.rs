//! Scenarios about an index of several regions: each grows separately, and on the largest level a region may overflow
//! into the next.

use super::protocol::{expect, holds, with_hash};
use super::{Bounds, Handle, Output, Verdict, explore};
use crate::layout::{Geometry, Shape};
use crate::width::Wide;
use crate::words::index::hash;
use crate::words::{Rules, Sound, View};

/// Four regions, each of two slots at the beginning and of four at the end.
fn geometry() -> Geometry {
    let shape = Shape {
        width: 8,
        records: false,
        exclusive: false,
        dense_objects: 1,
        max_hashed: 4,
        dense_keys: 1,
        max_sparse_keys: 0,
        min_level: 3,
        region_bits: 2,
        description_bytes: 0,
    };
    Geometry::new(shape).unwrap_or_else(|error| unreachable!("{error}"))
}

/// An object whose search begins in the last slot of the first region on each level, distinguished from others by its
/// tag.
fn at_the_edge(tag: u64) -> u64 {
    with_hash((0b0011 << 60) | (tag << 20))
}

/// An object whose search begins in the first slot of the second region on each level.
fn next_door() -> u64 {
    with_hash((0b0100 << 60) | (9 << 20))
}

fn view<'g, 'm, R: Rules>(geometry: &'g Geometry, memory: Handle<'m>) -> View<'g, Handle<'m>, Wide, R> {
    View::new(memory, geometry)
}

fn set<R: Rules>(geometry: &Geometry, memory: Handle<'_>, object: u64, value: i64) -> Option<i64> {
    Some(i64::from(view::<R>(geometry, memory).set(object, 0, value).is_ok()))
}

/// Counts how often a walk visits each of the objects, and how many visits it makes.
fn walk<R: Rules>(geometry: &Geometry, memory: Handle<'_>, objects: &[u64]) -> Output {
    let walk = view::<R>(geometry, memory).shared_objects().walk(usize::MAX);
    let met: Vec<u64> = walk.map(|(object, _)| object).collect();
    let times = |object: &u64| Some(met.iter().filter(|&one| one == object).count() as i64);
    objects.iter().map(times).chain([Some(met.len() as i64)]).collect()
}

/// Objects of two regions: each region grows when it must, and neither affects the searches and walks of the other.
pub(super) fn neighbours<R: Rules>(bounds: Bounds) -> Verdict {
    let geometry = &geometry();
    let setup = |m: Handle<'_>| {
        m.keep_account(&geometry.first_ranges());
        set::<R>(geometry, m, at_the_edge(1), 10);
        set::<R>(geometry, m, at_the_edge(2), 20);
    };
    // The third object of a region of two slots.
    let one = |m: Handle<'_>| vec![set::<R>(geometry, m, at_the_edge(3), 30)];
    let other = |m: Handle<'_>| vec![set::<R>(geometry, m, next_door(), 40)];
    explore(bounds, &setup, &[&one, &other], &|m, outputs| {
        let all = [at_the_edge(1), at_the_edge(2), at_the_edge(3), next_door()];
        let get = |n: usize| view::<R>(geometry, m).get(all[n], 0);
        expect(get(0), Some(&vec![Some(1)]), 10)?;
        expect(get(1), Some(&vec![Some(1)]), 20)?;
        expect(get(2), outputs[0].as_ref(), 30)?;
        expect(get(3), outputs[1].as_ref(), 40)?;
        if outputs.iter().flatten().flatten().any(|done| *done != Some(1)) {
            return Err("an insert was refused".to_owned());
        }
        let there = (0..4).map(|n| Some(i64::from(get(n).is_some()))).collect::<Vec<_>>();
        let met = walk::<R>(geometry, m, &all);
        // An object of a thread that died may be in the index without a value.
        match (0..4).all(|n| met[n] == Some(1) || (met[n] == Some(0) && there[n] == Some(0))) {
            true if met[4] == Some(met[..4].iter().flatten().sum()) => Ok(()),
            _ => Err(format!("{there:?} are there, a walk met {met:?}")),
        }
    })
}

/// A reader and a walk during the growth of a region whose entries do not fit into it.
pub(super) fn crossing<R: Rules>(bounds: Bounds) -> Verdict {
    let geometry = &geometry();
    let setup = |m: Handle<'_>| {
        m.keep_account(&geometry.first_ranges());
        set::<R>(geometry, m, at_the_edge(1), 10);
        set::<R>(geometry, m, at_the_edge(2), 20);
        set::<R>(geometry, m, next_door(), 40);
        // The second region is on the largest level already, where entries of the first will be among its own.
        let objects = view::<R>(geometry, m).shared_objects();
        let region = objects.geometry.region(hash(next_door()));
        let level = objects.level(region);
        let is_there = objects.geometry.above(level).is_none();
        assert!(is_there || objects.grow(region, level).is_ok(), "there is room for a level");
    };
    let writer = |m: Handle<'_>| vec![set::<R>(geometry, m, at_the_edge(3), 30)];
    let reader = |m: Handle<'_>| {
        let all = [at_the_edge(1), at_the_edge(2), next_door()];
        let mut seen = walk::<R>(geometry, m, &all);
        seen.extend(all.map(|object| view::<R>(geometry, m).get(object, 0)));
        seen
    };
    explore(bounds, &setup, &[&writer, &reader], &|m, outputs| {
        expect(view::<R>(geometry, m).get(at_the_edge(3), 0), outputs[0].as_ref(), 30)?;
        let once = [Some(1), Some(1), Some(1)];
        match outputs[1].as_deref() {
            Some([a, b, c, _, values @ ..])
                if [*a, *b, *c] != once || values != [Some(10), Some(20), Some(40)] =>
            {
                Err(format!("the reader saw {:?}", outputs[1]))
            }
            _ => Ok(()),
        }
    })
}

#[test]
fn regions_grow_by_themselves() {
    holds(neighbours::<Sound>);
}

#[test]
fn a_region_runs_over_into_the_next() {
    holds(crossing::<Sound>);
}
