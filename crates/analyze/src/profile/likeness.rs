//! Similarity of functions of two programs by their callers, their callees, and their share of the time.

use std::collections::HashMap;
use std::hash::Hash;

use fauxplat_model::ProfileFindings;

use super::functions::samples;

/// Minimum overlap of the shares of callers, and of the shares of callees, with which two functions count as alike.
const CALLERS_MIN: f64 = 0.8;
const CALLEES_MIN: f64 = 0.6;
/// Maximum ratio between the shares of the time of two functions that count as alike.
const RATIO_MAX: f64 = 2.0;
/// Maximum number of functions of one program alone that are compared: the ones with the most samples, since functions
/// with few samples cannot be told apart.
const ALONE_MAX: usize = 500;
/// Minimum share of a function's samples that come from a caller for it to be the main caller.
const MAIN_MIN: f64 = 0.9;

/// Callers and callees of each function in a profile, with the number of samples of each call.
pub(super) struct Neighbours {
    callers: HashMap<usize, HashMap<Option<usize>, u64>>,
    /// Number of samples of each function by callee; for samples in the function's own code, the callee is the function
    /// itself.
    callees: HashMap<usize, HashMap<usize, u64>>,
    totals: HashMap<usize, u64>,
    all: u64,
}

impl Neighbours {
    pub(super) fn of(found: &ProfileFindings, of_frame: &[usize], profile: usize) -> Self {
        let mut it =
            Neighbours { callers: HashMap::new(), callees: HashMap::new(), totals: HashMap::new(), all: 0 };
        for stack in &found.stacks {
            let samples = samples(&stack.samples, profile);
            let frames = stack.frames.iter().filter_map(|&frame| of_frame.get(frame as usize).copied());
            let mut here: Vec<usize> = frames.collect();
            // A function that calls itself directly counts as called from the caller of its first call.
            here.dedup();
            if samples > 0 {
                it.add(&here, samples);
            }
        }
        it
    }

    fn add(&mut self, stack: &[usize], samples: u64) {
        self.all += samples;
        for (at, &function) in stack.iter().enumerate() {
            if stack[..at].contains(&function) {
                continue;
            }
            *self.totals.entry(function).or_default() += samples;
            let caller = at.checked_sub(1).map(|above| stack[above]);
            *self.callers.entry(function).or_default().entry(caller).or_default() += samples;
            let callee = stack.get(at + 1).copied().unwrap_or(function);
            *self.callees.entry(function).or_default().entry(callee).or_default() += samples;
        }
    }

    /// Number of samples in the function or in functions that it calls.
    pub(super) fn total(&self, function: usize) -> u64 {
        self.totals.get(&function).copied().unwrap_or(0)
    }

    /// The caller from which at least [`MAIN_MIN`] of a function's samples come; `None` if there is none.
    pub(super) fn main_caller(&self, function: usize) -> Option<usize> {
        let callers = self.callers.get(&function)?;
        let all: u64 = callers.values().sum();
        let (caller, most) = callers.iter().max_by_key(|it| *it.1)?;
        (*most as f64 >= MAIN_MIN * all as f64).then_some(*caller).flatten()
    }

    /// Caller with the most samples; among equals the one with the lowest number, so that the result is deterministic.
    fn first_caller(&self, function: usize) -> Option<usize> {
        let callers = self.callers.get(&function)?;
        let most = callers.iter().max_by_key(|&(caller, &samples)| (samples, std::cmp::Reverse(*caller)));
        most.and_then(|(caller, _)| *caller)
    }

    fn share(&self, function: usize) -> f64 {
        self.total(function) as f64 / self.all.max(1) as f64
    }
}

/// Functions that only the first program has, and functions that only the second has, each with the most samples first.
pub(super) type Alone = [Vec<usize>; 2];

/// Pairs of a function that only the first program has with a function that only the second has, where both are alike,
/// and alike to no third function.
pub(super) fn pairs(of: &[Neighbours; 2], alone: &Alone) -> Vec<(usize, usize)> {
    let mut by_caller: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for &new in alone[1].iter().take(ALONE_MAX) {
        by_caller.entry(of[1].first_caller(new)).or_default().push(new);
    }
    let mut like = Vec::new();
    for &gone in alone[0].iter().take(ALONE_MAX) {
        let candidates = by_caller.get(&of[0].first_caller(gone)).into_iter().flatten();
        like.extend(candidates.filter(|&&new| are_alike(of, alone, gone, new)).map(|&new| (gone, new)));
    }
    let is_only =
        |&(gone, new): &(usize, usize)| like.iter().filter(|it| it.0 == gone || it.1 == new).count() == 1;
    like.iter().copied().filter(is_only).collect()
}

fn are_alike(of: &[Neighbours; 2], alone: &Alone, gone: usize, new: usize) -> bool {
    let (first, second) = (of[0].share(gone), of[1].share(new));
    if first > RATIO_MAX * second || second > RATIO_MAX * first {
        return false;
    }
    let callers =
        common(of[0].callers.get(&gone), of[1].callers.get(&new), |_, caller| Neighbour::Known(caller));
    // The samples in the functions' own code correspond to each other, and callees that only one program has may be
    // renamed too.
    let callees = common(of[0].callees.get(&gone), of[1].callees.get(&new), |side, callee| match callee {
        own if own == [gone, new][side] => Neighbour::Own,
        other if alone[side].contains(&other) => Neighbour::Unknown,
        known => Neighbour::Known(known),
    });
    callers >= CALLERS_MIN && callees >= CALLEES_MIN
}

/// A caller or callee in a form that is comparable between the two programs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Neighbour<K> {
    Own,
    Known(K),
    /// A function that only one of the programs has. Two such functions, one in each program, may be the same one
    /// renamed.
    Unknown,
}

fn common<K: Copy + Eq + Hash>(
    first: Option<&HashMap<K, u64>>,
    second: Option<&HashMap<K, u64>>,
    place: impl Fn(usize, K) -> Neighbour<K>,
) -> f64 {
    let shares = |side: usize, of: Option<&HashMap<K, u64>>| -> HashMap<Neighbour<K>, f64> {
        let all = of.map_or(0, |of| of.values().sum::<u64>()).max(1) as f64;
        let mut shares = HashMap::new();
        for (&key, &samples) in of.into_iter().flatten() {
            *shares.entry(place(side, key)).or_default() += samples as f64 / all;
        }
        shares
    };
    let (first, second) = (shares(0, first), shares(1, second));
    first.iter().map(|(place, share)| share.min(second.get(place).copied().unwrap_or(0.0))).sum()
}
