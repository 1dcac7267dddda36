//! Builds the tables of a report: objects, frames with their names, stacks, and the samples of each run.

use std::collections::HashMap;

use fauxplat_model::{
    ObjectNames, ProfiledFrame, ProfiledInstruction, ProfiledObject, ProfiledRun, ProfiledStack, StackEnd,
    Weight,
};

use crate::follow::{Followed, Profiler};
use crate::jit::PerfMap;
use crate::kernel::Kernel;
use crate::names::{self, Named, Names};
use crate::objects::{KERNEL, Object, ObjectId, Source, UNKNOWN};
use crate::stacks::CodeAddress;
use crate::waits::{PREEMPTED, PREEMPTED_NAME};

/// Profiles of runs with names, ready for a report.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    pub objects: Vec<ProfiledObject>,
    /// Frames: functions, each with its object and source line.
    pub frames: Vec<ProfiledFrame>,
    /// Stacks of frames, each with the number of its samples in each profile.
    pub stacks: Vec<ProfiledStack>,
    /// Instructions that were sampled, by object and address, each with the number of its samples in each profile.
    pub instructions: Vec<ProfiledInstruction>,
    /// The runs; their samples refer to `stacks` by index.
    pub runs: Vec<ProfiledRun>,
}

/// Tells a user why stacks end at code that Python generates.
const PYTHON: &str = "stacks hold only the innermost Python function: the code that Python writes (-X perf) has no \
                      data about callers, which --unwind frame-pointers finds in a Python \
                      that is built with frame pointers";

/// A function that finds the names of addresses in an object.
type LookUp = fn(&Object, &[u64]) -> Names;

/// A table that gives equal values the same number.
struct Numbered<T>(HashMap<T, u32>, Vec<T>);

impl<T: Clone + Eq + std::hash::Hash> Numbered<T> {
    fn new() -> Self {
        Numbered(HashMap::new(), Vec::new())
    }

    fn number(&mut self, thing: T) -> u32 {
        if let Some(&known) = self.0.get(&thing) {
            return known;
        }
        let number = self.1.len() as u32;
        self.1.push(thing.clone());
        self.0.insert(thing, number);
        number
    }
}

impl Profiler {
    /// Builds the tables, with names for all addresses. `runs` contains the profile, block and duration of each run,
    /// and its samples.
    pub fn tables(self, runs: &[(ProfiledRun, Followed)], profiles: usize) -> Tables {
        self.tables_by(look_up, runs, profiles)
    }

    /// Builds tables without names, for callers that only need stacks: no file is searched for symbols.
    pub fn nameless_tables(self, runs: &[(ProfiledRun, Followed)], profiles: usize) -> Tables {
        self.tables_by(|_, _| Names::default(), runs, profiles)
    }

    fn tables_by(self, look_up: LookUp, runs: &[(ProfiledRun, Followed)], profiles: usize) -> Tables {
        let places = self.stacks.places();
        let is_sampled = is_sampled(runs, self.stacks.all().len());
        let seen = self.seen(&is_sampled, places.len());
        let (objects, frames_at) = self.frames(look_up, &places, &seen);
        let mut frames = Numbered::new();
        let frames_of: Vec<Vec<u32>> = frames_at
            .into_iter()
            .map(|at| at.into_iter().map(|frame| frames.number(frame)).collect())
            .collect();
        let mut tables = Tables { objects, ..Tables::default() };
        let (mut stacks, process_names) = (Numbered::new(), self.stacks.names());
        let mut hits: HashMap<u32, Vec<Weight>> = HashMap::new();
        // If all samples represent the same number of events, numbers of samples say as much as numbers of events, and
        // events are left out.
        let is_even = are_even(runs);
        let mut stack_of = Vec::new();
        for (raw, is_sampled) in self.stacks.all().into_iter().zip(is_sampled) {
            if !is_sampled {
                stack_of.push((u32::MAX, None));
                continue;
            }
            let outer_first =
                raw.places.iter().rev().flat_map(|&place| frames_of[place as usize].iter().rev());
            let shape = (outer_first.copied().collect::<Vec<u32>>(), raw.process, raw.end);
            stack_of.push((stacks.number(shape), raw.places.first().copied()));
        }
        for (run, followed) in runs {
            let mut counts: HashMap<u32, Weight> = HashMap::new();
            for (raw, &weight) in followed.stacks.iter().enumerate().filter(|(_, it)| it.samples > 0) {
                let (stack, leaf) = stack_of[raw];
                *counts.entry(stack).or_default() += weight;
                if let Some(leaf) = leaf {
                    let hit = hits.entry(leaf).or_insert_with(|| vec![Weight::default(); profiles]);
                    hit[usize::from(run.profile)] += weight;
                }
            }
            let mut stacks: Vec<(u32, Weight)> = counts.into_iter().collect();
            stacks.sort_unstable_by_key(|&(stack, _)| stack);
            tables.runs.push(ProfiledRun { stacks, ..run.clone() });
        }
        let weighed = if is_even { 0 } else { profiles };
        let empty = |(frames, process, end): (Vec<u32>, u32, StackEnd)| ProfiledStack {
            frames,
            process: process_names[process as usize].clone(),
            end,
            samples: vec![0; profiles],
            events: vec![0; weighed],
            squares: vec![0.0; weighed],
        };
        tables.stacks = stacks.1.into_iter().map(empty).collect();
        tables.runs.iter().for_each(|run| add(&mut tables.stacks, run));
        tables.frames = frames.1;
        tables.instructions = instructions(hits, &places, (&frames_of, &tables.frames), is_even);
        tables
    }

