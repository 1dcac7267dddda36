//! Decides which functions of two profiled programs are the same function.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use fauxplat_model::{ProfileFindings, ProfiledSide};

use super::functions::{Functions, samples};
use super::likeness::{self, Neighbours};

/// Minimum number of samples of a function in one program with which its absence in the other is not due to chance.
const ALONE_MIN: u64 = 20;
/// Maximum number of rounds of matching; several are needed because callers of renamed functions may be renamed, too.
const ROUNDS_MAX: usize = 8;

/// The functions of two profiles, numbered. A function of both profiles has one number, even if the compiler added a
/// suffix to its name in only one of them.
pub(super) struct Canon {
    of_frame: Vec<usize>,
    /// Name of each function in the first and in the second profile; `None` in a profile that has no samples of the
    /// function.
    names: Vec<[Option<String>; 2]>,
    /// Functions that were matched only by their callers, callees and share of the time.
    guesses: HashSet<usize>,
    /// Functions that only one program has, and whose file of code the programs do not share.
    only_in: HashMap<usize, ProfiledSide>,
    /// The main caller of each function that only one program has: the caller from which nearly all of its samples
    /// come, if there is one.
    main_callers: HashMap<usize, usize>,
    profiles: [usize; 2],
}

impl Canon {
    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    pub(super) fn of_frame(&self, frame: u32) -> Option<usize> {
        self.of_frame.get(frame as usize).copied()
    }

    /// Whether one of the two profiles has samples of the function with this number.
    pub(super) fn is_present(&self, function: usize) -> bool {
        self.names[function].iter().any(Option::is_some)
    }

    /// Name of a function, and its name in the second profile if that is different.
    pub(super) fn names(&self, function: usize) -> (String, Option<String>) {
        match self.names[function].clone() {
            [Some(first), Some(second)] if first != second => (first, Some(second)),
            [Some(name), _] | [None, Some(name)] => (name, None),
            [None, None] => (String::new(), None),
        }
    }

    /// Whether the function was matched by its neighbours although its two names are different.
    pub(super) fn is_guess(&self, function: usize) -> bool {
        self.guesses.contains(&function)
    }

    /// The program that alone has the function; `None` if both have it or if that is not certain.
    pub(super) fn only_in(&self, function: usize) -> Option<ProfiledSide> {
        self.only_in.get(&function).copied()
    }

    /// Number of the main caller of a function that only one program has; `None` for other functions, or without a main
    /// caller.
    pub(super) fn main_caller(&self, function: usize) -> Option<usize> {
        self.main_callers.get(&function).copied()
    }

    /// Name of the direct caller with the most samples of the function's own code, in the second profile (`in_second`)
    /// or in the first; `None` without such samples.
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
        let most = callers.into_iter().max_by_key(|&(caller, samples)| (samples, Reverse(caller)));
        most.map(|(caller, _)| self.names(caller).0)
    }
}

/// Matches the functions of two profiles: first by name; then, if only one profile has them, by their names without the
/// compiler's additions; and last by their callers and callees.
pub(super) fn canon(all: &[(String, Option<u32>)], found: &ProfileFindings, profiles: [u16; 2]) -> Canon {
    let profiles = profiles.map(usize::from);
    let functions = Functions::of(&found.frames);
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    let mut names: Vec<[Option<String>; 2]> = Vec::new();
    // Functions of equal name are one function, whatever their files, since the two programs are two files.
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
    let (guesses, only_in, main_callers) = (HashSet::new(), HashMap::new(), HashMap::new());
    let mut canon = Canon { of_frame, names, guesses, only_in, main_callers, profiles };
    canon.guess(found);
    canon
}

