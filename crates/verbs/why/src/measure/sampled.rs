//! Sampled runs of both programs, in turns, as `fauxplat profile` makes them.

use std::collections::{BTreeMap, BTreeSet};

use fauxplat_experiment::Driver;
use fauxplat_experiment::measure::profile::{Profiling, profile};
use fauxplat_model::{FunctionDifference, OFF_CPU, ProfileFindings, ProfiledFrame};
use fauxplat_options::STACK_BYTES;
use fauxplat_units::Nanos;

use super::instructions::{begins, hottest};
use crate::analysis::kind_in;
use crate::evidence::{Amount, Sampled, SampledFunction};
use crate::findings::Kind;

/// Bytes of the stack that are copied for each sample.
const STACK_COPY: u32 = if STACK_BYTES < 16 << 10 { STACK_BYTES } else { 16 << 10 };
/// Maximum number of functions that are kept in the evidence.
const FUNCTIONS_MAX: usize = 200;
/// Number of functions whose instructions are listed.
const LOOKED_AT: usize = 3;
/// Maximum number of pairs of sampled runs.
const PAIRS_MAX: u32 = 60;

/// Kind of time that is sampled: on a CPU, or waiting.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Of {
    Cpu,
    Waits,
}

/// Samples both commands; a sentence in the error says why that is not possible.
pub(super) fn sampled(
    driver: &mut Driver,
    of: Of,
    (rate_hz, longest_ns, error): (u64, u64, f64),
) -> Result<Sampled, String> {
    let asked = Profiling {
        event: (of == Of::Waits).then(|| OFF_CPU.to_owned()),
        rate_hz,
        stack_bytes: STACK_COPY,
        runs: PAIRS_MAX,
        error,
        longest: Some(Nanos(longest_ns)),
        ..Profiling::default()
    };
    let (found, failed) = profile(driver, &asked);
    match failed {
        Some(failure) if found.differences.is_empty() => Err(failure.to_string()),
        _ => told(&found).ok_or_else(|| "no pair of runs was sampled".to_owned()),
    }
}

fn told(found: &ProfileFindings) -> Option<Sampled> {
    let difference = found.differences.first()?;
    let ns =
        |value: f64, low: f64, high: f64| Amount { value: value * 1e9, low: low * 1e9, high: high * 1e9 };
    let objects = objects(found);
    let function = |it: &FunctionDifference| SampledFunction {
        object: objects.get(it.name.as_str()).cloned().unwrap_or_default(),
        own_ns: ns(it.self_s, it.self_low_s, it.self_high_s),
        total_ns: ns(it.total_s, it.total_low_s, it.total_high_s),
        caller: caller(found, &it.name, it.self_s).or_else(|| it.caller.clone()),
        callers: callers(found, &it.name, it.self_s),
        line: line(found, &it.name),
        instructions: Vec::new(),
        begins: None,
        name: it.name.clone(),
    };
    let mut functions: Vec<SampledFunction> = difference.functions.iter().map(function).collect();
    let size = |it: &SampledFunction| it.own_ns.value.abs().max(it.total_ns.value.abs());
    functions.sort_by(|a, b| size(b).total_cmp(&size(a)));
    functions.truncate(FUNCTIONS_MAX);
    functions.sort_by(|a, b| b.own_ns.value.abs().total_cmp(&a.own_ns.value.abs()));
    // Here it is not yet known which program is slower, so each function is listed for the program in which it takes
    // more time.
    for function in functions.iter_mut().filter(|it| it.object.starts_with('/')).take(LOOKED_AT) {
        let slower = if function.own_ns.value > 0.0 { 1 } else { 0 };
        function.instructions = hottest(found, slower, &function.name);
        function.begins = begins(found, &function.name);
    }
    Some(Sampled {
        functions,
        kinds: kinds(found),
        all_ns: ns(difference.cpu_s, difference.low_s, difference.high_s),
        pairs: difference.pairs,
        has_kernel: found.profiles.first()?.quality.has_kernel,
    })
}

/// Additional time of known kinds of work in nanoseconds: of all stacks that contain a function of the kind.
fn kinds(found: &ProfileFindings) -> Vec<(Kind, f64)> {
    let each_ns = [0, 1].map(|side| {
        let quality = found.profiles.get(side).map(|profile| &profile.quality);
        quality.map_or(0.0, |it| {
            let whole_s = it.whole_s().unwrap_or(0.0);
            1e9 * whole_s / (f64::from(it.runs.max(1)) * it.samples.max(1) as f64)
        })
    });
    let mut sums: BTreeMap<Kind, f64> = BTreeMap::new();
    for stack in &found.stacks {
        let frames = stack.frames.iter().map(|&at| &found.frames[at as usize]);
        let kinds: BTreeSet<Kind> =
            frames.filter_map(|frame| kind_in(&frame.name, file(found, frame.object))).collect();
        let of = |side: usize| stack.samples.get(side).copied().unwrap_or(0) as f64 * each_ns[side];
        let more_ns = of(1) - of(0);
        kinds.into_iter().for_each(|kind| *sums.entry(kind).or_default() += more_ns);
    }
    sums.into_iter().collect()
}