    /// Returns for each code address (place), by its number, whether a stack with samples contains it.
    fn seen(&self, is_sampled: &[bool], places: usize) -> Vec<bool> {
        let mut seen = vec![false; places];
        let sampled = self.stacks.all().into_iter().zip(is_sampled).filter(|(_, is_sampled)| **is_sampled);
        sampled.flat_map(|(raw, _)| &raw.places).for_each(|&place| seen[place as usize] = true);
        seen
    }

    /// Returns the objects of a report, and for each code address (place), by its number, its frames: inlined functions
    /// first, the function that contains the code last.
    fn frames(
        &self,
        look_up: LookUp,
        places: &[CodeAddress],
        is_wanted: &[bool],
    ) -> (Vec<ProfiledObject>, Vec<Vec<ProfiledFrame>>) {
        let mut by_object: HashMap<ObjectId, Vec<u64>> = HashMap::new();
        for (place, _) in places.iter().zip(is_wanted).filter(|(_, is_wanted)| **is_wanted) {
            by_object.entry(place.object).or_default().push(place.address);
        }
        let mut objects = Vec::new();
        let mut numbers = HashMap::new();
        let mut found: HashMap<ObjectId, Names> = HashMap::new();
        for (id, object) in self.objects.iter().enumerate() {
            let id = id as ObjectId;
            let Some(wanted) = by_object.get(&id) else { continue };
            let names = look_up(object, wanted);
            let build_id = object.elf.as_ref().and_then(|elf| elf.build_id.clone());
            if id != UNKNOWN {
                numbers.insert(id, objects.len() as u32);
                let missing = names.missing.clone();
                objects.push(ProfiledObject {
                    path: object.path.clone(),
                    build_id,
                    names: names.known,
                    missing,
                });
            }
            found.insert(id, names);
        }
        let frames = places.iter().zip(is_wanted).map(|(place, is_wanted)| {
            if !is_wanted {
                return Vec::new();
            }
            let named = found.get(&place.object).and_then(|names| names.at.get(&place.address));
            frames_of(
                place,
                named.map_or(&[], Vec::as_slice),
                numbers.get(&place.object).copied(),
                self.objects.get(place.object),
            )
        });
        (objects, frames.collect())
    }
}

fn add(stacks: &mut [ProfiledStack], run: &ProfiledRun) {
    let at = usize::from(run.profile);
    for &(stack, weight) in &run.stacks {
        let stack = &mut stacks[stack as usize];
        stack.samples[at] += weight.samples;
        stack.events.get_mut(at).into_iter().for_each(|it| *it = it.saturating_add(weight.events));
        stack.squares.get_mut(at).into_iter().for_each(|it| *it += weight.squares);
    }
}

/// Returns whether every sample of all runs represents the same number of events.
fn are_even(runs: &[(ProfiledRun, Followed)]) -> bool {
    let mut sampled =
        runs.iter().map(|(_, followed)| followed).filter(|it| it.samples > 0).map(|it| it.period);
    let first = sampled.next().unwrap_or(Some(1));
    first.is_some() && sampled.all(|period| period == first)
}

/// Returns for each stack whether it has samples. A stack of waits has none if threads waited there for less time than
/// a sample represents.
fn is_sampled(runs: &[(ProfiledRun, Followed)], stacks: usize) -> Vec<bool> {
    let mut is_sampled = vec![false; stacks];
    for (_, followed) in runs {
        is_sampled.iter_mut().zip(&followed.stacks).for_each(|(is, it)| *is |= it.samples > 0);
    }
    is_sampled
}

