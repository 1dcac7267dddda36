//! Samples of a function by line of source and by instruction.

use std::collections::BTreeMap;

use fauxplat_model::{
    Annotated, AnnotatedFunction, AnnotatedInstruction, AnnotatedLine, ProfileFindings, Weight,
};
use regex::Regex;

use super::functions::samples;
use super::{share, whole};

/// Samples by line and instruction of the functions whose name or alias matches a pattern, the functions with the most
/// samples first. `profile` is the index of the profile in `found`.
pub fn annotated(found: &ProfileFindings, profile: u16, pattern: &Regex) -> Annotated {
    let at = usize::from(profile);
    let mut functions: BTreeMap<&str, Gathered> = BTreeMap::new();
    for stack in &found.stacks {
        let samples = samples(&stack.samples, at);
        let Some(frame) = stack.frames.last().and_then(|&last| found.frames.get(last as usize)) else {
            continue;
        };
        let is_found = |name: &String| pattern.is_match(name);
        if samples == 0 || !(is_found(&frame.name) || frame.aliases.iter().any(is_found)) {
            continue;
        }
        let gathered = functions.entry(&frame.name).or_default();
        let weight = stack.weight(at);
        gathered.all += weight;
        if let (Some(file), Some(line)) = (&frame.file, frame.line) {
            *gathered.files.entry(file).or_default().entry(line).or_default() += weight;
        }
    }
    for one in &found.instructions {
        let Some(frame) = found.frames.get(one.frame as usize) else { continue };
        let samples = samples(&one.samples, at);
        if let Some(gathered) = functions.get_mut(frame.name.as_str()).filter(|_| samples > 0) {
            *gathered.instructions.entry(one.address).or_default() += Weight::evenly(samples, one.events(at));
        }
    }
    let is_even = found.stacks.iter().all(|stack| stack.events.is_empty());
    let of_all = whole(found, at);
    let named = |(name, gathered): (&str, Gathered)| {
        let interval = Some(share(gathered.all, of_all).ends());
        AnnotatedFunction { interval, ..gathered.named(name, is_even) }
    };
    let mut functions: Vec<AnnotatedFunction> = functions.into_iter().map(named).collect();
    functions
        .sort_by(|a, b| (b.events, b.samples).cmp(&(a.events, a.samples)).then_with(|| a.name.cmp(&b.name)));
    Annotated { profile, pattern: pattern.as_str().to_owned(), functions }
}

#[derive(Default)]
struct Gathered<'f> {
    all: Weight,
    files: BTreeMap<&'f str, BTreeMap<u32, Weight>>,
    instructions: BTreeMap<u64, Weight>,
}

impl Gathered<'_> {
    /// Chooses the lines of the file with the most samples, since a function made of macros or templates has lines in
    /// several files. With `is_even`, every sample stands for one event, so events are not reported.
    fn named(self, name: &str, is_even: bool) -> AnnotatedFunction {
        let most =
            |(_, lines): &(&str, BTreeMap<u32, Weight>)| lines.values().map(|it| it.events).sum::<u64>();
        let events = |it: Weight| (!is_even).then_some(it.events);
        let file = self.files.into_iter().max_by_key(most);
        let missing =
            file.is_none().then(|| "no source lines are known of it: compile it with -g".to_owned());
        let (file, lines) =
            file.map_or((None, BTreeMap::new()), |(file, lines)| (Some(file.to_owned()), lines));
        let interval = |it: Weight| Some(share(it, self.all).ends());
        let line = |(line, it): (u32, Weight)| AnnotatedLine {
            line,
            samples: it.samples,
            events: events(it),
            interval: interval(it),
            text: None,
        };
        let instruction = |(address, it): (u64, Weight)| AnnotatedInstruction {
            address,
            samples: it.samples,
            events: events(it),
            interval: interval(it),
            text: String::new(),
        };
        AnnotatedFunction {
            name: name.to_owned(),
            samples: self.all.samples,
            events: events(self.all),
            interval: None,
            file,
            lines: lines.into_iter().map(line).collect(),
            instructions: self.instructions.into_iter().map(instruction).collect(),
            missing: missing.into_iter().collect(),
        }
    }
}