/// Functions on the stack above a function, the direct caller first, on those stacks through which the largest part of
/// the change `more_s` in its own time comes.
fn callers(found: &ProfileFindings, name: &str, more_s: f64) -> Vec<Caller> {
    let mut rises: BTreeMap<Vec<&str>, (f64, Vec<Caller>)> = BTreeMap::new();
    for stack in &found.stacks {
        let mut frames = stack.frames.iter().rev().map(|&at| &found.frames[at as usize]);
        let of = |side: usize| stack.samples.get(side).copied().unwrap_or(0) as f64;
        if frames.next().is_some_and(|frame| frame.name == name) {
            let callers: Vec<_> = frames.collect();
            let names = callers.iter().map(|frame| frame.name.as_str()).collect();
            let line = |frame: &ProfiledFrame| Some((frame.file.clone()?, frame.line?));
            let told = || callers.iter().map(|frame| (frame.name.clone(), line(frame))).collect();
            rises.entry(names).or_insert_with(|| (0.0, told())).0 += (of(1) - of(0)) * more_s.signum();
        }
    }
    let most = rises.into_values().max_by(|a, b| a.0.total_cmp(&b.0));
    most.filter(|(rise, _)| *rise > 0.0).map_or(Vec::new(), |(_, callers)| callers)
}

/// A function that calls another one, with the source line of the call.
type Caller = (String, Option<(String, u32)>);

/// The direct caller whose calls account for the largest part of the change `more_s` in a function's own time.
fn caller(found: &ProfileFindings, name: &str, more_s: f64) -> Option<String> {
    let mut rises: BTreeMap<&str, f64> = BTreeMap::new();
    for stack in &found.stacks {
        let mut frames = stack.frames.iter().rev().map(|&at| found.frames[at as usize].name.as_str());
        let of = |side: usize| stack.samples.get(side).copied().unwrap_or(0) as f64;
        if frames.next() == Some(name)
            && let Some(caller) = frames.next()
        {
            *rises.entry(caller).or_default() += (of(1) - of(0)) * more_s.signum();
        }
    }
    let most = rises.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
    most.filter(|(_, rise)| *rise > 0.0).map(|(caller, _)| caller.to_owned())
}

/// Path of the file of each function, by the function's name: that of the second command if it runs the function, else
/// of the first. A name that occurs in several files of one command, such as `_start` of a program and of its loader,
/// is left out.
fn objects(found: &ProfileFindings) -> BTreeMap<&str, String> {
    let mut files: BTreeMap<&str, [BTreeSet<&str>; 2]> = BTreeMap::new();
    for stack in &found.stacks {
        for side in (0..2).filter(|&side| stack.samples.get(side).is_some_and(|count| *count > 0)) {
            for frame in stack.frames.iter().map(|&at| &found.frames[at as usize]) {
                files.entry(&frame.name).or_default()[side].insert(file(found, frame.object));
            }
        }
    }
    let only = |sides: [BTreeSet<&str>; 2]| {
        let is_one = sides.iter().all(|files| files.len() < 2);
        let [first, second] = sides.map(|files| files.into_iter().next());
        second.or(first).filter(|_| is_one).map(str::to_owned)
    };
    files.into_iter().filter_map(|(name, sides)| Some((name, only(sides)?))).collect()
}

/// Path of the file with this index in the profile; empty where it is unknown.
fn file(found: &ProfileFindings, object: Option<u32>) -> &str {
    object.and_then(|at| found.objects.get(at as usize)).map_or("", |object| &object.path)
}

/// Source line of a function with the most samples of both programs.
fn line(found: &ProfileFindings, name: &str) -> Option<(String, u32)> {
    let own = found.instructions.iter().filter(|it| found.frames[it.frame as usize].name == name);
    let most = own.max_by_key(|it| it.samples.iter().sum::<u64>())?;
    let frame = &found.frames[most.frame as usize];
    Some((frame.file.clone()?, frame.line?))
}

#[cfg(test)]
mod tests {
    use fauxplat_model::{ProfiledObject, ProfiledStack};

    use super::*;

    #[test]
    fn a_name_of_two_files_of_one_command_is_of_neither() {
        let frame =
            |name: &str, object| ProfiledFrame { name: name.to_owned(), object, ..Default::default() };
        let object = |path: &str| ProfiledObject { path: path.to_owned(), ..Default::default() };
        let stack = |frames: &[u32], samples: [u64; 2]| ProfiledStack {
            frames: frames.to_vec(),
            samples: samples.to_vec(),
            ..Default::default()
        };
        let found = ProfileFindings {
            objects: vec![object("/lib/ld.so"), object("/bin/old"), object("/bin/new")],
            frames: vec![
                frame("_start", Some(0)),
                frame("_start", Some(1)),
                frame("main", Some(1)),
                frame("main", Some(2)),
                frame("gone", Some(1)),
                frame("x", None),
            ],
            stacks: vec![
                stack(&[1, 2, 5], [3, 0]),
                stack(&[0, 4], [1, 0]),
                stack(&[3], [0, 7]),
                stack(&[0], [0, 1]),
            ],
            ..Default::default()
        };
        let objects = objects(&found);
        let of = |name: &str| objects.get(name).map(String::as_str);
        assert_eq!(
            ["_start", "main", "gone", "x"].map(of),
            [None, Some("/bin/new"), Some("/bin/old"), Some("")]
        );
    }
}
