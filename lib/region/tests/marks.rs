//! Marks of a Rust program on a page with the layout of `docs/regions.md`.
#![expect(
    clippy::disallowed_methods,
    reason = "the page is found when a program begins, so the marks are made in one of its own"
)]

use std::process::Command;
use std::thread;

use fauxplat_region::Region;

static PARSE: Region = Region::new(c"parse");
static SORT: Region = Region::new(c"sort");

fn recursive(depth: u32) {
    let _inside = PARSE.enter();
    if depth > 1 {
        recursive(depth - 1);
    }
}

/// Runs as a separate process started by the other tests; does nothing by itself.
#[test]
fn a_program_that_marks() {
    if std::env::var_os("FAUXPLAT_REGIONS").is_none() {
        return;
    }
    let others: Vec<_> = (0..4).map(|_| thread::spawn(|| (0..1000).for_each(|_| recursive(3)))).collect();
    others.into_iter().for_each(|other| other.join().unwrap());
    let _unended = std::mem::ManuallyDrop::new(SORT.enter());
}

/// Returns a page with the layout of `docs/regions.md`, without event counts.
fn page() -> Vec<u8> {
    let mut bytes = vec![0; (64 + 512 * 32) * 8];
    bytes[..8].copy_from_slice(b"FPREGION");
    bytes[8..16].copy_from_slice(&1_u64.to_ne_bytes());
    bytes
}

/// Runs [`a_program_that_marks`] with the path of a file of this content in `FAUXPLAT_REGIONS`, and returns the words
/// of the file afterwards.
fn run(content: &[u8], name: &str) -> Vec<u64> {
    let path = std::env::temp_dir().join(format!("fauxplat-marks-{}-{name}", std::process::id()));
    std::fs::write(&path, content).unwrap();
    let words = ["--exact", "a_program_that_marks"];
    let program = std::env::current_exe().unwrap();
    let done = Command::new(program).args(words).env("FAUXPLAT_REGIONS", &path).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    bytes.as_chunks().0.iter().map(|&word| u64::from_ne_bytes(word)).collect()
}

#[test]
fn marks_are_on_the_page() {
    let words = run(&page(), "page");
    let slots: Vec<&[u64]> = words[64..].chunks(32).filter(|slot| slot[0] == 2).collect();
    let of = |name: &[u8; 8]| slots.iter().find(|slot| slot[2].to_ne_bytes() == *name).unwrap();
    let (parse, sort) = (of(b"parse\0\0\0"), of(b"sort\0\0\0\0"));
    assert_eq!((slots.len(), parse[10], parse[12], parse[13]), (2, 4000, 0, 0));
    assert!(parse[11] > 0 && parse[11] < 100_000_000_000);
    assert_eq!((sort[10], sort[12]), (0, 1));
}

/// A file with another magic or version, or too short to be mapped, is not changed.
#[test]
fn what_is_no_page_is_not_written() {
    let mut later = page();
    later[8] = 2;
    let cut = page()[..4096].to_vec();
    for (name, content) in
        [("later", later), ("cut", cut), ("zeros", vec![0; 1 << 18]), ("empty", Vec::new())]
    {
        let words = run(&content, name);
        let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_ne_bytes).collect();
        assert!(bytes == content, "{name}");
    }
}