impl Canon {
    /// Merges functions whose callers and callees are alike, and repeats this with the new matches: a caller and its
    /// callee may both have been renamed.
    fn guess(&mut self, found: &ProfileFindings) {
        for _ in 0..ROUNDS_MAX {
            let neighbours = self.profiles.map(|profile| Neighbours::of(found, &self.of_frame, profile));
            self.only_in = self.alone(found, &neighbours);
            let sides = [ProfiledSide::First, ProfiledSide::Second];
            let alone = [0, 1].map(|side| self.of_side(sides[side], &neighbours[side]));
            let pairs = likeness::pairs(&neighbours, &alone);
            if pairs.is_empty() {
                let callers = [0, 1].map(|side| {
                    alone[side]
                        .iter()
                        .filter_map(|&it| Some((it, neighbours[side].main_caller(it)?)))
                        .collect()
                });
                self.main_callers = callers.into_iter().flat_map(|it: Vec<(usize, usize)>| it).collect();
                return;
            }
            for (gone, new) in pairs {
                self.names[gone][1] = self.names[new][1].take();
                self.of_frame.iter_mut().filter(|it| **it == new).for_each(|it| *it = gone);
                self.guesses.insert(gone);
                self.only_in.retain(|&function, _| function != gone && function != new);
            }
        }
    }

    /// Functions that only the program on this side has, the one with the most samples first.
    fn of_side(&self, side: ProfiledSide, neighbours: &Neighbours) -> Vec<usize> {
        let mut all: Vec<usize> =
            self.only_in.iter().filter(|it| *it.1 == side).map(|(&function, _)| function).collect();
        all.sort_unstable_by_key(|&function| (Reverse(neighbours.total(function)), function));
        all
    }

    /// Functions of which one profile has at least [`ALONE_MIN`] samples and the other none, in files of code that the
    /// profiles do not share: both programs could call the functions of a shared file.
    fn alone(&self, found: &ProfileFindings, neighbours: &[Neighbours; 2]) -> HashMap<usize, ProfiledSide> {
        let mut shared: HashMap<Option<u32>, [bool; 2]> = HashMap::new();
        let mut files: HashMap<usize, HashSet<Option<u32>>> = HashMap::new();
        for stack in &found.stacks {
            let present = self.profiles.map(|profile| samples(&stack.samples, profile) > 0);
            for &frame in &stack.frames {
                let Some(place) = found.frames.get(frame as usize) else { continue };
                let seen = shared.entry(place.object).or_default();
                (0..2).for_each(|side| seen[side] |= present[side]);
                self.of_frame(frame).map(|function| files.entry(function).or_default().insert(place.object));
            }
        }
        let is_of_one = |function: usize| {
            files.get(&function).is_some_and(|files| files.iter().all(|file| shared[file] != [true, true]))
        };
        let side = |function: usize| match neighbours.each_ref().map(|it| it.total(function)) {
            [first, 0] if first >= ALONE_MIN => Some(ProfiledSide::First),
            [0, second] if second >= ALONE_MIN => Some(ProfiledSide::Second),
            _ => None,
        };
        let one = |function| Some((function, side(function)?));
        (0..self.count()).filter(|&it| is_of_one(it)).filter_map(one).collect()
    }
}

/// Numbers of functions that only the second profile has, each with the number of the only function of the first that
/// has the same bare name.
fn renamed(names: &[[Option<String>; 2]]) -> Vec<(usize, usize)> {
    let mut bare: HashMap<&str, [Vec<usize>; 2]> = HashMap::new();
    for (number, sides) in names.iter().enumerate() {
        match sides {
            [Some(name), None] => bare.entry(bare_name(name)).or_default()[0].push(number),
            [None, Some(name)] => bare.entry(bare_name(name)).or_default()[1].push(number),
            _ => {}
        }
    }
    // If several functions have the same bare name, they are not matched.
    let pairs = bare.into_values().filter_map(|sides| match &sides {
        [first, second] if first.len() == 1 && second.len() == 1 => Some((second[0], first[0])),
        _ => None,
    });
    pairs.collect()
}

/// A function's name without the mark of a clone (` [constprop.0]`), the arguments of a template, and parameters.
fn bare_name(name: &str) -> &str {
    let name = name.split_once(" [").map_or(name, |(name, _)| name);
    let end =
        name.char_indices().find(|&(at, letter)| at > 0 && matches!(letter, '<' | '(')).map(|(at, _)| at);
    // Names of operators contain `<` or `(` themselves.
    match end {
        Some(end) if !name[..end].ends_with("operator") && !name[..end].ends_with("::") => &name[..end],
        _ => name,
    }
}
