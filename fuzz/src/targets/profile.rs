//! What perf recorded on some machine.

use std::fs;

use fauxplat_model::ProfiledRun;
use fauxplat_profile::Profiler;

use super::folder;

/// For the mutator.
pub(crate) const WORDS: &[&str] = &[
    "PERFILE2",
    "\u{9}\0\0\0",
    "\u{a}\0\0\0",
    "\u{3}\0\0\0",
    "\0\0\0\0",
    "[vdso]",
    "/usr/bin/true",
    "[kernel.kallsyms]_text",
];

/// A file of perf: either a reason why it cannot be shown, or a profile in which every sample has its place.
pub(crate) fn recordings(bytes: &[u8]) {
    let folder = folder();
    let path = folder.path().join("perf.data");
    fs::write(&path, bytes).expect("a file");
    let mut profiler = Profiler::default();
    match profiler.import(&path) {
        Err(error) => assert!(error.to_string().contains("perf.data"), "{error}"),
        Ok(imported) => {
            let followed = imported.followed;
            let (samples, counted) = (followed.samples, followed.stacks.iter().sum::<u64>());
            assert_eq!(samples, counted, "every sample is in a stack");
            let tables = profiler.tables(&[(ProfiledRun::default(), followed)], 1);
            assert_eq!(tables.stacks.iter().map(|it| it.samples[0]).sum::<u64>(), samples);
            let frames = tables.stacks.iter().flat_map(|it| &it.frames);
            assert!(frames.into_iter().all(|&frame| (frame as usize) < tables.frames.len()));
        }
    }
}
