//! Tests of accepted and refused texts; printed lists are parsed again.

use proptest::prelude::*;

use super::*;
use crate::asked::list;

fn printed(text: &str) -> String {
    list(&parse(text).unwrap())
}

fn refused(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn the_spelling_of_perf_becomes_ours() {
    assert_eq!(
        printed("cpu-cycles,L1-dcache-load-misses:u, cs ,r00C4:ku"),
        "cycles,l1d-misses:u,context-switches,rc4:uk"
    );
    assert_eq!(
        printed("pmu:instructions,software:faults,tracepoint:sched:sched_switch:k"),
        "instructions,page-faults,sched:sched_switch:k"
    );
}

#[test]
fn all_three_modifiers_are_none() {
    assert_eq!(printed("cycles:ukh,cycles:hk"), "cycles,cycles:kh");
}

#[test]
fn commas_between_slashes_and_in_braces_do_not_split() {
    let text = "cpu/event=0xc0,umask=1/u,{cycles,cpu/config=16,config1=0x2/:k}:h,msr/tsc/";
    assert_eq!(
        printed(text),
        "cpu/event=0xc0,umask=0x1/u,{cycles:h,cpu/config=0x10,config1=0x2/kh},msr/tsc/"
    );
    let groups: Vec<_> = parse(text).unwrap().iter().map(|event| event.group).collect();
    assert_eq!(groups, [None, Some(0), Some(0), None]);
}

#[test]
fn a_set_is_its_events_and_its_modifiers_are_those_of_hardware() {
    let text = printed("default:u");
    assert!(
        text.starts_with("cycles:u,instructions:u,branches:u,branch-misses:u,task-clock,page-faults"),
        "{text}"
    );
    assert!(printed("topdown").starts_with("{slots,topdown-retiring,"));
    assert_eq!(printed("{branch,cycles}"), "{branches,branch-misses,cycles}");
}

#[test]
fn an_event_stands_once_and_in_one_group() {
    assert_eq!(printed("cycles,cpu-cycles,instructions"), "cycles,instructions");
    assert_eq!(printed("cycles,{instructions,cycles},cycles"), "{instructions,cycles}");
    assert!(refused("{cycles,branches},{cycles,slots}").starts_with("`cycles` stands in two groups"));
}

#[test]
fn what_is_none_is_refused_with_what_to_do() {
    assert_eq!(refused("instrutions:u").split(':').nth(1), Some(" did you mean `instructions`?"));
    for text in ["cycles:p", "cycles:G", "r1:e", "cpu/event=1/P", "{cycles}:S"] {
        assert!(refused(text).contains("is not for counting"), "{text}");
    }
    for text in
        ["cpu/event=1", "/event=1/", "cpu/event=x/", "cpu//", "a/b/c/d", "{cycles", "{{cycles}}", "}", "{a}b"]
    {
        let error = parse(text).unwrap_err();
        assert!(
            matches!(error, CounterError::Malformed { .. } | CounterError::Modifier { .. }),
            "{text}: {error}"
        );
    }
    assert_eq!(refused("software:cycles").split(':').nth(1), Some(" write `pmu"));
    assert!(refused("..:passwd").contains("is no event"));
    assert!(refused("sched:..id").contains("SUBSYSTEM:EVENT"));
    for text in ["", " ", "cycles,", ",", "{}"] {
        assert_eq!(parse(text), Err(CounterError::Empty), "{text}");
    }
    let many: Vec<String> = (0..=EVENTS_MAX).map(|config| format!("r{config:x}")).collect();
    assert_eq!(parse(&many.join(",")), Err(CounterError::TooMany { limit: EVENTS_MAX }));
}

/// Generates texts that are nearly valid lists.
fn nearly() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "cycles",
        "instructions",
        "L1-dcache-loads",
        "cs",
        "default",
        "topdown",
        "r1f",
        "cpu/",
        "event=0x1",
        "umask=2",
        "/",
        "/u",
        ":u",
        ":k",
        ":h",
        ":kh",
        ":p",
        ",",
        ",",
        ",",
        "{",
        "}",
        "}:u",
        "sched:sched_switch",
        "pmu:",
        "software:",
        "tracepoint:",
        "tracepoint:",
        "sched:u",
        " ",
        "x",
        "é",
        "=",
    ]);
    prop::collection::vec(words, 0..12).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(text in ".*") {
        let _ = parse(&text);
    }

    #[test]
    fn what_is_printed_is_read_as_the_same(text in nearly()) {
        if let Ok(events) = parse(&text) {
            // A printed list names each event of a set, and not the set itself.
            let named = |one: Asked| Asked { set: None, ..one };
            let events: Vec<Asked> = events.into_iter().map(named).collect();
            let again = parse(&list(&events));
            prop_assert_eq!(again.as_deref(), Ok(events.as_slice()), "{}", list(&events));
        }
    }
}

#[test]
fn a_tracepoint_of_an_ambiguous_name_keeps_its_source() {
    for text in [
        "tracepoint:pmu:pmu",
        "tracepoint:default:cs:u",
        "tracepoint:tracepoint:sched_switch",
        "tracepoint:cs:migrate",
        "tracepoint:r1f:b",
        "tracepoint:sched:u",
    ] {
        let events = parse(text).unwrap();
        assert_eq!(events[0].name, text);
        assert_eq!(parse(&list(&events)), Ok(events));
    }
    assert_eq!(parse("tracepoint:sched:sched_switch").unwrap()[0].name, "sched:sched_switch");
}

#[test]
fn what_came_with_a_set_is_known_from_what_was_named() {
    let sets = |text: &str| parse(text).unwrap().iter().map(|one| one.set).collect::<Vec<_>>();
    assert_eq!(sets("BrMispredicts"), [Some("branch"); 2]);
    assert_eq!(sets("branch,branches"), [None, Some("branch")]);
    assert_eq!(sets("branch-misses,branch"), [None, Some("branch")]);
    assert_eq!(parse("topdownl2").unwrap().len(), 9);
}
