//! Reports and exports of profiles: every sample is in every file, and names of functions cannot act as markup.

use fauxplat_model::document::Findings;
use fauxplat_model::{
    FunctionDifference, FunctionShare, Metric, ObjectNames, ProcessShare, Profile, ProfileDifference,
    ProfileFindings, ProfileQuality, ProfileView, ProfiledFrame, ProfiledObject, ProfiledSide, ProfiledStack,
    Relative, Relatives, Secondary, StackEnd, Verdict,
};
use fauxplat_report::{Format, ReportError, Style, write};

use crate::common::{self, Owned};
use crate::comparisons;

/// A function name of characters that output formats have to escape: the separator of folded stacks, markup, a
/// right-to-left override and a line break.
const HOSTILE: &str = "operator;<script>alert(1)</script>\u{202e}\n";

fn share(name: &str, own: u64, total: u64) -> FunctionShare {
    let part = |samples: u64| samples as f64 / 2000.0;
    FunctionShare {
        name: name.into(),
        object: Some(0),
        self_samples: own,
        self_share: part(own),
        self_low: part(own) * 0.9,
        self_high: part(own) * 1.1,
        total_samples: total,
        total_share: part(total),
        total_low: part(total) * 0.95,
        total_high: (part(total) * 1.05).min(1.0),
        inlined_samples: 0,
    }
}

fn profile(name: &str) -> Profile {
    Profile {
        name: name.into(),
        quality: ProfileQuality {
            event: "cpu-clock".into(),
            unwinding: "eh_frame".into(),
            stack_bytes: 32 << 10,
            runs: 1,
            samples: 2000,
            truncated: 300,
            unknown: 150,
            has_kernel: true,
            rate_hz: Some(997.0),
            reached_hz: Some(995.0),
            cpu_s: 2.0,
            elapsed_s: 2.1,
            own_cpu_s: 0.02,
            ..ProfileQuality::default()
        },
        functions: vec![share("parse_line", 1200, 1200), share(HOSTILE, 500, 500), share("main", 0, 1700)],
        processes: vec![ProcessShare {
            pid: 4711,
            name: "reader".into(),
            samples: 2000,
            threads: 1,
            events: None,
            interval: Some([0.9981, 1.0]),
        }],
    }
}

/// Findings with frames of every kind, and stacks with every kind of end.
fn found(profiles: usize) -> ProfileFindings {
    let frame = |name: &str| ProfiledFrame { name: name.into(), object: Some(0), ..ProfiledFrame::default() };
    let stack = |frames: &[u32], end, samples: u64| ProfiledStack {
        frames: frames.to_vec(),
        process: "a;b".into(),
        end,
        samples: vec![samples; profiles],
        ..ProfiledStack::default()
    };
    let relative = |name: &str, depth| Relative {
        name: name.into(),
        samples: 1200,
        share: 1.0,
        low: 0.997,
        high: 1.0,
        depth,
        is_inlined: depth == 1,
    };
    let callers = Relatives {
        pattern: "^parse".into(),
        functions: vec!["parse_line".into()],
        samples: 1200,
        share: 0.6,
        low: 0.578,
        high: 0.621,
        relatives: vec![relative("read", 1), relative("main", 2)],
        profile: 0,
    };
    ProfileFindings {
        profiles: (0..profiles).map(|at| profile(["./reader old", "./reader new", "./third"][at])).collect(),
        views: vec![ProfileView::CallersOf(callers)],
        objects: vec![ProfiledObject {
            path: "/usr/bin/reader".into(),
            names: ObjectNames::Symbols,
            missing: Some("it has no lines: compile with -g".into()),
            ..ProfiledObject::default()
        }],
        frames: vec![
            frame("main"),
            ProfiledFrame { is_inlined: true, ..frame("read") },
            ProfiledFrame { line: Some(7), file: Some("reader.c".into()), ..frame("parse_line") },
            frame(HOSTILE),
            ProfiledFrame { is_kernel: true, ..frame("do_syscall_64") },
            ProfiledFrame { is_unknown: true, ..frame("[reader]") },
            ProfiledFrame { line: Some(9), file: Some("reader.c".into()), ..frame("parse_line") },
        ],
        stacks: vec![
            stack(&[0, 1, 2], StackEnd::Whole, 1000),
            stack(&[0, 1, 6], StackEnd::Whole, 200),
            stack(&[0, 3], StackEnd::Whole, 350),
            stack(&[3, 3, 3], StackEnd::Truncated, 300),
            stack(&[0, 4, 5], StackEnd::Broken, 150),
        ],
        ..ProfileFindings::default()
    }
}

