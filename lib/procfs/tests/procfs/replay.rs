//! Replays the fuzz corpus on stable Rust, and some random inputs with it.

use std::path::Path;

use proptest::prelude::*;

use crate::body;

#[test]
fn the_corpus_is_read_without_trust() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/procfs/corpus/files");
    let mut inputs = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is there").flatten() {
        let bytes = std::fs::read(entry.path()).expect("a file of the corpus");
        body::files(&bytes);
        // The beginning of a text that a buffer or a killed writer has cut must still be parsed.
        (0..bytes.len().min(600)).for_each(|end| body::files(&bytes[..end]));
        inputs += 1;
    }
    assert!(inputs > 5, "the corpus has {inputs} files");
}

#[test]
fn long_lines_and_many_cpus_are_read() {
    let heading: String = (0..4096).map(|cpu| format!("CPU{cpu} ")).collect();
    let counts = "4294967295 ".repeat(4096);
    let table = format!("{heading}\n  1: {counts} IO-APIC timer\nLOC: {counts}\n");
    body::files(table.as_bytes());
    let stat: String = (0..4096).map(|cpu| format!("cpu{cpu} 1 2 3 4 5 6 7 8 9 10\n")).collect();
    assert_eq!(fauxplat_procfs::stat::cpus(&stat).count(), 4096);
    for unit in ["a", " ", "1", "1 ", ":", "/", "\\", "=", "("] {
        body::files(unit.repeat(65_536 / unit.len()).as_bytes());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_trust(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        body::files(&bytes);
    }

    #[test]
    fn words_of_the_kernel_in_any_order_are_read_without_trust(
        words in proptest::collection::vec(
            "cpu[0-9]{0,11} |CPU[0-9]{1,11} |[0-9]{1,25}:? ?|some |full |(avg10|total)=[0-9.]{1,25} |0::/[a/.]{0,9}|\n|\
             [0-9]:(cpu|memory),?[a-z]{0,3}:/| - cgroup2? x rw(,cpu)?|7 \\(a\\) S |MemTotal: |Node 0 | kB|nr_throttled |\
             /|\\\\[0-7]{1,3}|-|max |processor ?:?|CapEff:\t[0-9a-f]{1,20}",
            0..60,
        )
    ) {
        body::files(words.concat().as_bytes());
    }
}
