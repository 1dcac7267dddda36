//! Which function of one program is which of another.

use std::collections::HashMap;

use fauxplat_model::ProfileFindings;

use super::functions::{Functions, samples};

/// Functions of two profiles, each once, whatever a compiler added to its name.
pub(super) struct Canon {
    of_frame: Vec<usize>,
    /// What each is called in the first profile and in the second.
    names: Vec<[Option<String>; 2]>,
    profiles: [usize; 2],
}

impl Canon {
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    pub(super) fn of_frame(&self, frame: u32) -> Option<usize> {
        self.of_frame.get(frame as usize).copied()
    }

    /// Whether one of the two profiles has samples of it under this number.
    pub(super) fn is_present(&self, function: usize) -> bool {
        self.names[function].iter().any(Option::is_some)
    }

    /// Its name, and what it is called in the second profile if that is another.
    pub(super) fn names(&self, function: usize) -> (String, Option<String>) {
        match self.names[function].clone() {
            [Some(first), Some(second)] if first != second => (first, Some(second)),
            [Some(name), _] | [None, Some(name)] => (name, None),
            [None, None] => (String::new(), None),
        }
    }

    /// Who calls it most, in the second profile or in the first.
    pub(super) fn caller(&self, found: &ProfileFindings, function: usize, in_second: bool) -> Option<String> {
        let profile = self.profiles[usize::from(in_second)];
        let mut callers: HashMap<usize, u64> = HashMap::new();
        for stack in &found.stacks {
            let samples = samples(&stack.samples, profile);
            let here: Vec<usize> = stack.frames.iter().filter_map(|&frame| self.of_frame(frame)).collect();
            if samples > 0
                && let Some([caller, _]) = here.last_chunk::<2>().filter(|[_, last]| *last == function)
            {
                *callers.entry(*caller).or_default() += samples;
            }
        }
        let most = callers.into_iter().max_by_key(|&(caller, samples)| (samples, std::cmp::Reverse(caller)));
        most.map(|(caller, _)| self.names(caller).0)
    }
}

/// Brings the functions of two profiles together: by name first, then those that only one of them has by what is left of
/// the name without what compilers add to it.
pub(super) fn canon(all: &[(String, Option<u32>)], found: &ProfileFindings, profiles: [u16; 2]) -> Canon {
    let profiles = profiles.map(usize::from);
    let functions = Functions::of(&found.frames);
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    let mut names: Vec<[Option<String>; 2]> = Vec::new();
    // A function of one name is one function, in whichever file it stands: the two programs are two files.
    let mut of_function: Vec<usize> = Vec::new();
    for (name, _) in all {
        let next = by_name.len();
        let number = *by_name.entry(name).or_insert(next);
        if number == names.len() {
            names.push([None, None]);
        }
        of_function.push(number);
    }
    for stack in &found.stacks {
        let present = profiles.map(|profile| samples(&stack.samples, profile) > 0);
        for &frame in &stack.frames {
            let Some(&function) = functions.of_frame.get(frame as usize) else { continue };
            let number = of_function[function];
            for (side, _) in present.iter().enumerate().filter(|(_, is_there)| **is_there) {
                names[number][side].get_or_insert_with(|| all[function].0.clone());
            }
        }
    }
    let renamed = renamed(&names);
    for (from, to) in &renamed {
        names[*to][1] = names[*from][1].take();
        of_function.iter_mut().filter(|number| *number == from).for_each(|number| *number = *to);
    }
    let of_frame = functions.of_frame.iter().map(|&function| of_function[function]).collect();
    Canon { of_frame, names, profiles }
}

/// Functions of the second profile alone that are one of the first alone by another name, each with that one.
fn renamed(names: &[[Option<String>; 2]]) -> Vec<(usize, usize)> {
    let mut bare: HashMap<&str, [Vec<usize>; 2]> = HashMap::new();
    for (number, sides) in names.iter().enumerate() {
        match sides {
            [Some(name), None] => bare.entry(bare_name(name)).or_default()[0].push(number),
            [None, Some(name)] => bare.entry(bare_name(name)).or_default()[1].push(number),
            _ => {}
        }
    }
    // Where several have what is left of the name, nobody knows which is which.
    let pairs = bare.into_values().filter_map(|sides| match &sides {
        [first, second] if first.len() == 1 && second.len() == 1 => Some((second[0], first[0])),
        _ => None,
    });
    pairs.collect()
}

/// A name without the mark of a clone (` [constprop.0]`), the arguments of a template, and parameters.
fn bare_name(name: &str) -> &str {
    let name = name.split_once(" [").map_or(name, |(name, _)| name);
    let end =
        name.char_indices().find(|&(at, letter)| at > 0 && matches!(letter, '<' | '(')).map(|(at, _)| at);
    // An operator is called by such letters.
    match end {
        Some(end) if !name[..end].ends_with("operator") && !name[..end].ends_with("::") => &name[..end],
        _ => name,
    }
}
