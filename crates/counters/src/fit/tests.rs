//! Tests of the sets, on simulated counters and on those of the present kernel.

use std::cell::Cell;
use std::path::Path;

use super::*;
use crate::catalog::Catalog;
use crate::machines::{amd, hybrid};
use crate::parse::parse;

/// Simulated counters, some of which are held by another user.
struct Fake {
    counters: usize,
    /// Counters that are held by another user.
    held: usize,
    /// Number of an event that only the first counter can count, so that a second such event does not fit into the set.
    choosy: Option<u64>,
    /// The number of an event that does not exist.
    unknown: Option<u64>,
    tried: Cell<usize>,
}

/// An open event of [`Fake`], with access to the events of its group.
struct Open {
    config: u64,
    takes_counter: bool,
    /// The `config` values of all open events of the group, shared with its leader.
    group: std::rc::Rc<std::cell::RefCell<Vec<u64>>>,
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut group = self.group.borrow_mut();
        if let Some(place) = group.iter().position(|config| *config == self.config && self.takes_counter) {
            group.remove(place);
        }
    }
}

impl Fake {
    fn of(counters: usize) -> Fake {
        Fake { counters, held: 0, choosy: None, unknown: None, tried: Cell::new(0) }
    }
}

impl Counters for Fake {
    type Open = Open;

    fn open(&self, event: &CountingEvent, leader: Option<&Open>) -> Result<Open, i32> {
        let config = event.config[0];
        let takes_counter = event.kind != 1;
        if takes_counter && self.unknown == Some(config) {
            return Err(libc::ENOENT);
        }
        let group = leader.map_or_else(Default::default, |leader| leader.group.clone());
        if takes_counter {
            let mut members = group.borrow_mut();
            let is_choosy = |config| self.choosy.is_some_and(|choosy| config >= choosy);
            let has_choosy = members.iter().any(|&member| is_choosy(member));
            if members.len() >= self.counters || has_choosy && is_choosy(config) {
                return Err(libc::EINVAL);
            }
            members.push(config);
        }
        Ok(Open { config, takes_counter, group })
    }

    fn try_out(&self, group: &[Open]) -> Ran {
        self.tried.set(self.tried.get() + 1);
        let taken = group.iter().filter(|open| open.takes_counter).count();
        if taken + self.held <= self.counters { Ran::Whole } else { Ran::Never }
    }
}

fn sets(fake: &Fake, text: &str) -> (Vec<Vec<usize>>, Vec<(usize, Misfit)>) {
    let events = Catalog::read(amd().root()).resolve_all(&parse(text).unwrap()).unwrap();
    let Rotation { sets, misfits } = rotation_of(fake, &events);
    (sets, misfits)
}

#[test]
fn events_are_added_until_there_is_no_counter_left() {
    assert_eq!(sets(&Fake::of(2), "r1,r2,r3,r4,r5"), (vec![vec![0, 1], vec![2, 3], vec![4]], vec![]));
    assert_eq!(sets(&Fake::of(8), "r1,r2,r3"), (vec![vec![0, 1, 2]], vec![]));
}

#[test]
fn software_takes_no_counter_and_is_in_every_set() {
    let expected = vec![vec![1, 2, 0, 4], vec![3, 0, 4]];
    assert_eq!(sets(&Fake::of(2), "cs,r1,r2,r3,page-faults"), (expected, vec![]));
    assert_eq!(sets(&Fake::of(0), "cs,task-clock"), (vec![vec![0, 1]], vec![]));
}

#[test]
fn groups_stay_together_or_are_refused() {
    assert_eq!(sets(&Fake::of(3), "r1,r2,{r3,r4,cs},r5"), (vec![vec![0, 1, 5], vec![2, 3, 4]], vec![]));
    let misfits = vec![(1, Misfit::NotTogether), (2, Misfit::NotTogether), (3, Misfit::NotTogether)];
    assert_eq!(sets(&Fake::of(2), "r1,{r2,r3,r4}"), (vec![vec![0]], misfits));
}

#[test]
fn events_that_fit_one_counter_alone_are_in_sets_of_their_own() {
    let fake = Fake { choosy: Some(0x10), ..Fake::of(4) };
    assert_eq!(sets(&fake, "r10,r11,r1"), (vec![vec![0, 2], vec![1]], vec![]));
}

#[test]
fn an_event_that_is_refused_is_named_with_the_reason() {
    let fake = Fake { unknown: Some(7), ..Fake::of(4) };
    assert_eq!(sets(&fake, "r1,r7,r2"), (vec![vec![0, 2]], vec![(1, Misfit::Refused(libc::ENOENT))]));
    let misfits = vec![(0, Misfit::NotTogether), (1, Misfit::Refused(libc::ENOENT))];
    assert_eq!(sets(&fake, "{r1,r7}"), (vec![], misfits));
}

#[test]
fn a_counter_that_somebody_holds_splits_what_the_kernel_takes() {
    let fake = Fake { held: 1, ..Fake::of(4) };
    assert_eq!(sets(&fake, "r1,r2,r3,r4"), (vec![vec![0, 1], vec![2, 3]], vec![]));
    assert_eq!(fake.tried.get(), 3);
    let all_held = Fake { held: 4, ..Fake::of(4) };
    assert_eq!(sets(&all_held, "r1,cs"), (vec![vec![1]], vec![(0, Misfit::NeverRuns)]));
}

#[test]
fn kinds_of_cores_count_beside_each_other() {
    let events =
        Catalog::read(hybrid().root()).resolve_all(&parse("cycles,instructions,branches").unwrap()).unwrap();
    let rotation = rotation_of(&Fake { held: 9, ..Fake::of(2) }, &events);
    assert_eq!(rotation, Rotation { sets: vec![vec![0, 2, 1, 3], vec![4, 5]], misfits: vec![] });
}

#[test]
fn the_kernel_of_this_machine_counts_software_together_or_refuses_it() {
    let events =
        Catalog::read(Path::new("/")).resolve_all(&parse("task-clock,{page-faults,cs}").unwrap()).unwrap();
    let Rotation { sets, misfits } = rotation(&events);
    assert_eq!(sets.iter().map(Vec::len).sum::<usize>() + misfits.len(), events.len());
    if fauxplat_sys::process::is_root() && misfits.is_empty() {
        assert_eq!(sets, [[0, 1, 2]]);
    }
}

/// More counters than any processor has.
const MANY: usize = 64;

#[test]
fn more_events_than_the_processor_has_counters_take_turns() {
    let found =
        Catalog::read(Path::new("/")).resolve_all(&parse("instructions:u").unwrap()).unwrap_or_default();
    let Some(event) = found.first().filter(|event| Kernel.open(&event.event, None).is_ok()) else {
        assert!(std::env::var_os("EXACT_COUNTERS").is_none(), "this machine has counters: {found:?}");
        return;
    };
    let many = vec![event.clone(); MANY];
    // All events at once do not fit, so some of them count for a part of the time or never.
    let opened: Vec<_> = many.iter().map(|event| Kernel.open(&event.event, None).unwrap()).collect();
    assert_ne!(Kernel.try_out(&opened), Ran::Whole);
    drop(opened);
    let Rotation { sets, misfits } = rotation(&many);
    let mut all: Vec<usize> = sets.concat();
    all.extend(misfits.iter().map(|(at, _)| *at));
    all.sort_unstable();
    assert!(sets.len() > 1 && all == (0..MANY).collect::<Vec<_>>(), "{sets:?} {misfits:?}");
}
