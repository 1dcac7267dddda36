//! Tests with made-up stacks in which functions are renamed or inlined in the second program.

use fauxplat_model::{
    FunctionDifference, Profile, ProfileDifference, ProfileFindings, ProfiledFrame, ProfiledRun,
    ProfiledSide, ProfiledStack,
};
use fauxplat_stats::draw::Draw;

use super::difference;
use super::tests::even;

const PAIRS: u32 = 12;
const ERROR: f64 = 0.01;

/// Difference between two programs with the given stacks, each written as `outer/inner` with its samples in a run of
/// the first and of the second program. Each program is a file of its own; functions whose names begin with `lib` are
/// in a common file.
fn told(stacks: &[(&str, u64, u64)]) -> ProfileDifference {
    let mut found = ProfileFindings { profiles: vec![Profile::default(); 2], ..ProfileFindings::default() };
    for &(names, a, b) in stacks {
        for (side, samples) in [a, b].into_iter().enumerate().filter(|it| it.1 > 0) {
            let frames = names.split('/').map(|name| place(&mut found, name, side)).collect();
            let mut both = vec![0; 2];
            both[side] = samples * u64::from(PAIRS);
            found.stacks.push(ProfiledStack { frames, samples: both, ..ProfiledStack::default() });
        }
    }
    let mut draw = Draw::new(7, 0);
    let mut runs = Vec::new();
    for block in 0..PAIRS {
        for profile in 0..2_u16 {
            let of_run = |(at, stack): (usize, &ProfiledStack)| {
                let mean = stack.samples[usize::from(profile)] as f64 / f64::from(PAIRS);
                (at as u32, (mean + draw.normal() * mean.sqrt()).max(0.0).round() as u64)
            };
            let stacks: Vec<(u32, u64)> = found.stacks.iter().enumerate().map(of_run).collect();
            let whole_s = stacks.iter().map(|it| it.1).sum::<u64>() as f64 / 1000.0;
            runs.push(ProfiledRun { profile, block, stacks: even(stacks), whole_s });
        }
    }
    difference(&found, &runs, 0, 1, ERROR)
}

fn place(found: &mut ProfileFindings, name: &str, side: usize) -> u32 {
    let object = Some(if name.starts_with("lib") { 2 } else { side as u32 });
    let frame = ProfiledFrame { name: name.to_owned(), object, ..ProfiledFrame::default() };
    let known = found.frames.iter().position(|other| *other == frame);
    known.unwrap_or_else(|| {
        found.frames.push(frame);
        found.frames.len() - 1
    }) as u32
}

fn of<'d>(told: &'d ProfileDifference, name: &str) -> &'d FunctionDifference {
    told.functions.iter().find(|it| it.name == name).unwrap_or_else(|| panic!("no {name}: {told:?}"))
}

fn is_told(it: &FunctionDifference) -> bool {
    it.p_adjusted <= ERROR || it.total_p_adjusted <= ERROR
}

#[test]
fn a_function_of_another_name_at_the_same_place_is_the_same_and_that_is_a_guess() {
    let told = told(&[
        ("main/read/parse_line", 400, 0),
        ("main/read/parse_row", 0, 400),
        ("main/read/parse_line/libcopy", 200, 0),
        ("main/read/parse_row/libcopy", 0, 200),
        ("main/hash", 400, 400),
    ]);
    let line = of(&told, "parse_line");
    assert_eq!((line.renamed.as_deref(), line.is_guess, line.only_in), (Some("parse_row"), true, None));
    assert!(!told.functions.iter().any(is_told), "nothing differs but a name: {told:?}");
    assert!(told.functions.iter().all(|it| it.name != "parse_row"), "it is not told twice");
}

#[test]
fn what_such_a_function_takes_more_is_told_of_both_names() {
    let told = told(&[("main/read/line", 400, 0), ("main/read/row", 0, 600), ("main/hash", 600, 600)]);
    let line = of(&told, "line");
    assert!(line.is_guess && is_told(line), "{line:?}");
    assert!((line.self_s - 0.2).abs() < 0.05, "{line:?}");
}

#[test]
fn a_caller_and_what_it_calls_may_both_have_other_names() {
    let told = told(&[
        ("main/read/scan/digits", 400, 0),
        ("main/read/walk/numbers", 0, 400),
        ("main/hash", 400, 400),
    ]);
    let names = |name| of(&told, name).renamed.clone();
    assert_eq!([names("scan"), names("digits")], [Some("walk".into()), Some("numbers".into())]);
}

#[test]
fn where_two_would_fit_or_the_place_is_another_nobody_guesses() {
    let two = told(&[
        ("main/read/old", 400, 0),
        ("main/read/one", 0, 300),
        ("main/read/other", 0, 300),
        ("main/hash", 400, 400),
    ]);
    let elsewhere = told(&[
        ("main/read/old", 400, 0),
        ("main/write/new", 0, 400),
        ("main/read", 100, 100),
        ("main/write", 100, 100),
        ("main/hash", 400, 400),
    ]);
    let much_larger = told(&[("main/read/old", 50, 0), ("main/read/new", 0, 400), ("main/hash", 400, 400)]);
    for told in [two, elsewhere, much_larger] {
        assert!(told.functions.iter().all(|it| it.renamed.is_none()), "{told:?}");
        let old = of(&told, "old");
        assert_eq!((old.only_in, is_told(old)), (Some(ProfiledSide::First), true));
    }
}

/// Functions of a common library could be called by both programs, and functions with a few samples are missed by
/// chance.
#[test]
fn what_both_could_call_and_what_is_rare_is_not_gone() {
    let told = told(&[
        ("main/liba", 400, 0),
        ("main/libb", 0, 400),
        ("main/rare", 1, 0),
        ("main/seldom", 0, 1),
        ("main/hash", 400, 400),
    ]);
    assert!(told.functions.iter().all(|it| it.only_in.is_none() && it.renamed.is_none()), "{told:?}");
}

#[test]
fn a_function_that_its_caller_has_swallowed_is_said_to_be_there() {
    let inlined = told(&[("main/read", 100, 500), ("main/read/parse", 400, 0), ("main/hash", 400, 400)]);
    let parse = of(&inlined, "parse");
    assert_eq!((parse.only_in, parse.absorbed_by.as_deref()), (Some(ProfiledSide::First), Some("read")));
    let outlined = told(&[("main/read", 500, 100), ("main/read/parse", 0, 400), ("main/hash", 400, 400)]);
    let parse = of(&outlined, "parse");
    assert_eq!((parse.only_in, parse.absorbed_by.as_deref()), (Some(ProfiledSide::Second), Some("read")));
    let gone = told(&[("main/read", 100, 100), ("main/read/parse", 400, 0), ("main/hash", 400, 400)]);
    assert_eq!(of(&gone, "parse").absorbed_by, None, "its caller takes no more");
}
