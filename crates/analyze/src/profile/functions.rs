//! Shares of the functions in the samples of a profile.

use std::collections::{HashMap, HashSet};

use fauxplat_model::{FunctionShare, ProfileFindings, ProfiledFrame, Weight};

use regex::Regex;

use super::{share, whole};

/// The distinct functions of all frames, numbered, so that stacks are searched by number.
pub(super) struct Functions {
    /// For each frame, the index of its function in `all`.
    pub(super) of_frame: Vec<usize>,
    /// Name of each function and index of the file that contains its code.
    pub(super) all: Vec<(String, Option<u32>)>,
    aliases: Vec<HashSet<String>>,
}

impl Functions {
    pub(super) fn of(frames: &[ProfiledFrame]) -> Self {
        let mut numbers: HashMap<(&str, Option<u32>), usize> = HashMap::new();
        let (mut all, mut aliases, mut of_frame) = (Vec::new(), Vec::<HashSet<String>>::new(), Vec::new());
        for frame in frames {
            let number = *numbers.entry((&frame.name, frame.object)).or_insert(all.len());
            if number == all.len() {
                all.push((frame.name.clone(), frame.object));
                aliases.push(HashSet::new());
            }
            aliases[number].extend(frame.aliases.iter().cloned());
            of_frame.push(number);
        }
        Functions { of_frame, all, aliases }
    }

    pub(super) fn is_found(&self, function: usize, pattern: &Regex) -> bool {
        pattern.is_match(&self.all[function].0)
            || self.aliases[function].iter().any(|name| pattern.is_match(name))
    }
}

/// Computes the functions of every profile in `found`, those with the largest own share first, and the intervals of the
/// shares of processes.
pub fn shares(found: &mut ProfileFindings) {
    let functions = Functions::of(&found.frames);
    for at in 0..found.profiles.len() {
        let counts = counts(found, &functions, at);
        let all = whole(found, at);
        let profile = &mut found.profiles[at];
        let one = |((name, object), Seen { own, total, inlined }): (&(String, Option<u32>), Seen)| {
            let (own_share, total_share) = (share(own, all), share(total, all));
            FunctionShare {
                name: name.clone(),
                object: *object,
                self_samples: own.samples,
                self_share: own_share.share,
                self_low: own_share.low,
                self_high: own_share.high,
                total_samples: total.samples,
                inlined_samples: inlined,
                total_share: total_share.share,
                total_low: total_share.low,
                total_high: total_share.high,
            }
        };
        for process in &mut profile.processes {
            let weight = Weight::evenly(process.samples, process.events.unwrap_or(process.samples));
            process.interval = Some(share(weight, all).ends());
        }
        let seen = functions.all.iter().zip(counts).filter(|(_, seen)| seen.total.samples > 0);
        profile.functions = seen.map(one).collect();
        profile.functions.sort_by(|a, b| {
            let order = b.self_share.total_cmp(&a.self_share).then(b.total_share.total_cmp(&a.total_share));
            order.then_with(|| a.name.cmp(&b.name))
        });
    }
}

#[derive(Clone, Copy, Default)]
struct Seen {
    own: Weight,
    total: Weight,
    /// Number of samples in whose stack the function occurs only inlined into its callers.
    inlined: u64,
}

/// Samples of each function alone, and with its callees. A stack counts once for a function that occurs several times
/// in it.
fn counts(found: &ProfileFindings, functions: &Functions, profile: usize) -> Vec<Seen> {
    let mut counts = vec![Seen::default(); functions.all.len()];
    let mut outlined_in = vec![usize::MAX; functions.all.len()];
    let mut seen_in = vec![usize::MAX; functions.all.len()];
    for (number, stack) in found.stacks.iter().enumerate() {
        let weight = stack.weight(profile);
        let one = |&frame: &u32| {
            let place = frame as usize;
            Some((*functions.of_frame.get(place)?, found.frames[place].is_inlined))
        };
        let of_stack = || stack.frames.iter().filter_map(one);
        of_stack().filter(|(_, is_inlined)| !is_inlined).for_each(|(it, _)| outlined_in[it] = number);
        for (function, _) in of_stack() {
            if seen_in[function] != number {
                seen_in[function] = number;
                let seen = &mut counts[function];
                seen.total += weight;
                seen.inlined += if outlined_in[function] == number { 0 } else { weight.samples };
            }
        }
        if let Some((last, _)) = of_stack().next_back() {
            counts[last].own += weight;
        }
    }
    counts
}

pub(super) fn samples(of_profiles: &[u64], profile: usize) -> u64 {
    of_profiles.get(profile).copied().unwrap_or(0)
}
