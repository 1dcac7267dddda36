//! Tests of shares, callers and callees, lines and instructions with small profiles that are written as text.

use fauxplat_model::{Profile, ProfileFindings, ProfiledFrame, ProfiledInstruction, ProfiledStack, Weight};
use proptest::prelude::*;
use regex::Regex;

use super::*;

/// A profile of stacks that are each written as `outer/inner`, with its number of samples; a leading `+` marks an
/// inlined function.
fn profile(stacks: &[(&str, u64)]) -> ProfileFindings {
    let mut found = ProfileFindings { profiles: vec![Profile::default()], ..ProfileFindings::default() };
    for (names, samples) in stacks {
        let mut frames = Vec::new();
        for word in names.split('/').filter(|word| !word.is_empty()) {
            let (name, is_inlined) = word.strip_prefix('+').map_or((word, false), |name| (name, true));
            let frame = ProfiledFrame {
                name: name.to_owned(),
                is_inlined,
                object: Some(0),
                ..ProfiledFrame::default()
            };
            let known = found.frames.iter().position(|other| *other == frame);
            frames.push(known.unwrap_or(found.frames.len()) as u32);
            if known.is_none() {
                found.frames.push(frame);
            }
        }
        found.stacks.push(ProfiledStack { frames, samples: vec![*samples], ..ProfiledStack::default() });
        found.profiles[0].quality.samples += samples;
    }
    shares(&mut found);
    found
}

pub(super) fn even(samples: Vec<(u32, u64)>) -> Vec<(u32, Weight)> {
    samples.into_iter().map(|(stack, samples)| (stack, Weight::of(samples, 1))).collect()
}

fn of(found: &ProfileFindings, name: &str) -> [u64; 2] {
    let function = found.profiles[0].functions.iter().find(|it| it.name == name);
    function.map_or([0, 0], |it| [it.self_samples, it.total_samples])
}

#[test]
fn functions_are_marked_that_stand_in_others() {
    let found = profile(&[
        ("main/+twice", 3),
        ("main/work/+twice/+twice", 2),
        ("main/twice/+twice", 4),
        ("main/work", 1),
    ]);
    let of = |name: &str| found.profiles[0].functions.iter().find(|it| it.name == name).unwrap();
    assert_eq!((of("twice").inlined_samples, of("twice").total_samples), (5, 9));
    assert_eq!(of("work").inlined_samples, 0);
}

/// Samples are weighted by the number of events for which they stand.
#[test]
fn shares_are_sums_of_what_samples_stand_for() {
    let mut found = profile(&[("main/few", 70), ("main/many", 30)]);
    for (stack, events) in found.stacks.iter_mut().zip([70_u64, 2930]) {
        stack.events = vec![events];
        stack.squares = vec![(events as f64).powi(2) / stack.samples[0] as f64];
    }
    (found.profiles[0].quality.period, found.profiles[0].quality.events) = (None, Some(3000));
    shares(&mut found);
    let of = |name: &str| found.profiles[0].functions.iter().find(|it| it.name == name).unwrap();
    let few = of("few");
    assert!((few.self_share - 70.0 / 3000.0).abs() < 1e-12 && few.self_samples == 70, "{few:?}");
    assert_eq!(found.profiles[0].functions[0].name, "many", "the most events come first");
    // The interval is as wide as that of some thirty samples, not of a hundred, since few samples carry most events.
    assert!(few.self_high > 0.1 && few.self_low < 70.0 / 3000.0, "{few:?}");
    let relatives = callers_of(&found, 0, &Regex::new("many").unwrap());
    assert!((relatives.share - 2930.0 / 3000.0).abs() < 1e-12, "{relatives:?}");
}

#[test]
fn functions_are_found_by_each_of_their_names() {
    let mut found = profile(&[("main/malloc", 5)]);
    found
        .frames
        .iter_mut()
        .filter(|it| it.name == "malloc")
        .for_each(|it| it.aliases = vec!["__libc_malloc".into()]);
    let relatives = callers_of(&found, 0, &Regex::new("^__libc_malloc$").unwrap());
    assert_eq!((relatives.samples, relatives.functions.as_slice()), (5, &["malloc".to_owned()][..]));
    assert_eq!(annotated(&found, 0, &Regex::new("^__libc").unwrap()).functions[0].name, "malloc");
}

fn kin(relatives: &fauxplat_model::Relatives) -> Vec<(&str, u64, u32, bool)> {
    relatives.relatives.iter().map(|it| (it.name.as_str(), it.samples, it.depth, it.is_inlined)).collect()
}

#[test]
fn a_function_that_calls_itself_is_counted_once_in_a_stack() {
    let found = profile(&[("main/f/f/f", 3), ("main/f/g", 2), ("main", 1), ("", 4)]);
    assert_eq!([of(&found, "main"), of(&found, "f"), of(&found, "g")], [[1, 6], [3, 5], [2, 2]]);
    assert_eq!(found.profiles[0].functions[0].name, "f", "the most samples of its own come first");
    let f = &found.profiles[0].functions[0];
    assert!(
        (f.self_share - 0.3).abs() < 1e-12 && f.self_low < 0.3 && f.self_high > 0.3,
        "of all ten samples"
    );
}

