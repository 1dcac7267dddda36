//! Replays the corpus of every target on stable, and then mutations of it for a moment.
//!
//! The mutations are the same in each run, for as many of them as there is time; `cargo xtask campaign fuzz` goes on
//! from there.

use fauxplat_fuzz::{Mutator, TARGETS, Target};
use fauxplat_sys::clock;

/// For the mutations of one target.
const SPAN_NS: u64 = 1_500_000_000;

fn replay(target: &Target) {
    let mutator =
        Mutator::new(target, 0).unwrap_or_else(|error| panic!("{}: {error}", target.folder().display()));
    assert!(mutator.committed() >= 3, "{}: the corpus is missing", target.name);
    let end_ns = clock::monotonic_ns() + SPAN_NS;
    for number in 0.. {
        if clock::monotonic_ns() > end_ns && number >= mutator.committed() {
            break;
        }
        let input = mutator.input(number);
        if std::panic::catch_unwind(|| (target.run)(&input)).is_err() {
            panic!("{}: input {number} of seed 0: {}", target.name, input.escape_ascii());
        }
    }
}

#[test]
fn every_parser_reads_without_trust() {
    TARGETS.iter().for_each(replay);
}

/// Folders without a target would never be replayed.
#[test]
fn every_corpus_has_its_target() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let areas = std::fs::read_dir(root).expect("this folder").flatten();
    let corpora =
        areas.filter_map(|area| std::fs::read_dir(area.path().join("corpus")).ok()).flatten().flatten();
    let folders: Vec<_> = corpora.map(|corpus| corpus.path()).collect();
    assert!(folders.len() >= TARGETS.len());
    for folder in folders {
        assert!(TARGETS.iter().any(|target| target.folder() == folder), "{} has no target", folder.display());
    }
}

/// libFuzzer drives the same targets.
#[test]
fn every_target_is_driven_by_libfuzzer_too() {
    let manifest = include_str!("../libfuzzer/Cargo.toml");
    let names: Vec<&str> =
        manifest.split("[[bin]]").skip(1).filter_map(|part| part.split('"').nth(1)).collect();
    assert_eq!(names, TARGETS.iter().map(|target| target.name).collect::<Vec<_>>());
}
