//! Replays the corpus of the fuzz targets on stable Rust, with mutations of each input.

mod body;

use std::path::Path;

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/tuning/corpus").join(name);
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let inputs: Vec<_> = files.filter_map(|file| std::fs::read(file.path()).ok()).collect();
    assert!(!inputs.is_empty(), "the corpus is missing");
    inputs
}

/// Returns the input with a few bytes changed, doubled or left out, depending on the seed.
fn mutated(input: &[u8], seed: u64) -> Vec<u8> {
    const ALPHABET: &[u8] = b"\"{}[]:,-0123456789.=\n\0/abn ";
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % limit.max(1)
    };
    let mut bytes = input.to_vec();
    for _ in 0..=below(3) {
        let at = below(bytes.len());
        match below(3) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, ALPHABET[below(ALPHABET.len())]),
            _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = ALPHABET[below(ALPHABET.len())]),
        }
    }
    bytes
}

const MUTATIONS: u64 = 30;

fn with_mutations(inputs: Vec<Vec<u8>>) -> impl Iterator<Item = Vec<u8>> {
    inputs.into_iter().flat_map(|input| {
        let mutations: Vec<_> = (1..=MUTATIONS).map(|seed| mutated(&input, seed)).collect();
        std::iter::once(input).chain(mutations)
    })
}

#[test]
fn journals_are_read_without_trust() {
    with_mutations(corpus("journal")).for_each(|bytes| body::journal(&bytes));
}

#[test]
fn words_are_read_without_trust() {
    with_mutations(corpus("words")).for_each(|bytes| body::words(&bytes));
}

#[test]
fn profiles_are_read_without_trust() {
    with_mutations(corpus("profiles")).for_each(|bytes| body::profiles(&bytes));
}
