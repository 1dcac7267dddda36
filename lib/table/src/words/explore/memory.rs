//! The simulated memory: messages with views.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use super::{Handle, State, THREADS};
use crate::error::Error;
use crate::layout::{At32, At64};
use crate::memory::Memory;

/// For each location the time of the oldest message that may still be read.
type View = BTreeMap<usize, usize>;

fn join(into: &mut View, from: &View) {
    for (&location, &time) in from {
        let mine = into.entry(location).or_default();
        *mine = time.max(*mine);
    }
}

#[derive(Clone, Default)]
struct Message {
    value: u64,
    /// What a reader with acquire strength comes to know.
    view: View,
}

/// What a thread knows.
#[derive(Clone, Default)]
struct Knowledge {
    now: View,
    /// Views of messages read without acquire strength: an acquire fence makes them known.
    pending: View,
    /// What was known at the last release fence: relaxed stores carry it.
    fenced: View,
}

#[derive(Default)]
pub(super) struct Store {
    /// Per location its messages in modification order. The first one is the zero of a fresh page.
    messages: BTreeMap<usize, Vec<Message>>,
    threads: [Knowledge; THREADS],
}

impl Store {
    /// Everybody learns everything, as at the start and the end of threads.
    pub(super) fn meet(&mut self) {
        let latest: View =
            self.messages.iter().map(|(&location, messages)| (location, messages.len() - 1)).collect();
        for thread in &mut self.threads {
            *thread = Knowledge { now: latest.clone(), pending: View::new(), fenced: View::new() };
        }
    }

    fn messages(&mut self, location: usize) -> &mut Vec<Message> {
        self.messages.entry(location).or_insert_with(|| vec![Message::default()])
    }

    fn learn(&mut self, thread: usize, location: usize, time: usize, order: Ordering) {
        let view = self.messages(location)[time].view.clone();
        let knowledge = &mut self.threads[thread];
        let seen = knowledge.now.entry(location).or_default();
        *seen = time.max(*seen);
        let into = if acquires(order) { &mut knowledge.now } else { &mut knowledge.pending };
        join(into, &view);
    }

    /// Appends a message; `after` is the message that a read-modify-write replaced, whose release
    /// sequence it continues.
    fn append(&mut self, thread: usize, location: usize, value: u64, order: Ordering, after: Option<usize>) {
        let time = self.messages(location).len();
        let mut view = after.map(|read| self.messages(location)[read].view.clone()).unwrap_or_default();
        let knowledge = &mut self.threads[thread];
        knowledge.now.insert(location, time);
        join(&mut view, if releases(order) { &knowledge.now } else { &knowledge.fenced });
        view.insert(location, time);
        self.messages(location).push(Message { value, view });
    }
}

fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

impl State {
    /// Chooses one of the messages, newest first; only the newest is free of charge.
    fn pick(&mut self, mut times: Vec<usize>, newest: usize) -> usize {
        if self.left.stale == 0 {
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
        let newest = self.store.messages(location).len() - 1;
        let oldest = self.store.threads[thread].now.get(&location).copied().unwrap_or(0);
        let time = self.pick((oldest..=newest).rev().collect(), newest);
        self.store.learn(thread, location, time, order);
        self.store.messages(location)[time].value
    }

    /// A successful exchange reads the newest message; a failing one any visible one that differs.
    fn exchange(
        &mut self,
        thread: usize,
        location: usize,
        (old, new): (u64, u64),
        (ok, err): (Ordering, Ordering),
    ) -> Result<u64, u64> {
        let newest = self.store.messages(location).len() - 1;
        let oldest = self.store.threads[thread].now.get(&location).copied().unwrap_or(0);
        let visible = (oldest..=newest).rev();
        let messages = self.store.messages(location);
        let times: Vec<usize> =
            visible.filter(|&time| time == newest || messages[time].value != old).collect();
        let time = self.pick(times, newest);
        let value = self.store.messages(location)[time].value;
        if time != newest || value != old {
            self.store.learn(thread, location, time, err);
            return Err(value);
        }
        self.store.learn(thread, location, time, ok);
        self.store.append(thread, location, new, ok, Some(time));
        Ok(old)
    }
}

impl Memory for Handle<'_> {
    fn load32(self, at: At32, order: Ordering) -> u32 {
        self.step(|state, thread| state.load(thread, at.offset(), order)) as u32
    }
    fn store32(self, at: At32, word: u32, order: Ordering) {
        self.step(|state, thread| state.store.append(thread, at.offset(), u64::from(word), order, None));
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
        self.step(|state, thread| state.store.append(thread, at.offset(), word, order, None));
    }
    fn exchange64(self, at: At64, old: u64, new: u64, ok: Ordering, err: Ordering) -> Result<u64, u64> {
        self.step(|state, thread| state.exchange(thread, at.offset(), (old, new), (ok, err)))
    }
    fn fetch_add64(self, at: At64, delta: u64, order: Ordering) -> u64 {
        self.step(|state, thread| {
            let location = at.offset();
            let newest = state.store.messages(location).len() - 1;
            let value = state.store.messages(location)[newest].value;
            state.store.learn(thread, location, newest, order);
            state.store.append(thread, location, value.wrapping_add(delta), order, Some(newest));
            value
        })
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
    fn reserve(self, _offset: usize, _bytes: usize) -> Result<(), Error> {
        Ok(())
    }
}
