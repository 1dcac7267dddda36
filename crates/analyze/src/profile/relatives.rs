//! Direct and indirect callers and callees of a function.

use std::collections::HashMap;

use fauxplat_model::{ProfileFindings, ProfiledStack, Relative, Relatives, Weight};
use regex::Regex;

use super::functions::Functions;
use super::{share, whole};

/// Callers of the functions that match a pattern: every function above one of them in a stack. `profile` is the index
/// of the profile in `found`.
pub fn callers_of(found: &ProfileFindings, profile: u16, pattern: &Regex) -> Relatives {
    relatives(found, profile, pattern, Direction::Callers)
}

/// Callees of the functions that match a pattern: every function below one of them in a stack. `profile` is the index
/// of the profile in `found`.
pub fn callees_of(found: &ProfileFindings, profile: u16, pattern: &Regex) -> Relatives {
    relatives(found, profile, pattern, Direction::Callees)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Callers,
    Callees,
}

/// Distance, in calls, of a caller or callee from the nearest matching function of a stack.
#[derive(Clone, Copy)]
struct Near {
    depth: u32,
    is_inlined: bool,
}

fn relatives(found: &ProfileFindings, profile: u16, pattern: &Regex, direction: Direction) -> Relatives {
    let functions = Functions::of(&found.frames);
    let is_meant: Vec<bool> =
        (0..functions.all.len()).map(|function| functions.is_found(function, pattern)).collect();
    let at = usize::from(profile);
    let mut matched = Weight::default();
    let mut kin: HashMap<usize, (Weight, Near)> = HashMap::new();
    for stack in &found.stacks {
        let weight = stack.weight(at);
        let frames = frames_of(stack, found, &functions);
        if weight.samples == 0 || !frames.iter().any(|&(function, _)| is_meant[function]) {
            continue;
        }
        matched += weight;
        for (function, near) in nearest(&frames, &is_meant, direction) {
            let entry = kin.entry(function).or_insert((Weight::default(), near));
            entry.0 += weight;
            if near.depth < entry.1.depth {
                entry.1 = near;
            }
        }
    }
    let of_all = share(matched, whole(found, at));
    let mut relatives: Vec<Relative> = kin
        .into_iter()
        .map(|(function, (weight, near))| {
            let of_matched = share(weight, matched);
            Relative {
                name: functions.all[function].0.clone(),
                samples: weight.samples,
                share: of_matched.share,
                low: of_matched.low,
                high: of_matched.high,
                depth: near.depth,
                is_inlined: near.is_inlined,
            }
        })
        .collect();
    relatives.sort_by(|a, b| {
        a.depth.cmp(&b.depth).then(b.share.total_cmp(&a.share)).then_with(|| a.name.cmp(&b.name))
    });
    let mut meant: Vec<String> = functions
        .all
        .iter()
        .zip(&is_meant)
        .filter(|(_, is)| **is)
        .map(|((name, _), _)| name.clone())
        .collect();
    meant.sort();
    meant.dedup();
    Relatives {
        profile,
        pattern: pattern.as_str().to_owned(),
        functions: meant,
        samples: matched.samples,
        share: of_all.share,
        low: of_all.low,
        high: of_all.high,
        relatives,
    }
}

/// The functions of a stack, the outermost first, each with whether it is inlined into its caller.
fn frames_of(stack: &ProfiledStack, found: &ProfileFindings, functions: &Functions) -> Vec<(usize, bool)> {
    let one = |&frame: &u32| {
        let function = *functions.of_frame.get(frame as usize)?;
        Some((function, found.frames[frame as usize].is_inlined))
    };
    stack.frames.iter().filter_map(one).collect()
}

/// Every caller or callee in a stack with its smallest distance to a matching function, without another matching
/// function between them.
fn nearest(frames: &[(usize, bool)], is_meant: &[bool], direction: Direction) -> HashMap<usize, Near> {
    let mut kin: HashMap<usize, Near> = HashMap::new();
    let mut note = |function: usize, near: Near| {
        let known = kin.entry(function).or_insert(near);
        if near.depth < known.depth {
            *known = near;
        }
    };
    // Distance to the last matching function, and whether the call next to it was inlined.
    let mut last: Option<Near> = None;
    let mut step = |(function, is_inlined, before_is_inlined): (usize, bool, bool)| {
        if is_meant[function] {
            last = Some(Near { depth: 0, is_inlined: false });
            return;
        }
        let Some(near) = &mut last else { return };
        near.depth += 1;
        if near.depth == 1 {
            near.is_inlined = if direction == Direction::Callers { before_is_inlined } else { is_inlined };
        }
        note(function, *near);
    };
    let inlined_below = |at: usize| frames.get(at + 1).is_some_and(|&(_, is_inlined)| is_inlined);
    let one = |at: usize| (frames[at].0, frames[at].1, inlined_below(at));
    match direction {
        Direction::Callers => (0..frames.len()).rev().map(one).for_each(&mut step),
        Direction::Callees => (0..frames.len()).map(one).for_each(&mut step),
    }
    kin
}
