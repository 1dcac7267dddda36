//! The simulated memory: messages with views.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use super::{Handle, State, THREADS};
use crate::error::Error;
use crate::layout::{At32, At64};
use crate::memory::Memory;

/// A place in the modification order of a location. Between two places there is always room for a later store.
type Time = u64;

/// Distance in time between two successive stores.
const STEP: Time = 1 << 32;

/// For each location, the time of the oldest message that may still be read.
type View = BTreeMap<usize, Time>;

fn join(into: &mut View, from: &View) {
    for (&location, &time) in from {
        let mine = into.entry(location).or_default();
        *mine = time.max(*mine);
    }
}

#[derive(Clone, Default)]
struct Message {
    value: u64,
    /// The view that a reader with acquire strength takes over.
    view: View,
    /// A read-modify-write replaced the previous message: nothing comes between the two.
    replaces: bool,
}

/// Views of a thread, which limit the messages that it may read.
#[derive(Clone, Default)]
struct Knowledge {
    now: View,
    /// Views of messages read without acquire strength: an acquire fence makes them known.
    pending: View,
    /// The view at the last release fence, which relaxed stores carry.
    fenced: View,
}

#[derive(Default)]
pub(super) struct Store {
    /// Messages of each location in modification order. The first one is the zero of a fresh page.
    messages: BTreeMap<usize, BTreeMap<Time, Message>>,
    threads: [Knowledge; THREADS],
}

impl Store {
    /// Synchronises all threads, as at the start and the end of threads.
    pub(super) fn meet(&mut self) {
        let last = |messages: &BTreeMap<Time, Message>| messages.keys().next_back().copied().unwrap_or(0);
        let latest: View =
            self.messages.iter().map(|(&location, messages)| (location, last(messages))).collect();
        for thread in &mut self.threads {
            *thread = Knowledge { now: latest.clone(), pending: View::new(), fenced: View::new() };
        }
    }

    fn messages(&mut self, location: usize) -> &mut BTreeMap<Time, Message> {
        self.messages.entry(location).or_insert_with(|| BTreeMap::from([(0, Message::default())]))
    }

    /// Returns the messages that a thread may read, newest first.
    fn visible(&mut self, thread: usize, location: usize) -> Vec<Time> {
        let oldest = self.threads[thread].now.get(&location).copied().unwrap_or(0);
        self.messages(location).range(oldest..).rev().map(|(&time, _)| time).collect()
    }

    /// Returns the visible messages after which a store of the thread may be placed.
    fn open(&mut self, thread: usize, location: usize) -> Vec<Time> {
        let mut times = self.visible(thread, location);
        let messages = self.messages(location);
        let next = |time: Time| messages.range(time + 1..).next().map(|(_, message)| message.replaces);
        times.retain(|&time| next(time) != Some(true));
        times
    }

    fn value(&mut self, location: usize, time: Time) -> u64 {
        self.messages(location)[&time].value
    }

    fn learn(&mut self, thread: usize, location: usize, time: Time, order: Ordering) {
        let view = self.messages(location)[&time].view.clone();
        let knowledge = &mut self.threads[thread];
        let seen = knowledge.now.entry(location).or_default();
        *seen = time.max(*seen);
        let into = if acquires(order) { &mut knowledge.now } else { &mut knowledge.pending };
        join(into, &view);
    }

    /// Places a message after another. If it belongs to a read-modify-write, it replaces that message and continues its
    /// release sequence.
    fn place(&mut self, thread: usize, location: usize, word: (u64, Ordering), after: Time, replaces: bool) {
        let (value, order) = word;
        let next = self.messages(location).range(after + 1..).next().map(|(&time, _)| time);
        let time = next.map_or(after + STEP, |next| after + (next - after) / 2);
        assert!(time > after, "no room between two stores");
        let mut view = if replaces { self.messages(location)[&after].view.clone() } else { View::new() };
        let knowledge = &mut self.threads[thread];
        knowledge.now.insert(location, time);
        join(&mut view, if releases(order) { &knowledge.now } else { &knowledge.fenced });
        view.insert(location, time);
        self.messages(location).insert(time, Message { value, view, replaces });
    }
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

impl State {
    /// Chooses one of the messages, newest first. Any other than the newest uses up the allowance of stale reads.
    fn pick(&mut self, mut times: Vec<Time>, newest: Time) -> Time {
        if self.left.stale == 0 && times.contains(&newest) {
            times.retain(|&time| time == newest);
        }
        let Some(&fallback) = times.first() else { return newest };
        let of = times.len() as u32;
        let time = times.get(self.choose(of) as usize).copied().unwrap_or(fallback);
        if time != newest {
            self.left.stale = self.left.stale.saturating_sub(1);
        }
        time
    }

