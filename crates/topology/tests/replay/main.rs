//! Replays the fuzz corpus on stable, and some random inputs with it.

mod body;

use std::path::Path;

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/topology/corpus").join(name);
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| std::fs::read(file.path()).ok()).collect()
}

/// Bytes of an alphabet that the formats know, so that many of them mean something.
fn random(inputs: u64, bytes: usize) -> impl Iterator<Item = Vec<u8>> {
    const ALPHABET: &[u8] = b"0123456789,-:&|!()abcdefKM \n\t\xff\xff\x00Ucpuself";
    (1..=inputs).map(move |seed| {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ALPHABET[(state >> 33) as usize % ALPHABET.len()]
        };
        (0..bytes).map(|_| byte()).collect()
    })
}

#[test]
fn formats_are_read_without_trust() {
    let inputs = corpus("formats");
    assert!(!inputs.is_empty(), "the corpus is missing");
    inputs
        .into_iter()
        .chain((1..40).flat_map(|bytes| random(200, bytes)))
        .for_each(|bytes| body::formats(&bytes));
}

#[test]
fn trees_are_read_without_trust() {
    let inputs = corpus("tree");
    assert!(!inputs.is_empty(), "the corpus is missing");
    inputs.into_iter().chain(random(300, 600)).for_each(|bytes| body::tree(&bytes));
}
