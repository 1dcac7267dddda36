//! The stacks of all samples, each stored once and with a number; samples are then only counted by that number.

use std::collections::HashMap;

use fauxplat_model::StackEnd;

use crate::objects::ObjectId;

/// An address in code: its object, and the address within the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CodeAddress {
    pub(crate) object: ObjectId,
    pub(crate) address: u64,
}

/// A stack of addresses, with its process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RawStack {
    /// Indices into the list of all code addresses, from the innermost function to the outermost.
    pub(crate) places: Box<[u32]>,
    /// Name of the process, as an index into the list of process names.
    pub(crate) process: u32,
    pub(crate) end: StackEnd,
}

/// All code addresses (the places), process names and stacks that were seen, each of them once and with a number.
#[derive(Debug, Default)]
pub(crate) struct Stacks {
    places: Interned<CodeAddress>,
    names: Interned<String>,
    stacks: Interned<RawStack>,
}

impl Stacks {
    pub(crate) fn place(&mut self, place: CodeAddress) -> u32 {
        self.places.number(place)
    }

    pub(crate) fn name(&mut self, name: &str) -> u32 {
        match self.names.numbers.get(name) {
            Some(&known) => known,
            None => self.names.number(name.to_owned()),
        }
    }

    pub(crate) fn stack(&mut self, stack: RawStack) -> u32 {
        self.stacks.number(stack)
    }

    pub(crate) fn places(&self) -> Vec<CodeAddress> {
        self.places.in_order().copied().collect()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.names.in_order().cloned().collect()
    }

    pub(crate) fn all(&self) -> Vec<&RawStack> {
        self.stacks.in_order().collect()
    }
}

/// A table that numbers values in the order in which they were first seen.
#[derive(Debug)]
struct Interned<T> {
    numbers: HashMap<T, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Interned { numbers: HashMap::new() }
    }
}

impl<T: Eq + std::hash::Hash> Interned<T> {
    fn number(&mut self, thing: T) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(thing).or_insert(next)
    }

    fn in_order(&self) -> impl Iterator<Item = &T> {
        let mut all: Vec<(&T, u32)> = self.numbers.iter().map(|(thing, &number)| (thing, number)).collect();
        all.sort_unstable_by_key(|(_, number)| *number);
        all.into_iter().map(|(thing, _)| thing)
    }
}
