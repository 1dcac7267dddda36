//! Recordings of perf, and files by which programs and the kernel describe themselves: maps of code, names of
//! functions, pages of regions, the kernel's log.

use std::fs;

use fauxplat_experiment::marked;
use fauxplat_model::{ProfiledRun, check_region};
use fauxplat_profile::{PerfMap, Profiler, demangle};
use fauxplat_sys::klog;

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
            let (samples, counted) =
                (followed.samples, followed.stacks.iter().map(|it| it.samples).sum::<u64>());
            assert_eq!(samples, counted, "every sample is in a stack");
            // Names would be those of the programs of this machine, and of its kernel, read anew for every input.
            let tables = profiler.nameless_tables(&[(ProfiledRun::default(), followed)], 1);
            assert_eq!(tables.stacks.iter().map(|it| it.samples[0]).sum::<u64>(), samples);
            let frames = tables.stacks.iter().flat_map(|it| &it.frames);
            assert!(frames.into_iter().all(|&frame| (frame as usize) < tables.frames.len()));
        }
    }
}

/// For the mutator of maps.
pub(crate) const MAP_WORDS: &[&str] = &[
    "7f00 10 py::f:/a.py\n",
    "0xffffffffffffffff 0xffffffffffffffff ",
    "_ZN",
    "_R",
    "_ZNSt6vectorIiSaIiEE9push_backERKi",
    "IX",
    "S0_",
    "T_",
    "@plt",
    "@@GLIBC_2.14",
    ".constprop.0",
    "6,339,5140900,-;",
    "\u{2}\0\0\0\0\0\0\0",
    "\n",
];

/// Limit of a demangled name in bytes; for Rust the demangling library has its own.
const NAME_MAX: usize = 1 << 20;

/// The bytes as a map of code, as names of functions, as the slots of a page of regions, and as the kernel's log.
pub(crate) fn maps(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let map = PerfMap::parse(&text);
    for address in text.lines().filter_map(address) {
        if let Some(name) = map.find(address) {
            assert!(!name.is_empty() && text.contains(name));
        }
    }
    for symbol in text.split_whitespace().take(64) {
        if let Some(name) = demangle(symbol) {
            assert!(name.len() <= NAME_MAX.max(symbol.len()), "{} bytes of {symbol}", name.len());
        }
    }
    regions(bytes);
    for record in klog::records(&mut &*bytes) {
        assert!(!record.message.contains('\n'));
    }
}

fn address(line: &str) -> Option<u64> {
    u64::from_str_radix(line.split(' ').next()?.trim_start_matches("0x"), 16).ok()
}

/// Bytes before the first slot of a page: its header.
const HEADER: usize = 64 * 8;

/// A page of regions: at most one region for each slot, each with a valid name.
fn regions(bytes: &[u8]) {
    let page = [&[0; HEADER][..], bytes].concat();
    for whole in [bytes, &page] {
        let found = marked(whole);
        assert!(found.regions.len() <= whole.len() / 256);
        assert!(found.regions.keys().all(|name| check_region(name).is_ok()));
    }
}
