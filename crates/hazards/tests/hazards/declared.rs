//! The declarations themselves.

use std::collections::BTreeSet;

use fauxplat_hazards::{HazardGroup, Neutralised, all_hazards, explain, find, hazards};

#[test]
fn every_hazard_says_all_that_it_has_to() {
    for hazard in hazards() {
        let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(hazard.name.chars().all(is_kebab) && !hazard.name.is_empty(), "{}", hazard.name);
        let is_sentence = |text: &str| text.ends_with('.') && text.split(' ').count() > 2;
        let (name, words) = (hazard.name, |text: &str| text.split(' ').count());
        assert!(words(hazard.title) > 1 && !hazard.title.ends_with('.'), "{name}: {}", hazard.title);
        assert!(hazard.reads.contains('/'), "{name} names no file: {}", hazard.reads);
        assert!(is_sentence(hazard.cost), "{name}: {}", hazard.cost);
        assert!(is_sentence(hazard.advice), "{name}: {}", hazard.advice);
        assert!(is_sentence(hazard.levels), "{name}: {}", hazard.levels);
        let names_a_level = ["low", "medium", "high"].iter().any(|level| hazard.levels.contains(level));
        assert!(names_a_level, "{name} has no level: {}", hazard.levels);
        if let Neutralised::Partly(how) | Neutralised::Yes(how) = hazard.neutralised {
            assert!(words(how) > 2, "{name}: {how}");
        }
        if let Some(knob) = hazard.knob {
            assert!(knob.contains('='), "{name}: {knob} is not what `tune --set` takes");
        }
    }
}

#[test]
fn names_are_unique_and_no_group_is_empty() {
    let names: BTreeSet<&str> = hazards().map(|hazard| hazard.name).collect();
    assert_eq!(names.len(), hazards().count());
    assert!(!names.contains("any") && !names.contains("all"), "both words mean every hazard");
    for group in HazardGroup::ALL {
        assert!(hazards().any(|hazard| hazard.group == group), "{group:?}");
    }
}

#[test]
fn the_document_lists_them_all() {
    let document = all_hazards();
    for hazard in hazards() {
        assert!(document.contains(&format!("\n### {}\n", hazard.name)), "{}", hazard.name);
    }
}

#[test]
fn the_long_text_has_every_part() {
    let text = explain(find("turbo").unwrap());
    for part in
        ["costs", "levels", "read from", "in a virtual machine", "fauxplat", "tune", "what you can do"]
    {
        assert!(text.contains(&format!("\n{part}\n")), "{part}:\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_name_that_is_nearly_right_is_suggested() {
    let said = |name: &str| find(name).err().unwrap().to_string();
    assert!(said("governer").contains("did you mean `governor`?"), "{}", said("governer"));
    assert!(said("watchdog").contains("`nmi-watchdog`"), "{}", said("watchdog"));
    assert!(said("zzz").contains("nothing like it"), "{}", said("zzz"));
    let hostile = said(&format!("\u{1b}[31m{}", "x".repeat(100_000)));
    assert!(!hostile.contains('\u{1b}'));
}