fn difference(p: f64) -> ProfileDifference {
    let function = |name: &str, seconds: f64, p_adjusted| FunctionDifference {
        name: name.into(),
        self_s: seconds,
        self_low_s: seconds - 0.01,
        self_high_s: seconds + 0.01,
        total_s: seconds,
        total_low_s: seconds - 0.02,
        total_high_s: seconds + 0.02,
        p_adjusted,
        total_p_adjusted: p_adjusted,
        caller: Some("read".into()),
        ..FunctionDifference::default()
    };
    ProfileDifference {
        a: 0,
        b: 1,
        pairs: 15,
        a_cpu_s: 2.0,
        cpu_s: 0.14,
        low_s: 0.12,
        high_s: 0.16,
        error: 0.01,
        functions: vec![function("parse_line", 0.1, p), function("main", 0.001, 1.0)],
    }
}

fn owned(found: ProfileFindings) -> Owned {
    let findings = Findings::Profile(Box::new(found));
    Owned { header: common::header("profile"), commands: Vec::new(), samples: Vec::new(), findings }
}

/// A record with one profile.
pub(crate) fn one() -> Owned {
    owned(found(1))
}

/// A record with two profiles, one of which is slower in a function.
pub(crate) fn two() -> Owned {
    owned(ProfileFindings { differences: vec![difference(0.002)], ..found(2) })
}

fn file(owned: &Owned, format: Format) -> Result<Vec<u8>, ReportError> {
    let mut out = Vec::new();
    write(&owned.record(), format, &Style::default(), &mut out).map(|()| out)
}

#[test]
fn nothing_is_called_different_that_is_not_told_from_noise() {
    let text = |p| owned(ProfileFindings { differences: vec![difference(p)], ..found(2) }).text(100);
    let is_called =
        |text: &str| text.lines().any(|line| line.contains("parse_line") && line.contains("slower"));
    assert!(is_called(&text(0.002)));
    assert!(!is_called(&text(0.2)), "{}", text(0.2));
}

/// A record of `compare --profile` with 7 % more wall time in timed runs, and the given change in CPU time.
fn compared(cpu_ratio: Option<f64>, p: f64) -> Owned {
    let comparison = comparisons::comparison("./reader old", "./reader new", Verdict::Different, 1.07, 0.01);
    let mut owned = comparisons::compare(comparison);
    let Findings::Compare(found) = &mut owned.findings else { unreachable!("a comparison") };
    found.comparisons[0].secondary = cpu_ratio
        .map(|effect_ratio| Secondary {
            metric: Metric::CPU,
            effect_ratio,
            ci_low_ratio: effect_ratio - 0.01,
            ci_high_ratio: effect_ratio + 0.01,
            p_adjusted: 0.001,
            different: true,
            first_thread: false,
        })
        .into_iter()
        .collect();
    let sampled = ProfileFindings { differences: vec![difference(p)], ..self::found(2) };
    found.profile = Some(Box::new(sampled));
    owned
}

#[test]
fn a_comparison_says_which_functions_its_timed_difference_is_in() {
    let text = spaced(&compared(Some(1.07), 0.002).text(500));
    let expected = "Of 7.0 % more CPU time, 5.0 points ± 0.5 are in parse_line, called by read; 2.0 points \
        indistinguishable from noise (2 further runs were sampled, and not timed).";
    assert!(text.contains(expected), "{text}");
    // A difference that is not significant is attributed to no function, and a difference that the timed runs do not
    // show has no parts.
    let nothing = spaced(&compared(Some(1.07), 0.2).text(500));
    assert!(
        nothing.contains("no function differs beyond noise") && !nothing.contains("points ±"),
        "{nothing}"
    );
    let document: serde_json::Value =
        serde_json::from_slice(&file(&compared(Some(1.07), 0.002), Format::Json).unwrap()).unwrap();
    assert_eq!(document["profile"]["differences"][0]["functions"][0]["name"], "parse_line");
    let waiting = spaced(&compared(None, 0.2).text(500));
    assert!(waiting.contains("do not differ surely in CPU time"), "{waiting}");
    assert!(waiting.contains("-e off-cpu"), "{waiting}");
}

#[test]
fn too_few_pairs_are_said_to_be() {
    let said = |pairs| {
        let of = ProfileDifference { pairs, ..difference(1.0) };
        spaced(&owned(ProfileFindings { differences: vec![of], ..found(2) }).text(500)).contains("at least 8")
    };
    assert_eq!([2, 7, 8].map(said), [true, true, false]);
}

