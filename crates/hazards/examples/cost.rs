//! Measures the cost of the warnings that precede every experiment, in microseconds: median and largest of two hundred
//! calls.
#![expect(clippy::disallowed_macros, reason = "an example prints")]

use std::path::Path;

use fauxplat_sys::clock;

fn main() {
    let once = |_| {
        let started_ns = clock::monotonic_ns();
        std::hint::black_box(fauxplat_hazards::warnings(Path::new("/"), None));
        (clock::monotonic_ns() - started_ns) / 1000
    };
    let mut micros: Vec<u64> = (0..200).map(once).collect();
    micros.sort_unstable();
    println!("{} {}", micros[micros.len() / 2], micros[micros.len() - 1]);
}
