//! Measures the time to append one sample: `cargo run --release -p fauxplat-store --example append [DIRECTORY]`.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a bench reads the clock and prints"
)]

use std::time::Instant;

use fauxplat_model::document::Header;
use fauxplat_model::{Metric, Sample};
use fauxplat_store::{State, Store};

const SAMPLES: u32 = 100_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let places = match std::env::args_os().nth(1) {
        Some(place) => vec![place.into()],
        None => vec![std::env::temp_dir(), "/dev/shm".into()],
    };
    for place in places {
        let directory = tempfile::tempdir_in(&place)?;
        let store = Store::open(directory.path().join("store.sqlite"))?;
        let mut experiment = store.begin(&header(), "run", &[])?;
        let mut appends_ns = Vec::with_capacity(SAMPLES as usize);
        for trial in 0..SAMPLES {
            let sample = sample(trial);
            let begun = Instant::now();
            experiment.append(&sample)?;
            appends_ns.push(begun.elapsed().as_nanos() as u64);
        }
        experiment.finish(&header(), None, State::Finished)?;
        let size = store.size()?;
        println!("{}: {}", place.display(), figures(&mut appends_ns));
        println!("    {} bytes a sample on disk", size.file_bytes / size.samples);
    }
    println!("peak memory of this process: {}", peak_memory()?);
    Ok(())
}

fn figures(appends_ns: &mut [u64]) -> String {
    appends_ns.sort_unstable();
    let at = |share: f64| appends_ns[((appends_ns.len() - 1) as f64 * share) as usize] as f64 / 1e3;
    let total_s = appends_ns.iter().sum::<u64>() as f64 / 1e9;
    format!(
        "append median {:.1} µs, 99 % {:.1} µs, max {:.0} µs, {SAMPLES} samples in {total_s:.2} s",
        at(0.5),
        at(0.99),
        at(1.0)
    )
}

fn peak_memory() -> std::io::Result<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    Ok(fauxplat_procfs::keyed::value(&status, "VmHWM").unwrap_or("unknown").to_owned())
}

fn sample(trial: u32) -> Sample {
    let value = |index: u64| 5_000_000 + u64::from(trial) * 13 + index;
    let readings = Metric::BUILT_IN.iter().zip(0..12).map(|(&metric, index)| (metric, value(index)));
    Sample {
        trial,
        block: trial / 2,
        command: (trial % 2) as u16,
        position: (trial % 2) as u16,
        cpu_last: 1,
        env_pad_bytes: 1234,
        started_ns: u64::from(trial) * 5_000_000,
        ..Sample::of(readings.collect())
    }
}

fn header() -> Header {
    Header {
        fauxplat_version: env!("CARGO_PKG_VERSION").into(),
        started: "2026-11-21T10:00:00Z".into(),
        invocation: vec!["append".into()],
        seed: 1,
        ..Header::default()
    }
}