#[test]
fn what_may_have_become_of_a_function_is_said_as_a_guess() {
    let mut of = difference(0.002);
    of.functions[0].renamed = Some("parse_row".into());
    of.functions[0].is_guess = true;
    of.functions[1].only_in = Some(ProfiledSide::First);
    of.functions[1].absorbed_by = Some("read".into());
    let text = spaced(&owned(ProfileFindings { differences: vec![of], ..found(2) }).text(500));
    for said in [
        "are in parse_line (probably parse_row now), called by read",
        "parse_line is gone, parse_row is new, also called from read: they are probably the same function",
        "main is gone, and read, which called it, takes about so much more itself: probably inlined there",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

fn spaced(text: &str) -> String {
    text.replace('\u{a0}', " ").replace("\n  ", " ")
}

/// Decodes a message of a protocol buffer: for each field its number and either a number or bytes.
fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, Vec<u8>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let (&byte, rest) = bytes.split_first().unwrap();
            *bytes = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let (key, number) = (varint(&mut bytes), varint(&mut bytes));
        let (inner, rest) = if key & 7 == 2 { bytes.split_at(number as usize) } else { (&[][..], bytes) };
        all.push((key >> 3, number, inner.to_vec()));
        bytes = rest;
    }
    all
}

#[test]
fn folded_lines_have_every_sample_and_no_more_separators_than_frames() {
    let text = String::from_utf8(file(&one(), Format::Folded).unwrap()).unwrap();
    let counts = text.lines().map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap());
    assert_eq!(counts.sum::<u64>(), 2000);
    let parse: Vec<&str> = text.lines().filter(|line| line.contains("parse_line")).collect();
    assert_eq!(parse, ["a:b;main;read;parse_line 1200"], "lines of source tell no stacks apart");
    assert!(text.lines().all(|line| line.split(';').count() <= 5), "{text}");
    let two = String::from_utf8(file(&two(), Format::Folded).unwrap()).unwrap();
    assert!(two.lines().any(|line| line == "a:b;main;read;parse_line 1200 1200"), "{two}");
    assert!(matches!(file(&owned(found(3)), Format::Folded), Err(ReportError::NothingToExport { .. })));
}

#[test]
fn speedscope_and_firefox_have_every_sample() {
    for (count, owned) in [(1, one()), (2, two())] {
        let written: serde_json::Value =
            serde_json::from_slice(&file(&owned, Format::Speedscope).unwrap()).unwrap();
        assert_eq!(written["profiles"].as_array().unwrap().len(), count);
        let weights = written["profiles"][0]["weights"].as_array().unwrap();
        let sum: f64 = weights.iter().map(|weight| weight.as_f64().unwrap()).sum();
        assert!((sum - 2.0).abs() < 1e-9, "seconds of CPU time");
        let frames = written["shared"]["frames"].as_array().unwrap().len() as u64;
        let stacks = written["profiles"][0]["samples"].as_array().unwrap();
        assert!(
            stacks.iter().flat_map(|stack| stack.as_array().unwrap()).all(|at| at.as_u64().unwrap() < frames)
        );
        let written: serde_json::Value =
            serde_json::from_slice(&file(&owned, Format::Firefox).unwrap()).unwrap();
        assert_eq!(written["threads"].as_array().unwrap().len(), count);
        let weights = written["threads"][0]["samples"]["weight"].as_array().unwrap();
        assert_eq!(weights.iter().map(|weight| weight.as_u64().unwrap()).sum::<u64>(), 2000);
    }
}

/// Samples of page faults do not represent seconds.
#[test]
fn only_time_is_told_in_seconds() {
    let mut faults = found(1);
    faults.profiles[0].quality.event = "page-faults:u".into();
    let written = file(&owned(faults), Format::Speedscope).unwrap();
    let written: serde_json::Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(written["profiles"][0]["unit"], "none");
    assert_eq!(written["profiles"][0]["endValue"], 2000.0);
}

/// The weight of a stack is the number of events that its samples represent, in every format with a single number per
/// stack.
#[test]
fn what_is_exported_are_the_events_that_samples_stand_for() {
    let mut found = found(1);
    found.profiles[0].quality.event = "page-faults".into();
    for (at, stack) in found.stacks.iter_mut().enumerate() {
        stack.events = vec![1000 * (at as u64 + 1)];
    }
    let events: u64 = found.stacks.iter().map(|stack| stack.events[0]).sum();
    found.profiles[0].quality.events = Some(events);
    let owned = owned(found);
    let folded = String::from_utf8(file(&owned, Format::Folded).unwrap()).unwrap();
    let counts = folded.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok());
    assert_eq!(counts.sum::<u64>(), events, "{folded}");
    let speedscope: serde_json::Value =
        serde_json::from_slice(&file(&owned, Format::Speedscope).unwrap()).unwrap();
    assert_eq!(speedscope["profiles"][0]["endValue"], events as f64);
    let pprof = file(&owned, Format::Pprof).unwrap();
    let strings: Vec<String> = fields(&pprof)
        .iter()
        .filter(|it| it.0 == 6)
        .map(|it| String::from_utf8_lossy(&it.2).into_owned())
        .collect();
    assert!(strings.contains(&"page-faults".to_owned()), "{strings:?}");
}