#[test]
fn callers_are_found_through_others_and_through_inlined_ones() {
    let found = profile(&[
        ("main/read/+is_new/+find/equal", 60),
        ("main/other/equal/compare", 30),
        ("main/idle", 10),
    ]);
    let callers = callers_of(&found, 0, &Regex::new("^equal$").unwrap());
    assert_eq!((callers.samples, callers.functions.as_slice()), (90, &["equal".to_owned()][..]));
    assert!((callers.share - 0.9).abs() < 1e-12);
    assert_eq!(
        kin(&callers),
        [
            ("find", 60, 1, false),
            ("other", 30, 1, false),
            ("main", 90, 2, false),
            ("is_new", 60, 2, false),
            ("read", 60, 3, false)
        ]
    );
    let callers = callers_of(&found, 0, &Regex::new("^find$").unwrap());
    assert_eq!(kin(&callers)[0], ("is_new", 60, 1, true), "the call of find was replaced by its code");
    let callees = callees_of(&found, 0, &Regex::new("read|other").unwrap());
    assert_eq!(kin(&callees)[..2], [("equal", 90, 1, false), ("is_new", 60, 1, true)][..]);
}

/// With recursion, a function that is called between two calls of the matched one is both a caller and a callee; the
/// outer caller is a caller only.
#[test]
fn relatives_of_what_recurses_stand_between_its_calls_too() {
    let found = profile(&[("main/eval/call/eval/call/eval", 5)]);
    let pattern = Regex::new("^eval$").unwrap();
    assert_eq!(kin(&callers_of(&found, 0, &pattern)), [("call", 5, 1, false), ("main", 5, 1, false)]);
    assert_eq!(kin(&callees_of(&found, 0, &pattern)), [("call", 5, 1, false)]);
}

#[test]
fn what_a_pattern_does_not_find_has_no_relatives() {
    let found = profile(&[("main/f", 3)]);
    let none = callers_of(&found, 0, &Regex::new("nothing").unwrap());
    assert_eq!((none.samples, none.relatives.len(), none.functions.len()), (0, 0, 0));
    assert_eq!(callers_of(&profile(&[]), 0, &Regex::new("f").unwrap()).samples, 0);
}

#[test]
fn lines_and_instructions_are_those_of_the_innermost_function() {
    let mut found = profile(&[("main/f", 3), ("main/f/g", 2)]);
    let place = |line| ProfiledFrame {
        file: Some("f.c".into()),
        line: Some(line),
        name: "f".into(),
        ..ProfiledFrame::default()
    };
    found.frames.extend([place(7), place(9)]);
    let frames = found.frames.len() as u32;
    for (line, samples) in [(2, 5), (1, 4)] {
        let frames = vec![0, frames - line];
        found.stacks.push(ProfiledStack { frames, samples: vec![samples], ..ProfiledStack::default() });
    }
    let one = |address, samples| ProfiledInstruction {
        object: 0,
        address,
        frame: frames - 1,
        samples: vec![samples],
        events: Vec::new(),
    };
    found.instructions = vec![one(0x20, 4), one(0x10, 5), one(0x30, 0)];
    let seen = annotated(&found, 0, &Regex::new("^f$").unwrap());
    let f = &seen.functions[0];
    assert_eq!((f.name.as_str(), f.samples, f.file.as_deref()), ("f", 12, Some("f.c")));
    assert_eq!(f.lines.iter().map(|it| (it.line, it.samples)).collect::<Vec<_>>(), [(7, 5), (9, 4)]);
    assert_eq!(
        f.instructions.iter().map(|it| (it.address, it.samples)).collect::<Vec<_>>(),
        [(0x10, 5), (0x20, 4)]
    );
    // Wilson's 95 % interval of 5 in 12 is 0.193 to 0.680.
    for [low, high] in [f.lines[0].interval.unwrap(), f.instructions[0].interval.unwrap()] {
        assert!((low - 0.1933).abs() < 1e-4 && (high - 0.6805).abs() < 1e-4, "{low} {high}");
    }
    let g = &annotated(&found, 0, &Regex::new("^g$").unwrap()).functions[0];
    assert!(g.lines.is_empty() && g.missing[0].contains("-g"), "{g:?}");
}

proptest! {
    #[test]
    fn shares_are_shares(stacks in prop::collection::vec(("[a-d]?(/[+]?[a-d]){0,6}", 0u64..1000), 0..30)) {
        let stacks: Vec<(&str, u64)> = stacks.iter().map(|(names, samples)| (names.as_str(), *samples)).collect();
        let found = profile(&stacks);
        let sum: u64 = found.stacks.iter().filter(|it| !it.frames.is_empty()).map(|it| it.samples[0]).sum();
        let functions = &found.profiles[0].functions;
        prop_assert_eq!(functions.iter().map(|it| it.self_samples).sum::<u64>(), sum);
        for one in functions {
            prop_assert!(one.total_samples >= one.self_samples && one.total_samples <= sum);
            prop_assert!(one.self_low <= one.self_share && one.self_share <= one.self_high);
            prop_assert!(one.total_low <= one.total_share && one.total_share <= one.total_high);
        }
        for pattern in ["a", "[ab]", "."] {
            let pattern = Regex::new(pattern).unwrap();
            for relatives in [callers_of(&found, 0, &pattern), callees_of(&found, 0, &pattern)] {
                prop_assert!(relatives.samples <= sum);
                prop_assert!(relatives.relatives.iter().all(|it| it.samples <= relatives.samples && it.depth > 0));
                prop_assert!(relatives.relatives.iter().all(|it| !pattern.is_match(&it.name)));
            }
        }
    }
}
