//! A hundred thousand samples are written without holding the output in memory.

#[expect(dead_code, reason = "each user of the constructed records takes some of them")]
#[path = "suite/common.rs"]
mod common;

use std::io::{self, Write};

use fauxplat_model::document::Findings;
use fauxplat_report::{Format, Style, write};
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const SAMPLES: u32 = 100_000;

/// Counts bytes and stores nothing.
#[derive(Default)]
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// All threads of the process share the heap whose size is measured, so this is the only test of the process.
#[test]
fn memory_does_not_grow_with_what_is_written() {
    let mut owned = common::run(&["sort", "gsort"]);
    owned.samples = (0..SAMPLES).map(|trial| common::sample(trial, (trial % 2) as u16, 5_000_000)).collect();
    let Findings::Run(found) = &owned.findings else { unreachable!("`run` was asked for") };
    assert_eq!(found.len(), 2);
    // `heap_max` allows four bytes per run for their order, and eight for sorting them and for the column of drawn
    // readings. A page omits raw data beyond its limit.
    for (format, bytes_min, heap_max) in [
        (Format::Json, 40_000_000, 2 << 20),
        (Format::Csv, 10_000_000, 1 << 20),
        (Format::PyperfJson, 5_000_000, 2 << 20),
        (Format::HyperfineJson, 2_000_000, 8 << 20),
        (Format::Text, 500, 3 << 20),
        (Format::Markdown, 500, 3 << 20),
        (Format::Html, 5_000, 12 << 20),
    ] {
        let mut counter = Counter::default();
        HEAP.reset_peak_usage();
        let before = HEAP.current_usage();
        write(&owned.record(), format, &Style::default(), &mut counter).unwrap();
        let taken = HEAP.peak_usage() - before;
        assert!(counter.0 > bytes_min, "{format}: {} bytes", counter.0);
        assert!(taken < heap_max, "{format}: {taken} bytes of heap");
    }
}