#[test]
fn pprof_has_every_sample_by_names_that_are_there() {
    let written = file(&one(), Format::Pprof).unwrap();
    let all = fields(&written);
    let of = |field: u64| all.iter().filter(move |it| it.0 == field).map(|it| it.2.clone());
    let strings: Vec<String> = of(6).map(|bytes| String::from_utf8(bytes).unwrap()).collect();
    assert_eq!(strings[0], "", "the first string is empty");
    let packed = |bytes: &[u8]| -> Vec<u64> {
        let pairs: Vec<u8> = [&[0x0a, bytes.len() as u8], bytes].concat();
        let inner = fields(&pairs)[0].2.clone();
        let mut numbers = vec![0_u64];
        let mut shift = 0;
        for byte in inner {
            *numbers.last_mut().unwrap() |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                numbers.push(0);
                shift = 0;
            }
        }
        numbers.pop();
        numbers
    };
    let samples: Vec<Vec<u64>> = of(2).map(|sample| packed(&fields(&sample)[1].2)).collect();
    assert_eq!(samples.iter().map(|values| values[0]).sum::<u64>(), 2000);
    assert_eq!(samples.iter().map(|values| values[1]).sum::<u64>(), 2_000_000_000, "nanoseconds of CPU time");
    let places = of(4).count() as u64;
    let stacks = of(2).map(|sample| packed(&fields(&sample)[0].2));
    assert!(stacks.flatten().all(|place| (1..=places).contains(&place)));
    assert!(of(5).all(|function| (fields(&function)[1].1 as usize) < strings.len()));
    // The linker's name (field 3) is absent: if it equals the name, pprof removes template arguments from the name.
    assert!(of(5).all(|function| fields(&function).iter().all(|it| it.0 != 3)));
    assert!(matches!(file(&two(), Format::Pprof), Err(ReportError::NothingToExport { .. })));
}

#[test]
fn what_has_no_samples_is_written_in_every_format_of_profiles() {
    let empty = owned(ProfileFindings { profiles: vec![Profile::default()], ..ProfileFindings::default() });
    let none = owned(ProfileFindings::default());
    for format in Format::ALL {
        for owned in [&empty, &none] {
            match file(owned, format) {
                Ok(_) => {}
                Err(error) => {
                    assert!(matches!(error, ReportError::NothingToExport { .. }), "{format}: {error}")
                }
            }
        }
    }
}

#[test]
fn names_of_strangers_stay_names() {
    for owned in [one(), two()] {
        for format in [Format::Svg, Format::Html, Format::Markdown, Format::Text] {
            let text = String::from_utf8(file(&owned, format).unwrap()).unwrap();
            let is_markup = matches!(format, Format::Svg | Format::Html);
            assert!(!is_markup || !text.contains("<script>alert"), "{format}");
            assert!(!text.contains('\u{202e}'), "{format}");
        }
    }
}

/// Function names that XML cannot represent, that are endless, or that are empty.
#[test]
fn whatever_a_symbol_table_holds_is_drawn_and_folded() {
    let mut odd = found(1);
    let names =
        ["x".repeat(10_000), "]]>&\"'\u{1}\u{7f}\u{fffe}\u{ffff}".into(), "文".repeat(500), String::new()];
    odd.frames.iter_mut().zip(names).for_each(|(frame, name)| frame.name = name);
    let drawing = String::from_utf8(file(&owned(odd.clone()), Format::Svg).unwrap()).unwrap();
    let is_character = |c: char| matches!(c, '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(drawing.chars().all(is_character), "XML 1.0, production 2");
    assert_eq!(drawing.matches("]]>").count(), 1, "the end of the script alone");
    assert!(drawing.len() < 50_000, "{}", drawing.len());
    let folded = String::from_utf8(file(&owned(odd), Format::Folded).unwrap()).unwrap();
    assert!(folded.contains("a:b;[truncated];?;?;? 300\n"), "{folded}");
    assert!(folded.lines().all(|line| line.split(';').all(|step| !step.trim().is_empty())), "{folded}");
}

/// Deep recursion of a program must not overflow the stack of the code that draws it.
#[test]
fn deep_recursion_is_cut_and_told() {
    let mut deep = found(1);
    let stack = ProfiledStack { frames: vec![2; 20_000], samples: vec![2000], ..ProfiledStack::default() };
    deep.stacks = vec![stack];
    for format in [Format::Svg, Format::Html] {
        let page = String::from_utf8(file(&owned(deep.clone()), format).unwrap()).unwrap();
        assert!(page.contains("calls left out") && page.matches("class=\"bar").count() < 400, "{format}");
    }
}

#[test]
fn only_profiles_have_stacks() {
    for format in [Format::Folded, Format::Speedscope, Format::Firefox, Format::Pprof] {
        let error = file(&common::run(&["sort"]), format).unwrap_err();
        assert!(error.to_string().contains("fauxplat profile"), "{error}");
    }
}