    fn load(&mut self, thread: usize, location: usize, order: Ordering) -> u64 {
        self.touch(location);
        let times = self.store.visible(thread, location);
        let time = self.pick(times.clone(), times[0]);
        self.store.learn(thread, location, time, order);
        self.store.value(location, time)
    }

    /// Places a store after all others, or before some that its thread has not seen.
    fn put(&mut self, thread: usize, location: usize, value: u64, order: Ordering) {
        self.touch(location);
        let newest = self.store.visible(thread, location)[0];
        let open = self.store.open(thread, location);
        let after = self.pick(open, newest);
        self.store.place(thread, location, (value, order), after, false);
    }

    /// Exchanges a word. A success reads a message after which there is room; a failure reads any visible message with
    /// another value.
    fn exchange(
        &mut self,
        thread: usize,
        location: usize,
        (old, new): (u64, u64),
        (ok, err): (Ordering, Ordering),
    ) -> Result<u64, u64> {
        self.touch(location);
        let mut times = self.store.visible(thread, location);
        let (newest, open) = (times[0], self.store.open(thread, location));
        times.retain(|&time| self.store.value(location, time) != old || open.contains(&time));
        let time = self.pick(times, newest);
        let value = self.store.value(location, time);
        if value != old {
            self.store.learn(thread, location, time, err);
            return Err(value);
        }
        self.store.learn(thread, location, time, ok);
        self.store.place(thread, location, (new, ok), time, true);
        Ok(old)
    }

    /// Decides whether the file system refuses a page, as often as the bounds allow.
    fn refuse(&mut self) -> bool {
        let refused = self.left.refusals > 0 && self.choose(2) == 1;
        self.left.refusals -= u32::from(refused);
        refused
    }
}

impl Memory for Handle<'_> {
    fn load32(self, at: At32, order: Ordering) -> u32 {
        self.step(|state, thread| state.load(thread, at.offset(), order)) as u32
    }
    fn store32(self, at: At32, word: u32, order: Ordering) {
        self.step(|state, thread| state.put(thread, at.offset(), u64::from(word), order));
    }
    fn exchange32(self, at: At32, old: u32, new: u32, ok: Ordering, err: Ordering) -> Result<u32, u32> {
        let words = (u64::from(old), u64::from(new));
        self.step(|state, thread| state.exchange(thread, at.offset(), words, (ok, err)))
            .map(|word| word as u32)
            .map_err(|word| word as u32)
    }
    fn load64(self, at: At64, order: Ordering) -> u64 {
        self.step(|state, thread| state.load(thread, at.offset(), order))
    }
    fn store64(self, at: At64, word: u64, order: Ordering) {
        self.step(|state, thread| state.put(thread, at.offset(), word, order));
    }
    fn exchange64(self, at: At64, old: u64, new: u64, ok: Ordering, err: Ordering) -> Result<u64, u64> {
        self.step(|state, thread| state.exchange(thread, at.offset(), (old, new), (ok, err)))
    }
    /// A fence changes only what its own thread knows, so nothing needs to be tried before it.
    fn fence(self, order: Ordering) {
        let mut state = self.machine.lock();
        let knowledge = &mut state.store.threads[self.thread];
        if acquires(order) {
            let pending = std::mem::take(&mut knowledge.pending);
            join(&mut knowledge.now, &pending);
        }
        if releases(order) {
            knowledge.fenced = knowledge.now.clone();
        }
    }
    fn reserve(self, offset: usize, bytes: usize) -> Result<(), Error> {
        let mut state = self.machine.lock();
        if state.refuse() {
            return Err(Error::NoSpace { source: std::io::ErrorKind::StorageFull.into() });
        }
        if let Some(pages) = &mut state.pages {
            pages.push((offset, bytes));
        }
        Ok(())
    }
}
