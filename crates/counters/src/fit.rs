//! Finds sets of events that can be counted at the same time. A processor has a handful of counters, some events fit
//! only some of them, and the kernel's watchdog may hold one, so sets are found by trying and not by calculation.

mod kernel;

use std::collections::BTreeMap;

use fauxplat_sys::perf::CountingEvent;

use crate::resolve::Resolved;

pub use kernel::Kernel;

/// An interface to event counters: those of the kernel, or simulated ones in a test.
pub trait Counters {
    type Open;

    /// Opens an event, in the group of a leader if there is one.
    ///
    /// # Errors
    /// Returns the kernel's error number; `EINVAL` and `ENOSPC` if the group has no room, see `perf_event_open(2)`.
    fn open(&self, event: &CountingEvent, leader: Option<&Self::Open>) -> Result<Self::Open, i32>;

    /// Counts a group of events, of which the first is the leader, during a short piece of work; returns for how much
    /// of the time all of them counted.
    fn try_out(&self, group: &[Self::Open]) -> Ran;
}

/// How much of a trial all events of a group counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    Whole,
    /// Part of the time: the events took turns with those of another user of the counters.
    Part,
    Never,
}

/// Reason why an event is in no set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The kernel refuses the event alone, with this error number.
    Refused(i32),
    /// The event is in a requested group that does not fit into the counters.
    NotTogether,
    /// The event can be opened, but never counts: another user holds its counters.
    NeverRuns,
}

/// A list of events divided into sets that take turns; the events of each set can be counted at the same time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rotation {
    /// Sets of indices into the list of events. Software events, which need no counter of the processor, are in every
    /// set. The events of a set on one device form one group, whose leader is the first of them.
    pub sets: Vec<Vec<usize>>,
    /// Indices of the events that are in no set, with the reason.
    pub misfits: Vec<(usize, Misfit)>,
}

/// Finds sets of these events that can be counted at the same time on this machine, by trials on the calling thread of
/// about a millisecond per set.
pub fn rotation(events: &[Resolved]) -> Rotation {
    rotation_of(&Kernel, events)
}

/// Works like [`rotation`] on counters other than the kernel's, such as simulated ones in a test.
pub fn rotation_of<C: Counters>(counters: &C, events: &[Resolved]) -> Rotation {
    let mut rotation = Rotation::default();
    let mut always = Vec::new();
    let mut columns: Vec<Vec<Vec<usize>>> = Vec::new();
    for (device, units) in by_device(events) {
        let mut packer = Packer { counters, events, misfits: &mut rotation.misfits };
        match device {
            None => always.extend(packer.alone(units)),
            Some(_) => columns.push(packer.sets(units)),
        }
    }
    rotation.sets = side_by_side(&always, &columns);
    rotation.misfits.sort_by_key(|(index, _)| *index);
    rotation
}

/// Events that have to be counted together: a single event, or a requested group.
type Unit = Vec<usize>;

/// Returns the units by device; the units under `None` need no counters. A group belongs to the device of its first
/// member that has one.
fn by_device(events: &[Resolved]) -> BTreeMap<Option<&str>, Vec<Unit>> {
    let mut units: Vec<Unit> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let same = |unit: &&mut Unit| event.group.is_some() && events[unit[0]].group == event.group;
        match units.iter_mut().find(same) {
            Some(unit) => unit.push(index),
            None => units.push(vec![index]),
        }
    }
    let mut devices: BTreeMap<Option<&str>, Vec<Unit>> = BTreeMap::new();
    for unit in units {
        let device = unit.iter().find_map(|&index| events[index].device.as_deref());
        devices.entry(device).or_default().push(unit);
    }
    devices
}

/// Combines `columns`, the sets of each device, with `always`, the events that need no counter. Devices count in
/// parallel, so there are as many combined sets as the device with the most sets has; a device with fewer repeats its
/// sets.
fn side_by_side(always: &[usize], columns: &[Vec<Vec<usize>>]) -> Vec<Vec<usize>> {
    let columns: Vec<_> = columns.iter().filter(|sets| !sets.is_empty()).collect();
    let software = usize::from(!always.is_empty());
    let count = columns.iter().map(|sets| sets.len()).max().unwrap_or(software);
    let set = |row: usize| {
        let hardware = columns.iter().flat_map(|sets| &sets[row % sets.len()]);
        hardware.chain(always).copied().collect()
    };
    (0..count).map(set).collect()
}