fn frames_of(
    place: &CodeAddress,
    named: &[Named],
    object: Option<u32>,
    source: &Object,
) -> Vec<ProfiledFrame> {
    let is_kernel = place.object == KERNEL;
    if named.is_empty() {
        let file = source.path.rsplit('/').next().unwrap_or_default();
        let name = match (is_kernel, object) {
            (true, _) => "[kernel]".to_owned(),
            (false, Some(_)) => format!("[{}]", file.trim_matches(['[', ']'])),
            (false, None) => "[unknown]".to_owned(),
        };
        return vec![ProfiledFrame { name, object, is_kernel, is_unknown: true, ..ProfiledFrame::default() }];
    }
    let last = named.len() - 1;
    let frame = |(at, named): (usize, &Named)| ProfiledFrame {
        name: named.name.clone(),
        aliases: named.aliases.clone(),
        object,
        file: named.file.clone(),
        line: named.line,
        is_inlined: at < last,
        is_kernel,
        is_unknown: named.is_nameless,
    };
    named.iter().enumerate().map(frame).collect()
}

fn look_up(object: &Object, places: &[u64]) -> Names {
    match &object.source {
        Source::Kernel => {
            let kernel = Kernel::read();
            let is_code = |&address: &u64| address != PREEMPTED.address;
            let missing = (kernel.is_empty() && places.iter().any(is_code)).then(|| {
                "the kernel hides its addresses: take root, or write 0 into /proc/sys/kernel/kptr_restrict".to_owned()
            });
            let known = if kernel.is_empty() { ObjectNames::None } else { ObjectNames::Symbols };
            let name = |address| match address {
                address if address == PREEMPTED.address => Some(PREEMPTED_NAME.to_owned()),
                address => kernel.find(address),
            };
            let at = of_symbols(places, name);
            Names { at, known, missing }
        }
        Source::Jit { pid, inner, user } => {
            let map = PerfMap::read(object.readable().as_deref(), (*pid, *inner), *user);
            let known = if map.is_some() { ObjectNames::Symbols } else { ObjectNames::None };
            let missing = map.is_none().then(|| {
                format!("code that process {pid} wrote itself has no names: interpreters write /tmp/perf-{inner}.map when asked to (python -X perf, node --perf-basic-prof)")
            });
            let map = map.unwrap_or_default();
            let missing = missing.or_else(|| map.is_of_python().then(|| PYTHON.to_owned()));
            Names { at: of_symbols(places, |address| map.find(address).map(str::to_owned)), known, missing }
        }
        Source::File => match (&object.elf, object.readable()) {
            (Some(elf), Some(readable)) => names::of_file(elf, &readable, &object.path, places),
            _ => Names {
                missing: Some("it is no program that can be read here".to_owned()),
                ..Names::default()
            },
        },
        Source::Lost(why) => Names { missing: Some(why.clone()), ..Names::default() },
        Source::Vdso => names::of_vdso(places),
        Source::Unknown => Names::default(),
    }
}

fn of_symbols(places: &[u64], name: impl Fn(u64) -> Option<String>) -> HashMap<u64, Vec<Named>> {
    let named = |name: String| vec![Named { name, ..Named::default() }];
    places.iter().filter_map(|&place| Some((place, named(name(place)?)))).collect()
}

fn instructions(
    hits: HashMap<u32, Vec<Weight>>,
    places: &[CodeAddress],
    (frames_of, frames): (&[Vec<u32>], &[ProfiledFrame]),
    is_even: bool,
) -> Vec<ProfiledInstruction> {
    let mut all: Vec<ProfiledInstruction> = hits
        .into_iter()
        .filter_map(|(place, weights)| {
            let of = |one: fn(&Weight) -> u64| weights.iter().map(one).collect::<Vec<u64>>();
            let frame = *frames_of[place as usize].first()?;
            // Places outside of any file have no instructions to show.
            let object = frames[frame as usize].object?;
            let address = places[place as usize].address;
            let events = if is_even { Vec::new() } else { of(|it| it.events) };
            Some(ProfiledInstruction { object, address, frame, samples: of(|it| it.samples), events })
        })
        .collect();
    all.sort_by_key(|one| (one.object, one.address));
    all
}

/// Numbers of samples in a profile whose stacks are incomplete or lack a name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    /// Number of samples whose stacks are longer than the copied part.
    pub truncated: u64,
    /// Number of samples whose stacks end at a frame with an unknown caller.
    pub broken: u64,
    /// Number of samples in code without a name.
    pub unknown: u64,
}

impl Tables {
    pub fn ends(&self, profile: usize) -> Ends {
        let mut ends = Ends::default();
        for stack in &self.stacks {
            let samples = stack.samples[profile];
            match stack.end {
                StackEnd::Whole => {}
                StackEnd::Truncated => ends.truncated += samples,
                StackEnd::Broken => ends.broken += samples,
            }
            let leaf = stack.frames.last().map(|&frame| &self.frames[frame as usize]);
            if leaf.is_none_or(|frame| frame.is_unknown) {
                ends.unknown += samples;
            }
        }
        ends
    }
}
