//! Replays the fuzz corpus on stable Rust, and a few thousand random inputs with it.

mod body;

use std::path::Path;

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/table/corpus").join(name);
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| std::fs::read(file.path()).ok()).collect()
}

fn random(inputs: u64, bytes: usize) -> impl Iterator<Item = Vec<u8>> {
    (1..=inputs).map(move |seed| {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..bytes).map(|_| byte()).collect()
    })
}

#[test]
fn operations_agree_with_a_map() {
    let inputs = corpus("operations");
    assert!(!inputs.is_empty(), "the corpus is missing");
    inputs.into_iter().chain(random(1000, 600)).for_each(|bytes| body::operations(&bytes));
}

#[test]
fn contents_break_nothing() {
    let inputs = corpus("contents");
    assert!(!inputs.is_empty(), "the corpus is missing");
    inputs.into_iter().chain(random(1000, 2000)).for_each(|bytes| body::contents(&bytes));
}