struct Bin<O> {
    units: Vec<Unit>,
    /// Open events of the set, of which the first is the leader of the group.
    open: Vec<O>,
}

struct Packer<'a, C> {
    counters: &'a C,
    events: &'a [Resolved],
    misfits: &'a mut Vec<(usize, Misfit)>,
}

impl<C: Counters> Packer<'_, C> {
    /// Returns the events that need no counter, without those that the kernel refuses.
    fn alone(&mut self, units: Vec<Unit>) -> Vec<usize> {
        units.into_iter().filter_map(|unit| self.bin(unit)).flat_map(|bin| bin.units).flatten().collect()
    }

    fn sets(&mut self, units: Vec<Unit>) -> Vec<Vec<usize>> {
        let mut bins: Vec<Bin<C::Open>> = Vec::new();
        for unit in units {
            if !bins.iter_mut().any(|bin| self.join(bin, &unit)) {
                bins.extend(self.bin(unit));
            }
        }
        // All events are closed first, so that no other set is open while a set is tried, as when it is counted.
        let sets: Vec<Vec<Unit>> = bins.into_iter().map(|bin| bin.units).collect();
        sets.into_iter().flat_map(|units| self.that_run(units)).map(|units| units.concat()).collect()
    }

    /// Creates a set of one unit. If the kernel refuses the unit, its events become misfits and `None` is returned.
    fn bin(&mut self, unit: Unit) -> Option<Bin<C::Open>> {
        let mut bin = Bin { units: Vec::new(), open: Vec::new() };
        if self.join(&mut bin, &unit) {
            return Some(bin);
        }
        let why: Vec<_> = unit.iter().map(|&index| (index, self.why_alone(index))).collect();
        self.misfits.extend(why);
        None
    }

    /// Returns why the unit of an event was refused: the kernel refuses the event alone, or only together with its
    /// group.
    fn why_alone(&self, index: usize) -> Misfit {
        match self.counters.open(&self.events[index].event, None) {
            Ok(_) => Misfit::NotTogether,
            Err(errno) => Misfit::Refused(errno),
        }
    }

    /// Adds a unit to a set, completely or not at all; returns whether it was added.
    fn join(&self, bin: &mut Bin<C::Open>, unit: &Unit) -> bool {
        let before = bin.open.len();
        for &index in unit {
            match self.counters.open(&self.events[index].event, bin.open.first()) {
                Ok(open) => bin.open.push(open),
                Err(_) => {
                    bin.open.truncate(before);
                    return false;
                }
            }
        }
        bin.units.push(unit.clone());
        true
    }

    /// Divides units that the kernel accepted as one set into sets that really count. The kernel accepts a group if the
    /// processor has enough counters, even if others hold some of them, so a set that does not count all the time is
    /// halved until its parts do.
    fn that_run(&mut self, units: Vec<Unit>) -> Vec<Vec<Unit>> {
        let is_last = units.len() == 1;
        match self.try_out(&units) {
            Ran::Whole => vec![units],
            // Another user shares the counter in turns. The event is kept, since each run records for how much of its
            // time the event counted.
            Ran::Part if is_last => vec![units],
            Ran::Never if is_last => {
                self.misfits.extend(units.concat().into_iter().map(|index| (index, Misfit::NeverRuns)));
                Vec::new()
            }
            Ran::Part | Ran::Never => {
                let (left, right) = units.split_at(units.len() / 2);
                let mut halves = self.that_run(left.to_vec());
                halves.extend(self.that_run(right.to_vec()));
                halves
            }
        }
    }

    fn try_out(&self, units: &[Unit]) -> Ran {
        // An event of one kind of cores does not count while the thread happens to be on another kind, so a trial would
        // prove nothing.
        if units.iter().flatten().any(|&index| self.events[index].is_partial) {
            return Ran::Whole;
        }
        let mut bin = Bin { units: Vec::new(), open: Vec::new() };
        let is_open = units.iter().all(|unit| self.join(&mut bin, unit));
        if is_open { self.counters.try_out(&bin.open) } else { Ran::Part }
    }
}

#[cfg(test)]
mod tests;
